#include "bondgraph/model/bond_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bondgraph::model {

std::optional<std::size_t> BondGraph::discrete_of(VariableId id) const {
    if (id.value < 2 * bond_components || id.index() >= variable_count()) return std::nullopt;
    const SlotVariable& s = slot_variables[id.value - 2 * bond_components];
    const Element::Slot& slot = elements[s.element.index()].slots[s.slot];
    if (slot.kind != Element::Slot::Kind::discrete) return std::nullopt;
    return slot.first_discrete;
}

ElementId BondGraph::element_of(VariableId id) const {
    if (id.value >= 2 * bond_components) return slot_variables[id.value - 2 * bond_components].element;
    return bonds[bond_of_component(id.value / 2).index()].from;
}

SourcePosition BondGraph::variable_position(VariableId id) const {
    if (id.value < 2 * bond_components) return bonds[bond_of_component(id.value / 2).index()].position;
    return elements[slot_variables[id.value - 2 * bond_components].element.index()].position;
}

std::string BondGraph::line_text(SourcePosition place, SourcePosition beside) const {
    if (!files.empty() && place.file >= files.size()) return "a value that is set for this run";
    if (place.file == beside.file || place.file >= files.size()) return fmt::format("line {}", place.line);
    return fmt::format("line {} of {}", place.line, files[place.file]);
}

BondId BondGraph::bond_of_component(std::uint32_t component) const {
    const auto next = std::upper_bound(bonds.begin(), bonds.end(), component,
                                       [](std::uint32_t c, const Bond& b) { return c < b.first; });
    return BondId(static_cast<std::size_t>(next - bonds.begin()) - 1);
}

std::vector<double> BondGraph::held_at_start(std::span<const double> modes, std::size_t count) const {
    std::vector<double> held(count, 0.0);
    for (std::size_t d = 0; d < modes.size() && d < discretes.size(); ++d) held[2 * d] = held[2 * d + 1] = modes[d];
    for (std::size_t k = 0; k < adjustable.size(); ++k) held[first_adjustable() + k] = adjustable[k].value;
    for (std::size_t k = 0; k < free_parameters.size(); ++k) held[first_free() + k] = free_parameters[k].guess;
    return held;
}

}  // namespace bondgraph::model
