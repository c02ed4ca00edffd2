// Which outputs of an own type follow from which inputs at the same instant.

#include "bondgraph/causality/own_type_paths.hpp"

#include <optional>
#include <unordered_map>

#include "bondgraph/structure/matching.hpp"

namespace bondgraph::causality {

using expression::Op;
using model::Element;

namespace {

/// The equations of an own type: per equation the unknowns and the inputs in it.
struct OwnTypeSystem {
    std::size_t unknowns = 0;  ///< the outputs first, by the number of their end
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<std::vector<std::size_t>> inputs;
};

std::uint64_t leaf_key(Op op, std::uint32_t variable) {
    return (std::uint64_t{variable} << 1U) | (op == Op::derivative ? 1U : 0U);
}

/// Nothing where an equation has the rate of what is no state: what that follows from is not seen in its terms.
std::optional<OwnTypeSystem> own_type_system(const model::BondGraph& g, const Element& e,
                                             const std::vector<OwnTypeEnd>& ends) {
    OwnTypeSystem system;
    std::unordered_map<std::uint64_t, std::uint32_t> unknown;
    const auto add = [&](Op op, std::uint32_t variable) {
        unknown.emplace(leaf_key(op, variable), static_cast<std::uint32_t>(system.unknowns++));
    };
    std::unordered_map<std::uint32_t, std::size_t> input;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        add(Op::variable, ends[k].output);
        input.emplace(ends[k].input, k);
    }
    for (const Element::Slot& s : e.slots) {
        if (s.kind == Element::Slot::Kind::discrete) continue;
        const Op op = s.kind == Element::Slot::Kind::state ? Op::derivative : Op::variable;
        for (std::uint32_t k = 0; k < s.size; ++k) add(op, g.slot_variable(s.first + k).value);
    }
    for (const model::GivenEquation& q : e.given_equations) {
        std::vector<std::uint32_t> roots;
        for (const expression::Expr& x : {q.lhs, q.rhs}) {
            if (!x.is_literal()) roots.push_back(x.node());
        }
        auto& row = system.rows.emplace_back();
        auto& from = system.inputs.emplace_back();
        for (const std::uint32_t n : expression::reachable(*g.expressions, roots)) {
            const expression::Node& node = (*g.expressions)[n];
            if (node.op != Op::variable && node.op != Op::derivative) continue;
            const auto at = unknown.find(leaf_key(node.op, node.a));
            if (at != unknown.end()) {
                row.push_back(at->second);
            } else if (node.op == Op::derivative) {
                return std::nullopt;
            } else if (const auto i = input.find(node.a); i != input.end()) {
                from.push_back(i->second);
            }
        }
    }
    return system;
}

/// Per unknown the equation it is computed from; empty where they can't be paired.
std::vector<std::uint32_t> paired(const OwnTypeSystem& system) {
    if (system.rows.size() != system.unknowns) return {};
    structure::Incidence rows;
    for (const auto& row : system.rows) rows.add_row(row);
    structure::Matching matching = structure::maximum_matching(rows, system.unknowns);
    return matching.size() == system.unknowns ? std::move(matching.row_of) : std::vector<std::uint32_t>{};
}

/// The inputs that an unknown follows from, through whatever is computed in between.
std::vector<bool> inputs_of(const OwnTypeSystem& system, const std::vector<std::uint32_t>& row_of, std::size_t unknown,
                            std::size_t count) {
    std::vector<bool> found(count, false);
    std::vector<bool> seen(system.unknowns, false);
    std::vector<std::size_t> stack{unknown};
    seen[unknown] = true;
    while (!stack.empty()) {
        const std::uint32_t row = row_of[stack.back()];
        stack.pop_back();
        for (const std::size_t i : system.inputs[row]) found[i] = true;
        for (const std::uint32_t u : system.rows[row]) {
            if (!seen[u]) stack.push_back(u);
            seen[u] = true;
        }
    }
    return found;
}

}  // namespace

void own_type_paths(const model::BondGraph& graph, const Element& element, const std::vector<OwnTypeEnd>& ends,
                    const std::function<void(std::size_t from, std::size_t to)>& pass) {
    const auto system = own_type_system(graph, element, ends);
    const std::vector<std::uint32_t> row_of = system ? paired(*system) : std::vector<std::uint32_t>{};
    for (std::size_t to = 0; to < ends.size(); ++to) {
        const std::vector<bool> from =
            row_of.empty() ? std::vector<bool>(ends.size(), true) : inputs_of(*system, row_of, to, ends.size());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (from[i]) pass(i, to);
        }
    }
}

}  // namespace bondgraph::causality
