// Which strokes the equations of an own type allow.

#include "bondgraph/causality/own_type_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "bondgraph/structure/matching.hpp"

namespace bondgraph::causality {

using expression::Op;

OwnTypeEquations::OwnTypeEquations(const model::BondGraph& graph, const ScalarVertex& vertex)
    : ends_(vertex.ends.size()) {
    std::unordered_map<std::uint64_t, Occurrence> known;
    const auto key = [](Op op, std::uint32_t variable) {
        return (std::uint64_t{variable} << 1U) | (op == Op::derivative ? 1U : 0U);
    };
    for (const ScalarEnd& e : vertex.ends) {
        const auto column = static_cast<std::uint32_t>(columns_++);
        known.emplace(key(Op::variable, 2 * e.component), Occurrence{column, Occurrence::As::effort});
        known.emplace(key(Op::variable, 2 * e.component + 1), Occurrence{column, Occurrence::As::flow});
    }
    const model::Element& element = graph.elements[vertex.element.index()];
    for (const model::Element::Slot& s : element.slots) {
        if (s.kind == model::Element::Slot::Kind::discrete) continue;
        const bool state = s.kind == model::Element::Slot::Kind::state;
        for (std::uint32_t k = 0; k < s.size; ++k) {
            const auto column = static_cast<std::uint32_t>(columns_++);
            const std::uint32_t variable = graph.slot_variable(s.first + k).value;
            if (state) known.emplace(key(Op::derivative, variable), Occurrence{column, Occurrence::As::own});
            known.emplace(key(Op::variable, variable),
                          Occurrence{column, state ? Occurrence::As::state : Occurrence::As::own});
        }
    }
    for (const model::GivenEquation& q : element.given_equations) {
        std::vector<std::uint32_t> roots;
        for (const expression::Expr& x : {q.lhs, q.rhs}) {
            if (!x.is_literal()) roots.push_back(x.node());
        }
        auto& row = rows_.emplace_back();
        for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
            const expression::Node& node = (*graph.expressions)[n];
            if (node.op != Op::variable && node.op != Op::derivative) continue;
            if (const auto at = known.find(key(node.op, node.a)); at != known.end()) row.push_back(at->second);
        }
    }
    computes_ = possible(std::vector<End>(ends_, End::open), States::dependent);
}

// An open end is one column like a decided one: matched by its effort it takes in the flow, and the other way round.
bool OwnTypeEquations::possible(std::span<const End> ends, States states) const {
    using As = Occurrence::As;
    structure::Incidence pattern;
    std::vector<std::uint32_t> row;
    for (const auto& occurrences : rows_) {
        row.clear();
        for (const Occurrence& x : occurrences) {
            const bool counts = x.as == As::own || (x.as == As::state && states == States::dependent) ||
                                (x.as == As::effort && ends[x.column] != End::effort_in) ||
                                (x.as == As::flow && ends[x.column] != End::flow_in);
            if (counts) row.push_back(x.column);
        }
        std::ranges::sort(row);
        row.erase(std::unique(row.begin(), row.end()), row.end());
        pattern.add_row(row);
    }
    return structure::maximum_matching(pattern, columns_).size() == rows_.size();
}

void check_demands(const model::BondGraph& graph, const ScalarGraph& scalar, Diagnostics& diagnostics) {
    using End = OwnTypeEquations::End;
    for (const ScalarVertex& vertex : scalar.vertices) {
        if (vertex.kind != ScalarVertex::Kind::own_type) continue;
        const model::Element& e = graph.elements[vertex.element.index()];
        std::vector<End> ends;
        std::string demands;
        for (const model::Port& p : e.ports) {
            const bool effort = p.demand == model::PortCausality::effort_out;
            const bool any = p.demand != model::PortCausality::free;
            ends.insert(ends.end(), p.size, !any ? End::open : effort ? End::flow_in : End::effort_in);
            if (any)
                demands +=
                    fmt::format("{}'{}' gives its {}", demands.empty() ? "" : ", ", p.name, effort ? "effort" : "flow");
        }
        if (demands.empty()) continue;
        const OwnTypeEquations equations(graph, vertex);
        if (!equations.computes() || equations.possible(ends, OwnTypeEquations::States::dependent)) continue;
        diagnostics.error("BG-M083", e.position,
                          fmt::format("the equations of '{}' can't be computed so that {}", e.name, demands),
                          {{"because", "'causality:' of its type demands what the equations don't give"},
                           {"try", "leave the demand away, or write equations that the wanted variable follows from"}});
    }
}

}  // namespace bondgraph::causality
