#include "bondgraph/equivalence/compare.hpp"

#include "bondgraph/equivalence/detectors.hpp"

namespace bondgraph::equivalence {
namespace {

/// Two normal forms, made to fit each other as far as one says less than the other.
struct Pair {
    NormalForm mine;
    NormalForm reference;
};

Pair pair_of(const model::BondGraph& mine, const model::BondGraph& reference, bool reduced) {
    Pair result{normal_form(mine, reduced), normal_form(reference, reduced)};
    fill_in_domains(result.mine, result.reference);
    return result;
}

Matching matching(const Pair& forms) {
    const ColouredPair pair = coloured(forms.mine, forms.reference, {});
    return isomorphism(pair.first, pair.second);
}

/// Those that only remove junctions of two bonds and make neighbours one.
std::vector<causality::SimplificationStep> of_junctions(std::vector<causality::SimplificationStep> steps) {
    std::erase_if(steps, [](const causality::SimplificationStep& s) {
        return s.rule != structure::PowerRule::through && s.rule != structure::PowerRule::same_kind;
    });
    return steps;
}

}  // namespace

Structural compare(const model::BondGraph& my_file, const model::BondGraph& reference_file) {
    // What nothing reads changes nothing of the system.
    const model::BondGraph mine = without(my_file, unread(my_file));
    const model::BondGraph reference = without(reference_file, unread(reference_file));
    if (matching(pair_of(mine, reference, false)).map) return {.likeness = Likeness::same};
    Pair plain = pair_of(mine, reference, true);
    causality::Simplified a = causality::simplify(mine);
    causality::Simplified b = causality::simplify(reference);
    // What rules make of a ring depends on how its arrows are drawn: without them it may be the same already.
    if (matching(plain).map)
        return {.likeness = Likeness::simplified,
                .steps = of_junctions(std::move(a.steps)),
                .reference_steps = of_junctions(std::move(b.steps))};
    Pair simple = pair_of(a.graph, b.graph, true);
    const Matching found = matching(simple);
    Structural result{.steps = std::move(a.steps), .reference_steps = std::move(b.steps)};
    if (found.map) {
        result.likeness = Likeness::simplified;
    } else if (found.given_up) {
        result.likeness = Likeness::undecided;
    } else {
        result.likeness = Likeness::different;
        for (Pair* forms : {&plain, &simple}) {
            mark_places(forms->mine, mine);
            mark_places(forms->reference, reference);
        }
        // Rules that simplify look at arrows, too: a single wrong one is seen better in what they were not applied to.
        const auto sign = sign_difference(plain.mine, plain.reference);
        result.difference = sign ? *sign : difference(simple.mine, simple.reference);
    }
    return result;
}

}  // namespace bondgraph::equivalence
