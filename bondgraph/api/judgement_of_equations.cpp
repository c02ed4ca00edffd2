#include "bondgraph/api/judgement_of_equations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bondgraph/api/judgement_of_strokes.hpp"
#include "bondgraph/api/right_sides.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/model/quantity.hpp"

namespace bondgraph::api {
namespace {

using expression::Expr;
using expression::SyntaxError;
using LeafKind = KnownLeaf::Kind;
using KnownPoint = RightSides::Point;

constexpr std::size_t kMostDerived = 60;  // states; each equation takes some hundred evaluations of all

/// The same numbers everywhere, 0 <= x < 1.
class SampleNumbers {
   public:
    double next() {
        state_ = (state_ * 1103515245ULL + 12345ULL) % 2147483648ULL;
        return static_cast<double>(state_) / 2147483648.0;
    }

   private:
    std::uint64_t state_ = 12345;
};

bool nearly_same(double a, double b, double scale) {
    return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= 1e-7 * scale + 1e-300;
}
bool nearly_same(double a, double b) { return nearly_same(a, b, std::max(std::abs(a), std::abs(b))); }

std::string trimmed_side(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

/// "C1.q" of "der(C1.q)", "dC1.q/dt", "d(C1.q)/dt", "C1.q'" and "C1.q".
std::string differentiated(std::string_view left) {
    std::string text;
    std::ranges::copy_if(left, std::back_inserter(text), [](char c) { return c != ' ' && c != '\t'; });
    const auto inner = [&](std::size_t before, std::size_t after) {
        return text.substr(before, text.size() - before - after);
    };
    if (text.starts_with("der(") && text.ends_with(")")) return inner(4, 1);
    if (text.starts_with("d(") && text.ends_with(")/dt")) return inner(2, 4);
    if (text.starts_with("d") && text.ends_with("/dt")) return inner(1, 3);
    if (text.ends_with("'")) return inner(0, 1);
    return text;
}

struct ValuePair {
    double mine = 0.0;
    double right = 0.0;
    double rounding = 0.0;  ///< what it may have made of their difference
};
bool same_values(const ValuePair& p) {
    return nearly_same(p.mine, p.right) ||
           (std::isfinite(p.mine) && std::isfinite(p.right) && std::abs(p.mine - p.right) <= p.rounding);
}

class EquationJudge {
   public:
    EquationJudge(const compile::SortedSystem& system, const RightSides& sides) : system_(system), sides_(sides) {}

    JudgedEquation judge(const std::string& text) {
        JudgedEquation result;
        const auto equals = text.find('=');
        if (equals == std::string::npos) {
            result.text = "An equation has the derivative on its left side: der(C.q) = …";
            return result;
        }
        const auto state = state_of(differentiated(std::string_view(text).substr(0, equals)), result);
        if (!state) return result;
        state_ = *state;
        const std::string right = trimmed_side(std::string_view(text).substr(equals + 1));
        const auto expr = read(right, result.text);
        if (!expr) return result;
        mine_ = sides_.tape(*expr);
        result.right = verdict(result.text);
        if (!result.right) result.text += dimension_of(right);
        return result;
    }

   private:
    [[nodiscard]] std::optional<std::size_t> state_of(const std::string& name, JudgedEquation& result) const {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < system_.states.size(); ++k) {
            names.push_back(system_.name(system_.states[k]));
            const KnownLeaf* leaf = sides_.find(name);
            if (names.back() != name && (leaf == nullptr || leaf->name != names.back())) continue;
            result.state = names.back();
            return k;
        }
        if (names.empty()) {
            result.text = fmt::format("'{}' is no state: this model has none.", name);
            return std::nullopt;
        }
        const std::string near = did_you_mean(name, names);
        result.text = fmt::format("'{}' is no state: {} {}{}", name, fmt::join(names, ", "),
                                  names.size() == 1 ? "is" : "are", near.empty() ? "." : near);
        return std::nullopt;
    }

    /// The expression in what is known. With `measured` dimensions have to fit, too.
    std::optional<Expr> read(const std::string& text, std::string& why_not, model::Measure* measured = nullptr) {
        try {
            const expression::Syntax syntax = expression::parse_expression(text);
            model::EvaluationScope scope;
            scope.lookup = [&](const std::string& name) -> std::optional<model::Quantity> {
                const KnownLeaf* leaf = sides_.find(name);
                if (leaf == nullptr) return other_than_leaf(name, measured != nullptr);
                return model::Quantity::scalar(leaf->leaf, measured ? leaf->measure : model::Measure{});
            };
            scope.candidates = [&] {
                std::vector<std::string> names;
                for (const KnownLeaf& l : sides_.known()) names.push_back(l.name);
                return names;
            };
            std::vector<SyntaxError> mistakes;
            const auto found = model::evaluate(syntax, syntax.root, *system_.graph().expressions, scope, mistakes);
            if (!mistakes.empty()) {
                why_not = explained(mistakes.front());
                return std::nullopt;
            }
            if (!found || !found->is_scalar()) {
                why_not = "This is no single number.";
                return std::nullopt;
            }
            if (measured) *measured = found->measure;
            return found->value(0, 0);
        } catch (const SyntaxError& e) {
            why_not = fmt::format("This can't be read: {}.", e.what());
            return std::nullopt;
        }
    }

    /// All components of what is known by components, as of "i.p" in "i.p[2]"; or the value of a parameter of the model
    /// that no element's goes by.
    [[nodiscard]] std::optional<model::Quantity> other_than_leaf(const std::string& name, bool measured) const {
        std::vector<std::pair<std::size_t, const KnownLeaf*>> components;
        std::size_t largest = 0;
        for (const KnownLeaf& l : sides_.known()) {
            if (!l.name.starts_with(name + "[") || !l.name.ends_with("]")) continue;
            const std::string index = l.name.substr(name.size() + 1, l.name.size() - name.size() - 2);
            if (index.empty() || index.size() > 4 || index.find_first_not_of("0123456789") != std::string::npos)
                continue;
            components.emplace_back(std::stoul(index), &l);
            largest = std::max(largest, components.back().first);
        }
        if (!components.empty()) {
            model::Quantity all;
            all.value.setConstant(static_cast<Eigen::Index>(largest), 1,
                                  Expr(std::numeric_limits<double>::quiet_NaN()));
            for (const auto& [index, l] : components) {
                all.value(static_cast<Eigen::Index>(index) - 1, 0) = l->leaf;
                if (measured) all.measure = l->measure;
            }
            return all;
        }
        const auto& own = system_.graph().parameters;
        const auto at = own.find(name);
        if (at == own.end()) return std::nullopt;
        model::Quantity value = at->second;
        if (!measured) value.measure = {};
        return value;
    }

    [[nodiscard]] std::string explained(const SyntaxError& mistake) const {
        const std::string near =
            mistake.suggestion().empty() ? "" : fmt::format(" Did you mean '{}'?", mistake.suggestion());
        return fmt::format("{}: write it with states, parameters and sources.{}", mistake.what(), near);
    }

    /// Of an equation that is wrong: whether its dimensions are.
    std::string dimension_of(const std::string& text) {
        std::string why;
        model::Measure measure;
        if (!read(text, why, &measure)) return why.empty() ? "" : " Its dimensions don't fit.";
        return "";
    }

    /// Parameters of any positive size first: a relation between values is no law. An equation with the model's numbers
    /// in it is right with these alone.
    bool verdict(std::string& text) {
        const std::vector<ValuePair> general = pairs(true);
        if (all(general, same_values)) {
            const bool right = std::ranges::all_of(pairs_of_any_size(), same_values);
            text = right ? "Right." : "It is another function: not at all sizes of states and sources is it the same.";
            return right;
        }
        const std::vector<ValuePair> own = pairs(false);
        if (all(own, same_values)) {
            text = "Right, with the numbers of this model.";
            return true;
        }
        if (own.size() < kOwnSamples / 4) {
            text = "It can't be judged: it, or the right one, has no value at most points.";
            return false;
        }
        const bool by_names = uses_parameters();
        text = what_is_wrong(by_names ? general : own, by_names);
        return false;
    }

    [[nodiscard]] bool uses_parameters() const {
        const std::vector<bool> wanted(mine_.input_count(), true);
        const auto inputs = mine_.dependencies(wanted).front();
        for (std::size_t k = 0; k < sides_.known().size(); ++k) {
            if (sides_.known()[k].kind != LeafKind::parameter) continue;
            if (std::ranges::find(inputs, sides_.slot(k)) != inputs.end()) return true;
        }
        return false;
    }

    std::string what_is_wrong(const std::vector<ValuePair>& pairs, bool general) {
        if (all(pairs, [](const ValuePair& p) { return nearly_same(p.mine, -p.right); }))
            return "All of it has the other sign.";
        const auto first = std::ranges::find_if(pairs, [](const ValuePair& p) { return p.right != 0.0; });
        if (first != pairs.end()) {
            const double factor = first->mine / first->right;
            if (factor != 0.0 && std::isfinite(factor) &&
                all(pairs, [&](const ValuePair& p) { return nearly_same(p.mine, factor * p.right); }))
                return fmt::format("It is {:.6g} times what it should be.", factor);
        }
        return parts(general);
    }

    /// In which states and sources it is another function.
    std::string parts(bool general) {
        std::vector<std::string> wrong;
        std::size_t fitting = 0;
        bool numbers = false;  // in place of a source
        for (std::size_t k = 0; k < sides_.known().size(); ++k) {
            const KnownLeaf& leaf = sides_.known()[k];
            if (leaf.kind != LeafKind::state && leaf.kind != LeafKind::source) continue;
            const std::vector<ValuePair> changes = changes_with(k, general);
            const bool mine = !all(changes, [](const ValuePair& p) { return p.mine == 0.0; });
            const bool right = !all(changes, [](const ValuePair& p) { return p.right == 0.0; });
            if (changes.empty() || (!mine && !right)) continue;
            if (all(changes, [](const ValuePair& p) { return p.mine == p.right; }))
                ++fitting;
            else if (!mine && !general && leaf.kind == LeafKind::source)
                numbers = true;
            else
                wrong.push_back(sentence_of(leaf.name, changes, mine, right));
        }
        if (wrong.empty())
            return numbers ? "What does not depend on states is another one." : "It is another function.";
        if (fitting == 0 && wrong.size() > 1) return "It is another function.";
        return fmt::format("{}{}", fmt::join(wrong, " "), fitting > 0 && !numbers ? " The rest is right." : "");
    }

    static std::string sentence_of(const std::string& name, const std::vector<ValuePair>& changes, bool mine,
                                   bool right) {
        if (!mine) return fmt::format("'{}' is missing.", name);
        if (!right) return fmt::format("The right one does not depend on '{}'.", name);
        if (all(changes, [](const ValuePair& p) { return p.mine == -p.right; }))
            return fmt::format("What it has of '{}' has the other sign.", name);
        return fmt::format("What it has of '{}' is another function.", name);
    }

    template <class Test>
    static bool all(const std::vector<ValuePair>& pairs, const Test& test) {
        return !pairs.empty() && std::ranges::all_of(pairs, test);
    }

    static constexpr std::size_t kSamples = 120;
    static constexpr std::size_t kOwnSamples = 480;  // a diode's knee is half a decade among sixteen

    KnownPoint point(SampleNumbers& random, bool general) const {
        KnownPoint p;
        for (const KnownLeaf& leaf : sides_.known()) {
            const double x = random.next();
            if (leaf.kind == LeafKind::parameter)
                p.push_back(general ? std::copysign(0.3 + 2.0 * x, leaf.value) : leaf.value);
            else if (leaf.kind == LeafKind::time)
                p.push_back(3.0 * x);
            else if (general)
                p.push_back(4.0 * x - 2.0);
            else  // of any size: what the parameters' own make of it is not known
                p.push_back((random.next() < 0.5 ? -1.0 : 1.0) * std::pow(10.0, 16.0 * x - 12.0));
        }
        if (!general) sides_.take_sources(p);
        return p;
    }

    [[nodiscard]] std::optional<ValuePair> at(const KnownPoint& p) const {
        const auto rates = sides_.at(p);
        if (!rates) return std::nullopt;
        ValuePair pair{sides_.value(mine_, p), (*rates)[state_]};
        if (nearly_same(pair.mine, pair.right)) return pair;
        constexpr double kSafety = 8.0;  // the bounds are of first order
        const double rounding = kSafety * (sides_.rounding(mine_, p) + sides_.rounding_at(p)[state_]);
        if (std::isfinite(rounding)) pair.rounding = rounding;
        return pair;
    }

    [[nodiscard]] std::vector<ValuePair> pairs(bool general) const {
        SampleNumbers random;
        std::vector<ValuePair> found;
        for (std::size_t k = 0; k < (general ? kSamples : kOwnSamples); ++k) {
            if (const auto pair = at(point(random, general))) found.push_back(*pair);
        }
        return found;
    }

    /// With states and sources of any size, one by one or all alike: laws of this model have numbers in them that are
    /// parameters of no element, beside which others are far too large, or too small.
    [[nodiscard]] std::vector<ValuePair> pairs_of_any_size() const {
        SampleNumbers random;
        std::vector<ValuePair> found;
        for (std::size_t k = 0; k < kOwnSamples; ++k) {
            KnownPoint p = point(random, true);
            const double common = 14.0 * random.next();
            for (std::size_t leaf = 0; leaf < p.size(); ++leaf) {
                const LeafKind kind = sides_.known()[leaf].kind;
                if (kind != LeafKind::state && kind != LeafKind::source) continue;
                p[leaf] *= std::pow(10.0, k % 2 == 0 ? -common : 16.0 * random.next() - 12.0);
            }
            // What has a value at size 1 and none here has become too large on the way to it: sinh(x)/cosh(x).
            if (const auto pair = at(p); pair && std::isfinite(pair->mine)) found.push_back(*pair);
        }
        return found;
    }

    /// What both change by where one of the leaves does, at points where that is more than rounding makes of it; equal
    /// ones exactly.
    [[nodiscard]] std::vector<ValuePair> changes_with(std::size_t leaf, bool general) const {
        constexpr std::size_t kChanges = 80;
        SampleNumbers random;
        std::vector<ValuePair> found;
        for (std::size_t k = 0; k < kChanges; ++k) {
            KnownPoint p = point(random, general);
            const auto before = at(p);
            p[leaf] += p[leaf] * (0.5 + random.next()) + (general ? 0.1 : 0.0);
            const auto after = at(p);
            if (!before || !after || !std::isfinite(before->mine) || !std::isfinite(after->mine)) continue;
            const double scale = std::max(
                {std::abs(before->mine), std::abs(after->mine), std::abs(before->right), std::abs(after->right)});
            ValuePair change{after->mine - before->mine, after->right - before->right};
            const auto rounding = [&](double x) { return std::abs(x) <= 1e-9 * scale; };
            if (std::max(std::abs(change.mine), std::abs(change.right)) <= 1e-3 * scale) continue;
            if (rounding(change.mine)) change.mine = 0.0;
            if (rounding(change.right)) change.right = 0.0;
            if (rounding(change.mine - change.right)) change.mine = change.right;
            if (rounding(change.mine + change.right)) change.mine = -change.right;
            found.push_back(change);
        }
        return found;
    }

    const compile::SortedSystem& system_;
    const RightSides& sides_;
    expression::Tape mine_;
    std::size_t state_ = 0;
};

/// Why equations of this model can't be judged; empty: they can.
std::string not_judged(const Session& session) {
    for (const model::Element& e : session.graph->elements) {
        if (e.owner.valid())
            return fmt::format("'{}' is a part of mechanics in space, whose equations nobody writes by hand",
                               e.name.substr(0, e.name.find('.')));
    }
    if (!session.graph->discretes.empty() || !session.graph->whens.empty() || !session.graph->delays.empty())
        return "they change at events, or depend on what was before";
    return "";
}

std::string not_judged(const compile::SortedSystem& system) {
    if (system.choice) return "its states were chosen by numbers";
    if (system.events && !system.events->empty()) return "they change at events";
    if (system.states.size() > kMostDerived) return fmt::format("it has more than {} states", kMostDerived);
    return "";
}

}  // namespace

JudgedEquations judged_equations(Session& session, const DerivationsOptions& options) {
    JudgedEquations result;
    result.unjudged = not_judged(session);
    if (!result.unjudged.empty()) return result;
    const causality::CausalGraph causal = causality_with(session, options.placed);
    const analysis::NamedParameters parameters(*session.graph, session.model);
    const compile::SortedSystem system = compile::sort_equations(causal);
    result.unjudged = not_judged(system);
    if (!result.unjudged.empty()) return result;
    const RightSides sides(system, parameters);
    for (const KnownLeaf& leaf : sides.known()) {
        if (leaf.kind == LeafKind::state) result.states.push_back(leaf.name);
        result.known.push_back(leaf.name);
    }
    EquationJudge judge(system, sides);
    for (const std::string& equation : options.equations) result.judged.push_back(judge.judge(equation));
    return result;
}

}  // namespace bondgraph::api
