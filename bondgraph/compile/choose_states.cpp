#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/redundancy.hpp"

namespace bondgraph::compile {

namespace {

/// Dense pieces of the Jacobian of the highest derivatives' equations at one point.
structure::BlockJacobian jacobian_at(const ReducedSystem& s, std::vector<double> entries) {
    return [&s, entries = std::move(entries)](std::span<const std::uint32_t> rows,
                                              std::span<const std::uint32_t> columns) {
        Eigen::MatrixXd result =
            Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
        std::vector<std::pair<std::uint32_t, Eigen::Index>> place;
        for (std::size_t c = 0; c < columns.size(); ++c) place.emplace_back(columns[c], static_cast<Eigen::Index>(c));
        std::sort(place.begin(), place.end());
        const structure::Incidence& pattern = s.highest->pattern();
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const std::uint32_t output = s.highest_of[rows[r]];
            for (std::size_t k = pattern.starts[output]; k < pattern.starts[output + 1]; ++k) {
                const auto at =
                    std::lower_bound(place.begin(), place.end(), std::pair(pattern.columns[k], Eigen::Index{0}));
                if (at != place.end() && at->first == pattern.columns[k])
                    result(static_cast<Eigen::Index>(r), at->second) = entries[k];
            }
        }
        return result;
    };
}

/// The names of the components whose constraints depend on each other.
std::string names_of(const ReducedSystem& s, std::span<const structure::DummyChoice::Redundant> all) {
    std::string names;
    std::set<model::ElementId> named;
    for (const auto& redundant : all) {
        for (const auto& [equation, weight] : redundant.combination) {
            if (std::abs(weight) <= 1e-9 || !named.insert(s.equations[equation].element).second) continue;
            const model::Element& e = s.graph().elements[s.equations[equation].element.index()];
            names += fmt::format("{}'{}' ({})", names.empty() ? "" : ", ", e.name, e.type->name);
        }
    }
    return names;
}

/// Balances of forces that say the same, or nothing, leave a motion open, which then would follow some law of its own.
void refuse_open_balance(const ReducedSystem& s, const structure::DummyChoice::Redundant& redundant) {
    std::vector<model::ElementId> parts;
    for (const auto& [equation, weight] : redundant.combination) {
        if (std::abs(weight) > 1e-9) parts.push_back(s.equations[equation].element);
    }
    refuse_open_balance(s, parts);
}

[[noreturn]] void hidden(const ReducedSystem& s, const structure::DummyChoice::Redundant& redundant) {
    Diagnostics d;
    d.error("BG-E005", s.equations[redundant.equation].position,
            "this constraint says nothing of its own about the variables it shares with others",
            {{"where", names_of(s, std::span(&redundant, 1))},
             {"because",
              "its coefficients there repeat those of the others; what is left of it restricts other variables, which "
              "only values can show"},
             {"try", "write what is left of it in its place: the other constraints subtracted from it"}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

[[noreturn]] void singular(const ReducedSystem& s, std::span<const structure::DummyChoice::Redundant> all,
                           double time) {
    Diagnostics d;
    d.error("BG-E006", s.equations[all.front().equation].position,
            fmt::format("constraints depend on each other in the position at time {:g}, and only there", time),
            {{"where", names_of(s, all)},
             {"because",
              "in such a position (links in line, say) neither the rates nor the forces of the constraints follow from "
              "the equations: the motion may go on in more than one way"},
             {"try", "start beside it, choose lengths that avoid it, or let one part be elastic"}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

/// `states: always` on variables that a constraint makes depend on others.
void refuse_lost_states(const ReducedSystem& s, const structure::DummyChoice& choice) {
    std::vector<std::uint32_t> lower(s.variable_count(), kNone);
    for (std::uint32_t v = 0; v < s.variable_count(); ++v) {
        if (s.derivative_of[v] != kNone) lower[s.derivative_of[v]] = v;
    }
    Diagnostics d;
    for (const std::uint32_t dummy : choice.dummies) {
        const std::uint32_t v = lower[dummy];
        if (v >= s.graph().variable_count() || s.wishes[v].firmness < kDemanded) continue;
        const SourcePosition position = s.graph().variable_position(VariableId(std::size_t{v}));
        d.error("BG-C004", position, fmt::format("'{}' can't be a state", s.name(VariableId(std::size_t{v}))),
                {{"because", "constraints make it depend on other states"},
                 {"try", "remove 'states: always' from it, or from what it depends on"}});
    }
    d.throw_if_errors();
}

structure::DerivativeBlock together(std::span<const structure::DerivativeBlock> blocks) {
    structure::DerivativeBlock all;
    for (const structure::DerivativeBlock& block : blocks) {
        all.rows.insert(all.rows.end(), block.rows.begin(), block.rows.end());
        all.columns.insert(all.columns.end(), block.columns.begin(), block.columns.end());
    }
    return all;
}

}  // namespace

StateChoice choose_states(const ReducedSystem& s, const ChoicePoint& at, std::size_t implied) {
    std::vector<structure::DerivativeBlock> blocks = s.blocks;
    const auto choose = [&](const ChoicePoint& there, structure::DummyTolerances tolerances) {
        auto jacobian = jacobian_at(s, s.highest->jacobian_beyond_rounding(there.values, there.time, there.held));
        return structure::choose_dummies(s.plan, blocks, jacobian, s.wishes, s.drop, s.release, tolerances);
    };
    StateChoice choice;
    choice.details = choose(at, {});
    if (s.loops && choice.details.redundant.size() > 1) {
        // Entries that are zero in this position only part what belongs together: what one block lacks another one has.
        blocks = {together(s.blocks)};
        structure::DummyChoice whole = choose(at, {});
        if (whole.redundant.size() < choice.details.redundant.size())
            choice.details = std::move(whole);
        else
            blocks = s.blocks;
    }
    const auto redundant_at = [&](const ChoicePoint& there, double rank) {
        return choose(there, {.rank = rank}).redundant.size();
    };
    if (choice.details.redundant.size() > implied && singular_here(s, choice.details, at, redundant_at))
        singular(s, choice.details.redundant, at.time);
    refuse_lost_states(s, choice.details);
    choice.removed = s.removed;
    for (const auto& redundant : choice.details.redundant) {
        refuse_open_balance(s, redundant);
        if (redundant.hidden) hidden(s, redundant);
        RemovedConstraint removed{
            s.equations[redundant.equation].element, s.equations[redundant.equation].position, {}};
        for (const auto& [equation, weight] : redundant.combination) {
            if (equation != redundant.equation && std::abs(weight) > 1e-9)
                removed.implied_by.push_back(s.equations[equation].element);
        }
        std::sort(removed.implied_by.begin(), removed.implied_by.end());
        removed.implied_by.erase(std::unique(removed.implied_by.begin(), removed.implied_by.end()),
                                 removed.implied_by.end());
        choice.removed.push_back(std::move(removed));
    }
    for (const std::uint32_t v : choice.details.states) choice.states.emplace_back(std::size_t{v});
    for (const std::uint32_t v : choice.details.dummies) choice.dummies.emplace_back(std::size_t{v});
    for (const std::uint32_t v : choice.details.free_columns) choice.released.emplace_back(std::size_t{v});
    choice.condition = choice.details.worst();
    return choice;
}

void refuse_singular_start(const ReducedSystem& s, const ChoicePoint& at) {
    const auto equation = vanishing_here(s, at);
    if (!equation) return;
    const structure::DummyChoice::Redundant redundant{*equation, {{*equation, 1.0}}, false};
    singular(s, std::span(&redundant, 1), at.time);
}

std::vector<double> coefficients_at(const ReducedSystem& s, const ChoicePoint& at) {
    if (!s.coefficients.tape) return s.coefficients.constant;
    return coefficients_of(s, s.coefficients.tape->values(at.values, at.time, at.held));
}

std::vector<double> coefficients_of(const ReducedSystem& s, std::span<const double> varying) {
    std::vector<double> entries = s.coefficients.constant;
    for (std::size_t k = 0; k < varying.size(); ++k) entries[s.coefficients.varying[k]] = varying[k];
    return entries;
}

structure::ExchangeGain exchange_gain(const ReducedSystem& s, const StateChoice& choice) {
    return {s.plan, choice.details, s.coefficients.pattern, s.coefficients.row_of, s.wishes};
}

double choice_gain(const ReducedSystem& s, const StateChoice& choice, const ChoicePoint& at) {
    const auto jacobian = jacobian_at(s, s.highest->jacobian_beyond_rounding(at.values, at.time, at.held));
    return structure::choice_gain(s.plan, jacobian, choice.details, s.wishes);
}

}  // namespace bondgraph::compile
