#include "bondgraph/equivalence/normal_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/equivalence/detectors.hpp"
#include "bondgraph/equivalence/expression_items.hpp"
#include "bondgraph/equivalence/kept_nodes.hpp"
#include "bondgraph/equivalence/network.hpp"

namespace bondgraph::equivalence {
namespace {

using expression::Expr;
using expression::ExprMatrix;
using expression::Node;
using expression::Op;
using model::BondGraph;
using model::Element;
using model::GivenEquation;
using model::Structure;

std::string domain_name(model::DomainIndex domain) { return std::string(model::domains()[domain].name); }

bool is_constant(const ExprMatrix& value) {
    return std::ranges::all_of(value.reshaped(), [](Expr e) { return e.is_constant(); });
}

std::vector<double> numbers_in(const ExprMatrix& value) {
    std::vector<double> result;
    for (const Expr e : value.reshaped()) result.push_back(e.constant());
    return result;
}

class Forming {
   public:
    Forming(const BondGraph& graph, bool reduced)
        : g_(graph),
          network_(network_of(graph)),
          expressions_(form_, *graph.expressions, [this](const Node& node) { return leaf(node); }) {
        if (reduced) reduce(network_, g_, kept_nodes(g_, network_));
    }

    NormalForm run() {
        make_nodes();
        make_edges();
        make_hubs();
        for (std::uint32_t i = 0; i < g_.elements.size(); ++i) {
            if (!g_.elements[i].is_junction()) form_element(i);
        }
        form_rest();
        return std::move(form_);
    }

   private:
    // ---- nodes and edges -------------------------------------------------------------------------------------------

    void make_nodes() {
        node_item_.assign(network_.gone.size(), 0);
        hub_.resize(g_.elements.size());
        for (std::uint32_t n = 0; n < network_.gone.size(); ++n) {
            if (network_.gone[n]) continue;
            const Element& e = g_.elements[network_.element_of[n]];
            const std::uint32_t port = e.is_junction() ? 0 : n - network_.first_node[network_.element_of[n]];
            const auto item = static_cast<std::uint32_t>(form_.items.size());
            node_item_[n] = item;
            const std::uint32_t size = e.ports.empty() ? 1 : e.ports[port].size;
            if (e.is_junction()) {
                const bool zero = e.type->structure == Structure::junction0;
                form_.items.push_back({.kind = fmt::format("{} of {}", zero ? "zero" : "one", size)});
                form_.junctions.push_back(
                    {e.name, zero, e.ports.empty() ? "generic" : domain_name(e.ports.front().domain), item});
            } else {
                form_.items.push_back({.kind = fmt::format("port of {} {}", e.type->name, size)});
            }
            form_.items.back().domain = e.ports.empty() ? "generic" : domain_name(e.ports[port].domain);
            form_.items.back().skeleton = true;
        }
    }

    void make_edges() {
        at_.resize(network_.gone.size());
        for (const Network::Edge& e : network_.edges) {
            if (e.gone) continue;
            const auto number = static_cast<std::uint32_t>(form_.edges.size());
            at_[e.x].push_back({number, e.y, e.sign});
            at_[e.y].push_back({number, e.x, e.sign});
            const model::Bond& b = g_.bonds[e.bond];
            const auto& [from, to] = b.reversed ? std::pair(b.to, b.from) : std::pair(b.from, b.to);
            form_.edges.push_back(
                {node_item_[e.x], node_item_[e.y], e.sign,
                 fmt::format("{} -> {}", g_.elements[from.index()].name, g_.elements[to.index()].name)});
        }
    }

    // ---- elements --------------------------------------------------------------------------------------------------

    enum class Sort : std::uint8_t { two_port, passive, source, other };

    [[nodiscard]] static Sort sort_of(const Element& e) {
        if (e.type->is_two_port() && is_scalar_two_port(e)) return Sort::two_port;
        const std::string_view type = e.type->name;
        const bool one = e.ports.size() == 1;
        if (one && (type == "R" || type == "C" || type == "I")) return Sort::passive;
        const bool given = e.type->structure == Structure::border && e.type->energy == model::Energy::supplied;
        return one && given && e.slots.empty() ? Sort::source : Sort::other;
    }

