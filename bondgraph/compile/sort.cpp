// The order of computation, and what to do with loops.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "bondgraph/compile/closures.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/small_blocks.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/free_points.hpp"
#include "bondgraph/model/mode_search.hpp"
#include "bondgraph/structure/components.hpp"
#include "bondgraph/structure/integer_linear.hpp"
#include "bondgraph/structure/tearing.hpp"

namespace bondgraph::compile {

using expression::Op;

namespace {

class Sorting {
   public:
    Sorting(SortedSystem& s, SmallBlocks* blocks) : s_(s), graph_(*s.graph().expressions), blocks_(blocks) {}

    void run() {
        index_assignments();
        build_needs();
        const auto components = structure::strong_components(needs_);
        std::vector<std::uint32_t> order;
        torn_.assign(s_.assignments.size(), false);
        order.reserve(s_.assignments.size());
        std::size_t told = 0;
        for (std::size_t c = 0; c < components.rows(); ++c) {
            const auto members = components.row(c);
            if (members.size() == 1 && !self_loop(members[0]) && !s_.assignments[members[0]].implicit) {
                order.push_back(members[0]);
            } else if (!solve_exactly(members, order) && !solve_linear(members, order) &&
                       !solve_small(members, order)) {
                tear(members, order);
            }
            for (; blocks_ != nullptr && told < order.size(); ++told) {
                if (!torn_[order[told]]) blocks_->solved(s_.assignments[order[told]]);
            }
        }
        std::vector<Assignment> sorted;
        sorted.reserve(order.size());
        for (const std::uint32_t a : order) {
            s_.torn.push_back(torn_[a]);
            sorted.push_back(s_.assignments[a]);
        }
        s_.assignments = std::move(sorted);
    }

   private:
    void index_assignments() {
        of_.assign(s_.graph().variable_count() + s_.derived.size(), kNone);
        for (std::uint32_t a = 0; a < s_.assignments.size(); ++a) of_[s_.assignments[a].target.index()] = a;
    }

    std::vector<std::uint32_t> needed(Expr e) const {
        std::vector<std::uint32_t> result;
        if (e.is_literal()) return result;
        const expression::Node& top = graph_[e.node()];
        if (top.op == Op::variable) {  // most equations are aliases
            if (of_[top.a] != kNone) result.push_back(of_[top.a]);
            return result;
        }
        const std::array roots{e.node()};
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            if (graph_[n].op == Op::variable && of_[graph_[n].a] != kNone) result.push_back(of_[graph_[n].a]);
        }
        std::sort(result.begin(), result.end());
        return result;
    }

    void build_needs() {
        for (const Assignment& a : s_.assignments) needs_.add_row(needed(a.value));
    }

    bool self_loop(std::uint32_t a) const {
        const auto row = needs_.row(a);
        return std::binary_search(row.begin(), row.end(), a);
    }

    // Σ integer·leaf of an expression, atoms being whatever does not depend on the loop's own variables.
    using Terms = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // node, coefficient
    static constexpr double kLargest = 1e6;

    std::optional<Terms> integer_terms(Expr e) const {
        Terms terms;
        std::vector<std::pair<std::uint32_t, std::int64_t>> stack;
        if (e.is_literal()) return e.is_constant(0.0) ? std::optional(terms) : std::nullopt;
        stack.emplace_back(e.node(), 1);
        while (!stack.empty()) {
            const auto [n, k] = stack.back();
            stack.pop_back();
            const expression::Node& node = graph_[n];
            switch (node.op) {
                case Op::negate:
                    stack.emplace_back(node.a, -k);
                    break;
                case Op::add:
                    stack.emplace_back(node.a, k);
                    stack.emplace_back(node.b, k);
                    break;
                case Op::subtract:
                    stack.emplace_back(node.a, k);
                    stack.emplace_back(node.b, -k);
                    break;
                case Op::multiply: {
                    const bool left = graph_[node.a].op == Op::constant;
                    const double c = left ? graph_[node.a].number() : std::nan("");
                    if (left && c == std::round(c) && std::abs(c * static_cast<double>(k)) < kLargest) {
                        stack.emplace_back(node.b, k * static_cast<std::int64_t>(c));
                        break;
                    }
                    terms.emplace_back(n, k);
                    break;
                }
                default:
                    terms.emplace_back(n, k);
            }
            if (terms.size() > 100000) return std::nullopt;
        }
        return terms;
    }

