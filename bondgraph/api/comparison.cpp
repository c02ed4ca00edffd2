#include "bondgraph/api/comparison.hpp"

#include "bondgraph/api/behaviour.hpp"
#include "bondgraph/causality/simplify.hpp"
#include "bondgraph/equivalence/compare.hpp"
#include "bondgraph/equivalence/traits.hpp"
#include "bondgraph/model/graph_expressions.hpp"

namespace bondgraph::api {
namespace {

/// A copy of a model's bond graph.
Result<model::BondGraph> graph_of(Variants& variants) {
    Making making;
    std::shared_ptr<Variant>& used = making.failed;
    try {
        used = variants.make_apart({}, making, Stage::flattened, true);
        const auto hold = used->session.graph->expressions->hold();  // which may be those of the model as it was read
        return model::copy_of(*used->session.graph);
    } catch (...) {
        return variants.error_of_current_exception(used ? used->session : variants.base());
    }
}

std::vector<SimplificationStep> told(std::vector<causality::SimplificationStep> steps) {
    std::vector<SimplificationStep> result;
    for (causality::SimplificationStep& s : steps)
        result.push_back(
            {std::string(causality::rule_name(s.rule)), std::move(s.text), std::move(s.removed), std::move(s.remains)});
    return result;
}

}  // namespace

Result<Comparison> comparison_of(const Model& mine, Variants& my_variants, const Model& reference,
                                 Variants& reference_variants) {
    const Result<model::BondGraph> first = graph_of(my_variants);
    if (!first) return first.error();
    const Result<model::BondGraph> second = graph_of(reference_variants);
    if (!second) return second.error();
    equivalence::Structural found = equivalence::compare(*first, *second);
    Comparison result;
    if (found.likeness == equivalence::Likeness::same) {
        result.likeness = Likeness::same;
        return result;
    }
    if (found.likeness == equivalence::Likeness::simplified) {
        result.likeness = Likeness::simplified;
        result.steps = told(std::move(found.steps));
        result.reference_steps = told(std::move(found.reference_steps));
        return result;
    }
    if (found.likeness == equivalence::Likeness::undecided)
        result.difference =
            "Whether the bond graphs are the same was not found out in the time allowed: too many elements are alike.";
    else
        result.difference = std::move(found.difference.text);
    result.revealed = std::move(found.difference.revealed);
    Agreement agreed = agreement(mine, equivalence::traits_of(*first), reference, equivalence::traits_of(*second));
    const Likeness alike = agreed.one_run ? Likeness::one_run : Likeness::behaviour;
    result.likeness = agreed.equal ? alike : Likeness::different;
    result.behaviour = std::move(agreed.text);
    if (!agreed.revealed.empty())
        result.revealed += (result.revealed.empty() ? "the reference: " : "; the reference: ") + agreed.revealed;
    return result;
}

std::string_view likeness_text(Likeness likeness) {
    switch (likeness) {
        case Likeness::same:
            return "the same bond graph";
        case Likeness::simplified:
            return "the same after simplification";
        case Likeness::behaviour:
            return "equal in behaviour";
        case Likeness::one_run:
            return "equal in one run";
        case Likeness::different:
            break;
    }
    return "different";
}

}  // namespace bondgraph::api