    /// Elements may be read before they are formed: first of all there is what stands for them. What is neither can be
    /// turned as a whole where equations say all, and in linear fields, two-ports, detectors and integrators; other
    /// laws are pinned.
    void make_hubs() {
        for (std::uint32_t i = 0; i < g_.elements.size(); ++i) {
            const Element& e = g_.elements[i];
            if (e.is_junction()) continue;
            if (sort_of(e) != Sort::other) {
                hub_[i] = 2 * node_item_[network_.first_node[i]];
                continue;
            }
            const bool own = e.type->is_own_type();
            const bool linear = own || e.type->is_two_port() || e.type->structure == Structure::wiring || is_field(e) ||
                                is_detector(e) || is_integrator(e);
            hub_[i] = expressions_.add(fmt::format("element {}", own ? "own type" : e.type->name), !linear);
            form_.items.back().skeleton = true;
        }
    }

    /// Of one kind of element on several ports, with a matrix or equations for a law.
    [[nodiscard]] static bool is_field(const Element& e) {
        return e.type->pattern == model::PortPattern::field && e.type->kinds.empty();
    }

    /// A block that gives the rate of its output, as what goes into it.
    [[nodiscard]] static bool is_integrator(const Element& e) {
        return e.type->structure == Structure::block && e.type->ports.empty() && e.type->inputs.size() == 1 &&
               e.type->outputs.size() == 1 && e.type->outputs.front().state;
    }

    void form_element(std::uint32_t i) {
        const Element& e = g_.elements[i];
        Part part{.name = e.name, .type = std::string(e.type->name), .hub = hub_[i] / 2};
        part.domain = e.ports.empty() ? "" : domain_name(e.ports.front().domain);
        for (std::uint32_t p = 0; p < e.ports.size(); ++p) part.ports.push_back(node_item_[network_.first_node[i] + p]);
        if (sort_of(e) == Sort::two_port) part.type = e.type->structure == Structure::transformer ? "TF" : "GY";
        switch (sort_of(e)) {
            case Sort::two_port:
                form_two_port(e, part);
                break;
            case Sort::passive:
                form_passive(i, part);
                break;
            case Sort::source:
                form_source(i, part);
                break;
            case Sort::other:
                form_other(i, part);
                break;
        }
        form_.parts.push_back(std::move(part));
    }

    [[nodiscard]] static bool is_scalar_two_port(const Element& e) {
        if (e.ports.size() != 2 || e.ports[0].size != 1 || e.ports[1].size != 1) return false;
        if (e.parameters.empty()) return true;
        return e.parameters.size() == 1 && e.parameters[0] && e.parameters[0]->value.size() == 1;
    }

    /// With power into both ports e1 = m e2, f2 = −m f1 and e1 = −r f2, e2 = r f1: each port knows the ratio of its
    /// effort to that of the other, and neither is the first.
    void form_two_port(const Element& e, Part& part) {
        if (!e.parameters.empty() && !is_constant(e.parameters[0]->value)) return form_varying(e, part);
        const double ratio = e.parameters.empty() ? 1.0 : numbers_in(e.parameters[0]->value).front();
        const bool turns = e.type->structure == Structure::transformer;
        const std::uint32_t negative = ratio < 0.0 ? 1U : 0U;
        const std::uint32_t p1 = 2 * part.ports[0];
        const std::uint32_t p2 = 2 * part.ports[1];
        const std::string label = part.type;
        for (const std::uint32_t p : part.ports) form_.items[p].kind = part.type;
        part.ratio_sign = ratio < 0.0 ? -1.0 : 1.0;
        form_.items[part.ports[0]].values = {std::abs(ratio)};
        form_.items[part.ports[1]].values = {turns ? 1.0 / std::abs(ratio) : std::abs(ratio)};
        expressions_.lead(p2, p1 ^ negative, label);
        expressions_.lead(p1, p2 ^ negative ^ (turns ? 0U : 1U), label);
        part.numbers.push_back({turns ? "m" : "r", part.ports[0], 0});
    }

    /// The same where the ratio varies: the effort of each port is the product of the other's variable and the ratio.
    void form_varying(const Element& e, Part& part) {
        part.modulated = true;
        const Expr ratio = e.parameters[0]->value(0);
        const bool transforms = e.type->structure == Structure::transformer;
        const std::uint32_t p1 = 2 * part.ports[0];
        const std::uint32_t p2 = 2 * part.ports[1];
        for (const std::uint32_t p : part.ports) form_.items[p].kind = part.type + " varying";
        part.ratio_sign = expressions_.coefficient(ratio) < 0.0 ? -1.0 : 1.0;
        expressions_.lead(p1, expressions_.scaled(p2, ratio, false) ^ (transforms ? 0U : 1U), part.type);
        expressions_.lead(p2, expressions_.scaled(p1, ratio, transforms), part.type);
        // That they belong together shows without the law as well.
        for (const std::uint32_t one : {p1, p1 ^ 1U}) {
            for (const std::uint32_t other : {p2, p2 ^ 1U}) {
                form_.arcs.push_back({one, other, "sides"});
                form_.arcs.push_back({other, one, "sides"});
            }
        }
    }

