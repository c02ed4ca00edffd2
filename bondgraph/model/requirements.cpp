// `require:` — conditions on the parameters of a model, a type, or a record.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/arrays.hpp"
#include "bondgraph/model/declare_parameters.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/parameter_checks.hpp"

namespace bondgraph::model {
namespace {

/// An entry of a list, counted from 1.
struct ListEntry {
    std::string list;
    std::size_t number = 0;
    bool operator==(const ListEntry&) const = default;
};

/// A requirement as it is looked at: of one in which `i` is the number of an entry, that for one of the numbers.
struct Condition {
    Text text;
    const std::string* message = nullptr;
    std::vector<ListEntry> entries = {};  ///< those whose number `i` gives, in the order of the text
};

class Requirements {
   public:
    explicit Requirements(Flattening& work) : work_(work) {}

    void run(std::uint32_t scope) {
        std::set<std::string> refused;
        for (const Requirement& requirement : work_.scopes[scope].body->requirements) {
            for (const Condition& condition : written_out(scope, requirement)) check(scope, condition, refused);
        }
        forget(scope, refused);
    }

   private:
    /// "from[i] > 0" → "from[1] > 0", "from[2] > 0": for all i for which every entry that is named is there.
    std::vector<Condition> written_out(std::uint32_t scope, const Requirement& requirement) {
        const Text& text = requirement.condition;
        const std::string index(kIndexNames[0]);
        std::vector<std::pair<std::string, Text>> indexed;  // lists, and which entry of them
        for (const std::string& name : names_in(text.text)) {
            const IndexedText in(Text{name, text.position});
            if (in.names(index) && in.indices.size() == 1 && in.indices[0].parts.size() == 1)
                indexed.emplace_back(in.indices[0].array, in.indices[0].parts[0]);
        }
        if (indexed.empty() || lookup(work_, scope, index)) return {{text, &requirement.message}};
        std::map<std::string, std::size_t> sizes;
        for (const auto& [list, part] : indexed) {
            const auto value = lookup(work_, scope, list);
            if (!value || !is_parameter(scope, list)) return {{with_number(text, 1), &requirement.message}};
            if (is_unknown(*value)) return {};
            sizes[list] = static_cast<std::size_t>(value->value.rows());
        }
        const std::size_t most = std::ranges::max_element(sizes, {}, [](const auto& s) { return s.second; })->second;
        std::vector<Condition> conditions;
        for (std::size_t i = 1; i <= most; ++i) {
            Condition one{with_number(text, i), &requirement.message};
            for (const auto& [list, part] : indexed) {
                const auto number = known_number(work_, scope, with_number(part, i), "which entry is meant");
                if (!number || *number < 1.0 || *number > static_cast<double>(sizes.at(list))) break;
                one.entries.push_back({list, static_cast<std::size_t>(*number)});
            }
            if (one.entries.size() == indexed.size()) conditions.push_back(std::move(one));
        }
        return conditions;
    }

    static Text with_number(const Text& text, std::size_t i) {
        Text numbered = text;
        numbered.text = with_index(text.text, {.i = i});
        return numbered;
    }

    void check(std::uint32_t scope, const Condition& requirement, std::set<std::string>& refused) {
        std::set<std::string> named;
        bool others = false;
        EvaluationScope names = scope_of(work_, scope);
        names.lookup = [&, inner = names.lookup](const std::string& name) -> std::optional<Quantity> {
            const auto value = inner(name);
            if (value && !is_parameter(scope, name)) {
                if (!is_unknown(*value) && !others) report_other(requirement, name);
                others = true;
                return unknown_quantity();
            }
            named.insert(name);
            return value;
        };
        const std::size_t errors = work_.diagnostics.error_count();
        Value condition;
        condition.scalar = requirement.text;
        const auto q = evaluate_value(work_, condition, scope, &names);
        if (!q || others || is_unknown(*q) || work_.diagnostics.error_count() > errors) return;
        const expression::Expr holds = q->value(0, 0);
        if (!q->is_scalar() || (holds.is_constant() && holds.constant() != 0.0 && holds.constant() != 1.0)) {
            tell_user(work_, requirement.text, scope, [&] {
                work_.diagnostics.error("BG-M095", requirement.text.position,
                                        fmt::format("'{}' is no condition", requirement.text.text),
                                        {{"try", "compare parameters, as in 'upper > lower'"}});
            });
        } else if (!holds.is_constant()) {
            keep_for_start(scope, requirement, holds);
        } else if (holds.constant() == 0.0) {
            report(scope, requirement, named);
            refused.merge(named);
        }
    }

    /// What has been refused would only be refused once more where it is used. Where it says how many parts there are,
    /// so would the inputs be that have something for each of them.
    void forget(std::uint32_t scope, const std::set<std::string>& named) {
        auto& values = work_.scopes[scope].values;
        bool decides = false;
        for (const std::string& name : named) {
            const auto found = values.find(name);
            if (found == values.end()) continue;
            found->second.result = unknown_quantity();
            decides = decides || found->second.decides;
        }
        for (auto& [name, value] : values) {
            if (!decides || value.declaration != nullptr) continue;
            value.result = unknown_quantity();
            value.state = ScopeValue::State::done;
        }
    }

