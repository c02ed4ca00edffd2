#include "bondgraph/causality/simplify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/graph_expressions.hpp"
#include "bondgraph/model/remove_elements.hpp"

namespace bondgraph::causality {
namespace {

using expression::Expr;
using model::Bond;
using model::BondGraph;
using model::BondId;
using model::Element;
using model::ElementId;
using model::Port;
using structure::PowerNode;
using structure::PowerRule;
using structure::PowerStep;
using structure::SimplifiedPower;

// ---- the graph in numbers -------------------------------------------------------------------------------------------

bool is_zero(const model::Quantity* value) {
    return value != nullptr && value->value.size() > 0 &&
           std::ranges::all_of(value->value.reshaped(), [](Expr e) { return e.is_constant(0.0); });
}

/// A source whose effort (`e`) or flow (`f`) is 0, whatever happens.
PowerNode source_node(const Element& element) {
    if (!element.type->is_source() || element.ports.size() != 1 || !element.slots.empty() || element.owner.valid())
        return PowerNode::other;
    if (is_zero(element.parameter("e"))) return PowerNode::zero_effort;
    return is_zero(element.parameter("f")) ? PowerNode::zero_flow : PowerNode::other;
}

/// Junctions of wrapped components stay: their connectors' variables are those of the bonds there.
PowerNode power_node(const Element& element) {
    if (!element.is_junction()) return source_node(element);
    if (element.owner.valid()) return PowerNode::other;
    return element.type->structure == model::Structure::junction0 ? PowerNode::zero : PowerNode::one;
}

structure::PowerGraph power_graph(const BondGraph& graph) {
    structure::PowerGraph power;
    for (const Element& e : graph.elements) {
        power.nodes.push_back(power_node(e));
        // What the file names stays rather than what its parts are made of.
        power.ranks.push_back(static_cast<std::uint32_t>(std::ranges::count(e.name, '.')));
    }
    for (const Bond& b : graph.bonds)
        power.bonds.push_back({{b.from.value, b.from_port}, {b.to.value, b.to_port}, b.reversed});
    return power;
}

// ---- and back -------------------------------------------------------------------------------------------------------

class Rebuilding {
   public:
    Rebuilding(BondGraph& graph, const SimplifiedPower& simple) : g_(graph), simple_(simple) {}

    /// Elements and bonds of the simplified graph in place of those there are; what is made has the given names.
    void run(const std::vector<std::string>& made) {
        old_components_ = g_.bond_components;
        for (const Bond& b : g_.bonds) old_first_.push_back(b.first);
        bond_at_component_ = bonds_at_components();
        renew_bonds();
        renew_elements(made);
        renew_ports();
        replace_variables();
        rename_bonds();
        model::remove_elements(g_, simple_.node_gone);
        for (model::DiscreteVariable& d : g_.discretes)
            d.variable =
                model::VariableId(std::size_t{d.variable.value} - 2 * old_components_ + 2 * g_.bond_components);
    }

   private:
    std::vector<std::uint32_t> bonds_at_components() const {
        std::vector<std::uint32_t> at(g_.bond_components);
        for (std::uint32_t i = 0; i < g_.bonds.size(); ++i) {
            for (std::uint32_t k = 0; k < g_.bonds[i].size; ++k) at[g_.bonds[i].first + k] = i;
        }
        return at;
    }

    /// The bond that one made by a rule is like: same size and domain.
    std::vector<std::uint32_t> models_of_made() const {
        const auto old = static_cast<std::uint32_t>(old_first_.size());
        std::vector<std::uint32_t> like(simple_.graph.bonds.size(), kNone);
        for (std::uint32_t b = 0; b < old; ++b) like[b] = b;
        // Those gone are sums of those made.
        for (std::uint32_t b = 0; b < like.size(); ++b) {
            for (const auto* sums : {&simple_.efforts[b], &simple_.flows[b]}) {
                for (const structure::SignedBond& s : *sums) {
                    if (like[s.bond] == kNone) like[s.bond] = like[b];
                }
            }
        }
        // The bond between the two junctions that replace a ring stands in no sum: it is like its neighbours.
        for (std::uint32_t b = 0; b < like.size(); ++b) {
            if (like[b] == kNone && b > 0) like[b] = like[b - 1];
        }
        return like;
    }

