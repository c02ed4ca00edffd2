// Components that are written once for many, and conditional ones: a body with arrays → one without.

#include "bondgraph/model/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/parameter_checks.hpp"

namespace bondgraph::model {
namespace {

class Components {
   public:
    Components(Flattening& work, std::uint32_t scope) : work_(work), scope_(scope) {}

    void components() {
        const Body& written = *work_.scopes[scope_].body;
        if (!written.has_arrays) return;
        if (has_conditions_alone(written)) return choose(written);
        Body& body = work_.bodies.emplace_back(written);
        body.components.clear();
        auto details = std::make_shared<WrittenOut>();
        details->body = &body;
        details->absent = work_.scopes[scope_].unconnected;
        for (const ComponentDeclaration& c : written.components) {
            if (c.repetition == nullptr)
                body.components.push_back(c);
            else
                repeated(c, body, *details);
        }
        for (ComponentDeclaration& c : body.components) settle_indices(c);
        work_.scopes[scope_].body = &body;
        work_.scopes[scope_].written_out = std::move(details);
    }

   private:
    /// Where nothing but conditions makes the parts, instances of which the same hold have the same body: a circuit has
    /// thousands of resistors, and few of them are cooled.
    void choose(const Body& written) {
        std::vector<bool> there;
        for (const ComponentDeclaration& c : written.components) {
            if (c.repetition != nullptr) there.push_back(holds(c, c.repetition->condition, {}));
        }
        const Scope& scope = work_.scopes[scope_];
        std::vector<bool> key = there;
        if (scope.declaration != nullptr) {
            for (const ConnectorDeclaration& c : scope.declaration->connectors)
                key.push_back(scope.unconnected.contains(c.name.text));
        }
        auto& known = work_.chosen_bodies[{&written, std::move(key)}];
        if (known == nullptr) {
            Body& body = work_.bodies.emplace_back(written);
            known = std::make_shared<WrittenOut>(WrittenOut{.body = &body, .arrays = {}, .absent = scope.unconnected});
            body.components.clear();
            std::size_t condition = 0;
            for (const ComponentDeclaration& c : written.components) {
                if (c.repetition == nullptr || there[condition++])
                    body.components.push_back(c);
                else
                    known->absent.insert(c.name.text);
            }
        }
        for (const std::string& name : known->absent) work_.graph.left_out.insert(scope.prefix + name);
        work_.scopes[scope_].body = known->body;
        work_.scopes[scope_].written_out = known;
    }

    bool has_conditions_alone(const Body& body) {
        const auto [known, fresh] = work_.of_conditions_alone.try_emplace(&body, false);
        if (fresh) known->second = looks_conditional(body);
        return known->second;
    }

    /// No arrays, here or in the parts, no indices, nothing that could not be read.
    bool looks_conditional(const Body& body) const {
        const auto plain = [](const Text& text) { return !has_open_index(text.text); };
        const auto has_plain = [&](const std::vector<Setting>& settings) {
            return std::ranges::all_of(settings, [&](const Setting& s) { return is_plain(s.value); });
        };
        const bool components = std::ranges::all_of(body.components, [&](const ComponentDeclaration& c) {
            const bool one = c.repetition == nullptr || c.repetition->sizes.empty();
            const bool fixed = !c.own_type || !has_arrays_inside(work_.model.types[*c.own_type], 0);
            return one && fixed && has_plain(c.settings) && has_plain(c.initial) && has_plain(c.guess) &&
                   has_plain(c.nominal) && !has_open_shapes(c);
        });
        return components && !body.gaps.any() &&
               std::ranges::all_of(body.bonds, [&](const auto& b) { return plain(b.from) && plain(b.to); }) &&
               std::ranges::all_of(body.signals, [&](const auto& s) { return plain(s.from) && plain(s.to); }) &&
               std::ranges::all_of(body.connects, [&](const auto& c) { return std::ranges::all_of(c.members, plain); });
    }

    static bool is_plain(const Value& value) {
        return std::ranges::all_of(value.items, is_plain) && !has_open_index(value.scalar.text);
    }

    bool has_arrays_inside(const TypeDeclaration& type, int depth) const {
        if (type.body.has_arrays || depth > kDeepestType) return true;
        return std::ranges::any_of(type.body.components, [&](const ComponentDeclaration& c) {
            return c.own_type && has_arrays_inside(work_.model.types[*c.own_type], depth + 1);
        });
    }