    // What a resistance, a gain or a law of the user closes is an algebraic loop whatever their numbers are.
    bool may_close_loop(std::uint32_t a) const {
        const model::ComponentType& type = *s_.graph().elements[s_.assignments[a].element.index()].type;
        return type.is_resistor() || type.is_own_type() || type.structure == model::Structure::block;
    }

    // A loop of junctions alone (a mesh): integer coefficients, eliminated exactly instead of iterated.
    bool solve_exactly(std::span<const std::uint32_t> members, std::vector<std::uint32_t>& order) {
        std::unordered_map<std::uint32_t, std::uint32_t> unknown;  // node of the variable → local number
        for (const std::uint32_t a : members) {
            if (s_.assignments[a].implicit || may_close_loop(a)) return false;
            unknown.emplace(graph_.node_of(graph_.variable(s_.assignments[a].target.value)),
                            static_cast<std::uint32_t>(unknown.size()));
        }
        std::vector<structure::IntegerEquation> equations;
        std::unordered_map<std::uint32_t, std::uint32_t> given;
        std::vector<std::uint32_t> givens;
        for (const std::uint32_t a : members) {
            const auto terms = integer_terms(s_.assignments[a].value);
            if (!terms) return false;
            auto& q = equations.emplace_back();
            q.unknowns.emplace_back(unknown.at(graph_.node_of(graph_.variable(s_.assignments[a].target.value))), -1);
            for (const auto& [node, k] : *terms) {
                if (const auto u = unknown.find(node); u != unknown.end()) {
                    q.unknowns.emplace_back(u->second, k);
                    continue;
                }
                for (const std::uint32_t need : needed(graph_.at(node))) {
                    if (std::binary_search(members.begin(), members.end(), need)) return false;
                }
                const auto at = given.emplace(node, static_cast<std::uint32_t>(givens.size()));
                if (at.second) givens.push_back(node);
                q.givens.emplace_back(at.first->second, k);
            }
            merge(q.unknowns);
            merge(q.givens);
        }
        const auto solution = structure::solve_integer_linear(equations, members.size());
        if (solution.overflow || !solution.free_unknowns.empty() || !solution.residues.empty()) return false;
        for (const auto& row : solution.solved) {
            Expr sum = 0.0;
            for (const auto& [g, k] : row.givens) sum += Expr(static_cast<double>(k)) * graph_.at(givens[g]);
            if (row.denominator != 1) sum = sum / Expr(static_cast<double>(row.denominator));
            s_.assignments[members[row.unknown]].value = sum;
        }
        order.insert(order.end(), members.begin(), members.end());
        return true;
    }

    // Σ coefficient·atom of an expression, expanding sums and constant factors.
    std::vector<std::pair<std::uint32_t, double>> linear_terms(Expr e) const {
        std::vector<std::pair<std::uint32_t, double>> terms;
        std::vector<std::pair<std::uint32_t, double>> stack;
        if (!e.is_literal()) stack.emplace_back(e.node(), 1.0);
        while (!stack.empty()) {
            const auto [n, k] = stack.back();
            stack.pop_back();
            const expression::Node& node = graph_[n];
            const auto number = [&](std::uint32_t child) { return graph_[child].op == Op::constant; };
            if (node.op == Op::negate) {
                stack.emplace_back(node.a, -k);
            } else if (node.op == Op::add || node.op == Op::subtract) {
                stack.emplace_back(node.a, k);
                stack.emplace_back(node.b, node.op == Op::add ? k : -k);
            } else if (node.op == Op::multiply && number(node.a)) {
                stack.emplace_back(node.b, k * graph_[node.a].number());
            } else if (node.op == Op::divide && number(node.b)) {
                stack.emplace_back(node.a, k / graph_[node.b].number());
            } else {
                terms.emplace_back(n, k);
            }
        }
        return terms;
    }

    bool in_junction_structure(std::uint32_t a) const {
        return s_.graph().elements[s_.assignments[a].element.index()].type->in_junction_structure();
    }

