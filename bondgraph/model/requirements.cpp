// `require:` — conditions on the parameters of a model, a type, or a record.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bondgraph/model/declare_parameters.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/parameter_checks.hpp"

namespace bondgraph::model {
namespace {

class Requirements {
   public:
    explicit Requirements(Flattening& work) : work_(work) {}

    void run(std::uint32_t scope) {
        std::set<std::string> refused;
        for (const Requirement& requirement : work_.scopes[scope].body->requirements)
            check(scope, requirement, refused);
        forget(scope, refused);
    }

   private:
    void check(std::uint32_t scope, const Requirement& requirement, std::set<std::string>& refused) {
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
        condition.scalar = requirement.condition;
        const auto q = evaluate_value(work_, condition, scope, &names);
        if (!q || others || is_unknown(*q) || work_.diagnostics.error_count() > errors) return;
        const expression::Expr holds = q->value(0, 0);
        if (!q->is_scalar() || (holds.is_constant() && holds.constant() != 0.0 && holds.constant() != 1.0)) {
            tell_user(work_, requirement.condition, scope, [&] {
                work_.diagnostics.error("BG-M095", requirement.condition.position,
                                        fmt::format("'{}' is no condition", requirement.condition.text),
                                        {{"try", "compare parameters, as in 'upper > lower'"}});
            });
        } else if (!holds.is_constant()) {
            keep_for_start(scope, requirement, holds);
        } else if (holds.constant() == 0.0) {
            report(scope, requirement, named);
            refused.merge(named);
        }
    }

    /// What has been refused would only be refused once more where it is used.
    void forget(std::uint32_t scope, const std::set<std::string>& named) {
        for (const std::string& name : named) {
            const auto found = work_.scopes[scope].values.find(name);
            if (found != work_.scopes[scope].values.end()) found->second.result = unknown_quantity();
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

    void report_other(const Requirement& requirement, const std::string& name) {
        work_.diagnostics.error("BG-M095", requirement.condition.position,
                                fmt::format("'{}' is no parameter, so that nothing can be required of it", name),
                                {{"try", "'when: {if: …, fail: …}' looks at results during a run"}});
    }

    /// What depends on parameters that are inputs, or found at the start, is looked at then. What a signal drives is
    /// not looked at.
    void keep_for_start(std::uint32_t scope, const Requirement& requirement, expression::Expr holds) {
        if (!parameter_in(work_.graph, holds)) return;
        work_.graph.bounds.push_back({.name = requirement.condition.text,
                                      .value = holds,
                                      .limit = expression::Expr(1.0),
                                      .words = "1, which is true",
                                      .position = position_for_user(work_, scope, requirement.condition.position)});
    }

    void report(std::uint32_t scope, const Requirement& requirement, const std::set<std::string>& named) {
        std::vector<std::string> values;
        for (const std::string& name : named) {
            const auto value = lookup(work_, scope, name);
            if (!value || is_unknown(*value)) continue;
            if (!value->is_scalar()) {
                values.push_back(fmt::format("{} has {} entries", name, value->value.rows()));
                continue;
            }
            if (!value->value(0, 0).is_constant()) continue;
            const bool measured = value->measure.known() && value->measure.dimension != Dimension{};
            values.push_back(fmt::format("{} is {:g}{}", name, value->value(0, 0).constant(),
                                         measured ? " " + unit_name(value->measure) : ""));
        }
        std::vector<DiagnosticNote> notes;
        const std::string& condition = requirement.condition.text;
        const std::string all = fmt::format("{}", fmt::join(values, ", "));
        if (requirement.message.empty())
            notes.push_back({"because", all});
        else
            notes.push_back({"because", fmt::format("'{}' has to hold, and {}", condition, all)});
        work_.diagnostics.error("BG-M095", place_of(scope, named),
                                requirement.message.empty()
                                    ? fmt::format("{} requires that '{}'", name_of(scope), condition)
                                    : fmt::format("{}: {}", name_of(scope), requirement.message),
                                std::move(notes));
    }

    std::string name_of(std::uint32_t scope) const {
        const Scope& s = work_.scopes[scope];
        if (s.prefix.empty()) return "the model";
        return fmt::format("'{}'", s.prefix.substr(0, s.prefix.size() - 1));
    }

    /// Where who uses the type gives the first of the values, else where it is used; of a model's own where that value
    /// stands.
    SourcePosition place_of(std::uint32_t scope, const std::set<std::string>& named) const {
        const Scope& s = work_.scopes[scope];
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