    void repeated(const ComponentDeclaration& c, Body& body, WrittenOut& details) {
        const std::vector<Text>& sizes = c.repetition->sizes;
        std::vector<std::size_t> counts;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            const bool taken = work_.scopes[scope_].values.contains(std::string(kIndexNames[d]));
            if (taken) shadowed(c, kIndexNames[d]);
            const auto count = taken ? std::nullopt : size_of(c, sizes[d]);
            if (!count) {
                work_.unsized.push_back(scope_);
                body.gaps.components = true;
                return;
            }
            counts.push_back(*count);
        }
        if (sizes.empty()) {
            ComponentDeclaration one = c;
            if (holds(c, c.repetition->condition, {}))
                body.components.push_back(std::move(one));
            else
                leave_out(c.name.text, details);
            return;
        }
        const std::size_t rows = counts[0];
        const std::size_t columns = counts.size() > 1 ? counts[1] : 1;
        const double count = static_cast<double>(rows) * static_cast<double>(columns);
        work_.array_parts += count;
        if (count > kMostParts || work_.array_parts > kMostPartsInAll) return too_many(c, sizes[0]);
        details.arrays.emplace(c.name.text, counts);
        work_.graph.arrays.emplace(work_.scopes[scope_].prefix + c.name.text, counts);
        for (std::size_t i = 1; i <= rows; ++i) {
            for (std::size_t j = 1; j <= columns; ++j) one_of(c, {i, j}, counts.size() > 1, body, details);
        }
    }

    void one_of(const ComponentDeclaration& c, const PartIndex& index, bool columns, Body& body, WrittenOut& details) {
        ComponentDeclaration one = c;
        one.repetition = nullptr;
        one.name.text = columns ? fmt::format("{}[{},{}]", c.name.text, index.i, index.j)
                                : fmt::format("{}[{}]", c.name.text, index.i);
        if (c.repetition->condition && !holds(c, c.repetition->condition, index)) {
            leave_out(one.name.text, details);
            return;
        }
        for (auto* list : {&one.settings, &one.initial, &one.guess, &one.nominal}) {
            for (Setting& s : *list) replace(s.value, index, columns);
        }
        if (one.shapes != nullptr) {
            auto shapes = std::make_shared<std::vector<ShapeDeclaration>>(*one.shapes);
            for (ShapeDeclaration& shape : *shapes) {
                for (Setting& s : shape.values) replace(s.value, index, columns);
            }
            one.shapes = std::move(shapes);
        }
        if (one.size != nullptr) {
            Value size = *one.size;
            replace(size, index, columns);
            one.size = std::make_shared<const Value>(std::move(size));
        }
        body.components.push_back(std::move(one));
    }

    void leave_out(const std::string& name, WrittenOut& details) {
        details.absent.insert(name);
        work_.graph.left_out.insert(work_.scopes[scope_].prefix + name);
    }

    static void replace(Value& value, const PartIndex& index, bool columns) {
        for (Value& item : value.items) replace(item, index, columns);
        if (value.is_list) return;
        if (names_index(value.scalar.text, kIndexNames[0]) ||
            (columns && names_index(value.scalar.text, kIndexNames[1])))
            value.scalar.text = with_index(value.scalar.text, index);
    }

    /// "c[n-1].e" in a setting → "c[4].e": within a name an expression takes numbers only.
    void settle_indices(ComponentDeclaration& c) {
        for (auto* list : {&c.settings, &c.initial, &c.guess, &c.nominal}) {
            for (Setting& s : *list) settle_indices(s.value);
        }
        if (!has_open_shapes(c)) return;
        auto shapes = std::make_shared<std::vector<ShapeDeclaration>>(*c.shapes);
        for (ShapeDeclaration& shape : *shapes) {
            for (Setting& s : shape.values) settle_indices(s.value);
        }
        c.shapes = std::move(shapes);
    }

    static bool has_open_shapes(const ComponentDeclaration& c) {
        return c.shapes != nullptr && !std::ranges::all_of(*c.shapes, [](const ShapeDeclaration& shape) {
                   return std::ranges::all_of(shape.values, [](const Setting& s) { return is_plain(s.value); });
               });
    }

    void settle_indices(Value& value) {
        for (Value& item : value.items) settle_indices(item);
        if (value.is_list || !has_open_index(value.scalar.text)) return;
        const auto settled =
            IndexedText(value.scalar)
                .with([&](const IndexedText::Index& index, const Text& part) -> std::optional<std::string> {
                    if (!index.inner || whole_number(part.text)) return part.text;
                    const auto n = known_number(work_, scope_, part, "which part is meant");
                    return n ? std::optional(fmt::format("{:.0f}", *n)) : std::nullopt;
                });
        if (settled) value.scalar.text = *settled;
    }

