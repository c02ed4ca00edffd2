// The structure of the start, where diodes, friction and what obeys them may be in several states.

#include <algorithm>
#include <optional>

#include "bondgraph/compile/sorted_system.hpp"
#include "bondgraph/model/mode_search.hpp"

namespace bondgraph::compile {
namespace {

// Each combination has its equations sorted: fewer for large models.
std::size_t most_starts(const model::BondGraph& graph) {
    constexpr std::size_t kMost = 300;
    constexpr std::size_t kFewest = 10;
    constexpr std::size_t kVariables = 30000;
    return std::clamp(kVariables / std::max<std::size_t>(graph.variable_count(), 1), kFewest, kMost);
}

}  // namespace

SortedSystem sort_start(causality::CausalGraph& causal, bool perturb_sources) {
    try {
        return sort_equations(causal, perturb_sources);
    } catch (const ModelError& e) {
        const std::string& code = e.diagnostics().front().code;
        if (code != "BG-E002" && code != "BG-E003") throw;
        const model::BondGraph& graph = *causal.graph;
        auto reacting = model::reacting_modes(graph);
        const auto conditions = model::conditions_to_try(graph);
        reacting.insert(reacting.end(), conditions.begin(), conditions.end());
        std::erase_if(reacting, [](const model::ReactingMode& r) { return !r.structural; });
        std::optional<causality::CausalGraph> found;
        (void)model::ModeSearch(reacting, most_starts(graph)).find(causal.modes, [&](const std::vector<double>& trial) {
            model::ModeSearch::Verdict verdict;
            try {
                causality::CausalGraph other = causality::assign_causality(graph, trial);
                (void)sort_equations(other, perturb_sources);
                found = std::move(other);
                verdict.kind = model::ModeSearch::Verdict::Kind::agrees;
            } catch (const ModelError&) {  // another one, then
            }
            return verdict;
        });
        if (!found) throw;
        causal = *std::move(found);
    }
    return sort_equations(causal, perturb_sources);
}

}  // namespace bondgraph::compile
