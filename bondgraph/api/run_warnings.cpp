#include "bondgraph/api/run_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/api/structure.hpp"
#include "bondgraph/base/numbers.hpp"

namespace bondgraph::api {
namespace {

std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNames = 8;
    std::string text;
    for (std::size_t k = 0; k < names.size() && k < kMostNames; ++k) text += (k == 0 ? "" : ", ") + names[k];
    return names.size() > kMostNames ? text + ", …" : text;
}

void warn_of_branching(const simulation::Summary& summary, std::vector<Diagnostic>& found) {
    if (!summary.branching) return;
    constexpr std::size_t kMost = 6;
    std::vector<std::string> names = summary.branching->coordinates;
    const bool more = names.size() > kMost;
    if (more) names.resize(kMost);
    Diagnostic d{Severity::warning, "BG-S006", {}, "", {}};
    d.message = fmt::format(
        "at {:.6g} s the run passed, or came close to, a position in which constraints depend on each other: the "
        "motion may branch there",
        summary.branching->time);
    if (!names.empty())
        d.notes.push_back({"where", "constraints between " + joined(names) + (more ? " and others" : "")});
    d.notes.push_back(
        {"because", "where links lie in line, say, errors of the steps, not the equations, decide on the way on"});
    d.notes.push_back({"try", "choose lengths that avoid the position, or let one part be elastic"});
    found.push_back(std::move(d));
}

void warn_of_indeterminate_loads(const simulation::Summary& summary, std::vector<Diagnostic>& found) {
    constexpr std::size_t kMost = 6;
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
        found.push_back(std::move(d));
    }
}

void warn_of_idle_locks(const simulation::Summary& summary, std::vector<Diagnostic>& found) {
    for (const simulation::IdleLockNote& note : summary.idle_locks) {
        Diagnostic d{Severity::warning, "BG-S008", {}, "", {}};
        d.message =
            fmt::format("from {:.6g} s on '{}' locks what is held already: its effort is 0", note.time, note.lock);
        d.notes.push_back(
            {"because",
             "other locks or sources of flow and the closed loop leave it nothing to hold; how they share "
             "the load can't be told for rigid parts, though the motion stays the same"});
        d.notes.push_back({"try", "a stiff spring in place of one of them where efforts of locks matter"});
        found.push_back(std::move(d));
    }
}

/// Of many components that an expression of one type stands in, the first speaks for all.
void warn_of_broken_promises(const simulation::Summary& summary, std::vector<Diagnostic>& found) {
    constexpr std::size_t kNamed = 4;
    std::map<SourcePosition, std::vector<const simulation::BrokenPromise*>> alike;
    for (const simulation::BrokenPromise& b : summary.broken) alike[b.position].push_back(&b);
    for (const simulation::BrokenPromise& b : summary.broken) {
        const auto& all = alike.at(b.position);
        if (all.front() != &b) continue;
        Diagnostic d{Severity::warning, "BG-S012", b.position, "", {}};
        d.message = fmt::format("'{}': what {} says is continuous jumps from {:.6g} to {:.6g} at {:.6g} s", b.element,
                                b.text, b.before, b.after, b.time);
        if (b.times > 1)
            d.message += fmt::format(", and {}", counted(static_cast<std::size_t>(b.times - 1), "more time"));
        d.notes.push_back(
            {"because",
             "nothing is prepared for a jump inside smooth(): steps pass one that states bring about, and what "
             "follows is as exact there as their length lets it be; a storage that has to follow one of "
             "time at once changes its energy by it"});
        std::vector<std::string> others;
        for (std::size_t k = 1; k < all.size() && others.size() < kNamed; ++k)
            others.push_back(fmt::format("'{}' at {:.6g} s", all[k]->element, all[k]->time));
        if (!others.empty())
            d.notes.push_back(
                {"where", fmt::format("as well {}{}", fmt::join(others, ", "),
                                      all.size() - 1 > kNamed ? fmt::format(" and {} more", all.size() - 1 - kNamed)
                                                              : std::string{})});
        d.notes.push_back({"try", "leave smooth() away, so that the jump becomes an event"});
        found.push_back(std::move(d));
    }
}

