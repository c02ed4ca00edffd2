#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/model/flatten.hpp"
#include "bondgraph/model/layout_declaration.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::cli {

/// What every model of a process shares.
struct Environment {
    UnitSystem units;
    model::Catalogue catalogue;
};

Environment standard_environment();

/// A model on its way from the file to numbers. Every stage refers to the ones before, so they live at fixed addresses.
struct Session {
    const Environment* environment = nullptr;
    std::string file;
    SourceMap sources;
    model::Model model;
    model::LayoutDeclaration layout;
    std::unique_ptr<model::BondGraph> graph;
    std::unique_ptr<causality::CausalGraph> causal;
    std::unique_ptr<compile::SortedSystem> system;
    std::unique_ptr<compile::CompiledModel> compiled;
};

enum class Stage : std::uint8_t { flattened, causal, sorted, compiled };

/// Takes the session's file through the stages up to `last`. `settings` are the texts of --set; with `perturb_sources`
/// the equations have inputs to linearize by. Warnings go to standard error unless `quiet`.
/// Throws ModelError, model::UnknownOverride, and UsageError when the file can't be read or a setting has no form.
void prepare(Session& session, const std::vector<std::string>& settings, Stage last, bool perturb_sources = false,
             bool quiet = false);

/// The equations once more with perturbed sources, for linearization; the session's own stay as they are.
compile::CompiledModel perturbed(const Session& session);

/// The files the session's model was read from, with those it imports: none of them may become an output.
std::vector<std::string> files_read(const Session& session);

/// Runs `action`, turning what a model or a command line can do wrong into messages on standard error and the exit
/// status. Mistakes that lie in options only are wrong usage.
int report_mistakes(const Session& session, const std::function<int()>& action);

/// All diagnostics as text, in order.
std::string render_all(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources);

}  // namespace bondgraph::cli
