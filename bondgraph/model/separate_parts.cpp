// Parts of a model that nothing joins: neither bonds, nor signals, nor results that one names of the other.

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>

#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/model/late_checks.hpp"

namespace bondgraph::model {

namespace {

using expression::Expr;
using expression::Op;

class SeparateParts {
   public:
    explicit SeparateParts(Flattening& work) : work_(work), graph_(work.graph), sets_(graph_.elements.size()) {}

    void run() {
        for (const Bond& b : graph_.bonds) join(b.from.value, b.to.value);
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) element(i);
        for (const auto& computed : work_.signal_order) {
            for (const auto& [other, connector] : computed.joined) join(computed.element.value, other.value);
        }
        for (const When& w : graph_.whens) {
            std::vector<Expr> named{w.condition};
            for (const WhenAction& a : w.actions) named.insert(named.end(), {a.target, a.value});
            join_all(named);
        }
        for (const GivenEquation& g : graph_.initial_equations) join_all({g.lhs, g.rhs});
        report();
    }

   private:
    static constexpr std::uint32_t kNone = Id<void>::kNone;
    static constexpr std::uint32_t kNotSeen = kNone - 1;

    void join(std::uint32_t a, std::uint32_t b) { sets_.union_set(a, b); }

    /// Whether a component has a place in space: all that have share it, and the World's gravity.
    static bool is_in_space(const Element& e) {
        return std::any_of(e.connectors.begin(), e.connectors.end(),
                           [](const Connector& c) { return !c.type->signals.empty(); });
    }

    void element(std::uint32_t i) {
        const Element& e = graph_.elements[i];
        if (e.owner.valid()) join(i, e.owner.value);
        if (is_in_space(e)) {
            if (in_space_) join(*in_space_, i);
            in_space_ = i;
        }
        std::vector<Expr> named;
        const auto add = [&](const Quantity& q) {
            for (const Expr& x : q.value.reshaped()) named.push_back(x);
        };
        for (const auto& p : e.parameters) {
            if (p) add(*p);
        }
        for (const auto& [name, q] : e.inputs) add(q);
        for (const StartValue& s : e.starts) add(s.value);
        for (const auto* list : {&e.given_equations, &e.given_updates, &e.initial_equations}) {
            for (const GivenEquation& g : *list) named.insert(named.end(), {g.lhs, g.rhs});
        }
        for (const std::uint32_t other : elements_in(named)) join(i, other);
    }

    void join_all(const std::vector<Expr>& named) {
        const auto elements = elements_in(named);
        for (const std::uint32_t e : elements) join(elements.front(), e);
    }

    /// Of the elements that expressions name one for each of them: all others in it have been joined to that one.
    std::vector<std::uint32_t> elements_in(const std::vector<Expr>& named) {
        std::vector<std::uint32_t> roots;
        for (const Expr& x : named) {
            if (!x.is_literal() && !x.is_constant()) roots.push_back(x.node());
        }
        if (roots.empty()) return {};
        const expression::Graph& expressions = *graph_.expressions;
        element_in_.resize(std::max(element_in_.size(), expressions.size()), kNotSeen);
        const auto seen = [&](std::uint32_t n) { return element_in_[n] != kNotSeen; };
        for (const std::uint32_t n : expression::reachable_until(expressions, roots, seen)) {
            if (seen(n)) continue;
            std::uint32_t& element = element_in_[n] = element_of(expressions[n]);
            for (const std::uint32_t operand : expressions[n].operands()) {
                const std::uint32_t other = element_in_[operand];
                if (other == kNone) continue;
                if (element == kNone)
                    element = other;
                else
                    join(element, other);
            }
        }
        std::vector<std::uint32_t> elements;
        for (const std::uint32_t root : roots) {
            if (element_in_[root] != kNone) elements.push_back(element_in_[root]);
        }
        return elements;
    }

    /// The element whose variable a leaf is.
    [[nodiscard]] std::uint32_t element_of(const expression::Node& node) const {
        if (node.op == Op::held)
            return node.a < 2 * graph_.discretes.size() ? graph_.discretes[node.a / 2].element.value : kNone;
        if (node.op != Op::variable && node.op != Op::derivative) return kNone;
        if (node.a >= 2 * graph_.bond_components)
            return graph_.slot_variables[node.a - 2 * graph_.bond_components].element.value;
        return graph_.bonds[graph_.bond_of_component(node.a / 2).index()].from.value;
    }

    /// The component of the model that an element stands in: "motor" of "motor.coil".
    static std::string component_of_model(const std::string& element) { return element.substr(0, element.find('.')); }

    /// Where that component stands: what it is made of may stand in another file.
    [[nodiscard]] SourcePosition position_in_model(std::uint32_t element) const {
        SourcePosition position = work_.graph.elements[element].position;
        for (std::uint32_t s = work_.origins[element].scope; s != 0; s = work_.scopes[s].outer)
            position = work_.scopes[s].position;
        return position;
    }

    /// A part, by the components of the model in it, in the order of the file.
    struct Part {
        std::vector<std::string> components;
        SourcePosition position;
    };

    std::vector<Part> parts() {
        std::map<std::string, std::uint32_t> first;  // what stands in one component belongs together
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) {
            const auto [at, fresh] = first.emplace(component_of_model(graph_.elements[i].name), i);
            if (!fresh) join(at->second, i);
        }
        std::vector<Part> result;
        std::map<std::size_t, std::size_t> number;
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) {
            const Element& e = graph_.elements[i];
            const std::string name = component_of_model(e.name);
            if (first.at(name) != i) continue;
            const auto [at, fresh] = number.emplace(sets_.find_set(i), result.size());
            if (fresh) result.push_back({{}, position_in_model(i)});
            result[at->second].components.push_back(name);
        }
        return result;
    }

    static std::string names_of(const Part& part) {
        constexpr std::size_t kMost = 4;
        std::string text;
        for (std::size_t k = 0; k < std::min(part.components.size(), kMost); ++k)
            text += fmt::format("{}'{}'", k == 0 ? "" : ", ", part.components[k]);
        const std::size_t more = part.components.size() - std::min(part.components.size(), kMost);
        return more == 0 ? text : fmt::format("{} and {} more", text, more);
    }

    void report() {
        const std::vector<Part> all = parts();
        if (all.size() < 2) return;
        constexpr std::size_t kMost = 4;
        std::vector<DiagnosticNote> notes;
        for (std::size_t k = 0; k < std::min(all.size(), kMost); ++k)
            notes.push_back({"where", fmt::format("part {}: {}", k + 1, names_of(all[k]))});
        if (all.size() > kMost) notes.push_back({"where", fmt::format("and {} more", all.size() - kMost)});
        notes.push_back({"try",
                         "a bond or a signal that is missing; parts that have nothing to do with each other run "
                         "faster in files of their own"});
        work_.diagnostics.warning("BG-M068", all[1].position,
                                  fmt::format("the model falls into {} parts that nothing joins", all.size()),
                                  std::move(notes));
    }

    Flattening& work_;
    BondGraph& graph_;
    boost::disjoint_sets_with_storage<> sets_;
    std::optional<std::uint32_t> in_space_;  ///< one that has a place there
    std::vector<std::uint32_t> element_in_;  ///< by node of the expressions: one of the elements it names
};

}  // namespace

void warn_of_separate_parts(Flattening& work) {
    if (work.graph.elements.size() > 1) SeparateParts(work).run();
}

}  // namespace bondgraph::model
