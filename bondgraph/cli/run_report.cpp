#include "bondgraph/cli/run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/structure_report.hpp"

namespace bondgraph::cli {
namespace {

constexpr std::size_t kMostNames = 8;

std::string imbalance_text(const simulation::EnergyBalance& energy) {
    if (!std::isfinite(energy.imbalance)) return "not known: a power was not finite";
    std::string text = fmt::format("imbalance {:.3g} J", energy.imbalance);
    if (energy.moved > 0.0) {
        text += fmt::format(", {:.2g} of {:.4g} J moved", energy.imbalance / energy.moved, energy.moved);
    }
    return text;
}

// States nobody gave a value, or free parameters that stayed at their guess; empty without.
std::string defaulted_text(const std::vector<simulation::DefaultedStart>& defaulted, bool parameters) {
    std::string text;
    std::size_t count = 0;
    for (const simulation::DefaultedStart& d : defaulted) {
        if (d.parameter != parameters || ++count > kMostNames) continue;
        text += fmt::format("{}{} = {:.6g}", count == 1 ? "" : ", ", d.name, d.value);
    }
    if (count > kMostNames) text += fmt::format(" and {} more", count - kMostNames);
    if (count == 0) return text;
    return text + (parameters ? " (as guessed: no condition asks for another value)" : " (not given in the model)");
}

std::string moved_text(std::vector<simulation::MovedStart> moved) {
    const auto shown = [](double value) { return fmt::format("{:.6g}", value); };
    std::erase_if(moved, [&](const simulation::MovedStart& m) { return shown(m.to) == shown(m.from); });
    std::string text;
    for (std::size_t k = 0; k < moved.size() && k < kMostNames; ++k) {
        text += fmt::format("{}{} = {} (from {})", k == 0 ? "" : ", ", moved[k].name, shown(moved[k].to),
                            shown(moved[k].from));
    }
    if (moved.size() > kMostNames) text += fmt::format(" and {} more", moved.size() - kMostNames);
    return text;
}

// "12 in time, 30 of state, 8 changes of mode"
std::string events_text(const simulation::Summary& s) {
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

std::string summary_text(const Session& session, const simulation::Settings& settings, const simulation::Run& run,
                         const std::vector<std::string>& written) {
    const simulation::Summary& summary = run.summary;
    const double reached = run.result.time.empty() ? settings.start : run.result.time.back();
    Table table({Align::left, Align::left});
    table.add({"simulated", fmt::format("{:.6g} s to {:.6g} s", settings.start, reached)});
    table.add({"steps", fmt::format("{} ({}, {})", summary.steps,
                                    counted(static_cast<std::size_t>(summary.residual_evaluations), "evaluation"),
                                    counted(static_cast<std::size_t>(summary.jacobian_evaluations), "Jacobian"))});
    table.add({"events", events_text(summary)});
    for (const simulation::Reselection& r : summary.reselected) {
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
                                         summary.seconds_initialization + summary.seconds_integration,
                                         summary.seconds_initialization, summary.seconds_integration)});
    if (summary.energy.any) table.add({"energy", imbalance_text(summary.energy)});
    for (const bool parameters : {false, true}) {
        const std::string text = defaulted_text(summary.defaulted, parameters);
        if (!text.empty()) table.add({parameters ? "kept" : "started at", text});
    }
    if (const std::string text = moved_text(summary.moved); !text.empty()) table.add({"found", text});
    for (const std::string& file : written) table.add({"written", file});
    return fmt::format("{}\n{}", session.model.name.text, table.text());
}

std::string branching_text(const Session& session, const simulation::Summary& summary) {
    if (!summary.branching) return "";
    constexpr std::size_t kMost = 6;
    std::vector<std::string> names = summary.branching->coordinates;
    const bool more = names.size() > kMost;
    if (more) names.resize(kMost);
    Diagnostic d{Severity::warning, "BG-S006", {}, "", {}};
    d.message = fmt::format(
        "at {:.6g} s the run passed, or came close to, a position in which constraints depend on each other: the "
        "motion "
        "may branch there",
        summary.branching->time);
    if (!names.empty())
        d.notes.push_back({"where", "constraints between " + joined(names) + (more ? " and others" : "")});
    d.notes.push_back(
        {"because", "where links lie in line, say, errors of the steps, not the equations, decide on the way on"});
    d.notes.push_back({"try", "choose lengths that avoid the position, or let one part be elastic"});
    return render(d, session.sources);
}

std::string indeterminate_text(const Session& session, const simulation::Summary& summary) {
    constexpr std::size_t kMost = 6;
    std::string text;
    for (const simulation::IndeterminateLoad& load : summary.indeterminate) {
        Diagnostic d{Severity::warning, "BG-S007", {}, "", {}};
        d.message = fmt::format(
            "at {:.6g} s a closed loop is loaded in directions in which its reactions can't be told for rigid parts",
            load.time);
        std::vector<std::pair<std::string, std::vector<std::string>>> by_directions;
        for (const auto& joint : load.joints) {
            auto at = std::ranges::find(by_directions, joint.directions, [](const auto& d) { return d.first; });
            if (at == by_directions.end()) at = by_directions.insert(at, {joint.directions, {}});
            at->second.push_back(joint.name);
        }
        std::string where;
        for (std::size_t k = 0; k < std::min(by_directions.size(), kMost); ++k)
            where +=
                fmt::format("{}{} at {}", k == 0 ? "" : "; ", by_directions[k].first, joined(by_directions[k].second));
        if (by_directions.size() > kMost) where += fmt::format("; and {} more", by_directions.size() - kMost);
        d.notes.push_back({"where", where});
        const auto force = std::ranges::max_element(load.joints, {}, &simulation::IndeterminateLoad::Joint::force);
        const auto torque = std::ranges::max_element(load.joints, {}, &simulation::IndeterminateLoad::Joint::torque);
        std::string largest;
        if (force->force > 0.0) largest = fmt::format("{:.3g} N at {}", force->force, force->name);
        if (torque->torque > 0.0)
            largest += fmt::format("{}{:.3g} N.m at {}", largest.empty() ? "" : ", ", torque->torque, torque->name);
        d.notes.push_back(
            {"because",
             fmt::format("it is held together by more than it takes, and the reactions of {} at {} are set to 0; the "
                         "stiffness of real parts would share these loads (here {}) in another way, though the motion "
                         "stays the same",
                         counted(load.conditions, "condition"), joined(load.closures), largest)});
        d.notes.push_back({"try",
                           "where only the motion matters, nothing; else leave to one joint of each loop fewer "
                           "reactions (a Universal in place of one hinge and a Spherical in place of another, "
                           "CutRevolute2D where a planar loop closes), or put a Bushing with the stiffness of the "
                           "bearing between a joint and its part"});
        text += render(d, session.sources);
    }
    return text;
}

std::string far_guesses_text(const Session& session) {
    constexpr double kFar = 1.5;  // rad: nobody guesses an angle so badly
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (const ClosedLoopNames& loop : closed_loops(*session.system)) {
        for (const ClosedCoordinate& c : loop.position) {
            if (c.given && c.number && std::abs(c.after - c.before) > kFar)
                names.push_back(fmt::format("{} = {:.4g} (from {:.4g})", c.name, c.after, c.before));
        }
    }
    if (names.empty()) return "";
    const bool more = names.size() > kMost;
    if (more) names.resize(kMost);
    Diagnostic d{Severity::warning, "BG-S009", {}, "", {}};
    d.message = "a closed loop begins far from where its guesses have it";
    d.notes.push_back({"where", fmt::format("{}{}", fmt::join(names, ", "), more ? ", …" : "")});
    d.notes.push_back(
        {"because",
         "no position nearer to them was found in which it closes: it may be folded, or in another of its "
         "assemblies, as where one axis is not quite parallel to the others"});
    d.notes.push_back({"try", "look at axes and lengths, and at the position that 'bondgraph check' shows"});
    return render(d, session.sources);
}

std::string idle_locks_text(const Session& session, const simulation::Summary& summary) {
    std::string text;
    for (const simulation::IdleLockNote& note : summary.idle_locks) {
        Diagnostic d{Severity::warning, "BG-S008", {}, "", {}};
        d.message =
            fmt::format("from {:.6g} s on '{}' locks what is held already: its effort is 0", note.time, note.lock);
        d.notes.push_back(
            {"because",
             "other locks or sources of flow and the closed loop leave it nothing to hold; how they share "
             "the load can't be told for rigid parts, though the motion stays the same"});
        d.notes.push_back({"try", "a stiff spring in place of one of them where efforts of locks matter"});
        text += render(d, session.sources);
    }
    return text;
}

std::string doubt_text(const Session& session, const simulation::Settings& settings, const simulation::Doubt& doubt) {
    Diagnostic d{Severity::warning, "BG-S005", {}, "", {}};
    d.message = fmt::format(
        "the results are not to be trusted: with a tolerance of {:g} instead of {:g} '{}' differs by {:.0f} % of its "
        "range (compared up to {:.6g} s)",
        doubt.tolerance, settings.tolerance, doubt.signal, 100.0 * doubt.share, doubt.until);
    d.notes.push_back({"because", "small errors of the steps add up or grow along the run"});
    d.notes.push_back({"try", fmt::format("--tolerance {:g}, and compare", 0.1 * doubt.tolerance)});
    return render(d, session.sources);
}

std::string failure_text(const Session& session, const simulation::Failure& failure, bool written) {
    Diagnostic d{Severity::error, "", failure.position, "", {}};
    d.message =
        fmt::format("the simulation failed at t = {:.9g} s (step {}): {}", failure.time, failure.step, failure.message);
    if (!failure.component.empty()) d.notes.push_back({"where", failure.component});
    if (!failure.equation.empty()) d.notes.push_back({"equation", failure.equation});
    d.notes.insert(d.notes.end(), failure.notes.begin(), failure.notes.end());
    if (written) d.notes.push_back({"note", "the results up to there have been written"});
    return render(d, session.sources);
}

}  // namespace bondgraph::cli
