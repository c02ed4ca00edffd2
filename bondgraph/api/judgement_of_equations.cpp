#include "bondgraph/api/judgement_of_equations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "bondgraph/api/derivation_reader.hpp"
#include "bondgraph/api/judgement_of_strokes.hpp"
#include "bondgraph/api/right_sides.hpp"

namespace bondgraph::api {
namespace {

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
    EquationJudge(const compile::SortedSystem& system, const RightSides& sides)
        : system_(system), sides_(sides), reader_(system, sides) {}

    /// A name that is a parameter's and a source's is taken for whichever makes the equation right.
    JudgedEquation judge(const std::string& text) {
        reader_.take_for_sources();
        JudgedEquation first = judge_as_read(text);
        const std::vector<std::string> names(reader_.twofold().begin(), reader_.twofold().end());
        if (first.right || names.empty()) return first;
        constexpr std::size_t kMostTried = 4;
        const std::size_t tried = std::min(names.size(), kMostTried);
        for (std::size_t choice = 1; choice < std::size_t{1} << tried; ++choice) {
            std::set<std::string> parameters;
            for (std::size_t k = 0; k < tried; ++k) {
                if (((choice >> k) & 1U) != 0) parameters.insert(names[k]);
            }
            reader_.take_for_parameters(std::move(parameters));
            if (JudgedEquation other = judge_as_read(text); other.right) return other;
        }
        // Who writes the source in full means the other one by the name alone.
        std::set<std::string> parameters;
        std::string told;
        for (const std::string& name : names) {
            const std::string& source = sides_.source_of(name)->name;
            if (text.find(source) != std::string::npos) parameters.insert(name);
            told += fmt::format(" '{}' is a parameter and a source: '{}' is the source alone.", name, source);
        }
        reader_.take_for_parameters(std::move(parameters));
        JudgedEquation result = judge_as_read(text);
        result.text += told;
        return result;
    }

   private:
    JudgedEquation judge_as_read(const std::string& text) {
        JudgedEquation result;
        const auto equals = text.find('=');
        if (equals == std::string::npos) {
            result.text = "An equation has the derivative on its left side: der(C.q) = …";
            return result;
        }
        const auto state = reader_.state_of(differentiated(std::string_view(text).substr(0, equals)), result.text);
        if (!state) return result;
        state_ = *state;
        result.state = system_.name(system_.states[state_]);
        const std::string right = trimmed_side(std::string_view(text).substr(equals + 1));
        const auto expr = reader_.read(right, result.text);
        if (!expr) return result;
        mine_ = sides_.tape(*expr);
        result.right = verdict(result.text);
        if (!result.right) result.text += dimension_of(right);
        return result;
    }

    /// Of an equation that is wrong: whether its dimensions are.
    std::string dimension_of(const std::string& text) {
        std::string why;
        model::Measure measure;
        if (!reader_.read(text, why, &measure)) return why.empty() ? "" : " Its dimensions don't fit.";
        return "";
    }

    /// Parameters of any positive size first: a relation between values is no law. An equation with the model's numbers
    /// in it is right with these alone.
    bool verdict(std::string& text) {
        const std::vector<ValuePair> general = pairs(true);
        const bool same = all(general, same_values);
        if (same && std::ranges::all_of(pairs_of_any_size(true), same_values)) {
            text = "Right.";
            return true;
        }
        std::vector<ValuePair> own = pairs(false);
        forget_few_without_value(own);
        if (all(own, same_values) && (!same || is_right_with_numbers_of_any_size())) {
            text = "Right, with the numbers of this model.";
            return true;
        }
        if (same) {  // as large as they are there, states hide what else there is
            text = "It is another function: not at all sizes of states and sources is it the same.";
            return false;
        }
        if (own.size() < kOwnSamples / 4) {
            text = "It can't be judged: it, or the right one, has no value at most points.";
            return false;
        }
        const bool by_names = uses_parameters();
        if (by_names) find_written_out();
        text = what_is_wrong(!by_names ? own : written_out_.empty() ? general : pairs(true), by_names);
        written_out_.clear();
        return false;
    }

    /// Beyond where laws are meant to have values (the volume of a gas below 0) rounding decides whether they have one.
    static void forget_few_without_value(std::vector<ValuePair>& pairs) {
        constexpr std::ptrdiff_t kFew = 20;  // one of so many
        const auto none = [](const ValuePair& p) { return !std::isfinite(p.mine); };
        if (std::ranges::count_if(pairs, none) * kFew <= std::ssize(pairs)) std::erase_if(pairs, none);
    }

    /// What is the same at some hundred points may hide what the numbers of the model are small beside.
    [[nodiscard]] bool is_right_with_numbers_of_any_size() {
        for (std::size_t k = 0; k < sides_.known().size(); ++k) {
            if (sides_.known()[k].kind == LeafKind::source && !depends_on(k)) written_out_.push_back(k);
        }
        const bool right = std::ranges::all_of(pairs_of_any_size(false), same_values);
        written_out_.clear();
        return right;
    }

    /// Whether one of what is known stands in it.
    [[nodiscard]] bool depends_on(std::size_t known) const {
        const std::vector<bool> wanted(mine_.input_count(), true);
        const auto inputs = mine_.dependencies(wanted).front();
        return std::ranges::find(inputs, sides_.slot(known)) != inputs.end();
    }

    [[nodiscard]] bool uses_parameters() const {
        for (std::size_t k = 0; k < sides_.known().size(); ++k) {
            if (sides_.known()[k].kind == LeafKind::parameter && depends_on(k)) return true;
        }
        return false;
    }