    void renew_bonds() {
        const std::vector<std::uint32_t> like = models_of_made();
        std::vector<Bond> bonds;
        new_bond_.assign(simple_.graph.bonds.size(), kNone);
        std::uint32_t components = 0;
        for (std::uint32_t i = 0; i < simple_.graph.bonds.size(); ++i) {
            if (simple_.bond_gone[i]) continue;
            const bool made = i >= old_first_.size();
            Bond b = g_.bonds[like[i]];
            const structure::PowerBond& power = simple_.graph.bonds[i];
            if (made) {
                b.name.clear();
                b.reversed = power.turned;
            }
            b.from = ElementId(std::size_t{power.from.node});
            b.to = ElementId(std::size_t{power.to.node});
            b.from_port = power.from.port;
            b.to_port = power.to.port;
            b.first = components;
            components += b.size;
            new_bond_[i] = static_cast<std::uint32_t>(bonds.size());
            bonds.push_back(std::move(b));
        }
        g_.bonds = std::move(bonds);
        g_.bond_components = components;
    }

    // ---- variables -------------------------------------------------------------------------------------------------

    void replace_variables() {
        std::vector<Expr*> places;
        std::vector<Expr> roots;
        model::for_each_expression(g_, [&](Expr& e) {
            if (e.is_literal()) return;
            places.push_back(&e);
            roots.push_back(e);
        });
        const std::vector<Expr> renewed =
            expression::substitute(*g_.expressions, roots, [&](std::uint32_t node) { return replacement(node); });
        for (std::size_t i = 0; i < places.size(); ++i) *places[i] = renewed[i];
    }

    std::optional<Expr> replacement(std::uint32_t node) {
        const expression::Node old = (*g_.expressions)[node];
        const bool rate = old.op == expression::Op::derivative;
        if (!rate && old.op != expression::Op::variable) return std::nullopt;
        const auto leaf = [&](std::uint32_t index) {
            return rate ? g_.expressions->derivative(index) : g_.expressions->variable(index);
        };
        if (old.a >= 2 * old_components_) return leaf(old.a - 2 * old_components_ + 2 * g_.bond_components);
        const std::uint32_t component = old.a / 2;
        const bool effort = old.a % 2 == 0;
        const std::uint32_t bond = bond_at_component_[component];
        const std::uint32_t within = component - old_first_[bond];
        Expr sum = 0.0;
        for (const structure::SignedBond& s : sum_of(bond, effort)) {
            const Bond& b = g_.bonds[s.bond];
            sum += Expr(s.sign) * leaf(2 * (b.first + within) + (effort ? 0 : 1));
        }
        return sum;
    }

    /// In the new numbers of bonds.
    const std::vector<structure::SignedBond>& sum_of(std::uint32_t bond, bool effort) {
        auto& known = sums_[2 * std::size_t{bond} + (effort ? 0 : 1)];
        if (known) return *known;
        known = simple_.sum(bond, effort);
        if (simple_.bond_gone[bond]) {
            for (structure::SignedBond& s : *known) s.bond = where_read(new_bond_[s.bond], effort);
        } else {
            for (structure::SignedBond& s : *known) s.bond = new_bond_[s.bond];
        }
        return *known;
    }

    /// Of the bonds that have this variable in common one at an element, where there is one: results and signals of
    /// what is gone then come from there.
    std::uint32_t where_read(std::uint32_t bond, bool effort) const {
        const auto common = effort ? model::Structure::junction0 : model::Structure::junction1;
        for (const ElementId end : {g_.bonds[bond].from, g_.bonds[bond].to}) {
            const Element& junction = g_.elements[end.index()];
            if (junction.type->structure != common) continue;
            for (const Port& p : junction.ports) {
                const Bond& b = g_.bonds[p.bond.index()];
                if (!g_.elements[(p.at_head ? b.from : b.to).index()].is_junction()) return p.bond.value;
            }
        }
        return bond;
    }

