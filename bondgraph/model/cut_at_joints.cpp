#include "bondgraph/model/cut_at_joints.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cctype>
#include <functional>
#include <unordered_map>

namespace bondgraph::model {
namespace {

using Trees = boost::disjoint_sets_with_storage<>;

/// The dotted names in a text, with what begins like a name left out that is none ("1e5").
std::vector<std::string_view> dotted_names(std::string_view text) {
    std::vector<std::string_view> names;
    const auto belongs = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    for (std::size_t k = 0; k < text.size();) {
        std::size_t end = k;
        while (end < text.size() && belongs(text[end])) ++end;
        const std::string_view name = text.substr(k, end - k);
        if (name.find('.') != std::string_view::npos && std::isdigit(static_cast<unsigned char>(name.front())) == 0)
            names.push_back(name);
        k = end + 1;
    }
    return names;
}

/// Joints by name, and which of them something in the file names more of than their frames.
class Asked {
   public:
    explicit Asked(const Flattening& work, const std::vector<ElementId>& joints) : work_(work) {
        for (const ElementId id : joints) asked_.emplace(work.graph.elements[id.index()].name, false);
        for (const auto& [path, value] : work.overrides) note(path);
        for (const Scope& s : work.scopes) look_through(s);
        const auto result = [&](const Text& t) { note_all("", t.text, true); };
        std::ranges::for_each(work.model.outputs, result);
        for (const Plot& p : work.model.plots) std::ranges::for_each(p.y, result);
        for (const Expectation& e : work.model.expectations) {
            for (const Setting& s : e.values) result(s.key);
        }
    }

    [[nodiscard]] bool operator()(ElementId id) const {
        const ComponentDeclaration& d = *work_.origins[id.index()].declaration;
        return !d.settings.empty() || !d.initial.empty() || !d.guess.empty() || !d.nominal.empty() || d.steady ||
               d.states || asked_.at(work_.graph.elements[id.index()].name);
    }

   private:
    void look_through(const Scope& s) {
        const auto text = [&](const Text& t) { note_all(s.prefix, t.text); };
        const auto setting = [&](const std::string& prefix, const Setting& one) {
            note(prefix + one.key.text);
            note_all(s.prefix, one.value);
        };
        const auto settings = [&](const std::string& prefix, const std::vector<Setting>& all) {
            for (const Setting& one : all) setting(prefix, one);
        };
        const Body& b = *s.body;
        for (const ParameterDeclaration& p : b.parameters) {
            if (p.value) note_all(s.prefix, *p.value);
        }
        for (const ComponentDeclaration& c : b.components) {
            for (const auto* all : {&c.settings, &c.initial, &c.guess, &c.nominal})
                settings(s.prefix + c.name.text + ".", *all);
            if (c.shapes != nullptr) {
                for (const ShapeDeclaration& shape : *c.shapes) settings(s.prefix, shape.values);
            }
        }
        for (const BondDeclaration& bond : b.bonds) {
            text(bond.from);
            text(bond.to);
        }
        for (const SignalDeclaration& signal : b.signals) {
            text(signal.from);
            text(signal.to);
        }
        for (const ConnectDeclaration& c : b.connects) std::ranges::for_each(c.members, text);
        for (const VariableDeclaration& v : b.variables) {
            if (v.start) note_all(s.prefix, *v.start);
        }
        std::ranges::for_each(b.equations, text);
        std::ranges::for_each(b.initial_equations, text);
        if (s.declaration != nullptr) {
            for (const StartDeclaration& start : s.declaration->starts) text(start.value);
            for (const ShapeDeclaration& shape : s.declaration->shapes) settings(s.prefix, shape.values);
        }
        for (const WhenDeclaration& w : b.whens) {
            text(w.condition);
            settings(s.prefix, w.reinit);
            settings(s.prefix, w.set);
        }
    }

    void note_all(const std::string& prefix, const Value& value) {
        note_all(prefix, value.scalar.text);
        for (const Value& item : value.items) note_all(prefix, item);
    }