    // A loop inside one field's matrix, or inside the junction structure with transformers: linear with constant
    // coefficients, solved once and for all instead of iterated.
    bool solve_linear(std::span<const std::uint32_t> members, std::vector<std::uint32_t>& order) {
        constexpr std::size_t kLargest = 400;
        const auto element = s_.assignments[members[0]].element;
        const bool one = std::all_of(members.begin(), members.end(),
                                     [&](std::uint32_t a) { return s_.assignments[a].element == element; });
        const bool wires =
            std::all_of(members.begin(), members.end(), [&](std::uint32_t a) { return in_junction_structure(a); });
        if (members.size() > kLargest || !(one || wires)) return false;
        std::unordered_map<std::uint32_t, Eigen::Index> unknown;
        for (const std::uint32_t a : members) {
            if (s_.assignments[a].implicit) return false;
            unknown.emplace(graph_.node_of(graph_.variable(s_.assignments[a].target.value)),
                            static_cast<Eigen::Index>(unknown.size()));
        }
        const auto n = static_cast<Eigen::Index>(members.size());
        Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n);
        std::vector<Expr> rest(members.size(), Expr(0.0));
        for (Eigen::Index row = 0; row < n; ++row) {
            const Expr value = s_.assignments[members[static_cast<std::size_t>(row)]].value;
            if (value.is_literal()) rest[static_cast<std::size_t>(row)] = value;
            for (const auto& [node, k] : linear_terms(value)) {
                if (const auto u = unknown.find(node); u != unknown.end()) {
                    matrix(row, u->second) -= k;
                    continue;
                }
                for (const std::uint32_t need : needed(graph_.at(node))) {
                    if (std::binary_search(members.begin(), members.end(), need)) return false;
                }
                rest[static_cast<std::size_t>(row)] += Expr(k) * graph_.at(node);
            }
        }
        const Eigen::FullPivLU<Eigen::MatrixXd> lu(matrix);
        if (!lu.isInvertible()) return false;
        const Eigen::MatrixXd inverse = lu.inverse();
        for (Eigen::Index row = 0; row < n; ++row) {
            Expr sum = 0.0;
            for (Eigen::Index c = 0; c < n; ++c) {
                // What elimination leaves of a zero is rounding.
                if (std::abs(inverse(row, c)) > 1e-14 * inverse.row(row).cwiseAbs().maxCoeff())
                    sum += Expr(inverse(row, c)) * rest[static_cast<std::size_t>(c)];
            }
            s_.assignments[members[static_cast<std::size_t>(row)]].value = sum;
        }
        order.insert(order.end(), members.begin(), members.end());
        return true;
    }

    bool solve_small(std::span<const std::uint32_t> members, std::vector<std::uint32_t>& order) {
        if (blocks_ == nullptr) return false;
        if (prefer_.empty()) prepare_preferences();
        const auto result = structure::tear(needs_, members, prefer_, must_);
        if (!blocks_->solve(s_.assignments, result.order, result.torn)) return false;
        order.insert(order.end(), result.torn.begin(), result.torn.end());
        order.insert(order.end(), result.order.begin(), result.order.end());
        return true;
    }

    static void merge(Terms& terms) {
        std::sort(terms.begin(), terms.end());
        std::size_t out = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (out > 0 && terms[out - 1].first == terms[i].first) {
                terms[out - 1].second += terms[i].second;
            } else {
                terms[out++] = terms[i];
            }
        }
        terms.resize(out);
        std::erase_if(terms, [](const auto& t) { return t.second == 0; });
    }

    void tear(std::span<const std::uint32_t> members, std::vector<std::uint32_t>& order) {
        if (prefer_.empty()) prepare_preferences();
        const auto result = structure::tear(needs_, members, prefer_, must_);
        Loop loop;
        for (const std::uint32_t a : members) loop.variables.push_back(s_.assignments[a].target);
        for (const std::uint32_t a : result.torn) {
            loop.torn.push_back(s_.assignments[a].target);
            torn_[a] = true;
        }
        s_.loops.push_back(std::move(loop));
        order.insert(order.end(), result.order.begin(), result.order.end());
        order.insert(order.end(), result.torn.begin(), result.torn.end());
    }

    // What a resistor answers is a natural tearing variable: the loop is a loop through its law.
    void prepare_preferences() {
        prefer_.assign(s_.assignments.size(), 0);
        must_.assign(s_.assignments.size(), 0);
        for (std::uint32_t a = 0; a < s_.assignments.size(); ++a) {
            const model::ComponentType& type = *s_.graph().elements[s_.assignments[a].element.index()].type;
            if (type.is_resistor() || type.is_constraint()) prefer_[a] = 1;
            if (s_.assignments[a].implicit) must_[a] = 1;
        }
    }

    SortedSystem& s_;
    expression::Graph& graph_;
    SmallBlocks* blocks_;
    std::vector<std::uint32_t> of_;
    structure::Incidence needs_;
    std::vector<bool> torn_;
    std::vector<std::uint8_t> prefer_;
    std::vector<std::uint8_t> must_;
};

}  // namespace

