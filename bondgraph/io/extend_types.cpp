#include "bondgraph/io/extend_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bondgraph/io/load_type.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using model::Body;
using model::ComponentDeclaration;
using model::ParameterDeclaration;
using model::TypeDeclaration;
using model::VariableDeclaration;

template <class T>
void keep(std::optional<T>& own, const std::optional<T>& base) {
    if (!own) own = base;
}

void keep_doc(std::string& own, const std::string& base) {
    if (own.empty()) own = base;
}

/// The base's entries with those of one name merged into them, then the other ones.
template <class Declaration, class Merge>
void put_before(std::vector<Declaration>& own, const std::vector<Declaration>& base, const Merge& merge) {
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<Declaration> all = base;
    for (std::size_t k = 0; k < base.size(); ++k) places.emplace(base[k].name.text, k);
    for (Declaration& one : own) {
        const auto known = places.find(one.name.text);
        if (known == places.end()) {
            all.push_back(std::move(one));
            continue;
        }
        merge(one, base[known->second]);
        all[known->second] = std::move(one);
    }
    own = std::move(all);
}

template <class T>
void put_before(std::vector<T>& own, const std::vector<T>& base) {
    own.insert(own.begin(), base.begin(), base.end());
}

/// What the heir gives, also a whole record, takes the place of what the base gives.
void merge_settings(std::vector<model::Setting>& own, const std::vector<model::Setting>& base) {
    std::vector<model::Setting> all;
    for (const model::Setting& s : base) {
        const bool replaced = std::ranges::any_of(
            own, [&](const auto& o) { return o.key.text == s.key.text || s.key.text.starts_with(o.key.text + "."); });
        if (!replaced) all.push_back(s);
    }
    all.insert(all.end(), std::move_iterator(own.begin()), std::move_iterator(own.end()));
    own = std::move(all);
}

void merge_parameter(ParameterDeclaration& own, const ParameterDeclaration& base) {
    keep(own.value, base.value);
    keep(own.unit, base.unit);
    keep(own.min, base.min);
    keep(own.max, base.max);
    keep(own.above, base.above);
    keep(own.below, base.below);
    if (own.choices.empty()) own.choices = base.choices;
    if (!own.record) {
        own.record = base.record;
        own.record_type = base.record_type;
    }
    merge_settings(own.fields, base.fields);
    keep_doc(own.doc, base.doc);
    own.free = own.free || base.free;
    own.whole = own.whole || base.whole;
}

void merge_variable(VariableDeclaration& own, const VariableDeclaration& base) {
    keep(own.start, base.start);
    keep(own.discrete, base.discrete);
    keep(own.unit, base.unit);
    keep_doc(own.doc, base.doc);
}

bool same_sizes(const ComponentDeclaration& own, const ComponentDeclaration& base) {
    const auto sizes = [](const ComponentDeclaration& c) {
        std::vector<std::string> texts;
        if (c.repetition != nullptr) {
            for (const model::Text& size : c.repetition->sizes) texts.push_back(size.text);
        }
        return texts;
    };
    return sizes(own) == sizes(base);
}

void merge_component(ComponentDeclaration& own, const ComponentDeclaration& base, Diagnostics& diagnostics) {
    if (!own.type.text.empty()) return;
    own.type = base.type;
    own.own_type = base.own_type;
    merge_settings(own.settings, base.settings);
    merge_settings(own.initial, base.initial);
    merge_settings(own.guess, base.guess);
    merge_settings(own.nominal, base.nominal);
    own.steady = own.steady || base.steady;
    keep(own.states, base.states);
    if (own.domain == nullptr) own.domain = base.domain;
    if (own.size == nullptr) own.size = base.size;
    if (own.shapes == nullptr) own.shapes = base.shapes;
    if (own.repetition == nullptr) {
        own.repetition = base.repetition;
    } else if (base.repetition != nullptr) {
        model::Repetition both = *own.repetition;
        if (both.sizes.empty()) both.sizes = base.repetition->sizes;
        keep(both.condition, base.repetition->condition);
        own.repetition = std::make_shared<const model::Repetition>(std::move(both));
    }
    if (!same_sizes(own, base)) {
        diagnostics.error("BG-M074", own.name.position,
                          fmt::format("{} has another size in what the type extends", quoted_excerpt(own.name.text)),
                          {{"because", "without a type it is the part of the base with other settings, all of them"},
                           {"try", "leave the size away, or give the parameter of the size another value"}});
    }
    own.flawed = own.flawed || base.flawed;
}