/// What is told of a component of a type begins with its name: "'w.a': below the limit".
std::string_view teller_of(const simulation::Told& told) {
    const std::string_view text = told.text;
    const std::size_t end = text.find("': ");
    return text.starts_with('\'') && end != std::string_view::npos ? text.substr(0, end + 1) : std::string_view{};
}

/// What the model says itself: of many components that say the same, one speaks for all.
void warn_as_told(const simulation::Summary& summary, std::vector<Diagnostic>& found) {
    constexpr std::size_t kNamed = 4;
    std::map<SourcePosition, std::vector<const simulation::Told*>> alike;
    for (const simulation::Told& t : summary.told) alike[t.position].push_back(&t);
    for (const simulation::Told& t : summary.told) {
        const auto& all = alike.at(t.position);
        if (all.front() != &t) continue;
        Diagnostic d{Severity::warning, "BG-S011", t.position, "", {}};
        d.message = fmt::format("at {:.6g} s {}", t.time, t.text);
        d.notes.push_back({"because", t.times == 1
                                          ? fmt::format("{} became true", t.condition)
                                          : fmt::format("{} became true, and {} more until the end", t.condition,
                                                        counted(static_cast<std::size_t>(t.times - 1), "time"))});
        std::vector<std::string> others;
        for (std::size_t k = 1; k < all.size() && others.size() < kNamed; ++k)
            others.push_back(fmt::format("{} at {:.6g} s", teller_of(*all[k]), all[k]->time));
        if (!others.empty())
            d.notes.push_back(
                {"where", fmt::format("as well {}{}", fmt::join(others, ", "),
                                      all.size() - 1 > kNamed ? fmt::format(" and {} more", all.size() - 1 - kNamed)
                                                              : std::string{})});
        found.push_back(std::move(d));
    }
}

}  // namespace

std::vector<Diagnostic> start_warnings(const compile::SortedSystem& system) {
    constexpr double kFar = 1.5;  // rad: nobody guesses an angle so badly
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (const ClosedLoop& loop : closed_loops(system)) {
        for (const ClosedCoordinate& c : loop.position) {
            if (c.given && c.number && std::abs(c.after - c.before) > kFar)
                names.push_back(fmt::format("{} = {:.4g} (from {:.4g})", c.name, c.after, c.before));
        }
    }
    if (names.empty()) return {};
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
    return {std::move(d)};
}

std::vector<Diagnostic> run_warnings(const simulation::Summary& summary) {
    std::vector<Diagnostic> found;
    warn_of_branching(summary, found);
    warn_of_indeterminate_loads(summary, found);
    warn_of_idle_locks(summary, found);
    warn_of_broken_promises(summary, found);
    warn_as_told(summary, found);
    return found;
}

Diagnostic doubt_diagnostic(const simulation::Settings& settings, const simulation::Doubt& doubt) {
    Diagnostic d{Severity::warning, "BG-S005", {}, "", {}};
    d.message = fmt::format(
        "the results are not to be trusted: with a tolerance of {:g} instead of {:g} '{}' differs by {:.0f} % of its "
        "range (compared up to {:.6g} s)",
        doubt.tolerance, settings.tolerance, doubt.signal, 100.0 * doubt.share, doubt.until);
    d.notes.push_back({"because", "small errors of the steps add up or grow along the run"});
    d.notes.push_back({"try", fmt::format("a tolerance of {:g}, and compare", 0.1 * doubt.tolerance)});
    return d;
}

Diagnostic failure_diagnostic(const simulation::Failure& failure) {
    Diagnostic d{Severity::error, "", failure.position, "", {}};
    d.message =
        fmt::format("the simulation failed at t = {:.9g} s (step {}): {}", failure.time, failure.step, failure.message);
    if (!failure.component.empty()) d.notes.push_back({"where", failure.component});
    if (!failure.equation.empty()) d.notes.push_back({"equation", failure.equation});
    d.notes.insert(d.notes.end(), failure.notes.begin(), failure.notes.end());
    return d;
}

}  // namespace bondgraph::api
