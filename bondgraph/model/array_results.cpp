// Names of results of arrays.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/impulse_names.hpp"
#include "bondgraph/model/results.hpp"

namespace bondgraph::model {
namespace {

/// A result's name with its indices worked out: i and j, and the model's parameters; nothing where one is no whole
/// number.
std::optional<std::string> numbered(const BondGraph& graph, const IndexedText& reference, const PartIndex& index) {
    EvaluationScope scope;
    scope.lookup = [&](const std::string& parameter) -> std::optional<Quantity> {
        const auto found = graph.parameters.find(parameter);
        return found == graph.parameters.end() ? std::nullopt : std::optional(found->second);
    };
    scope.candidates = [] { return std::vector<std::string>{}; };
    return reference.with([&](const IndexedText::Index&, const Text& part) -> std::optional<std::string> {
        try {
            const auto syntax = expression::parse_expression(with_index(part.text, index));
            std::vector<expression::SyntaxError> mistakes;
            const auto q = evaluate(syntax, syntax.root, *graph.expressions, scope, mistakes);
            if (!q || !mistakes.empty() || !q->is_scalar() || !q->value(0, 0).is_constant()) return std::nullopt;
            const double number = q->value(0, 0).constant();
            return number == std::floor(number) ? std::optional(fmt::format("{:.0f}", number)) : std::nullopt;
        } catch (const expression::SyntaxError&) {
            return std::nullopt;
        }
    });
}

}  // namespace

std::vector<std::string> results_of_arrays(const BondGraph& graph, const std::string& name) {
    const IndexedText reference(Text{name, {}});
    std::array<std::size_t, 2> last{};
    std::array<bool, 2> used{};
    bool open = false;
    bool known = true;  ///< each index with i or j is that of an array
    for (const IndexedText::Index& one : reference.indices) {
        for (std::size_t d = 0; d < one.parts.size(); ++d) {
            open = open || !whole_number(one.parts[d].text);
            for (std::size_t k = 0; k < kIndexNames.size(); ++k) {
                if (!names_index(one.parts[d].text, kIndexNames[k])) continue;
                used[k] = true;
                const auto size = largest_of(graph.arrays, one.array, one.parts.size(), d);
                known = known && size;
                last[k] = std::max(last[k], size.value_or(0));
            }
        }
    }
    if (!open) return {name};
    if (!known) return {};
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= (used[0] ? last[0] : 1); ++i) {
        for (std::size_t j = 1; j <= (used[1] ? last[1] : 1); ++j) {
            const auto one = numbered(graph, reference, {i, j});
            if (one && (resolve_result(graph, *one) || resolve_result(graph, *one + "[1]"))) names.push_back(*one);
        }
    }
    return names;
}

bool is_left_out(const BondGraph& graph, const std::string& name) {
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        if (graph.left_out.contains(name.substr(0, dot))) return true;
    }
    const IndexedText cut(Text{name, {}});
    for (const IndexedText::Index& one : cut.indices) {
        for (std::size_t d = 0; d < one.parts.size(); ++d) {
            if (largest_of(graph.arrays, one.array, one.parts.size(), d) == std::optional<std::size_t>(0)) return true;
        }
    }
    return false;
}

}  // namespace bondgraph::model