void sort_assignments(SortedSystem& system, SmallBlocks* blocks) { Sorting(system, blocks).run(); }

namespace {

/// A state of a storage. Of a joint its angle counts beside its speed.
bool stores(const model::BondGraph& g, std::size_t v) {
    if (v < 2 * std::size_t{g.bond_components} || v >= g.variable_count()) return false;
    const auto& slot = g.slot_variables[v - 2 * std::size_t{g.bond_components}];
    const model::Element& e = g.elements[slot.element.index()];
    return e.type->is_storage() && e.slots[slot.slot].kind == model::Element::Slot::Kind::state;
}

std::ptrdiff_t integral_storages(const ReducedSystem& reduced) {
    const auto& storages = reduced.causal->storages;
    return std::count_if(storages.begin(), storages.end(), [](const auto& s) { return s.integral; });
}

/// Whether more storages would be integrated than causality, whose ranks are exact, found independent: numbers cancel
/// through laws that were not eliminated exactly.
bool beyond_causality(const ReducedSystem& reduced, const StateChoice& choice) {
    const auto chosen = std::count_if(choice.states.begin(), choice.states.end(),
                                      [&](VariableId v) { return stores(reduced.graph(), v.index()); });
    return chosen > integral_storages(reduced);
}

/// Joints and bodies without conditions of own types: forces of constraint between them are determined far better once
/// all that is linear with constant coefficients is eliminated (a chain of 40 links whose ends are tied: 472
/// evaluations instead of 8 000), and more states than strokes count will be left, as angles count beside their speeds.
bool of_linked_motions(const ReducedSystem& reduced) {
    bool motions = false;
    for (std::size_t v = 0; v < reduced.variable_count() && !motions; ++v) {
        const std::uint32_t speed = reduced.derivative_of[v];
        motions = speed != kNone && stores(reduced.graph(), v) && stores(reduced.graph(), speed);
    }
    const auto& times = reduced.plan.differentiations;
    for (std::size_t r = 0; r < times.size() && motions; ++r) {
        const model::ComponentType& type = *reduced.graph().elements[reduced.equations[r].element.index()].type;
        motions = times[r] == 0 || (!type.is_own_type() && type.structure != model::Structure::block);
    }
    return motions;
}

/// Whether diodes, friction, or switches that obey what is solved for are assumed in states that the start may find to
/// be others.
bool assumed(const ReducedSystem& reduced) {
    const auto reacting = model::reacting_modes(reduced.graph());
    return std::any_of(reacting.begin(), reacting.end(), [](const auto& r) { return r.structural; }) ||
           !model::conditions_to_try(reduced.graph()).empty();
}

/// Where nothing is known of the run. Values that contradict assumed states are no mistake yet, and no consistent start
/// either: `holds` tells whether this is one.
ChoicePoint first_point(const ReducedSystem& reduced, bool& holds) {
    const double time = reduced.graph().start_time;
    try {
        return consistent_start(reduced, time);
    } catch (const ModelError&) {
        if (!assumed(reduced)) throw;
        holds = false;
        return consistent_start(reduced, time, {}, Given::where_possible);
    }
}

ChoicePoint start_point(const ReducedSystem& reduced, const FindPoint& find_point, bool& holds) {
    try {
        return find_point ? find_point(reduced) : first_point(reduced, holds);
    } catch (const PositionError&) {
        throw;
    } catch (const ModelError& e) {
        if (e.diagnostics().front().code == "BG-I001") refuse_open_ends(reduced);
        throw;
    }
}

/// A plan from structure, then a choice at a point.
SortedSystem sort_generally(const EquationSystem& equations, Exact exact, const FindPoint& find_point) {
    auto reduced = std::make_shared<const ReducedSystem>(reduce_index(equations, exact));
    if (exact == Exact::junctions && of_linked_motions(*reduced))
        return sort_generally(equations, Exact::all, find_point);
    bool holds = true;
    ChoicePoint at = start_point(*reduced, find_point, holds);
    if (!find_point && holds) refuse_singular_start(*reduced, at);
    auto choice = std::make_shared<const StateChoice>(choose_states(*reduced, at));
    if (exact == Exact::junctions && beyond_causality(*reduced, *choice))
        return sort_generally(equations, Exact::all, find_point);
    SortedSystem system = sort_equations(*reduced, *choice, at);
    system.reduced = std::move(reduced);
    system.choice = std::move(choice);
    if (holds) system.chosen_at = std::make_shared<const ChoicePoint>(std::move(at));
    return system;
}

}  // namespace