    void note_all(const std::string& prefix, std::string_view text, bool result = false) {
        for (const std::string_view name : dotted_names(text)) note(prefix + std::string(name), result);
    }

    void note(const std::string& path, bool result = false) {
        for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
            const auto joint = asked_.find(path.substr(0, dot));
            if (joint == asked_.end()) continue;
            const std::string_view rest = std::string_view(path).substr(dot + 1);
            const std::string_view member = rest.substr(0, rest.find_first_of(".["));
            const ElementId id = work_.graph.element_by_name.at(joint->first);
            const auto& connectors = work_.graph.elements[id.index()].connectors;
            const bool frame = std::ranges::find(connectors, member, &Connector::name) != connectors.end();
            if (!frame && !(result && member == "w")) joint->second = true;
        }
    }

    const Flattening& work_;
    std::unordered_map<std::string, bool> asked_;
};

/// Which joints close loops that others leave open.
class Closing {
   public:
    Closing(const Flattening& work, const ConnectionSets& sets)
        : work_(work), sets_(sets), joined_(sets.nodes.size() + 1), rigid_(sets.nodes.size() + 1) {}

    /// Joins what everything but these joints joins.
    void join_but(const std::vector<ElementId>& joints) {
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const ComponentType& type = *work_.graph.elements[i].type;
            if (std::ranges::find(joints, ElementId(i)) != joints.end()) continue;
            const bool moves = type.free_rates && type.root != RootKind::if_needed && type.root != RootKind::at_last;
            for (const SignalPath& p : type.paths) join(node(i, p.from), node(i, p.to), moves);
            if (type.root == RootKind::always) join(node(i, 0), sets_.nodes.size(), moves);
        }
    }

    /// A body whose own start values are given is to move freely, where several joints hold it.
    void set_free(const std::vector<ElementId>& joints) {
        std::unordered_map<std::size_t, std::size_t> held;
        for (const ElementId id : joints) {
            ++held[joined_.find_set(node(id.index(), 0))];
            ++held[joined_.find_set(node(id.index(), 1))];
        }
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            if (work_.graph.elements[i].type->root != RootKind::if_needed) continue;
            if (work_.origins[i].declaration->initial.empty()) continue;
            const auto found = held.find(joined_.find_set(node(i, 0)));
            if (found != held.end() && found->second > 1) joined_.union_set(node(i, 0), sets_.nodes.size());
        }
    }

    /// Whether a joint closes a loop that it doesn't do alone; if it closes none, it joins what it is between.
    bool closes(ElementId id) {
        const std::size_t a = node(id.index(), 0);
        const std::size_t b = node(id.index(), 1);
        if (joined_.find_set(a) == joined_.find_set(b)) return rigid_.find_set(a) != rigid_.find_set(b);
        joined_.union_set(a, b);
        return false;
    }

   private:
    [[nodiscard]] std::size_t node(std::size_t element, std::size_t connector) const {
        return sets_.node_at[element][connector];
    }
    void join(std::size_t a, std::size_t b, bool moves) {
        joined_.union_set(a, b);
        if (!moves) rigid_.union_set(a, b);
    }

    const Flattening& work_;
    const ConnectionSets& sets_;
    Trees joined_;
    Trees rigid_;
};

}  // namespace

void cut_at_joints(Flattening& work, const ConnectionSets& sets) {
    std::vector<ElementId> joints;
    for (std::uint32_t i = 0; i < work.graph.elements.size(); ++i) {
        if (work.graph.elements[i].type->cut != nullptr) joints.emplace_back(i);
    }
    if (joints.empty()) return;
    const Asked asked(work, joints);
    std::erase_if(joints, asked);
    Closing closing(work, sets);
    closing.join_but(joints);
    closing.set_free(joints);
    std::ranges::sort(joints, {}, [&](ElementId id) { return std::string_view(work.graph.elements[id.index()].name); });
    for (const ElementId id : joints) {
        Element& joint = work.graph.elements[id.index()];
        if (closing.closes(id)) joint.type = joint.type->cut;
    }
}

}  // namespace bondgraph::model
