#include "bondgraph/cli/audit.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bondgraph/api/energy_account.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/energy_report.hpp"
#include "bondgraph/cli/energy_sankey.hpp"

namespace bondgraph::cli {
namespace {

/// "0.5 s, 2 s"
std::pair<double, double> window_of(Session& session, const std::string& text, const simulation::Settings& settings) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        throw UsageError(fmt::format("--window takes two times separated by a comma, as in 0.5s,2s, not '{}'", text));
    const double from = option_time(session, text.substr(0, comma), "--window");
    const double to = option_time(session, text.substr(comma + 1), "--window");
    if (!(from < to))
        throw UsageError(
            fmt::format("--window: {:g} s to {:g} s is no stretch of time; the first is to be less", from, to));
    if (from < settings.start || to > settings.stop) {
        throw UsageError(
            fmt::format("--window: {:g} s to {:g} s is not within the run, which goes from {:g} s to {:g} s", from, to,
                        settings.start, settings.stop));
    }
    return {from, to};
}

}  // namespace

Audit::Audit(Session& session, const AuditOptions& options, simulation::Settings& settings)
    : asked_(options.any()), table_(options.table) {
    settings.energy_by_element = asked_;
    if (!options.window.empty()) {
        if (!asked_) throw UsageError("--window needs one of --audit, --audit-json and --sankey");
        settings.audit_window = window_of(session, options.window, settings);
    }
    const std::string extension = std::filesystem::path(options.sankey).extension().string();
    if (!extension.empty() && extension != ".svg")
        throw UsageError(
            fmt::format("can't write '{}': Sankey diagrams are .svg, not '{}'", options.sankey, extension));
    json_ = output_file(options.json, files_read(session));
    sankey_ = output_file(options.sankey, files_read(session));
}

std::vector<std::string> Audit::report(const Session& session, const simulation::Summary& summary) {
    if (!asked_) return {};
    if (summary.failure) {
        say("there is no energy audit: the run did not come to its end\n");
        return {};
    }
    const EnergyAccount account = api::energy_account(*session.graph, summary.audited);
    const std::string& model = session.model.name.text;
    if (table_) say(audit_text(model, account));
    if (json_) json_->write(audit_json(model, account));
    if (sankey_) sankey_->write(io::draw_sankey(energy_sankey(model, account)));
    std::vector<std::string> written;
    for (const auto* file : {&json_, &sankey_}) {
        if (*file && !(*file)->is_standard_output()) written.push_back((*file)->name());
    }
    return written;
}

}  // namespace bondgraph::cli
