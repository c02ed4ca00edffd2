#include "bondgraph/causality/assignment.hpp"

#include <algorithm>

namespace bondgraph::causality {

using model::BondGraph;
using Kind = ScalarVertex::Kind;

Assignment::Assignment(const BondGraph& graph, ScalarGraph s)
    : strokes(graph.bond_components, Stroke::open),
      reasons(graph.bond_components),
      scalar(std::move(s)),
      planned(graph.bond_components, Stroke::open),
      tail_index_(graph.bond_components, 0),
      head_index_(graph.bond_components, 0) {
    for (std::uint32_t v = 0; v < scalar.vertices.size(); ++v) {
        if (scalar.mesh_of[v] != kNoVertex || scalar.vertices[v].kind == Kind::planned) continue;
        const auto& ends = scalar.vertices[v].ends;
        if (scalar.vertices[v].kind == Kind::own_type)
            own_types_.emplace(v, OwnTypeEquations(graph, scalar.vertices[v]));
        for (std::uint32_t k = 0; k < ends.size(); ++k)
            (ends[k].at_head ? head_index_ : tail_index_)[ends[k].component] = k;
        // Small vertices may imply strokes before anything is known (a junction with one bond), and so may meshes,
        // whose equations can fix a variable by themselves (to zero).
        if (ends.size() <= 2 || scalar.vertices[v].kind == Kind::dirac || scalar.vertices[v].kind == Kind::own_type)
            queue_.push_back(v);
    }
}

std::uint32_t Assignment::vertex_at(std::uint32_t component, bool at_head) const {
    const std::uint32_t v = (at_head ? scalar.head_vertex : scalar.tail_vertex)[component];
    if (v == kNoVertex) return kNoVertex;
    return scalar.mesh_of[v] != kNoVertex ? scalar.mesh_of[v] : v;
}

bool Assignment::set(std::uint32_t component, bool at_head, bool in, Reason reason) {
    const Stroke wanted = at_head == in ? Stroke::at_to : Stroke::at_from;
    if (known(component)) return strokes[component] == wanted;
    strokes[component] = wanted;
    if (planned[component] != Stroke::open && planned[component] != wanted) off_plan = true;
    reason.order = order_++;
    reasons[component] = reason;
    for (const bool head : {false, true}) {
        const std::uint32_t v = vertex_at(component, head);
        if (v != kNoVertex) assigned(v, component, head);
    }
    return true;
}

void Assignment::assigned(std::uint32_t vertex, std::uint32_t component, bool at_head) {
    ScalarVertex& v = scalar.vertices[vertex];
    ++v.assigned;
    if (effort_in(component, at_head)) ++v.efforts_in;
    if (v.kind == Kind::dirac) {
        const std::uint32_t index = (at_head ? head_index_ : tail_index_)[component];
        if (!scalar.diracs[v.dirac].choose(2 * index + (effort_in(component, at_head) ? 0 : 1))) {
            if (!conflict_) conflict_ = Conflict{v.element, {}};
            for (const ScalarEnd& e : v.ends) {
                if (known(e.component)) conflict_->components.push_back(e.component);
            }
        }
    }
    queue_.push_back(vertex);
}

std::optional<Conflict> Assignment::propagate() {
    while (!queue_.empty() && !conflict_) {
        const std::uint32_t v = queue_.front();
        queue_.pop_front();
        visit(v);
    }
    queue_.clear();
    return std::exchange(conflict_, std::nullopt);
}

void Assignment::visit(std::uint32_t vertex) {
    const Kind kind = scalar.vertices[vertex].kind;
    // A junction may have any number of bonds, each of which leads here: it is not to be copied.
    if (kind == Kind::junction0 || kind == Kind::junction1) return visit_junction(scalar.vertices[vertex]);
    if (kind == Kind::planned) return;
    const ScalarVertex v = scalar.vertices[vertex];  // a copy: set() changes counters
    switch (kind) {
        case Kind::junction0:
        case Kind::junction1:
        case Kind::planned:
            return;
        case Kind::same:
        case Kind::swapped:
            return visit_pair(v);
        case Kind::dirac:
            return visit_dirac(v);
        case Kind::own_type:
            return visit_own_type(vertex);
    }
}

void Assignment::imply(const ScalarVertex& v, const ScalarEnd& end, bool in, Reason::Kind kind, std::uint32_t cause) {
    if (!set(end.component, end.at_head, in, {.kind = kind, .at = v.element, .cause = cause})) conflict(v);
}

void Assignment::conflict(const ScalarVertex& v) {
    if (conflict_) return;
    conflict_ = Conflict{v.element, {}};
    for (const ScalarEnd& e : v.ends) {
        if (known(e.component)) conflict_->components.push_back(e.component);
    }
}

// A 0-junction takes its effort from exactly one bond, a 1-junction its flow. The counters of `v` are read before set()
// changes them.
void Assignment::visit_junction(const ScalarVertex& v) {
    const bool zero = v.kind == Kind::junction0;
    const std::uint32_t deciding = zero ? v.efforts_in : v.assigned - v.efforts_in;
    const auto n = static_cast<std::uint32_t>(v.ends.size());
    if (deciding > 1 || (deciding == 0 && v.assigned == n)) {
        if (conflict_) return;
        conflict_ = Conflict{v.element, {}};
        for (const ScalarEnd& e : v.ends) {
            if (deciding == 0 || effort_in(e.component, e.at_head) == zero)
                conflict_->components.push_back(e.component);
        }
        return;
    }
    if (v.assigned == n) return;
    if (deciding == 1) {
        std::uint32_t strong = 0;
        for (const ScalarEnd& e : v.ends) {
            if (known(e.component) && effort_in(e.component, e.at_head) == zero) strong = e.component;
        }
        for (const ScalarEnd& e : v.ends) {
            if (!known(e.component)) imply(v, e, !zero, Reason::Kind::junction_decided, strong);
        }
    } else if (v.assigned + 1 == n) {
        for (const ScalarEnd& e : v.ends) {
            if (!known(e.component)) imply(v, e, zero, Reason::Kind::junction_last, kNoVertex);
        }
    }
}

void Assignment::visit_pair(const ScalarVertex& v) {
    if (v.assigned == 0) return;
    const ScalarEnd& a = known(v.ends[0].component) ? v.ends[0] : v.ends[1];
    const ScalarEnd& b = known(v.ends[0].component) ? v.ends[1] : v.ends[0];
    const bool in = effort_in(a.component, a.at_head);
    imply(v, b, v.kind == Kind::same ? !in : in, Reason::Kind::two_port, a.component);
}

void Assignment::visit_dirac(const ScalarVertex& v) {
    for (std::size_t k = 0; k < v.ends.size(); ++k) {
        if (known(v.ends[k].component)) continue;
        const bool effort = scalar.diracs[v.dirac].determined(2 * k);
        const bool flow = scalar.diracs[v.dirac].determined(2 * k + 1);
        if (effort && flow) return conflict(v);
        if (effort || flow) {
            imply(v, v.ends[k], flow, v.element.valid() ? Reason::Kind::mesh : Reason::Kind::two_port, kNoVertex);
        }
    }
}

std::vector<OwnTypeEquations::End> Assignment::ends_of(const ScalarVertex& v) const {
    using End = OwnTypeEquations::End;
    std::vector<End> ends;
    for (const ScalarEnd& e : v.ends) {
        ends.push_back(!known(e.component)                 ? End::open
                       : effort_in(e.component, e.at_head) ? End::effort_in
                                                           : End::flow_in);
    }
    return ends;
}

// Only what its equations can't do otherwise, with dependent states if need be: whether states stay independent is
// chosen like the causality of storages.
void Assignment::visit_own_type(std::uint32_t vertex) {
    using End = OwnTypeEquations::End;
    constexpr auto kAnyStates = OwnTypeEquations::States::dependent;
    const ScalarVertex v = scalar.vertices[vertex];  // a copy: set() changes counters
    const OwnTypeEquations& equations = own_types_.at(vertex);
    if (!equations.computes()) return;
    std::vector<End> ends = ends_of(v);
    if (!equations.possible(ends, kAnyStates)) return conflict(v);
    for (std::size_t k = 0; k < ends.size(); ++k) {
        if (ends[k] != End::open) continue;
        ends[k] = End::effort_in;
        const bool effort = equations.possible(ends, kAnyStates);
        ends[k] = End::flow_in;
        const bool flow = equations.possible(ends, kAnyStates);
        if (effort == flow) {
            ends[k] = End::open;
            continue;
        }
        imply(v, v.ends[k], effort, Reason::Kind::own_type, kNoVertex);
        ends[k] = effort ? End::effort_in : End::flow_in;
    }
}

std::optional<bool> Assignment::integral_end(std::uint32_t vertex, std::size_t end) const {
    using End = OwnTypeEquations::End;
    constexpr auto kStates = OwnTypeEquations::States::independent;
    const OwnTypeEquations& equations = own_types_.at(vertex);
    std::vector<End> ends = ends_of(scalar.vertices[vertex]);
    if (ends[end] != End::open) return std::nullopt;
    ends[end] = End::effort_in;
    const bool effort = equations.possible(ends, kStates);
    ends[end] = End::flow_in;
    const bool flow = equations.possible(ends, kStates);
    return effort == flow ? std::nullopt : std::optional(effort);
}

std::vector<std::uint32_t> Assignment::antecedents(std::uint32_t component) const {
    const Reason& r = reasons[component];
    switch (r.kind) {
        case Reason::Kind::junction_decided:
        case Reason::Kind::two_port:
            if (r.cause != kNoVertex) return {r.cause};
            [[fallthrough]];
        case Reason::Kind::junction_last:
        case Reason::Kind::mesh:
        case Reason::Kind::own_type: {
            std::vector<std::uint32_t> result;
            for (const bool head : {false, true}) {
                const std::uint32_t v = vertex_at(component, head);
                if (v == kNoVertex || scalar.vertices[v].element != r.at) continue;
                for (const ScalarEnd& e : scalar.vertices[v].ends) {
                    if (e.component != component && known(e.component) && reasons[e.component].order < r.order) {
                        result.push_back(e.component);
                    }
                }
            }
            return result;
        }
        default:
            return {};
    }
}

}  // namespace bondgraph::causality
