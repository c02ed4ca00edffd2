#include "bondgraph/cli/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bondgraph/cli/console.hpp"
#include "bondgraph/io/load_model.hpp"
#include "bondgraph/model/experiment.hpp"
#include "bondgraph/model/results.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::cli {
namespace {

bool in_option(const Diagnostic& d, const SourceMap& sources) {
    return d.position.known() && d.position.file < sources.size() && sources.name(d.position.file).starts_with("--");
}

void check_readable(const std::string& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) {
        throw UsageError(
            fmt::format("can't read '{}': {}", file, error ? error.message() : "No such file or directory"));
    }
    if (std::filesystem::is_directory(status)) throw UsageError(fmt::format("can't read '{}': it is a folder", file));
}

std::vector<model::ParsedOverride> parse_overrides(const std::vector<std::string>& settings, SourceMap& sources,
                                                   Diagnostics& found) {
    std::vector<model::ParsedOverride> overrides;
    for (const std::string& setting : settings) {
        try {
            overrides.push_back(io::parse_override(setting, sources));
        } catch (const ModelError& e) {
            found.append(e.diagnostics());
        } catch (const std::invalid_argument& e) {
            throw UsageError(e.what());
        }
    }
    return overrides;
}

/// The folders of BONDGRAPH_PATH, between colons: where imports are looked for that are not beside the model.
std::vector<std::filesystem::path> import_folders() {
    std::vector<std::filesystem::path> folders;
    const char* all = std::getenv("BONDGRAPH_PATH");
    if (all == nullptr) return folders;
    std::istringstream list(all);
    for (std::string folder; std::getline(list, folder, ':');) {
        if (!folder.empty()) folders.emplace_back(folder);
    }
    return folders;
}

/// Reads and flattens. The mistakes of form and of content are thrown together, each once and in the order of the file.
void load(Session& session, const std::vector<std::string>& settings) {
    io::ReadModel read = io::read_model(session.file, session.sources, import_folders());
    Diagnostics& found = read.diagnostics;
    if (!read.readable) found.throw_if_errors();
    session.model = std::move(read.model);
    session.layout = std::move(read.layout);
    const auto overrides = parse_overrides(settings, session.sources, found);
    const auto& [units, catalogue] = *session.environment;
    if (found.has_errors()) {
        found.append(model::find_mistakes(session.model, catalogue, units, overrides));
    } else {
        try {
            session.graph =
                std::make_unique<model::BondGraph>(model::flatten(session.model, catalogue, units, overrides));
        } catch (const ModelError& e) {
            found.append(e.diagnostics());
        }
    }
    if (session.graph != nullptr)
        model::check_results(session.model, *session.graph, found);
    else
        found.append(model::find_unknown_results(session.model, catalogue, units));
    if (found.has_errors()) model::check_experiment(session.model, units, found);
    found.throw_if_errors();
}

}  // namespace

Environment standard_environment() { return {UnitSystem{}, mechanics3d::full_catalogue()}; }

void prepare(Session& session, const std::vector<std::string>& settings, Stage last, bool perturb_sources, bool quiet) {
    check_readable(session.file);
    load(session, settings);
    if (!quiet) say(render_all(session.graph->warnings, session.sources));
    if (last == Stage::flattened) return;
    session.causal = std::make_unique<causality::CausalGraph>(causality::assign_causality(*session.graph));
    if (last == Stage::causal) return;
    session.system = std::make_unique<compile::SortedSystem>(compile::sort_start(*session.causal, perturb_sources));
    if (last == Stage::sorted) return;
    session.compiled = std::make_unique<compile::CompiledModel>(compile::compile(*session.system));
}

compile::CompiledModel perturbed(const Session& session) {
    return compile::compile(compile::sort_equations(*session.causal, true));
}

std::vector<std::string> files_read(const Session& session) {
    std::vector<std::string> files{session.file};
    for (std::uint32_t file = 0; file < session.sources.size(); ++file) files.push_back(session.sources.name(file));
    return files;
}

std::string render_all(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources) {
    std::string text;
    for (const Diagnostic& d : diagnostics) text += render(d, sources);
    return text;
}

int report_mistakes(const Session& session, const std::function<int()>& action) {
    try {
        return action();
    } catch (const ModelError& e) {
        say(render_all(e.diagnostics(), session.sources));
        std::size_t errors = 0;
        bool usage = true;
        for (const Diagnostic& d : e.diagnostics()) {
            if (d.severity != Severity::error) continue;
            ++errors;
            usage = usage && in_option(d, session.sources);
        }
        usage = usage && errors > 0;
        say(fmt::format("{} in {}.\n", counted(errors, "error"), usage ? "the command line" : session.file));
        return usage ? kWrongUsage : kWrongModel;
    } catch (const model::UnknownOverride& e) {
        for (const std::string& message : e.messages()) say(fmt::format("error: {}\n", message));
    } catch (const UsageError& e) {
        say(fmt::format("error: {}\n", e.what()));
    }
    return kWrongUsage;
}

}  // namespace bondgraph::cli
