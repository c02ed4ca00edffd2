#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bondgraph/api/output_file.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::cli {

using api::Environment;
using api::files_read;
using api::output_file;
using api::OutputFile;
using api::perturbed;
using api::refuse_shared_output;
using api::Session;
using api::Stage;
using api::standard_environment;
using api::UsageError;

/// The folders of BONDGRAPH_PATH, between colons: where imports are looked for that are not beside the model.
std::vector<std::filesystem::path> import_folders();

/// Takes the session's file through the stages up to `last`. `settings` are the texts of --set; imports are looked for
/// in the folders of BONDGRAPH_PATH, too. Warnings go to standard error unless `quiet`. Throws as api::read() and
/// api::compile_to() do.
void prepare(Session& session, const std::vector<std::string>& settings, Stage last, bool perturb_sources = false,
             bool quiet = false);
/// The same to the last stage for a run, for which inputs of a stored model only have to get values.
void prepare_run(Session& session, const std::vector<std::string>& settings);

/// The folders of BONDGRAPH_PATH, between colons: where imports are looked for that are not beside the model.
std::vector<std::filesystem::path> import_folders();

/// Runs `action`, turning what a model or a command line can do wrong into messages on standard error and the exit
/// status. Mistakes that lie in options only are wrong usage.
int report_mistakes(const Session& session, const std::function<int()>& action);

/// All diagnostics as text, in order.
std::string render_all(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources);

}  // namespace bondgraph::cli
