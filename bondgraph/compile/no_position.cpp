#include "bondgraph/compile/no_position.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bondgraph/compile/link_lengths.hpp"
#include "bondgraph/compile/nearest_gap.hpp"

namespace bondgraph::compile {

using model::Element;

namespace {

const model::BondGraph& graph_of(const AssemblyProblem& p) { return *p.system->causal->graph; }

const Element& closure_of(const AssemblyProblem& p, model::ElementId part) {
    const model::BondGraph& g = graph_of(p);
    return g.elements[g.elements[part.index()].owner.index()];
}

/// Of the loop that stays apart most, or of another one of the mechanism.
std::optional<std::string> unfit_lengths(const AssemblyProblem& p, const ChoicePoint& at, const Element& closure) {
    if (auto text = link_too_long(p, at, closure)) return text;
    const Element* last = &closure;
    for (const model::ElementId part : p.parts) {
        const Element& other = closure_of(p, part);
        if (&other == &closure || &other == last) continue;
        last = &other;
        if (auto text = link_too_long(p, at, other)) return text;
    }
    return std::nullopt;
}

std::vector<std::string> joints_of(const AssemblyProblem& p) {
    const model::BondGraph& g = graph_of(p);
    const std::size_t bonds = 2 * std::size_t{g.bond_components};
    std::vector<std::string> names;
    for (const std::uint32_t v : p.variables) {
        if (v < bonds) continue;
        const std::string& name = g.elements[g.slot_variables[v - bonds].element.index()].name;
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}

/// What keeps the loops apart where it is no distance.
std::optional<std::string> why_apart(const NearestGap& nearest, bool turned_over) {
    if (turned_over)
        return "its conditions hold only in positions in which one side is turned over against the "
               "other: axes that should agree point in opposite directions";
    if (nearest.angle)
        return fmt::format(
            "in the nearest position that was found its points meet, and axes that should "
            "agree are {:.3g} rad apart there",
            nearest.size);
    return std::nullopt;
}

}  // namespace

void refuse_position(const AssemblyProblem& p, const ChoicePoint& at, bool turned_over) {
    const NearestGap nearest = nearest_gap(p, at);
    const Element& closure = closure_of(p, nearest.part);
    std::vector<DiagnosticNote> notes;
    if (const auto names = joints_of(p); !names.empty())
        notes.push_back({"where", fmt::format("with the joints {}", some_names(names))});
    const auto lengths = unfit_lengths(p, at, closure);
    const auto apart = why_apart(nearest, turned_over);
    if (lengths) notes.push_back({"because", *lengths});
    if (!lengths && apart)
        notes.push_back({"because", *apart});
    else if (!nearest.angle)  // what is far below a millimetre counts as met, though lengths say it isn't
        notes.push_back(
            {lengths ? "note" : "because",
             fmt::format("the nearest position that was found leaves a gap of {:.3g} m there", nearest.size)});
    notes.push_back({"try", lengths ? "change some of these lengths: no other position closes the loop"
                                    : "look at lengths and axes of its parts; if it can be closed, give guess: for "
                                      "some of the joints, near a possible position"});
    Diagnostics d;
    d.error("BG-I007", closure.position,
            fmt::format("a closed loop can't be brought together at '{}' ({})", closure.name, closure.type->name),
            std::move(notes));
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

std::optional<OutOfReach> out_of_reach(const AssemblyProblem& p, const ChoicePoint& begin,
                                       std::span<const std::uint32_t> held) {
    const model::BondGraph& g = graph_of(p);
    for (std::size_t k = 0; k < p.parts.size(); ++k) {
        const Element& closure = closure_of(p, p.parts[k]);
        if (k > 0 && &closure == &closure_of(p, p.parts[k - 1])) continue;
        std::vector<Expr> own;
        for (std::size_t r = k; r < p.parts.size() && &closure_of(p, p.parts[r]) == &closure; ++r)
            own.push_back(p.residuals[r]);
        const std::vector<std::uint32_t> variables = variables_in(*g.expressions, own);
        OutOfReach result;
        std::string names;
        for (const std::uint32_t v : held) {
            if (!std::ranges::binary_search(variables, v)) continue;
            result.coordinates.push_back(v);
            names += fmt::format("{}'{}'", names.empty() ? "" : ", ", g.variable_name(model::VariableId(v)));
        }
        if (names.empty()) continue;
        const auto lengths = link_too_long(p, begin, closure, result.coordinates);
        if (!lengths) continue;
        result.why = fmt::format("with {} as given, {}", names, *lengths);
        return result;
    }
    return std::nullopt;
}

}  // namespace bondgraph::compile
