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
    std::string name;
    EvaluationScope scope;
    scope.lookup = [&](const std::string& parameter) -> std::optional<Quantity> {
        const auto found = graph.parameters.find(parameter);
        return found == graph.parameters.end() ? std::nullopt : std::optional(found->second);
    };
    scope.candidates = [] { return std::vector<std::string>{}; };
    for (const IndexedText::Index& inside : reference.indices) {
        name += inside.before + "[";
        std::string_view comma;
        for (const Text& part : comma_parts(inside.text)) {
            try {
                const auto syntax = expression::parse_expression(with_index(part.text, index));
                std::vector<expression::SyntaxError> mistakes;
                const auto q = evaluate(syntax, syntax.root, *graph.expressions, scope, mistakes);
                if (!q || !mistakes.empty() || !q->is_scalar() || !q->value(0, 0).is_constant()) return std::nullopt;
                const double number = q->value(0, 0).constant();
                if (number != std::floor(number)) return std::nullopt;
                name += fmt::format("{}{:.0f}", comma, number);
            } catch (const expression::SyntaxError&) {
                return std::nullopt;
            }
            comma = ",";
        }
        name += "]";
    }
    return name + reference.after;
}

}  // namespace

std::vector<std::string> results_of_arrays(const BondGraph& graph, const std::string& name) {
    const IndexedText reference(Text{name, {}});
    std::array<std::size_t, 2> last{};
    std::array<bool, 2> used{};
    bool open = false;
    bool known = true;  ///< each index with i or j is that of an array
    std::string before;
    for (const IndexedText::Index& inside : reference.indices) {
        const auto parts = comma_parts(inside.text);
        before += inside.before;
        for (std::size_t d = 0; d < parts.size(); ++d) {
            open = open || !whole_number(parts[d].text);
            for (std::size_t k = 0; k < kIndexNames.size(); ++k) {
                if (!names_index(parts[d].text, kIndexNames[k])) continue;
                used[k] = true;
                const auto size = largest_of(graph.arrays, before, parts.size(), d);
                known = known && size;
                last[k] = std::max(last[k], size.value_or(0));
            }
        }
        before += parts.size() > 1 ? "[1,1]" : "[1]";
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
    std::string before;
    for (const IndexedText::Index& inside : IndexedText(Text{name, {}}).indices) {
        const std::size_t count = comma_parts(inside.text).size();
        before += inside.before;
        for (std::size_t d = 0; d < count; ++d) {
            if (largest_of(graph.arrays, before, count, d) == std::optional<std::size_t>(0)) return true;
        }
        before += count > 1 ? "[1,1]" : "[1]";
    }
    return false;
}

}  // namespace bondgraph::model
