#include "bondgraph/equivalence/compare.hpp"

namespace bondgraph::equivalence {
namespace {

Matching matching(const NormalForm& mine, const NormalForm& reference) {
    const ColouredPair pair = coloured(mine, reference, {});
    return isomorphism(pair.first, pair.second);
}

}  // namespace

Structural compare(const model::BondGraph& mine, const model::BondGraph& reference) {
    if (matching(normal_form(mine, false), normal_form(reference, false)).map) return {.likeness = Likeness::same};
    causality::Simplified a = causality::simplify(mine);
    causality::Simplified b = causality::simplify(reference);
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
        const auto sign = sign_difference(normal_form(mine, true), normal_form(reference, true));
        result.difference = sign ? *sign : difference(first, second);
    }
    return result;
}

}  // namespace bondgraph::equivalence
