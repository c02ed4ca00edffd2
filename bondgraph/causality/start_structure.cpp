// The structure a model starts with, where diodes, friction and what obeys them may be in several states.

#include <algorithm>
#include <optional>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/model/mode_search.hpp"
#include "bondgraph/model/modes.hpp"

namespace bondgraph::causality {
namespace {

using model::ModeSearch;

// Whether one of the elements that may be in another state takes part in a mistake.
bool names_one(const Diagnostic& d, const model::BondGraph& graph, const std::vector<model::ReactingMode>& reacting) {
    return std::any_of(reacting.begin(), reacting.end(), [&](const model::ReactingMode& r) {
        const std::string name = "'" + graph.elements[graph.discretes[r.discrete].element.index()].name + "'";
        const std::string in_list = name.substr(1, name.size() - 2) + " (";
        const auto names = [&](const std::string& text) {
            return text.find(name) != std::string::npos || text.find(in_list) != std::string::npos;
        };
        return names(d.message) ||
               std::any_of(d.notes.begin(), d.notes.end(), [&](const DiagnosticNote& n) { return names(n.text); });
    });
}

}  // namespace

CausalGraph assign_causality(const model::BondGraph& graph, std::size_t rank_limit) {
    constexpr std::size_t kMostCombinations = 300;
    const std::vector<double> modes = model::start_modes(graph);
    try {
        return assign_causality(graph, modes, rank_limit);
    } catch (const ModelError& e) {
        auto reacting = model::reacting_modes(graph);
        const auto conditions = model::conditions_to_try(graph);
        reacting.insert(reacting.end(), conditions.begin(), conditions.end());
        std::vector<Diagnostic> mistakes = e.diagnostics();
        if (reacting.empty() || !names_one(mistakes.front(), graph, reacting)) throw;
        std::optional<CausalGraph> found;
        (void)ModeSearch(reacting, kMostCombinations).find(modes, [&](const std::vector<double>& trial) {
            ModeSearch::Verdict verdict;
            try {
                found = assign_causality(graph, trial, rank_limit);
                verdict.kind = ModeSearch::Verdict::Kind::agrees;
            } catch (const ModelError&) {  // another one, then
            }
            return verdict;
        });
        if (found) return *std::move(found);
        mistakes.front().notes.push_back(
            {"with", model::mode_text(graph, reacting, modes) + "; nor has any other state of these that was tried"});
        throw ModelError(std::move(mistakes));
    }
}

}  // namespace bondgraph::causality