void merge_gaps(model::Gaps& own, const model::Gaps& base) {
    own.values = own.values || base.values;
    own.components = own.components || base.components;
    own.ports = own.ports || base.ports;
    own.bonds = own.bonds || base.bonds;
    own.signals = own.signals || base.signals;
    own.equations = own.equations || base.equations;
}

/// What `states:` has made of a type: names of its variables, and where they were declared.
struct MachineParts {
    std::unordered_map<std::string_view, SourcePosition> variables;

    explicit MachineParts(const Body& body) {
        constexpr std::string_view kNumber = "state = machine(";
        const auto number = std::ranges::find_if(
            body.equations, [&](const model::Text& text) { return text.text.starts_with(kNumber); });
        if (number == body.equations.end()) return;
        std::vector<std::string_view> states;
        for (const model::Text& text : body.equations) {
            const std::size_t equals = text.text.find(" = state == ");
            if (equals != std::string::npos) states.push_back(std::string_view(text.text).substr(0, equals));
        }
        for (const VariableDeclaration& v : body.variables) {
            const std::string_view name = v.name.text;
            const auto is_state = [&](std::string_view text) {
                return std::ranges::find(states, text) != states.end();
            };
            const auto is_exit = [&](std::string_view from) {
                return name.starts_with(from) && name.substr(from.size()).starts_with("_to_") &&
                       is_state(name.substr(from.size() + std::string_view("_to_").size()));
            };
            if (name == "state" || name == "entered" || is_state(name) || std::ranges::any_of(states, is_exit))
                variables.emplace(name, v.name.position);
        }
    }
    [[nodiscard]] bool has(std::string_view name) const { return variables.contains(name); }
    [[nodiscard]] bool determines(const model::Text& equation) const {
        return has(std::string_view(equation.text).substr(0, equation.text.find(" = ")));
    }
    /// What is done on entry has its condition where the state has its name.
    [[nodiscard]] bool enters(const model::WhenDeclaration& when) const {
        const auto state = variables.find(when.condition.text);
        return state != variables.end() && state->second == when.condition.position;
    }
};

/// The body of a base without its state machine, where the heir has one of its own.
Body without_machine(const Body& own, const Body& base) {
    Body rest = base;
    if (MachineParts(own).variables.empty()) return rest;
    const MachineParts machine(base);
    std::erase_if(rest.variables, [&](const VariableDeclaration& v) { return machine.has(v.name.text); });
    std::erase_if(rest.equations, [&](const model::Text& equation) { return machine.determines(equation); });
    std::erase_if(rest.whens, [&](const model::WhenDeclaration& when) { return machine.enters(when); });
    return rest;
}

void merge(TypeDeclaration& own, const TypeDeclaration& base, Diagnostics& diagnostics) {
    const auto in_place = [](const auto&, const auto&) {};
    keep_doc(own.doc, base.doc);
    put_before(own.ports, base.ports, in_place);
    put_before(own.connectors, base.connectors, in_place);
    put_before(own.inputs, base.inputs, merge_variable);
    put_before(own.outputs, base.outputs, merge_variable);
    keep(own.energy, base.energy);
    keep(own.dissipates, base.dissipates);
    keep(own.supplies, base.supplies);
    keep(own.joint, base.joint);
    put_before(own.starts, base.starts, in_place);
    put_before(own.shapes, base.shapes);
    Body& body = own.body;
    const Body of_base = without_machine(body, base.body);
    put_before(body.parameters, base.body.parameters, merge_parameter);
    put_before(body.alternatives, base.body.alternatives);
    put_before(body.requirements, base.body.requirements);
    put_before(body.components, base.body.components,
               [&](ComponentDeclaration& one, const ComponentDeclaration& part_of_base) {
                   merge_component(one, part_of_base, diagnostics);
               });
    put_before(body.variables, of_base.variables, merge_variable);
    put_before(body.bonds, base.body.bonds);
    put_before(body.signals, base.body.signals);
    put_before(body.connects, base.body.connects);
    put_before(body.equations, of_base.equations);
    put_before(body.whens, of_base.whens);
    put_before(body.initial_equations, base.body.initial_equations);
    body.steady = body.steady || base.body.steady;
    body.has_arrays = body.has_arrays || base.body.has_arrays;
    merge_gaps(body.gaps, base.body.gaps);
}

