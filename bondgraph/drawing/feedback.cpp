#include "bondgraph/drawing/feedback.hpp"

#include "bondgraph/structure/components.hpp"

namespace bondgraph::drawing {

std::vector<bool> feedback(const std::vector<bool>& bonded, std::span<const Influence> lines) {
    std::vector<std::vector<std::uint32_t>> ends(bonded.size());
    for (const Influence& line : lines) ends[line.from].push_back(line.to);
    structure::Incidence successors;
    for (const auto& row : ends) successors.add_row(row);
    const structure::Incidence components = structure::strong_components(successors);
    std::vector<std::size_t> cycle(bonded.size());
    std::vector<bool> with_bonds(components.rows(), false);
    for (std::size_t c = 0; c < components.rows(); ++c) {
        for (const std::uint32_t member : components.row(c)) {
            cycle[member] = c;
            if (bonded[member]) with_bonds[c] = true;
        }
    }
    std::vector<bool> result;
    for (const Influence& line : lines)
        result.push_back(line.signal && cycle[line.from] == cycle[line.to] && with_bonds[cycle[line.from]]);
    return result;
}

}  // namespace bondgraph::drawing
