#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

#include "bondgraph/expression/tape.hpp"

namespace bondgraph::expression {

namespace {

/// Inputs by number: a few in a list, very many (all links before it, as of a link of a long chain) as bits.
class InputSet {
   public:
    InputSet() = default;
    explicit InputSet(std::uint32_t input) : list_{input}, size_(1) {}

    [[nodiscard]] std::size_t size() const { return size_; }

    void unite(const InputSet& other, std::uint32_t inputs, std::vector<std::uint32_t>& scratch) {
        if (other.size_ == 0) return;
        if (bits_.empty() && other.bits_.empty()) {
            unite_lists(other.list_, scratch);
            size_ = list_.size();
            if (size_ <= std::max<std::size_t>(kFew, inputs / kFew)) return;
            spread(inputs);
            return;
        }
        if (bits_.empty()) spread(inputs);
        for (const std::uint32_t input : other.list_) {
            std::uint64_t& word = bits_[input / kBits];
            const std::uint64_t bit = std::uint64_t{1} << input % kBits;
            size_ += (word & bit) == 0 ? 1 : 0;
            word |= bit;
        }
        if (other.bits_.empty()) return;
        size_ = 0;
        for (std::size_t k = 0; k < bits_.size(); ++k)
            size_ += static_cast<std::size_t>(std::popcount(bits_[k] |= other.bits_[k]));
    }

    /// Ascending.
    [[nodiscard]] std::vector<std::uint32_t> list() const {
        if (bits_.empty()) return list_;
        std::vector<std::uint32_t> result;
        result.reserve(size_);
        for (std::size_t k = 0; k < bits_.size(); ++k) {
            for (std::uint64_t left = bits_[k]; left != 0; left &= left - 1)
                result.push_back(static_cast<std::uint32_t>(k * kBits) +
                                 static_cast<std::uint32_t>(std::countr_zero(left)));
        }
        return result;
    }

   private:
    static constexpr std::uint32_t kBits = 64;
    static constexpr std::uint32_t kFew = 32;  ///< a number of the list takes as much room as 32 bits

    void unite_lists(const std::vector<std::uint32_t>& other, std::vector<std::uint32_t>& scratch) {
        if (list_.empty() || list_.back() < other.front()) {
            list_.insert(list_.end(), other.begin(), other.end());
            return;
        }
        // Most unions add nothing; finding that out costs little when the other set is small.
        const auto known = [&](std::uint32_t input) { return std::ranges::binary_search(list_, input); };
        if (std::ranges::all_of(other, known)) return;
        scratch.clear();
        std::ranges::set_union(list_, other, std::back_inserter(scratch));
        list_.swap(scratch);
    }

    void spread(std::uint32_t inputs) {
        bits_.assign(inputs / kBits + 1, 0);
        for (const std::uint32_t input : list_) bits_[input / kBits] |= std::uint64_t{1} << input % kBits;
        list_.clear();
    }

    std::vector<std::uint32_t> list_;
    std::vector<std::uint64_t> bits_;
    std::size_t size_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> Tape::dependencies(const std::vector<bool>& wanted) const {
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
        if (wanted[i] && live[i]) sets[i] = InputSet(i);
    }
    std::vector<std::uint32_t> scratch;
    for (std::size_t i = 0; i < code_.size(); ++i) {
        const auto operands = code_[i].operands();
        std::size_t largest = 0;
        for (std::size_t k = 1; k < operands.size(); ++k) {
            if (sets[operands[k]].size() > sets[operands[largest]].size()) largest = k;
        }
        InputSet result;
        if (dies[i][largest]) {
            std::swap(result, sets[operands[largest]]);
        } else {
            result = sets[operands[largest]];
        }
        for (const std::uint32_t operand : operands) {
            if (operand != operands[largest]) result.unite(sets[operand], inputs_, scratch);
        }
        std::swap(sets[code_[i].target], result);
    }

    std::vector<std::vector<std::uint32_t>> result;
    result.reserve(outputs_.size());
    for (const std::uint32_t output : outputs_) result.push_back(sets[output].list());
    return result;
}

}  // namespace bondgraph::expression
