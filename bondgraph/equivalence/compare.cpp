#include "bondgraph/equivalence/compare.hpp"

namespace bondgraph::equivalence {
namespace {

Matching matching(const NormalForm& mine, const NormalForm& reference) {
    const ColouredPair pair = coloured(mine, reference, {});
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

Structural compare(const model::BondGraph& mine, const model::BondGraph& reference) {
    if (matching(normal_form(mine, false), normal_form(reference, false)).map) return {.likeness = Likeness::same};
    const NormalForm plain = normal_form(mine, true);
    const NormalForm plain_reference = normal_form(reference, true);
    causality::Simplified a = causality::simplify(mine);
    causality::Simplified b = causality::simplify(reference);
    // What rules make of a ring depends on how its arrows are drawn: without them it may be the same already.
    if (matching(plain, plain_reference).map)
        return {.likeness = Likeness::simplified,
                .steps = of_junctions(std::move(a.steps)),
                .reference_steps = of_junctions(std::move(b.steps))};
    const NormalForm first = normal_form(a.graph, true);
    const NormalForm second = normal_form(b.graph, true);
    const Matching found = matching(first, second);
    Structural result{.steps = std::move(a.steps), .reference_steps = std::move(b.steps)};
    if (found.map) {
        result.likeness = Likeness::simplified;
    } else if (found.given_up) {
        result.likeness = Likeness::undecided;
    } else {
        result.likeness = Likeness::different;
        // Rules that simplify look at arrows, too: a single wrong one is seen better in what they were not applied to.
        const auto sign = sign_difference(plain, plain_reference);
        result.difference = sign ? *sign : difference(first, second);
    }
    return result;
}

}  // namespace bondgraph::equivalence