class Extending {
   public:
    Extending(model::Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

    void run() {
        state_.assign(model_.types.size(), State::waiting);
        is_base_.assign(model_.types.size(), 0);
        for (std::size_t t = 0; t < model_.types.size(); ++t) follow(t);
        for (std::size_t t = 0; t < model_.types.size(); ++t) check(t);
    }

   private:
    enum class State : std::uint8_t { waiting, active, done };

    /// Extends a type, after what it extends: along the chain, which may be as long as it likes.
    void follow(std::size_t type) {
        std::vector<std::size_t> chain;
        for (std::size_t t = type; state_[t] != State::done;) {
            if (state_[t] == State::active) {
                report_circle(chain, t);
                break;
            }
            state_[t] = State::active;
            chain.push_back(t);
            const auto base = base_of(model_.types[t]);
            if (!base) break;
            is_base_[*base] = 1;
            t = *base;
        }
        while (!chain.empty()) {
            const std::size_t t = chain.back();
            chain.pop_back();
            TypeDeclaration& own = model_.types[t];
            if (own.base_type && state_[*own.base_type] == State::done) {
                merge(own, model_.types[*own.base_type], diagnostics_);
                check_unique_names(own, diagnostics_);
            }
            state_[t] = State::done;
        }
    }

    std::optional<std::size_t> base_of(TypeDeclaration& type) {
        if (!type.base) return std::nullopt;
        if (type.base_type) return type.base_type;
        for (bool* gap : {&type.body.gaps.values, &type.body.gaps.components, &type.body.gaps.ports,
                          &type.body.gaps.bonds, &type.body.gaps.signals, &type.body.gaps.equations})
            *gap = true;
        if (model_.types_missing || type.base->text.find('.') != std::string::npos) return std::nullopt;
        std::vector<std::string> names;
        std::string hint;
        for (const TypeDeclaration& t : model_.types) {
            if (t.name.text != type.base->text) names.push_back(t.name.text);
            const bool from_here = type.base->position.file == model_.name.position.file;
            if (hint.empty() && from_here && t.name.text.ends_with("." + type.base->text))
                hint = fmt::format("; did you mean '{}'?", t.name.text);
        }
        diagnostics_.error(
            "BG-M001", type.base->position,
            fmt::format("unknown type {} for {} to extend{}", quoted_excerpt(type.base->text),
                        quoted_excerpt(type.name.text), hint.empty() ? did_you_mean(type.base->text, names) : hint),
            {{"because", "a type extends one of those under 'types:', of this file or an imported one"}});
        return std::nullopt;
    }

    void report_circle(const std::vector<std::size_t>& chain, std::size_t first) {
        std::string text;
        for (auto t = std::ranges::find(chain, first); t != chain.end(); ++t)
            text += fmt::format("{} extends ", quoted_excerpt(model_.types[*t].name.text));
        const TypeDeclaration& type = model_.types[first];
        diagnostics_.error("BG-M076", type.base->position,
                           fmt::format("a type can't extend itself: {}{}", text, quoted_excerpt(type.name.text)));
    }

    void check(std::size_t t) {
        TypeDeclaration& type = model_.types[t];
        if (type.base_type && model_.types[*type.base_type].record != type.record) {
            diagnostics_.error("BG-M081", type.base->position,
                               fmt::format("{} is a {}, and a {} extends another {}", quoted_excerpt(type.base->text),
                                           type.record ? "type" : "record", type.record ? "record" : "type",
                                           type.record ? "record" : "type"));
            type.body.gaps.equations = type.body.gaps.components = true;
        }
        check_alternatives(type);
        if (type.record) return;
        check_demands(type);
        for (const ComponentDeclaration& c : type.body.components) {
            if (!c.type.text.empty() || c.flawed || type.body.gaps.components) continue;
            diagnostics_.error(
                "BG-M032", c.name.position, fmt::format("component {} has no 'type:'", quoted_excerpt(c.name.text)),
                {{"because",
                  fmt::format("what {} extends has no component of this name", quoted_excerpt(type.name.text))}});
        }
        const auto discrete = [](const VariableDeclaration& v) { return v.discrete.has_value(); };
        const Body& body = type.body;
        type.partial = body.equations.empty() && body.components.empty() && body.whens.empty() && !type.joint &&
                       std::ranges::none_of(body.variables, discrete) && std::ranges::none_of(type.outputs, discrete) &&
                       !body.gaps.equations && !body.gaps.components;
        const std::pair<const char*, const std::optional<model::Text>&> books[] = {
            {"energy", type.energy}, {"dissipates", type.dissipates}, {"supplies", type.supplies}};
        for (const auto& [key, text] : books) {
            if (!text || type.partial || !body.equations.empty() || body.gaps.equations) continue;
            diagnostics_.error(
                "BG-M034", text->position,
                fmt::format("'{}:' of {} says nothing: the type has no equations", key, quoted_excerpt(type.name.text)),
                {{"because", "the energy of its parts is accounted for by what they are"}});
        }
        // in a library it may wait for models that extend it
        const bool imported = type.name.position.file != model_.name.position.file;
        if (!type.partial || is_base_[t] != 0 || imported) return;
        diagnostics_.error(
            "BG-M034", type.name.position,
            fmt::format("type {} has neither 'equations:' nor 'components:'", quoted_excerpt(type.name.text)),
            {{"because", "a type is given by its laws, by its parts, or by both"}});
        type.body.gaps.equations = type.body.gaps.components = true;
        type.partial = false;
    }

    void check_alternatives(TypeDeclaration& type) {
        Body& body = type.body;
        std::unordered_set<std::string_view> seen;
        std::vector<std::string> names;
        for (const ParameterDeclaration& p : body.parameters) {
            if (!p.record && p.choices.empty()) names.push_back(p.name.text);
        }
        const std::size_t errors = diagnostics_.error_count();
        for (const auto& group : body.alternatives) {
            for (const model::Text& name : group) {
                if (std::ranges::find(names, name.text) == names.end()) {
                    if (body.gaps.values) continue;
                    diagnostics_.error(
                        "BG-M082", name.position,
                        fmt::format("{} under 'alternatives:' is no parameter of {}{}", quoted_excerpt(name.text),
                                    quoted_excerpt(type.name.text), did_you_mean(name.text, names)),
                        {{"because", "one of several parameters is given; words and records are none"}});
                } else if (!seen.insert(name.text).second) {
                    diagnostics_.error("BG-M082", name.position,
                                       fmt::format("{} stands under 'alternatives:' of {} twice",
                                                   quoted_excerpt(name.text), quoted_excerpt(type.name.text)));
                }
            }
        }
        // of the base they have been reported there
        if (diagnostics_.error_count() > errors) body.alternatives.clear();
    }

    /// What is demanded of strokes holds for the equations of a type; its parts decide theirs.
    void check_demands(const TypeDeclaration& type) {
        if (!type.body.equations.empty() || type.body.gaps.equations || type.body.components.empty()) return;
        const auto refuse = [&](model::PortCausality demand, SourcePosition position, const model::Text& name) {
            if (demand == model::PortCausality::free || position.file != type.name.position.file) return;
            diagnostics_.error(
                "BG-M083", position,
                fmt::format("'causality:' of {} says nothing: the type has no equations", quoted_excerpt(name.text)),
                {{"because", "its parts decide about the strokes of their bonds"}});
        };
        for (const auto& port : type.ports) refuse(port.causality, port.causality_position, port.name);
        for (const auto& c : type.connectors) refuse(c.causality, c.causality_position, c.name);
    }

    model::Model& model_;
    Diagnostics& diagnostics_;
    std::vector<State> state_;
    std::vector<std::uint8_t> is_base_;
};

}  // namespace

void extend_types(model::Model& model, Diagnostics& diagnostics) { Extending(model, diagnostics).run(); }

}  // namespace bondgraph::io