namespace {

bool has_free_points(const model::BondGraph& graph) {
    return std::ranges::any_of(graph.elements,
                               [](const model::Element& e) { return e.root && model::is_free_point(*e.type); });
}

/// Whether there are roots with fewer rates than coordinates.
bool parts_roll(const model::BondGraph& graph) {
    return std::ranges::any_of(graph.elements, [](const model::Element& e) {
        return e.root && e.type->free_rates && e.type->root == model::RootKind::always;
    });
}

/// Where a joint of a loop is driven, say, there may be more conditions than coordinates are left for: those that
/// depend on others where the loops are closed go then, and those that do so because parts roll.
SortedSystem sort_closed_loops(const causality::CausalGraph& causal, bool perturb_sources,
                               const std::shared_ptr<const EventTable>& events, const FindPoint& find_point) {
    const auto with = [&](LoopRows rows) {
        return sort_generally(gather_equations(causal, perturb_sources, events, false, rows), Exact::all, find_point);
    };
    const auto too_many = [](const ModelError& why) { return why.diagnostics().front().code == "BG-E001"; };
    try {
        return with(LoopRows::anywhere);
    } catch (const ModelError& why) {
        if (!too_many(why)) throw;
    }
    try {
        return with(LoopRows::when_closed);
    } catch (const ModelError& why) {
        if (!too_many(why) || !parts_roll(*causal.graph)) throw;
        try {
            return with(LoopRows::by_rates);
        } catch (const ModelError& again) {
            if (!too_many(again)) throw;
        }
        throw;
    }
}

}  // namespace

SortedSystem sort_by_reduction(const causality::CausalGraph& causal, bool perturb_sources,
                               std::shared_ptr<const EventTable> events, const FindPoint& find_point) {
    return sort_generally(gather_equations(causal, perturb_sources, std::move(events)), Exact::all, find_point);
}

SortedSystem sort_equations(const causality::CausalGraph& causal, bool perturb_sources,
                            std::shared_ptr<const EventTable> events, const FindPoint& find_point) {
    if (!events) events = std::make_shared<EventTable>(collect_events(*causal.graph));
    if (has_closed_loops(*causal.graph)) return sort_closed_loops(causal, perturb_sources, events, find_point);
    // No acceleration follows from the forces at a point without mass: they are conditions on places.
    if (has_free_points(*causal.graph))
        return sort_generally(gather_equations(causal, perturb_sources, events), Exact::all, find_point);
    try {
        EquationSystem equations = gather_equations(causal, perturb_sources, events);
        match_equations(equations);
        SortedSystem system = solve_equations(equations);
        sort_assignments(system);
        return system;
    } catch (const ModelError& error) {
        const std::string& code = error.diagnostics().front().code;
        const auto general = [&] {
            return sort_generally(gather_equations(causal, perturb_sources, events), Exact::junctions, find_point);
        };
        if (code == "BG-E002") return general();
        // Too many equations may be constraints given twice; what may jump may cancel where junctions are eliminated.
        if (code != "BG-E001" && code != "BG-E003") throw;
        try {
            return general();
        } catch (const ModelError& why) {
            if (why.diagnostics().front().code == "BG-E004") throw;
            throw error;
        }
    }
}

}  // namespace bondgraph::compile
