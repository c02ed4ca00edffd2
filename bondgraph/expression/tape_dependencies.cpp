#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "bondgraph/expression/tape.hpp"

namespace bondgraph::expression {

namespace {

using InputSet = std::vector<std::uint32_t>;  // ascending

void unite(InputSet& into, const InputSet& other, InputSet& scratch) {
    if (other.empty()) return;
    if (into.empty() || into.back() < other.front()) {
        into.insert(into.end(), other.begin(), other.end());
        return;
    }
    // Most unions add nothing; finding that out costs little when the other set is small.
    const auto known = [&](std::uint32_t input) { return std::binary_search(into.begin(), into.end(), input); };
    if (std::all_of(other.begin(), other.end(), known)) return;
    scratch.clear();
    std::set_union(into.begin(), into.end(), other.begin(), other.end(), std::back_inserter(scratch));
    into.swap(scratch);
}

}  // namespace

std::vector<InputSet> Tape::dependencies(const std::vector<bool>& wanted) const {
    // Backwards: which operands are read for the last time, so that their sets can be handed on instead of copied.
    const std::uint32_t first_temporary = inputs_ + static_cast<std::uint32_t>(constants_.size());
    std::vector<bool> live(registers_, false);
    for (const std::uint32_t output : outputs_) live[output] = true;
    std::vector<std::array<bool, 3>> dies(code_.size());
    for (std::size_t i = code_.size(); i-- > 0;) {
        live[code_[i].target] = false;
        const auto operands = code_[i].operands();
        for (std::size_t k = 0; k < operands.size(); ++k) {
            dies[i][k] = operands[k] >= first_temporary && !live[operands[k]];
        }
        for (const std::uint32_t operand : operands) live[operand] = true;
    }

    // What is live now are the inputs that are read: a tape of few equations has those of the whole model.
    std::vector<InputSet> sets(registers_);
    for (std::uint32_t i = 0; i < inputs_ && i < wanted.size(); ++i) {
        if (wanted[i] && live[i]) sets[i] = {i};
    }
    InputSet scratch;
    for (std::size_t i = 0; i < code_.size(); ++i) {
        const auto operands = code_[i].operands();
        std::size_t largest = 0;
        for (std::size_t k = 1; k < operands.size(); ++k) {
            if (sets[operands[k]].size() > sets[operands[largest]].size()) largest = k;
        }
        InputSet result;
        if (dies[i][largest]) {
            result.swap(sets[operands[largest]]);
        } else {
            result = sets[operands[largest]];
        }
        for (const std::uint32_t operand : operands) {
            if (operand != operands[largest]) unite(result, sets[operand], scratch);
        }
        sets[code_[i].target].swap(result);
    }

    std::vector<InputSet> result;
    result.reserve(outputs_.size());
    for (const std::uint32_t output : outputs_) result.push_back(sets[output]);
    return result;
}

}  // namespace bondgraph::expression
