#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bondgraph/causality/assignment.hpp"
#include "bondgraph/model/modes.hpp"

namespace bondgraph::causality {

using model::BondGraph;
using model::Element;
using model::ElementId;
using Kind = ScalarVertex::Kind;

namespace {

// Everything the conflicting strokes follow from.
struct Origin {
    std::vector<std::uint32_t> components;  // in order of assignment
    std::vector<ElementId> deciders;        // sources and one-way laws, in the order of the file
};

Origin trace(const Assignment& a, const Conflict& conflict) {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> stack = conflict.components;
    std::set<ElementId> deciders(conflict.demands.begin(), conflict.demands.end());
    while (!stack.empty()) {
        const std::uint32_t c = stack.back();
        stack.pop_back();
        if (!seen.insert(c).second) continue;
        const auto before = a.antecedents(c);
        const auto kind = a.reasons[c].kind;
        if (kind == Reason::Kind::source || kind == Reason::Kind::fixed_law) deciders.insert(a.reasons[c].at);
        stack.insert(stack.end(), before.begin(), before.end());
    }
    Origin origin;
    origin.components.assign(seen.begin(), seen.end());
    std::sort(origin.components.begin(), origin.components.end(),
              [&](std::uint32_t x, std::uint32_t y) { return a.reasons[x].order < a.reasons[y].order; });
    origin.deciders.assign(deciders.begin(), deciders.end());
    return origin;
}

// The linear relation among the deciders' fixed variables that the vertices between them force:
// a combination of their equations in which every other variable cancels.
struct Term {
    ElementId element;
    char variable;
    double weight;
};

std::vector<Term> relation(const BondGraph& g, const Assignment& a, const std::vector<std::uint32_t>& components,
                           const std::vector<ElementId>& deciders) {
    constexpr std::size_t kMost = 300;
    if (components.size() > kMost) return {};
    std::map<std::uint32_t, Eigen::Index> column;
    for (const std::uint32_t c : components) {
        column.emplace(2 * c, 0);
        column.emplace(2 * c + 1, 0);
    }
    std::set<std::uint32_t> vertices;
    for (const std::uint32_t c : components) {
        for (const std::uint32_t v : {a.scalar.tail_vertex[c], a.scalar.head_vertex[c]}) {
            if (v != kNoVertex && a.scalar.vertices[v].kind != Kind::own_type) vertices.insert(v);
        }
    }
    std::vector<std::map<std::uint32_t, double>> rows;
    for (const std::uint32_t v : vertices) {
        const ScalarVertex& vertex = a.scalar.vertices[v];
        const Eigen::MatrixXd own = vertex_equations(g, vertex);
        for (Eigen::Index r = 0; r < own.rows(); ++r) {
            std::map<std::uint32_t, double> row;
            bool inside = true;
            for (std::size_t k = 0; k < vertex.ends.size(); ++k) {
                for (const std::uint32_t which : {0U, 1U}) {
                    const double value = own(r, static_cast<Eigen::Index>(2 * k + which));
                    if (value == 0.0) continue;
                    inside = inside && column.contains(2 * vertex.ends[k].component + which);
                    row[2 * vertex.ends[k].component + which] += value;
                }
            }
            if (inside) rows.push_back(std::move(row));
        }
        // Equalities between ends that are not neighbours in the junction's list.
        if (vertex.kind != Kind::junction0 && vertex.kind != Kind::junction1) continue;
        const std::uint32_t which = vertex.kind == Kind::junction0 ? 0 : 1;
        const std::uint32_t* last = nullptr;
        for (const ScalarEnd& e : vertex.ends) {
            if (!column.contains(2 * e.component)) continue;
            if (last != nullptr) rows.push_back({{2 * *last + which, 1.0}, {2 * e.component + which, -1.0}});
            last = &e.component;
        }
    }
    std::vector<std::pair<ElementId, std::uint32_t>> fixed;
    for (const ElementId id : deciders) {
        const Element& e = g.elements[id.index()];
        if (e.type->causality == nullptr && e.type->mode_causality == nullptr)
            continue;  // a mesh that fixes a variable by itself
        for (std::size_t port = 0; port < e.ports.size(); ++port) {
            const model::Port& p = e.ports[port];
            for (std::uint32_t k = 0; k < p.size; ++k) {
                const std::uint32_t c = p.first_effort / 2 + k;
                if (!column.contains(2 * c)) continue;
                const auto demand = model::demanded_causality(g, a.modes, id, port, k);
                fixed.emplace_back(id, 2 * c + (demand == model::PortCausality::effort_out ? 0 : 1));
            }
        }
    }
    if (fixed.empty()) return {};
    Eigen::Index next = 0;
    for (auto& [variable, at] : column) at = next++;
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(next, static_cast<Eigen::Index>(rows.size() + fixed.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (const auto& [variable, value] : rows[r]) m(column.at(variable), static_cast<Eigen::Index>(r)) += value;
    }
    for (std::size_t s = 0; s < fixed.size(); ++s)
        m(column.at(fixed[s].second), static_cast<Eigen::Index>(rows.size() + s)) = 1.0;
    const Eigen::MatrixXd kernel = Eigen::FullPivLU<Eigen::MatrixXd>(m).kernel();
    for (Eigen::Index k = 0; k < kernel.cols(); ++k) {
        const Eigen::VectorXd weights = kernel.col(k).tail(static_cast<Eigen::Index>(fixed.size()));
        const double largest = weights.cwiseAbs().maxCoeff();
        if (largest < 1e-9) continue;
        std::vector<Term> terms;
        for (std::size_t s = 0; s < fixed.size(); ++s) {
            const double w = weights(static_cast<Eigen::Index>(s)) / largest;
            if (std::abs(w) > 1e-9) terms.push_back({fixed[s].first, fixed[s].second % 2 == 0 ? 'e' : 'f', w});
        }
        const double first = terms.front().weight;
        for (Term& t : terms) t.weight /= first;
        return terms;
    }
    return {};
}

std::string relation_text(const BondGraph& g, const std::vector<Term>& terms) {
    std::string text;
    for (const Term& t : terms) {
        const double w = std::abs(t.weight);
        const std::string factor = std::abs(w - 1.0) < 1e-9 ? "" : fmt::format("{:.6g}*", w);
        const char* sign = t.weight < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
        text += fmt::format("{}{}{}.{}", sign, factor, g.elements[t.element.index()].name, t.variable);
    }
    return text + " = 0";
}

std::vector<ElementId> named_ones(const BondGraph& g, const std::vector<ElementId>& ids) {
    std::vector<ElementId> result;
    for (const ElementId id : ids) {
        const ElementId named = named_one(g, id);
        if (std::find(result.begin(), result.end(), named) == result.end()) result.push_back(named);
    }
    return result;
}

/// Whether all that contradict each other fix efforts, or all flows: those of the relation, or else the demands.
std::pair<bool, bool> all_alike(const BondGraph& g, const Assignment& a, const std::vector<Term>& terms,
                                const std::vector<ElementId>& demands) {
    std::string variables;
    for (const Term& t : terms) variables += t.variable;
    if (terms.empty()) {
        for (const ElementId id : demands)
            variables +=
                model::demanded_causality(g, a.modes, id, 0, 0) == model::PortCausality::effort_out ? 'e' : 'f';
    }
    const auto only = [&](char c) {
        return !variables.empty() && std::ranges::count(variables, c) == std::ssize(variables);
    };
    return {only('e'), only('f')};
}

/// A bond inside a wrapped component goes by that component's name.
std::string path_label(const BondGraph& g, model::BondId bond) {
    const model::Bond& b = g.bonds[bond.index()];
    std::string label = g.bond_label(bond);
    if (label.find("->") == std::string::npos && named_one(g, b.from) != named_one(g, b.to)) return label;
    for (const ElementId end : {b.from, b.to}) {
        const ElementId named = named_one(g, end);
        if (named != end) return g.elements[named.index()].name;
    }
    return label;
}

std::string quoted_list(const BondGraph& g, const std::vector<ElementId>& ids) {
    std::string text;
    for (std::size_t i = 0; i < ids.size() && i < 8; ++i) {
        const Element& e = g.elements[ids[i].index()];
        text += fmt::format("{}{} ({})", i == 0 ? "" : (i + 1 == ids.size() ? " and " : ", "), e.name, e.type->name);
    }
    return ids.size() > 8 ? text + ", …" : text;
}

/// "give s1 or s2 a Goff, " where ideal switches are among what contradicts itself.
std::string loss_advice(const BondGraph& g, const std::vector<ElementId>& ids, std::string_view parameter) {
    std::string names;
    for (const ElementId id : ids) {
        const Element& e = g.elements[id.index()];
        const bool takes = std::ranges::any_of(e.type->parameters, [&](const auto& p) { return p.name == parameter; });
        if (takes && e.type->mode_causality != nullptr) names += (names.empty() ? "" : " or ") + e.name;
    }
    return names.empty() ? names : fmt::format("give {} a {}, ", names, parameter);
}

/// A component without frames drives what the frames of a wrapped one decide.
Diagnostic against_motion(const BondGraph& g, ElementId driver, ElementId wrapped, Diagnostic d) {
    const Element& source = g.elements[driver.index()];
    const Element& moved = g.elements[wrapped.index()];
    d.message = fmt::format("causal conflict at '{}' ({}): '{}' ({}) fixes what the motion of its frames decides",
                            moved.name, moved.type->name, source.name, source.type->name);
    d.position = source.position;
    d.notes = {
        {"because", "the rates at its ports follow from the joints' coordinates; forces and torques are answered"},
        {"try", "drive it with an effort (Se), or prescribe the rate of a joint at its port"}};
    return d;
}

}  // namespace

ElementId named_one(const BondGraph& g, ElementId id) {
    const Element& e = g.elements[id.index()];
    return e.owner.valid() ? e.owner : id;
}

Diagnostic explain(const BondGraph& g, const Assignment& a, const Conflict& conflict) {
    Conflict full = conflict;
    Origin origin = trace(a, full);
    const Element& at = g.elements[conflict.at.index()];
    const Element& shown_at = g.elements[named_one(g, conflict.at).index()];
    if (!at.is_junction() &&
        std::find(origin.deciders.begin(), origin.deciders.end(), conflict.at) == origin.deciders.end() &&
        (at.type->causality != nullptr || at.type->mode_causality != nullptr)) {
        origin.deciders.push_back(conflict.at);
        std::sort(origin.deciders.begin(), origin.deciders.end());
    }
    auto terms = relation(g, a, origin.components, origin.deciders);
    // Parts of wrapped components have no name that says anything in an equation.
    if (std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return named_one(g, t.element) != t.element; }))
        terms.clear();
    if (!terms.empty()) {
        // Only those that occur in the relation are needed for the conflict: the explanation is minimal.
        std::set<ElementId> needed;
        for (const Term& t : terms) needed.insert(t.element);
        origin.deciders.assign(needed.begin(), needed.end());
    }
    std::string path;
    std::size_t shown = 0;
    std::set<std::string> met;
    for (const std::uint32_t c : origin.components) {
        const std::string label = path_label(g, g.bond_of_component(c));
        if (!met.insert(label).second || ++shown > 8) continue;
        path += (path.empty() ? "" : ", ") + label;
    }
    const auto [efforts, flows] = all_alike(g, a, terms, conflict.demands);
    Diagnostic d;
    d.code = efforts ? "BG-C001" : flows ? "BG-C002" : "BG-C003";
    const std::string variable = efforts ? "effort" : flows ? "flow" : "effort or flow";
    d.position = origin.deciders.empty() ? at.position : g.elements[origin.deciders.back().index()].position;
    if (shown_at.is_junction()) {
        d.message = fmt::format("causal conflict at {}-junction '{}': ", at.type->name, at.name);
    } else {
        d.message = fmt::format("causal conflict at '{}' ({}): ", shown_at.name, shown_at.type->name);
    }
    const std::vector<ElementId> named = named_ones(g, origin.deciders);
    d.message += fmt::format("{} {} the {} more than once", quoted_list(g, named), named.size() == 1 ? "fixes" : "fix",
                             variable);
    const bool at_wrapped = named_one(g, conflict.at) != conflict.at;
    if (origin.deciders.size() < 2) {
        d.message = fmt::format("causal conflict at '{}': its bonds leave no valid causality", shown_at.name);
        // Inside a mechanism motion leads from the frames to the ports.
        if (named.size() == 1 && named.front() != named_one(g, conflict.at) && at_wrapped)
            return against_motion(g, named.front(), named_one(g, conflict.at), d);
    }
    if (!path.empty()) d.notes.push_back({"where", fmt::format("along {}{}", path, shown > 8 ? ", …" : "")});
    if (!terms.empty()) {
        d.notes.push_back({"because", fmt::format("the structure between them forces {}", relation_text(g, terms))});
    } else if (named.size() == 1) {
        d.notes.push_back({"because", fmt::format("what {} would decide is decided by what it is joined to already",
                                                  quoted_list(g, named))});
    } else {
        d.notes.push_back({"because", "no causality satisfies all of them"});
    }
    const std::string loss = efforts == flows ? std::string() : loss_advice(g, named, efforts ? "Ron" : "Goff");
    d.notes.push_back(
        {"try", loss + (efforts ? "put an R (or I) in series with one of them on a 1-junction, or remove one"
                        : flows ? "put an R (or C) beside one of them on a 0-junction, or remove one"
                                : "remove one of them, or put an R, C or I between")});
    return d;
}

}  // namespace bondgraph::causality
