#include "bondgraph/cli/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

constexpr std::size_t kMostNames = 8;

std::string imbalance_text(const api::Energy& energy) {
    if (!std::isfinite(energy.imbalance)) return "not known: a power was not finite";
    std::string text = fmt::format("imbalance {:.3g} J", energy.imbalance);
    if (energy.moved > 0.0) {
        text += fmt::format(", {:.2g} of {:.4g} J moved", energy.imbalance / energy.moved, energy.moved);
    }
    return text;
}

// States nobody gave a value, or free parameters that stayed at their guess; empty without.
std::string defaulted_text(const std::vector<api::DefaultedStart>& defaulted, bool parameters) {
    std::string text;
    std::size_t count = 0;
    for (const api::DefaultedStart& d : defaulted) {
        if (d.parameter != parameters || ++count > kMostNames) continue;
        text += fmt::format("{}{} = {:.6g}", count == 1 ? "" : ", ", d.name, d.value);
    }
    if (count > kMostNames) text += fmt::format(" and {} more", count - kMostNames);
    if (count == 0) return text;
    return text + (parameters ? " (as guessed: no condition asks for another value)" : " (not given in the model)");
}

std::string moved_text(std::vector<api::MovedStart> moved) {
    const auto shown = [](double value) { return fmt::format("{:.6g}", value); };
    std::erase_if(moved, [&](const api::MovedStart& m) { return shown(m.to) == shown(m.from); });
    std::string text;
    for (std::size_t k = 0; k < moved.size() && k < kMostNames; ++k) {
        text += fmt::format("{}{} = {} (from {})", k == 0 ? "" : ", ", moved[k].name, shown(moved[k].to),
                            shown(moved[k].from));
    }
    if (moved.size() > kMostNames) text += fmt::format(" and {} more", moved.size() - kMostNames);
    return text;
}

// "12 in time, 30 of state, 8 changes of mode"
std::string events_text(const api::Statistics& s) {
    if (s.state_events == 0 && s.mode_changes == 0) return fmt::format("{}", s.time_events);
    std::string text = fmt::format("{} in time, {} of state", s.time_events, s.state_events);
    if (s.mode_changes > 0)
        text += fmt::format(", {} of mode", counted(static_cast<std::size_t>(s.mode_changes), "change"));
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t k = 0; k < names.size() && k < kMostNames; ++k) text += (k == 0 ? "" : ", ") + names[k];
    return names.size() > kMostNames ? text + ", …" : text;
}

}  // namespace

std::string summary_text(const std::string& model, const api::Run& run, const std::vector<std::string>& written) {
    const api::Statistics& summary = run.statistics;
    const double start = run.experiment.start;
    const double reached = run.series.rows() == 0 ? start : run.series.time().back();
    Table table({Align::left, Align::left});
    table.add({"simulated", fmt::format("{:.6g} s to {:.6g} s", start, reached)});
    table.add({"steps", fmt::format("{} ({}, {})", summary.steps,
                                    counted(static_cast<std::size_t>(summary.evaluations), "evaluation"),
                                    counted(static_cast<std::size_t>(summary.jacobians), "Jacobian"))});
    table.add({"events", events_text(summary)});
    for (const api::Reselection& r : summary.reselected) {
        if (&r - summary.reselected.data() == 5) break;
        table.add({"states", fmt::format("at {:.6g} s {} instead of {}", r.time, joined(r.to), joined(r.from))});
    }
    if (summary.reselections > 5)
        table.add({"", fmt::format("and {} more choices of states", summary.reselections - 5)});
    if (!summary.left_out.empty())
        table.add({"left out", "constraints that others imply, at " + joined(summary.left_out)});
    if (!summary.unproven.empty())
        table.add({"unproven",
                   fmt::format("when '{}' changes was looked for at 5000 times of the run only", summary.unproven)});
    if (summary.recoveries > 0)
        table.add({"recovered", fmt::format("from {} of the integrator",
                                            counted(static_cast<std::size_t>(summary.recoveries), "failure"))});
    table.add({"time spent", fmt::format("{:.3g} s (start {:.2g} s, integration {:.2g} s)",
                                         summary.seconds_start + summary.seconds_integration, summary.seconds_start,
                                         summary.seconds_integration)});
    if (run.energy.known) table.add({"energy", imbalance_text(run.energy)});
    for (const bool parameters : {false, true}) {
        const std::string text = defaulted_text(summary.defaulted, parameters);
        if (!text.empty()) table.add({parameters ? "kept" : "started at", text});
    }
    if (const std::string text = moved_text(summary.moved); !text.empty()) table.add({"found", text});
    for (const std::string& file : written) table.add({"written", file});
    return fmt::format("{}\n{}", model, table.text());
}

std::string failure_text(const api::Error& failure, bool written) {
    std::string text = failure.text();
    if (written) text += fmt::format("  {:<9}the results up to there have been written\n", "note:");
    return text;
}

}  // namespace bondgraph::cli