    // ---- elements --------------------------------------------------------------------------------------------------

    void renew_elements(const std::vector<std::string>& made) {
        const auto old = static_cast<std::uint32_t>(g_.elements.size());
        const auto junction_like = [&](PowerNode kind) {
            return std::ranges::find_if(g_.elements, [&](const Element& e) { return power_node(e) == kind; })->type;
        };
        for (std::uint32_t n = old; n < simple_.graph.nodes.size(); ++n) {
            Element junction{.name = made[n - old], .type = junction_like(simple_.graph.nodes[n])};
            junction.position = g_.model_position;
            g_.elements.push_back(std::move(junction));
        }
    }

    void renew_ports() {
        // Elements keep their ports; what junctions have are their bonds.
        std::vector<bool> rebuilt(g_.elements.size());
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            const PowerNode kind = simple_.graph.nodes[i];
            rebuilt[i] = kind == PowerNode::zero || kind == PowerNode::one;
            if (rebuilt[i]) g_.elements[i].ports.clear();
        }
        for (std::uint32_t i = 0; i < g_.bonds.size(); ++i) {
            Bond& b = g_.bonds[i];
            for (const bool head : {false, true}) {
                const std::uint32_t node = (head ? b.to : b.from).value;
                std::uint32_t& number = head ? b.to_port : b.from_port;
                std::vector<Port>& ports = g_.elements[node].ports;
                if (rebuilt[node]) {
                    number = static_cast<std::uint32_t>(ports.size());
                    ports.push_back({.size = b.size, .domain = b.domain, .position = b.position});
                }
                ports[number].bond = BondId(std::size_t{i});
                ports[number].at_head = head;
                ports[number].first_effort = 2 * b.first;
            }
        }
    }

    void rename_bonds() {
        std::erase_if(g_.bond_by_name, [&](const auto& named) { return simple_.bond_gone[named.second.bond.index()]; });
        for (auto& [name, named] : g_.bond_by_name) named.bond = BondId(std::size_t{new_bond_[named.bond.index()]});
    }

    BondGraph& g_;
    const SimplifiedPower& simple_;
    std::uint32_t old_components_ = 0;
    std::vector<std::uint32_t> old_first_;
    std::vector<std::uint32_t> bond_at_component_;
    std::vector<std::uint32_t> new_bond_;  ///< of the numbers of SimplifiedPower
    std::unordered_map<std::size_t, std::optional<std::vector<structure::SignedBond>>> sums_;
};

// ---- words ----------------------------------------------------------------------------------------------------------

class Telling {
   public:
    Telling(const BondGraph& graph, const SimplifiedPower& simple) : simple_(simple) {
        for (const Element& e : graph.elements) names_.push_back(e.name);
        for (std::size_t k = 0; k < simple.steps.size(); ++k) {
            if (!simple.steps[k].made.empty()) name_made(simple.steps[k]);
        }
    }

    [[nodiscard]] std::vector<std::string> made(std::size_t old) const {
        return {names_.begin() + static_cast<std::ptrdiff_t>(old), names_.end()};
    }

    [[nodiscard]] SimplificationStep told(const PowerStep& step) const {
        SimplificationStep result{.rule = step.rule, .text = text(step), .removed = names(step.removed)};
        for (const auto* nodes : {&step.remaining, &step.made}) {
            for (const std::string& name : names(*nodes)) result.remains.push_back(name);
        }
        return result;
    }

   private:
    /// "ring1" for the junction between the corners, "ring1_sides" for that of the sides; where there are such names,
    /// the next number.
    void name_made(const PowerStep& step) {
        const auto taken = [&](const std::string& name) { return std::ranges::count(names_, name) > 0; };
        std::string name;
        do {
            name = fmt::format("ring{}", ++rings_);
        } while (taken(name) || taken(name + "_sides"));
        names_.resize(std::max<std::size_t>(names_.size(), step.made[1] + 1));
        names_[step.made[0]] = name;
        names_[step.made[1]] = name + "_sides";
    }

