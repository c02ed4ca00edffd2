#include "bondgraph/expression/gradients.hpp"

#include <algorithm>

#include "bondgraph/expression/execute.hpp"

namespace bondgraph::expression {

Gradients::Gradients(const Tape& tape, std::span<const std::uint32_t> outputs)
    : tape_(&tape), values_(tape.make_workspace<double>()) {
    // Registers are used again: which value each one holds changes along the way.
    const auto registers = static_cast<std::uint32_t>(tape.register_count());
    const auto code = tape.instructions();
    std::vector<std::uint32_t> holds(registers);
    for (std::uint32_t r = 0; r < registers; ++r) holds[r] = r;
    std::vector<Step> all;
    for (std::uint32_t n = 0; n < code.size(); ++n) {
        Step& step = all.emplace_back();
        step.instruction = n;
        for (const std::uint32_t r : code[n].operands()) step.from[step.count++] = holds[r];
        holds[code[n].target] = registers + n;
    }
    std::vector<std::uint32_t> place(code.size(), kNoNode);  // of an instruction among the steps that are kept
    std::vector<std::uint32_t> seen(code.size(), kNoNode);
    for (std::uint32_t k = 0; k < outputs.size(); ++k) {
        std::vector<std::uint32_t> stack{holds[tape.output_registers()[outputs[k]]]};
        result_.push_back(stack.front());
        auto& needed = needed_.emplace_back();
        while (!stack.empty()) {
            const std::uint32_t value = stack.back();
            stack.pop_back();
            if (value < registers || seen[value - registers] == k) continue;
            seen[value - registers] = k;
            needed.push_back(value - registers);
            const Step& step = all[value - registers];
            stack.insert(stack.end(), step.from.begin(), step.from.begin() + step.count);
        }
        std::ranges::sort(needed);
        for (const std::uint32_t n : needed) place[n] = 0;
    }
    for (std::uint32_t n = 0; n < code.size(); ++n) {
        if (place[n] == kNoNode) continue;
        place[n] = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back(all[n]);
    }
    const auto renumbered = [&](std::uint32_t v) { return v < registers ? v : registers + place[v - registers]; };
    for (Step& step : steps_) {
        for (std::uint32_t& from : step.from) from = renumbered(from);
    }
    for (std::uint32_t& result : result_) result = renumbered(result);
    for (auto& needed : needed_) {
        for (std::uint32_t& n : needed) n = place[n];
    }
    weights_.resize(registers + steps_.size());
}

void Gradients::evaluate(std::span<const double> inputs) {
    std::ranges::copy(inputs, values_.begin());
    const auto code = tape_->instructions();
    for (Step& step : steps_) {
        const Sloped result = execute_sloped(code[step.instruction], values_.data(), tape_->tables());
        values_[code[step.instruction].target] = result.value;
        step.partials = result.slopes;
    }
}

std::span<const double> Gradients::gradient(std::size_t place) {
    std::ranges::fill(weights_, 0.0);
    weights_[result_[place]] = 1.0;
    const auto registers = static_cast<std::uint32_t>(values_.size());
    const auto& needed = needed_[place];
    for (auto n = needed.rbegin(); n != needed.rend(); ++n) {
        const Step& step = steps_[*n];
        const double weight = weights_[registers + *n];
        if (weight == 0.0) continue;
        for (std::uint32_t k = 0; k < step.count; ++k) {
            if (step.partials[k] != 0.0) weights_[step.from[k]] += weight * step.partials[k];
        }
    }
    return std::span(weights_).first(tape_->input_count());
}

}  // namespace bondgraph::expression
