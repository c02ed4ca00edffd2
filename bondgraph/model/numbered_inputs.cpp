// Checks of the components that take any number of inputs u1, u2, …: no gap, and one weight for every input.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

/// The weights of a component's inputs where they are a list: with which parameter they are given, and how many.
struct InputWeights {
    std::size_t parameter = 0;
    std::size_t count = 0;
};

std::optional<InputWeights> input_weights(const Element& e) {
    for (std::size_t k = 0; k < e.parameters.size(); ++k) {
        if (e.type->parameters[k].shape != Shape::vector || !e.parameters[k] || e.parameters[k]->is_scalar()) continue;
        return InputWeights{k, static_cast<std::size_t>(e.parameters[k]->value.rows())};
    }
    return std::nullopt;
}

/// The numbers of all inputs that are given or connected, also to what is wrong, which has been reported.
std::set<std::size_t> input_numbers(const Element& e, const Flattening::Origin& origin) {
    std::set<std::size_t> numbers;
    const auto add = [&](const std::string& name) {
        if (const auto number = input_number(name)) numbers.insert(*number);
    };
    for (const auto& input : e.inputs) add(input.first);
    for (const auto& signal : origin.signals) add(signal.first);
    for (const Setting& s : origin.declaration->settings) add(s.key.text);
    return numbers;
}

}  // namespace

std::optional<std::size_t> input_number(std::string_view name) {
    constexpr std::size_t kMostDigits = 5;
    if (name.size() < 2 || name.size() > kMostDigits + 1 || name[0] != 'u' || name[1] == '0') return std::nullopt;
    std::size_t number = 0;
    for (const char c : name.substr(1)) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    return number;
}

void check_numbered_inputs(Flattening& work, std::uint32_t index) {
    const Element& e = work.graph.elements[index];
    const std::set<std::size_t> numbers = input_numbers(e, work.origins[index]);
    const auto weights = input_weights(e);
    const std::size_t last = numbers.empty() ? 0 : *numbers.rbegin();
    if (weights && last > weights->count) {
        work.diagnostics.error(
            "BG-M010", e.parameter_positions[weights->parameter],
            fmt::format("'{}' of '{}' has {} weights, but there is an input '{}.u{}'",
                        e.type->parameters[weights->parameter].name, e.name, weights->count, e.name, last),
            {{"because", "the first weight belongs to u1, the second to u2 and so on"},
             {"try", "give a weight for every input, or a single number for all"}});
    }
    for (std::size_t n = 1; n <= std::max<std::size_t>({last, weights ? weights->count : 0, 1}); ++n) {
        if (numbers.contains(n)) continue;
        std::vector<DiagnosticNote> notes;
        if (n < last) {
            notes.push_back({"because", fmt::format("inputs are numbered without gaps, and '{}.u{}' is there", e.name,
                                                    *numbers.upper_bound(n))});
        } else if (weights && !numbers.empty()) {
            notes.push_back({"because", fmt::format("'{}' has a weight for it, the number {} of {}",
                                                    e.type->parameters[weights->parameter].name, n, weights->count)});
        }
        notes.push_back({"try", fmt::format("add '- source.y -> {}.u{}' under 'signals:'{}", e.name, n,
                                            n < last ? ", or number the inputs from u1 on" : "")});
        work.diagnostics.error("BG-M019", e.position, fmt::format("input '{}.u{}' is not connected", e.name, n),
                               std::move(notes));
        return;  // the others of a gap go the same way
    }
}

}  // namespace bondgraph::model