    [[nodiscard]] std::vector<std::string> names(const std::vector<std::uint32_t>& nodes) const {
        std::vector<std::string> result;
        for (const std::uint32_t n : nodes) result.push_back(names_[n]);
        return result;
    }

    [[nodiscard]] bool zero(std::uint32_t node) const { return simple_.graph.nodes[node] == PowerNode::zero; }
    [[nodiscard]] std::string junction(std::uint32_t node) const {
        return fmt::format("{}-junction '{}'", zero(node) ? 0 : 1, names_[node]);
    }
    [[nodiscard]] static std::string list(const std::vector<std::string>& names) {
        if (names.size() < 2) return names.empty() ? "" : fmt::format("'{}'", names[0]);
        std::string text;
        for (std::size_t k = 0; k + 1 < names.size(); ++k) text += fmt::format("{}'{}'", k > 0 ? ", " : "", names[k]);
        return text + fmt::format(" and '{}'", names.back());
    }

    [[nodiscard]] std::string text(const PowerStep& step) const {
        switch (step.rule) {
            case PowerRule::zero_node:
                return zero_node(step);
            case PowerRule::zero_source:
                return fmt::format("'{}' gives {} no {}: it moves no power and is removed", names_[step.removed[0]],
                                   junction(step.at), zero(step.at) ? "flow" : "effort");
            case PowerRule::through:
                return fmt::format("{} has two bonds, and power passes through it: '{}' and '{}' are bonded directly",
                                   junction(step.at), names_[step.remaining[0]], names_[step.remaining[1]]);
            case PowerRule::same_kind:
                return fmt::format("{} and its neighbour '{}' have one {} together: they become one junction",
                                   junction(step.at), names_[step.removed[0]], zero(step.at) ? "effort" : "flow");
            case PowerRule::ring:
                break;
        }
        const std::vector<std::string> corners = names({step.remaining[0], step.remaining[1]});
        const std::vector<std::string> sides = names({step.remaining.begin() + 2, step.remaining.end()});
        const bool flows = !zero(step.at);
        return fmt::format(
            "{} lie side by side between {}: their {} add up in {}, which leads to {} with their common {}",
            list(sides), list(corners), flows ? "flows" : "efforts", junction(step.at), junction(step.made[1]),
            flows ? "effort" : "flow");
    }

    [[nodiscard]] std::string zero_node(const PowerStep& step) const {
        const char* const what = zero(step.at) ? "effort" : "flow";
        const std::vector<std::string> neighbours = names(step.remaining);
        if (step.removed.empty())
            return fmt::format("{} has no {}: no power passes its bonds to {}, which are removed", junction(step.at),
                               what, list(neighbours));
        const std::string by =
            fmt::format("'{}' holds the {} of {} at 0", names_[step.removed[1]], what, junction(step.at));
        if (neighbours.empty()) return by + ": both are removed, nothing else is there";
        return fmt::format("{}: no power passes, both are removed with {} to {}", by,
                           neighbours.size() == 1 ? "the bond" : "the bonds", list(neighbours));
    }

    const SimplifiedPower& simple_;
    std::vector<std::string> names_;
    int rings_ = 0;
};

}  // namespace

std::string_view rule_name(PowerRule rule) {
    switch (rule) {
        case PowerRule::zero_node:
            return "grounded node";
        case PowerRule::zero_source:
            return "no power";
        case PowerRule::through:
            return "two bonds";
        case PowerRule::same_kind:
            return "same junctions";
        case PowerRule::ring:
            return "ring";
    }
    return {};
}

Simplified simplify(const BondGraph& graph) {
    const SimplifiedPower simple = structure::simplify(power_graph(graph));
    const Telling telling(graph, simple);
    Simplified result{model::copy_of(graph), {}};
    for (const PowerStep& step : simple.steps) result.steps.push_back(telling.told(step));
    if (!simple.steps.empty()) Rebuilding(result.graph, simple).run(telling.made(result.graph.elements.size()));
    return result;
}

}  // namespace bondgraph::causality
