// What results of other components give a parameter: their dimensions are known once domains are.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/model/scope.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

namespace {

class ResultDimensions {
   public:
    explicit ResultDimensions(Flattening& work) : work_(work) {}

    void run() {
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.owner.valid() || e.type->is_own_type()) continue;
            for (std::size_t k = 0; k < e.type->parameters.size(); ++k) check(i, k);
        }
        for (const Scope& s : work_.scopes) {
            if (s.declaration == nullptr) continue;
            for (const VariableDeclaration& input : s.declaration->inputs) declared(s, input.name.text, input.unit);
            for (const ParameterDeclaration& p : s.declaration->body.parameters) declared(s, p.name.text, p.unit);
        }
    }

   private:
    /// A setting or a signal that gives the parameter its value.
    struct Given {
        Value value;
        std::uint32_t scope = 0;
    };

    bool depends_on_results(const Quantity& q) {
        const auto entries = q.value.reshaped();
        return std::any_of(entries.begin(), entries.end(), [&](const expression::Expr& x) {
            return (work_.leaves.of(*work_.graph.expressions, x) & expression::LeafKinds::variable) != 0;
        });
    }

    std::optional<Given> given(const Element& e, std::uint32_t i, std::string_view name) {
        const Flattening::Origin& origin = work_.origins[i];
        for (const auto& [input, source] : origin.signals) {
            if (input != name) continue;
            Given signal{.value = {}, .scope = source.second};
            signal.value.scalar = *source.first;
            return signal;
        }
        const auto setting = std::find_if(origin.declaration->settings.begin(), origin.declaration->settings.end(),
                                          [&](const Setting& s) { return s.key.text == name; });
        const Value* written = setting == origin.declaration->settings.end() ? nullptr : &setting->value;
        const Value* value = work_.overridden(e.name + "." + std::string(name), written);
        if (value == nullptr) return std::nullopt;
        return Given{*value, value == written ? origin.scope : 0};
    }

    /// What the parameter's place asks for; nothing where no domain says.
    std::optional<Measure> wanted(const Element& e, const ParameterSpec& spec) const {
        if (!spec.unit.empty()) {
            const auto unit = work_.units.parse(std::string(spec.unit));
            return unit ? std::optional(Measure::of(*unit)) : std::nullopt;
        }
        if (!spec.dimension.checked || e.ports.empty() || e.ports[0].domain == kGeneric) return std::nullopt;
        const bool two = spec.dimension.uses_second_port();
        if (two && (e.ports.size() < 2 || e.ports[1].domain == kGeneric)) return std::nullopt;
        const auto dimension =
            two ? spec.dimension.in(e.ports[0].domain, e.ports[1].domain) : spec.dimension.in(e.ports[0].domain);
        return dimension ? std::optional(Measure::of(*dimension, e.ports[0].domain)) : std::nullopt;
    }

    void check(std::uint32_t i, std::size_t k) {
        const Element& e = work_.graph.elements[i];
        const ParameterSpec& spec = e.type->parameters[k];
        if (spec.kind != ParameterKind::number || spec.own_names || !e.parameters[k]) return;
        if (!depends_on_results(*e.parameters[k])) return;
        const auto source = given(e, i, spec.name);
        if (!source) return;
        const auto q = evaluate_value(work_, source->value, source->scope);
        const auto place = wanted(e, spec);
        if (!q || !place || !differ(q->measure, *place)) return;
        report(e, spec, *source, q->measure, *place);
    }

    /// An input or parameter of an own type that declares its unit.
    void declared(const Scope& s, const std::string& name, const std::optional<Text>& unit_text) {
        const auto entry = s.values.find(name);
        if (!unit_text || entry == s.values.end()) return;
        const ScopeValue& v = entry->second;
        if (v.state != ScopeValue::State::done || !depends_on_results(v.result)) return;
        Given source{.value = {}, .scope = v.evaluated_in};
        if (v.signal != nullptr)
            source.value.scalar = *v.signal;
        else if (v.value != nullptr)
            source.value = *v.value;
        else
            return;
        const auto unit = work_.units.parse(unit_text->text);
        const auto q = evaluate_value(work_, source.value, source.scope);
        if (!unit || !q || !differ(q->measure, Measure::of(*unit))) return;
        work_.diagnostics.error("BG-U002", source.value.position(),
                                fmt::format("'{}' is in {}, but '{}{}' is declared in {}", source.value.scalar.text,
                                            unit_name(q->measure), s.prefix, name, unit_text->text),
                                turns_notes(source.value.scalar.text, q->measure, Measure::of(*unit)));
    }

    void report(const Element& e, const ParameterSpec& spec, const Given& source, const Measure& found,
                const Measure& place) {
        const bool own_unit = e.ports.empty() || !spec.unit.empty() || spec.dimension.uses_second_port();
        const std::string unit =
            !spec.unit.empty() ? std::string(spec.unit) : shown_unit(spec.dimension, place.dimension);
        const std::string where =
            own_unit ? fmt::format("this place needs {}", unit)
                     : fmt::format("in the {} domain it is in {}", domains()[e.ports[0].domain].name, unit);
        const bool list = source.value.is_list;
        const std::string text = fmt::format("'{}' of '{}' is in {}; {}", spec.name, e.name, unit_name(found), where);
        if (mixes_turns(found, place)) {
            work_.diagnostics.error("BG-U002", source.value.position(), text, turns_notes("", found, place));
            return;
        }
        work_.diagnostics.error(
            "BG-U002", source.value.position(), text,
            {{"because", list ? "results of components have the units of their domains"
                              : fmt::format("'{}' is made of results, which have the units of their domains",
                                            source.value.scalar.text)},
             {"try", "name the result that is meant, or multiply by a parameter that has the missing unit"}});
    }

    Flattening& work_;
};

}  // namespace

void check_result_dimensions(Flattening& work) { ResultDimensions(work).run(); }

}  // namespace bondgraph::model
