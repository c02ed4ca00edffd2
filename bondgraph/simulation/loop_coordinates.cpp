#include "bondgraph/simulation/loop_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::simulation {

std::vector<bool> judged_unknowns(const compile::CompiledModel& m) {
    std::vector<bool> judged;
    std::unordered_set<std::size_t> followed;
    if (m.reduced && m.reduced->loops) {
        for (const auto& c : m.reduced->loops->position) followed.insert(c.variable);
    }
    for (const compile::Unknown& u : m.unknowns)
        judged.push_back(u.differential || followed.contains(u.variable.index()));
    return judged;
}

std::vector<std::pair<std::uint32_t, double>> followed_sizes(const compile::CompiledModel& m) {
    std::vector<std::pair<std::uint32_t, double>> result;
    if (!m.reduced || !m.reduced->loops) return result;
    std::unordered_map<std::size_t, bool> numbers;
    double longest = 0.0;
    for (const auto& c : m.reduced->loops->position) {
        numbers.emplace(c.variable, c.number);
        if (!c.number) longest = std::max(longest, std::abs(c.value));
    }
    for (std::uint32_t i = 0; i < m.unknowns.size(); ++i) {
        const auto at = numbers.find(m.unknowns[i].variable.index());
        if (!m.unknowns[i].differential && at != numbers.end()) result.emplace_back(i, at->second ? 1.0 : longest);
    }
    return result;
}

}  // namespace bondgraph::simulation
