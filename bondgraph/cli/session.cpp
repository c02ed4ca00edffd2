#include "bondgraph/cli/session.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

bool in_option(const Diagnostic& d, const SourceMap& sources) {
    return d.position.known() && d.position.file < sources.size() && sources.name(d.position.file).starts_with("--");
}

}  // namespace

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

namespace {

void prepare(Session& session, const api::Preparation& how, Stage last, bool quiet) {
    session.import_folders = import_folders();
    api::read(session, how);
    if (!quiet) say(render_all(session.graph->warnings, session.sources));
    api::compile_to(session, last, how.perturb_sources);
}

}  // namespace

void prepare(Session& session, const std::vector<std::string>& settings, Stage last, bool perturb_sources, bool quiet) {
    prepare(session, {.settings = settings, .perturb_sources = perturb_sources}, last, quiet);
}

void prepare_run(Session& session, const std::vector<std::string>& settings) {
    prepare(session, {.settings = settings, .inputs_fit = true}, Stage::compiled, false);
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