    /// Of the instance or of a record in it: a value, or whether it is given, connected, or has one of its words.
    bool is_parameter(std::uint32_t scope, const std::string& name) const {
        const Scope& s = work_.scopes[scope];
        const auto dot = name.find('.');
        const auto found = s.values.find(name.substr(0, dot));
        if (found != s.values.end()) return found->second.declaration != nullptr;
        const auto member = dot == std::string::npos ? s.members.end() : s.members.find(name.substr(0, dot));
        if (member != s.members.end()) {
            const std::uint32_t inner = member->second.scope;
            return inner != Id<void>::kNone && work_.scopes[inner].declaration->record &&
                   is_parameter(inner, name.substr(dot + 1));
        }
        return name.ends_with(".connected");
    }

    void report_other(const Condition& requirement, const std::string& name) {
        work_.diagnostics.error("BG-M095", requirement.text.position,
                                fmt::format("'{}' is no parameter, so that nothing can be required of it", name),
                                {{"try", "'when: {if: …, fail: …}' looks at results during a run"}});
    }

    /// What depends on parameters that are inputs, or found at the start, is looked at then. What a signal drives is
    /// not looked at.
    void keep_for_start(std::uint32_t scope, const Condition& requirement, expression::Expr holds) {
        if (!parameter_in(work_.graph, holds)) return;
        work_.graph.bounds.push_back({.name = requirement.text.text,
                                      .value = holds,
                                      .limit = expression::Expr(1.0),
                                      .words = "1, which is true",
                                      .position = position_for_user(work_, scope, requirement.text.position)});
    }

    void report(std::uint32_t scope, const Condition& requirement, const std::set<std::string>& named) {
        std::vector<std::string> values;
        const auto add = [&](const std::string& name, const Quantity& value) {
            auto text = text_of_value(name, value);
            if (text && std::ranges::find(values, *text) == values.end()) values.push_back(*std::move(text));
        };
        std::set<std::string> others = named;  // than lists of which entries are named
        for (const ListEntry& entry : requirement.entries) {
            const auto list = lookup(work_, scope, entry.list);
            const auto row = static_cast<Eigen::Index>(entry.number) - 1;
            add(fmt::format("{}[{}]", entry.list, entry.number), {list->value.row(row), list->measure});
            others.erase(entry.list);
        }
        for (const std::string& name : others) {
            const auto value = lookup(work_, scope, name);
            if (value && !is_unknown(*value)) add(name, *value);
        }
        std::vector<DiagnosticNote> notes;
        const std::string all = fmt::format("{}", fmt::join(values, ", "));
        if (requirement.message->empty())
            notes.push_back({"because", all});
        else
            notes.push_back({"because", fmt::format("'{}' has to hold, and {}", requirement.text.text, all)});
        work_.diagnostics.error("BG-M095", place_of(scope, requirement, named),
                                requirement.message->empty()
                                    ? fmt::format("{} requires that '{}'", name_of(scope), requirement.text.text)
                                    : fmt::format("{}: {}", name_of(scope), *requirement.message),
                                std::move(notes));
    }

    /// "x is 3 m", "x has 2 entries"; nothing of one that is not known yet.
    static std::optional<std::string> text_of_value(const std::string& name, const Quantity& value) {
        if (!value.is_scalar()) return fmt::format("{} has {} entries", name, value.value.rows());
        if (!value.value(0, 0).is_constant()) return std::nullopt;
        const bool measured = value.measure.known() && value.measure.dimension != Dimension{};
        return fmt::format("{} is {:g}{}", name, value.value(0, 0).constant(),
                           measured ? " " + unit_name(value.measure) : "");
    }

    std::string name_of(std::uint32_t scope) const {
        const Scope& s = work_.scopes[scope];
        if (s.prefix.empty()) return "the model";
        return fmt::format("'{}'", s.prefix.substr(0, s.prefix.size() - 1));
    }

    /// Where who uses the type gives the entry of a list that is looked at, or the first of the values, else where it
    /// is used; of a model's own where that value stands.
    SourcePosition place_of(std::uint32_t scope, const Condition& condition, const std::set<std::string>& named) const {
        const Scope& s = work_.scopes[scope];
        for (const ListEntry& entry : condition.entries) {
            if (const auto given = given_position(work_, scope, entry.list, entry.number - 1)) return *given;
        }
        SourcePosition place;
        for (const std::string& name : named) {
            const auto given = given_position(work_, scope, name);
            if (given && (!place.known() || *given < place)) place = *given;
        }
        return place.known() ? place : position_for_user(work_, s.outer, s.position);
    }

    Flattening& work_;
};

}  // namespace

void check_requirements(Flattening& work, std::uint32_t scope) { Requirements(work).run(scope); }

}  // namespace bondgraph::model