    /// A law that is not odd shows in its equations.
    void form_passive(std::uint32_t i, Part& part) {
        const Element& e = g_.elements[i];
        const std::uint32_t port = part.ports[0];
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k] || e.type->parameters[k].name == "energy") continue;
            std::string name(e.type->parameters[k].name);
            const ExprMatrix& value = e.parameters[k]->value;
            if (!is_constant(value)) {
                part.modulated = true;
                attach_even(2 * port, name, value);
                continue;
            }
            std::vector<double> numbers = numbers_in(value);
            // One name for what has two.
            const bool other_name = name == "G" || name == "K";
            if (other_name && numbers.size() == 1) {
                name = std::string(name == "G" ? "R" : "C");
                numbers[0] = 1.0 / numbers[0];
            }
            form_.items[port].given += fmt::format(" {}", name);
            form_.items[port].values = std::move(numbers);
            part.numbers.push_back({name, port, 0});
        }
        if (!e.given_equations.empty()) form_.items[port].given += " law";
        attach_equations(2 * port, e.given_equations, "law", true);
        form_starts(i, 2 * port, part);
    }

    void form_source(std::uint32_t i, Part& part) {
        const Element& e = g_.elements[i];
        const std::uint32_t port = part.ports[0];
        Item& item = form_.items[port];
        item.odd = true;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k]) continue;
            const std::string name(e.type->parameters[k].name);
            if (is_constant(e.parameters[k]->value)) {
                form_.items[port].values = numbers_in(e.parameters[k]->value);
                part.numbers.push_back({name, port, 0});
                continue;
            }
            part.modulated = true;
            attach(2 * port, name, e.parameters[k]->value);
        }
    }

    /// What its ports have in common is a node of its own.
    void form_other(std::uint32_t i, Part& part) {
        const Element& e = g_.elements[i];
        const bool own = e.type->is_own_type();
        for (std::size_t p = 0; p < e.ports.size(); ++p)
            expressions_.lead(hub_[i], 2 * part.ports[p], own ? "port" : "port " + e.ports[p].name);
        for (const std::string& word : e.words) form_.items[hub_[i] / 2].kind += " " + word;
        if (!own) form_parameters(e, hub_[i], part);
        attach_equations(hub_[i], e.given_equations, "law", true);
        attach_equations(hub_[i], e.given_updates, "update", false);
        form_starts(i, hub_[i], part);
    }

    void form_parameters(const Element& e, std::uint32_t hub, Part& part) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k] || e.type->parameters[k].name == "energy") continue;
            const std::string name(e.type->parameters[k].name);
            const ExprMatrix& value = e.parameters[k]->value;
            if (is_constant(value)) {
                Item& item = form_.items[hub / 2];
                item.given += fmt::format(" {} {}x{}", name, value.rows(), value.cols());
                for (const double number : numbers_in(value)) {
                    part.numbers.push_back({name, hub / 2, item.values.size()});
                    item.values.push_back(number);
                }
            } else {
                part.modulated = !e.ports.empty();
                attach_even(hub, name, value);
            }
        }
        for (const auto& [name, input] : e.inputs) {
            if (is_integrator(e))
                attach(hub, "input " + name, input.value);
            else
                attach_even(hub, "input " + name, input.value);
        }
    }

    /// What turns with the node.
    void attach(std::uint32_t vertex, const std::string& name, const ExprMatrix& value) {
        for (Eigen::Index k = 0; k < value.size(); ++k)
            expressions_.lead(vertex, expressions_.vertex(value(k)), fmt::format("{} {}", name, k));
    }
    /// What stays as it is when the node is turned.
    void attach_even(std::uint32_t vertex, const std::string& name, const ExprMatrix& value) {
        for (Eigen::Index k = 0; k < value.size(); ++k) {
            const std::uint32_t v = expressions_.vertex(value(k));
            for (const std::uint32_t side : {0U, 1U})
                form_.arcs.push_back({vertex ^ side, v, fmt::format("{} {}", name, k)});
        }
    }
    /// lhs − rhs = 0 says the same as its negative; an update is a value for what stands on its left.
    void attach_equations(std::uint32_t vertex, const std::vector<GivenEquation>& equations, const std::string& label,
                          bool balances) {
        for (const GivenEquation& q : equations) {
            if (!balances) {
                const std::uint32_t v = expressions_.add(label, true);
                for (const std::uint32_t side : {0U, 1U}) {
                    form_.arcs.push_back({vertex ^ side, v, label});
                    form_.arcs.push_back({v ^ side, expressions_.vertex(q.lhs), "left"});
                    form_.arcs.push_back({v ^ side, expressions_.vertex(q.rhs), "right"});
                }
                continue;
            }
            const std::uint32_t v = expressions_.add("equation", false);
            expressions_.lead(v, expressions_.vertex(q.lhs), "side");
            expressions_.lead(v, expressions_.vertex(q.rhs) ^ 1U, "side");
            for (const std::uint32_t side : {0U, 1U}) {
                form_.arcs.push_back({vertex ^ side, v, label});
                form_.arcs.push_back({vertex ^ side, v ^ 1U, label});
            }
        }
    }

    /// States of linear storages: effort of a compliance and flow of an inertia say the same as q and p.
    void form_starts(std::uint32_t i, std::uint32_t hub, Part& part) {
        const Element& e = g_.elements[i];
        if (e.steady) expressions_.lead(hub, expressions_.add("steady", false), "start");
        for (const GivenEquation& q : e.initial_equations) attach_equations(hub, {q}, "start", true);
        for (const model::StartValue& s : e.starts) {
            if (!s.fixed) continue;
            if (!is_constant(s.value.value)) {
                attach(hub, "start", s.value.value);
                continue;
            }
            std::vector<double> numbers = numbers_in(s.value.value);
            std::string name = s.variable;
            const Item& item = form_.items[hub / 2];
            if (part.ports.size() == 1 && numbers.size() == 1 && item.values.size() == 1) {
                if (name == "e" && part.type == "C") numbers[0] *= item.values[0];
                if (name == "f" && part.type == "I") numbers[0] *= item.values[0];
                if (name == "e" || name == "f") name = std::string(part.type == "C" ? "q" : "p");
            }
            if (std::ranges::all_of(numbers, [](double v) { return v == 0.0; })) continue;
            const std::string label = e.type->is_own_type() ? "start" : "start " + name;
            const std::uint32_t v = expressions_.add("start", false, std::move(numbers));
            form_.items[v / 2].odd = true;
            expressions_.lead(hub, v, label);
            part.numbers.push_back({"start", v / 2, 0});
        }
    }

    void form_rest() {
        for (const model::When& w : g_.whens) {
            const std::uint32_t v = expressions_.add("when", true);
            const auto both = [&](Expr e, const std::string& label) {
                const std::uint32_t to = expressions_.vertex(e);
                for (const std::uint32_t side : {0U, 1U}) form_.arcs.push_back({v ^ side, to, label});
            };
            both(w.condition, "condition");
            for (const model::WhenAction& a : w.actions) {
                const std::uint32_t action = expressions_.add("action", false);
                for (const std::uint32_t side : {0U, 1U}) form_.arcs.push_back({v ^ side, action, "action"});
                expressions_.lead(action, expressions_.vertex(a.target), "target");
                expressions_.lead(action, expressions_.vertex(a.value), "value");
            }
        }
        if (!g_.initial_equations.empty())
            attach_equations(expressions_.add("model", false), g_.initial_equations, "start", true);
        if (g_.steady) expressions_.add("steady", false);
    }

    // ---- variables -------------------------------------------------------------------------------------------------

    std::uint32_t leaf(const Node& node) {
        switch (node.op) {
            case Op::time:
                return known("time", [&] { return expressions_.add("time", true); });
            case Op::variable:
                return variable(node.a);
            case Op::derivative:
                return known(fmt::format("der {}", node.a), [&] {
                    const std::uint32_t v = expressions_.add("derivative", false);
                    expressions_.lead(v, variable(node.a), "of");
                    return v;
                });
            default:
                return held(node.a);
        }
    }

    template <class Make>
    std::uint32_t known(const std::string& key, const Make& make) {
        if (const auto found = leaves_.find(key); found != leaves_.end()) return found->second;
        const std::uint32_t v = make();
        leaves_.emplace(key, v);
        return v;
    }

    std::uint32_t variable(std::uint32_t index) {
        if (index < 2 * g_.bond_components) return bond_variable(index / 2, index % 2 == 0);
        const std::uint32_t number = index - 2 * g_.bond_components;
        const model::SlotVariable& slot = g_.slot_variables[number];
        return known(fmt::format("slot {}", number), [&] {
            const Element& e = g_.elements[slot.element.index()];
            const Element::Slot& s = e.slots[slot.slot];
            const std::uint32_t v = expressions_.add(fmt::format("variable {}", static_cast<int>(s.kind)), false);
            expressions_.lead(
                hub_[slot.element.index()], v,
                e.type->is_own_type() ? "own variable" : fmt::format("own {} {}", s.name, slot.component));
            return v;
        });
    }

    std::uint32_t held(std::uint32_t index) {
        return known(fmt::format("held {}", index), [&]() -> std::uint32_t {
            if (index < g_.first_adjustable()) {
                if (index % 2 == 1) {
                    const std::uint32_t v = expressions_.add("previous", false);
                    expressions_.lead(v, held(index - 1), "of");
                    return v;
                }
                const model::DiscreteVariable& d = g_.discretes[index / 2];
                const std::uint32_t v = expressions_.add(fmt::format("discrete {}", static_cast<int>(d.type)), false);
                if (d.element.valid()) expressions_.lead(v, hub_[d.element.index()], "of");
                attach(v, "start", ExprMatrix::Constant(1, 1, d.start));
                return v;
            }
            if (index < g_.first_free()) return expressions_.number(g_.adjustable[index - g_.first_adjustable()].value);
            if (index < g_.first_sample()) return expressions_.add("free parameter", true);
            if (index < g_.first_delay()) {
                const model::Sample& s = g_.samples[index - g_.first_sample()];
                return expressions_.add("sample", true, {s.start, s.period});
            }
            const std::uint32_t v = expressions_.add("delayed", true);
            expressions_.lead(v, hub_[g_.delays[index - g_.first_delay()].element.index()], "of");
            return v;
        });
    }

    /// Read at the junction whose common variable it is, else at the port of the element, with power into it.
    std::uint32_t bond_variable(std::uint32_t component, bool effort) {
        const model::Bond& b = g_.bonds[g_.bond_of_component(component).index()];
        const std::uint32_t within = component - b.first;
        const auto structure = [&](std::uint32_t n) { return g_.elements[network_.element_of[n]].type->structure; };
        const auto common = effort ? Structure::junction0 : Structure::junction1;
        for (const bool head : {false, true}) {
            const model::ElementId id = head ? b.to : b.from;
            const std::uint32_t n = network_.node(g_, id, head ? b.to_port : b.from_port);
            if (g_.elements[id.index()].is_junction()) continue;
            const int into = effort || head ? 1 : -1;
            if (at_[n].empty()) return read(n, effort, within, into);
            const Place& far = at_[n].front();
            if (structure(far.to) == common)
                return read(far.to, effort, within, into * (effort ? far.sign : -far.sign));
            return read(n, effort, within, into);
        }
        for (const bool head : {false, true}) {
            const std::uint32_t n = network_.node(g_, head ? b.to : b.from, 0);
            if (structure(n) == common) return read(n, effort, within, 1);
        }
        return known(fmt::format("between {}", 2 * component + (effort ? 0 : 1)), [&] {
            const std::uint32_t v = expressions_.add(effort ? "effort between" : "flow between", true);
            expressions_.lead(v, 2 * node_item_[network_.node(g_, b.from, 0)], "from");
            expressions_.lead(v, 2 * node_item_[network_.node(g_, b.to, 0)], "to");
            return v;
        });
    }

    std::uint32_t read(std::uint32_t node, bool effort, std::uint32_t component, int sign) {
        const std::uint32_t v = known(fmt::format("{} {} {}", effort ? "e" : "f", node, component), [&] {
            const std::uint32_t made = expressions_.add(effort ? "effort" : "flow", false);
            expressions_.lead(made, 2 * node_item_[node], fmt::format("of {}", component));
            return made;
        });
        return v ^ (sign < 0 ? 1U : 0U);
    }

    struct Place {
        std::uint32_t edge = 0;
        std::uint32_t to = 0;  ///< node
        int sign = 1;
    };

    NormalForm form_;
    const BondGraph& g_;
    Network network_;
    ExpressionItems expressions_;
    std::vector<std::uint32_t> node_item_;  ///< per node
    std::vector<std::uint32_t> hub_;        ///< per element: the vertex that stands for it
    std::vector<std::vector<Place>> at_;    ///< per node
    std::map<std::string, std::uint32_t> leaves_;
};

}  // namespace

NormalForm normal_form(const BondGraph& graph, bool reduced) { return Forming(graph, reduced).run(); }

}  // namespace bondgraph::equivalence