    /// Sources that the right one depends on and this one does not: their laws may stand in their places.
    void find_written_out() {
        std::vector<std::size_t> sources;
        for (std::size_t k = 0; k < sides_.known().size(); ++k) {
            if (sides_.known()[k].kind != LeafKind::source) continue;
            const std::vector<ValuePair> changes = changes_with(k, true);
            const bool mine = std::ranges::any_of(changes, [](const ValuePair& p) { return p.mine != 0.0; });
            const bool right = std::ranges::any_of(changes, [](const ValuePair& p) { return p.right != 0.0; });
            if (right && !mine) sources.push_back(k);
        }
        written_out_ = std::move(sources);
    }

    /// What it has in place of them and what is right, if they are `factor` times their laws: where all else is 0, with
    /// the numbers of the model.
    [[nodiscard]] std::vector<ValuePair> in_place(const std::vector<double>& factor) const {
        constexpr std::size_t kInstants = 20;
        SampleNumbers random;
        std::vector<ValuePair> found;
        for (std::size_t k = 0; k < kInstants; ++k) {
            KnownPoint p = point(random, false);
            KnownPoint zero = p;
            for (std::size_t leaf = 0; leaf < p.size(); ++leaf) {
                const LeafKind kind = sides_.known()[leaf].kind;
                if (kind == LeafKind::state || kind == LeafKind::source) zero[leaf] = 0.0;
            }
            for (std::size_t s = 0; s < factor.size(); ++s) zero[written_out_[s]] = factor[s] * p[written_out_[s]];
            if (const auto pair = at(zero); pair && std::isfinite(pair->mine)) found.push_back(*pair);
        }
        return found;
    }

    /// What is wrong with what stands in their places; nothing where that can't be seen.
    [[nodiscard]] std::optional<std::string> wrong_in_place() const {
        const std::vector<double> law(written_out_.size(), 1.0);
        const auto is_written = [&](const std::vector<double>& factor) { return all(in_place(factor), same_values); };
        if (in_place(law).empty()) return std::nullopt;
        if (is_written(law)) return "";
        const auto name = [&](std::size_t s) { return sides_.known()[written_out_[s]].name; };
        for (std::size_t s = 0; s < law.size(); ++s) {
            std::vector<double> other = law;
            other[s] = 0.0;
            if (is_written(other)) return sentence_missing(name(s));
            other[s] = -1.0;
            if (is_written(other)) return sentence_of_sign(name(s));
        }
        if (!is_written(std::vector<double>(law.size(), 0.0))) return "What does not depend on states is another one.";
        std::vector<std::string> missing;
        for (std::size_t s = 0; s < law.size(); ++s) missing.push_back(sentence_missing(name(s)));
        return fmt::format("{}", fmt::join(missing, " "));
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
            if (std::ranges::find(written_out_, k) != written_out_.end()) continue;
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
        if (!written_out_.empty()) {
            const auto in_their_place = wrong_in_place();
            if (in_their_place && in_their_place->empty()) ++fitting;
            if (in_their_place && !in_their_place->empty()) wrong.push_back(*in_their_place);
        }
        if (wrong.empty())
            return numbers ? "What does not depend on states is another one." : "It is another function.";
        if (fitting == 0 && wrong.size() > 1) return "It is another function.";
        return fmt::format("{}{}", fmt::join(wrong, " "), fitting > 0 && !numbers ? " The rest is right." : "");
    }

    static std::string sentence_missing(const std::string& name) { return fmt::format("'{}' is missing.", name); }
    static std::string sentence_of_sign(const std::string& name) {
        return fmt::format("What it has of '{}' has the other sign.", name);
    }
    static std::string sentence_of(const std::string& name, const std::vector<ValuePair>& changes, bool mine,
                                   bool right) {
        if (!mine) return sentence_missing(name);
        if (!right) return fmt::format("The right one does not depend on '{}'.", name);
        if (all(changes, [](const ValuePair& p) { return p.mine == -p.right; })) return sentence_of_sign(name);
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
        if (general)
            take_written_out(p);
        else
            sides_.take_sources(p);
        return p;
    }

    /// Sources in whose places laws stand get the values of these.
    void take_written_out(KnownPoint& p) const {
        if (written_out_.empty()) return;
        KnownPoint own = p;
        sides_.take_sources(own);
        for (const std::size_t source : written_out_) p[source] = own[source];
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
    [[nodiscard]] std::vector<ValuePair> pairs_of_any_size(bool general) const {
        SampleNumbers random;
        std::vector<ValuePair> found;
        for (std::size_t k = 0; k < kOwnSamples; ++k) {
            KnownPoint p = point(random, true);
            const double common = 14.0 * random.next();
            for (std::size_t leaf = 0; leaf < p.size(); ++leaf) {
                const LeafKind kind = sides_.known()[leaf].kind;
                if (kind == LeafKind::parameter && !general) p[leaf] = sides_.known()[leaf].value;
                if (kind != LeafKind::state && kind != LeafKind::source) continue;
                p[leaf] *= std::pow(10.0, k % 2 == 0 ? -common : 16.0 * random.next() - 12.0);
            }
            take_written_out(p);
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
    DerivationReader reader_;
    expression::Tape mine_;
    std::size_t state_ = 0;
    std::vector<std::size_t> written_out_;  ///< of what is known: in whose places there may be laws
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