    std::optional<std::size_t> size_of(const ComponentDeclaration& c, const Text& text) {
        const auto n = known_number(work_, scope_, text, fmt::format("how many '{}' there are", c.name.text));
        if (!n) return std::nullopt;
        if (*n < -kRounded || std::abs(*n - std::round(*n)) > kRounded * std::max(1.0, *n)) {
            if (is_refused_anyway(text.text)) return std::nullopt;
            tell_user(work_, text, scope_, [&] {
                work_.diagnostics.error("BG-M074", text.position,
                                        fmt::format("there can't be {:.12g} of '{}'", *n, c.name.text),
                                        {{"try", "a whole number, or a parameter that is one"}});
            });
            return std::nullopt;
        }
        if (*n > kMostParts) {
            too_many(c, text);
            return std::nullopt;
        }
        return static_cast<std::size_t>(std::llround(*n));
    }

    /// Whether a size is a parameter that its declaration does not allow, which is reported.
    bool is_refused_anyway(const std::string& name) {
        const auto found = work_.scopes[scope_].values.find(name);
        if (found == work_.scopes[scope_].values.end()) return false;
        const std::size_t errors = work_.diagnostics.error_count();
        check_declared(work_, scope_, found->second);
        return work_.diagnostics.error_count() > errors;
    }

    void too_many(const ComponentDeclaration& c, const Text& text) {
        tell_user(work_, text, scope_, [&] {
            work_.diagnostics.error(
                "BG-M059", text.position,
                fmt::format("'{}' would be more than {:.0f} components, or all arrays together more than {:.0f}",
                            c.name.text, kMostParts, kMostPartsInAll));
        });
        work_.diagnostics.throw_if_errors();
    }

    void shadowed(const ComponentDeclaration& c, std::string_view index) {
        work_.diagnostics.error(
            "BG-M017", c.name.position,
            fmt::format("'{}' is a parameter or an input, and the number of the part in the array '{}'", index,
                        c.name.text),
            {{"try", fmt::format("give the parameter '{}' another name", index)}});
    }

    bool holds(const ComponentDeclaration& c, const std::optional<Value>& condition, const PartIndex& index) {
        if (!condition) return true;
        Text text = condition->scalar;
        if (!c.repetition->sizes.empty()) text.text = with_index(text.text, index);
        const auto value = known_number(work_, scope_, text, fmt::format("whether '{}' is there", c.name.text));
        if (!value) work_.unknown_conditions = true;
        const auto& values = work_.scopes[scope_].values;
        const auto named = values.find(condition->scalar.text);
        const bool word = named != values.end() && named->second.declaration != nullptr &&
                          !named->second.declaration->choices.empty();
        if (!value || (!word && (*value == 0.0 || *value == 1.0))) return value && *value == 1.0;
        work_.diagnostics.error(
            "BG-M074", condition->position(),
            fmt::format("'{}' is no condition, but decides whether '{}' is there", condition->scalar.text, c.name.text),
            {{"try", word ? fmt::format("say which choice: '{}.{}'", condition->scalar.text,
                                        named->second.declaration->choices.front().text)
                          : "compare it, as in 'n > 1', or use a parameter that is true or false"}});
        return false;
    }

    Flattening& work_;
    std::uint32_t scope_;
};

}  // namespace

std::optional<double> known_number(Flattening& work, std::uint32_t scope, const Text& text, const std::string& what) {
    Value value;
    value.scalar = text;
    EvaluationScope names = scope_of(work, scope);
    names.lookup = [&work, scope, inner = names.lookup](const std::string& name) {
        // Results of components are there later than these.
        const std::string head = name.substr(0, name.find('.'));
        const auto& parts = work.scopes[scope].body->components;
        const bool result = head != name && std::ranges::any_of(parts, [&](const ComponentDeclaration& c) {
                                return c.name.text == declared_name(head);
                            });
        return result ? Quantity::scalar(work.graph.expressions->time()) : inner(name);
    };
    const auto q = evaluate_value(work, value, scope, &names);
    if (!q || is_unknown(*q)) return std::nullopt;
    if (q->is_scalar() && q->value(0, 0).is_constant()) return q->value(0, 0).constant();
    tell_user(work, text, scope, [&] {
        work.diagnostics.error(
            "BG-M074", text.position, fmt::format("'{}' is no known number, but decides {}", text.text, what),
            {{"because", "what a model consists of does not change with time, with signals or with what is solved for"},
             {"try", "a number, or an expression of parameters"}});
    });
    return std::nullopt;
}

void write_out_components(Flattening& work, std::uint32_t scope) { Components(work, scope).components(); }

}  // namespace bondgraph::model
