#include "bondgraph/compile/start_refusals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

namespace {

constexpr double kMissed = 1e-6;  // m, rad: what loops are closed to is far less, a mistake far more

}  // namespace

/// Whether a start value concerns coordinates of closed loops alone.
bool StartRefusals::of_place(const StartGivens::Condition& c) const {
    if (!s_.loops) return false;
    const std::vector<std::uint32_t> own = variables_in(*g_.expressions, std::span(&c.residual, 1));
    return !own.empty() && std::ranges::all_of(own, [&](std::uint32_t v) {
        return std::ranges::find(s_.loops->position, v, &ClosedLoops::Coordinate::variable) != s_.loops->position.end();
    });
}

/// A mechanism in which nothing can move, however it is started.
std::optional<std::string> StartRefusals::no_freedom() const {
    constexpr double kNearly = 0.01;
    if (!s_.loops) return std::nullopt;
    for (const ClosedMechanism& m : s_.loops->mechanisms) {
        if (m.rates > 0 || m.conditions() - m.redundant() < m.coordinates) continue;
        const model::Element& part = g_.elements[m.closures.front().hold.index()];
        std::string text =
            fmt::format("the loops held together at '{}' leave no freedom: {} coordinates, and as many conditions",
                        g_.elements[part.owner.index()].name, m.coordinates);
        if (m.weakest < kNearly)
            text += fmt::format(
                ", one of which the others nearly imply (but for {:.1g}): axes that are nearly parallel, say",
                m.weakest);
        return text;
    }
    return std::nullopt;
}

/// Why no lengths meet a coordinate that is given.
std::optional<std::string> StartRefusals::unfit_lengths(const StartGivens::Condition& given) const {
    const std::vector<std::uint32_t> own = variables_in(*g_.expressions, std::span(&given.residual, 1));
    const auto found = std::ranges::find_if(s_.loops->out_of_reach, [&](const OutOfReach& o) {
        return std::ranges::any_of(
            own, [&](std::uint32_t v) { return std::ranges::find(o.coordinates, v) != o.coordinates.end(); });
    });
    return found == s_.loops->out_of_reach.end() ? std::nullopt : std::optional(found->why);
}

/// The other fixed values, where they are few enough to look through.
std::string StartRefusals::met_beside(const StartGivens::Condition& missed) const {
    constexpr std::size_t kFew = 4;
    std::vector<std::string> all;
    for (const StartGivens::Condition& c : givens_.conditions()) {
        if (c.fixed && &c != &missed)
            all.push_back(fmt::format("'{}' in {}", c.name, g_.line_text(c.position, missed.position)));
    }
    return all.size() > kFew ? "" : fmt::format("{}", fmt::join(all, ", "));
}

/// The equations alone can be met: name the fixed values that are missed most.
void StartRefusals::contradiction(const NearestStart& reached, std::span<const double> values,
                                  std::span<const double> when_closed) const {
    std::vector<std::pair<double, const StartGivens::Condition*>> missed;
    std::vector<std::pair<double, const StartGivens::Condition*>> places;
    std::size_t k = 0;
    for (const StartGivens::Condition& c : givens_.conditions()) {
        if (!c.fixed) continue;
        missed.emplace_back(-std::abs(values[k]), &c);
        if (of_place(c) && std::abs(when_closed[k]) > kMissed) places.emplace_back(-std::abs(when_closed[k]), &c);
        ++k;
    }
    // Where loops can't be closed at a given place, no rate is to blame; where nothing can move, no place is.
    const bool by_place = !places.empty();
    if (by_place) missed = std::move(places);
    const auto stuck = by_place ? std::nullopt : no_freedom();
    const bool told = !stuck && reached.rows > 0 && reached.left > 0.0;
    if (!by_place && std::ranges::any_of(missed, [&](const auto& m) { return !of_place(*m.second); }))
        std::erase_if(missed, [&](const auto& m) { return of_place(*m.second); });
    std::stable_sort(missed.begin(), missed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string others;
    for (std::size_t i = 1; i < missed.size() && i < 6; ++i) {
        if (std::abs(missed[i].first) > 1e-3 * std::abs(missed[0].first))
            others += fmt::format("{}'{}' in {}", others.empty() ? "" : ", ", missed[i].second->name,
                                  g_.line_text(missed[i].second->position, missed[0].second->position));
    }
    const StartGivens::Condition& worst = *missed[0].second;
    std::string note = left_text(reached);
    if (by_place)
        note = fmt::format("in the position found in which the loops close it is off by {:.3g}{}{}", -missed[0].first,
                           worst.unit.empty() ? "" : " ", worst.unit);
    const bool alone = std::ranges::count_if(givens_.conditions(), [](const auto& c) { return c.fixed; }) == 1;
    std::vector<DiagnosticNote> notes;
    if (!others.empty())
        notes.push_back({"where", "nor can " + others});
    else if (const std::string met = met_beside(worst); !met.empty() && !stuck && !by_place)
        notes.push_back({"where", "given beside it: " + met});
    if (stuck) notes.push_back({"because", *stuck});
    if (const auto lengths = by_place ? unfit_lengths(worst) : std::nullopt) notes.push_back({"because", *lengths});
    if (told || by_place) notes.push_back({"note", note});
    notes.push_back({"try", stuck
                                ? "look at axes and lengths in the loop, or put a Spherical or Universal in place of a "
                                  "Revolute"
                            : alone ? "use guess: for what may move"
                                    : "fix fewer of them, or use guess: for those that may move"});
    Diagnostics d;
    d.error("BG-I001", worst.position,
            fmt::format("start values contradict the constraints: '{}' can't be met{}", worst.name,
                        alone ? "" : " with the others"),
            std::move(notes));
    if (by_place) throw PositionError(ModelError(d.items()));
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

void StartRefusals::no_solution(const NearestStart& reached, double time) const {
    const ReducedEquation& e = s_.equations[reached.worst];
    const model::Element& element = g_.elements[e.element.index()];
    Diagnostics d;
    d.error("BG-I003", e.position,
            fmt::format("no values were found at time {:g} that satisfy all equations and their derivatives", time),
            {{"where", fmt::format("an equation of '{}' ({}) is violated most", element.name, element.type->name)},
             {"note", left_text(reached)},
             {"try", "give a guess: for the variables of this constraint, near a possible position"}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

void StartRefusals::too_large(std::size_t size) const {
    Diagnostics d;
    d.error(
        "BG-I003", g_.model_position,
        fmt::format("constraints between states in a model of {} unknowns: more than the start is solved for", size),
        {{"try", "describe the parts by independent coordinates"}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

std::string StartRefusals::left_text(const NearestStart& n) const {
    std::string row;
    if (n.worst < s_.equations.size()) {
        const model::Element& e = g_.elements[s_.equations[n.worst].element.index()];
        row = fmt::format("an equation of '{}' ({})", e.name, e.type->name);
    } else {
        std::size_t k = n.worst - s_.equations.size();
        for (const StartGivens::Condition& c : givens_.conditions()) {
            if (c.fixed && k-- == 0) row = fmt::format("'{}'", c.name);
        }
    }
    return fmt::format("the nearest that was found leaves the sides of {} {:.3g} apart", row, n.left);
}

}  // namespace bondgraph::compile
