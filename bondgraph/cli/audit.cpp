#include "bondgraph/cli/audit.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/energy_report.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

/// "0.5 s, 2 s"
std::pair<double, double> window_of(const api::Model& model, const std::string& text, const api::Experiment& run) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        throw UsageError(fmt::format("--window takes two times separated by a comma, as in 0.5s,2s, not '{}'", text));
    const double from = value_of(model.seconds(text.substr(0, comma), "--window"));
    const double to = value_of(model.seconds(text.substr(comma + 1), "--window"));
    if (!(from < to))
        throw UsageError(
            fmt::format("--window: {:g} s to {:g} s is no stretch of time; the first is to be less", from, to));
    if (from < run.start || to > run.stop) {
        throw UsageError(
            fmt::format("--window: {:g} s to {:g} s is not within the run, which goes from {:g} s to {:g} s", from, to,
                        run.start, run.stop));
    }
    return {from, to};
}

}  // namespace

Audit::Audit(const api::Model& model, const AuditOptions& options, api::RunOptions& run) : options_(options) {
    run.energy_account = options.any();
    if (!options.window.empty()) {
        if (!options.any()) throw UsageError("--window needs one of --audit, --audit-json and --sankey");
        run.account_window = window_of(model, options.window, value_of(model.experiment(run)));
    }
    const std::string extension = std::filesystem::path(options.sankey).extension().string();
    if (!extension.empty() && extension != ".svg")
        throw UsageError(
            fmt::format("can't write '{}': Sankey diagrams are .svg, not '{}'", options.sankey, extension));
}

void Audit::open_files(const api::Model& model) {
    json_ = api::output_file(options_.json, model.files());
    sankey_ = api::output_file(options_.sankey, model.files());
}

std::vector<std::string> Audit::report(const api::Model& model, const api::Run& run) {
    if (!options_.any()) return {};
    if (!run.account) {
        say("there is no energy audit: the run did not come to its end\n");
        return {};
    }
    if (options_.table) say(audit_text(model.name(), *run.account));
    if (json_) json_->write(audit_json(model.name(), *run.account));
    if (sankey_) sankey_->write(api::picture(api::sankey(*run.account, model.name())));
    std::vector<std::string> written;
    for (const auto* file : {&json_, &sankey_}) {
        if (*file && !(*file)->is_standard_output()) written.push_back((*file)->name());
    }
    return written;
}

}  // namespace bondgraph::cli
