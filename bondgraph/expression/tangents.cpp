#include "bondgraph/expression/tangents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bondgraph/expression/execute.hpp"

namespace bondgraph::expression {

Tangents::Range Tangents::hull(Range a, Range b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.from, b.from), std::max(a.to, b.to)};
}

Tangents::Tangents(const Tape& tape, std::vector<Seed> seeds) : tape_(&tape) {
    Plan plan{.seeds = std::move(seeds)};
    std::vector<Range> of_register(tape.register_count());
    for (const Seed& seed : plan.seeds) {
        plan.lanes = std::max<std::size_t>(plan.lanes, seed.lane + 1);
        if (seed.lane >= std::numeric_limits<std::uint16_t>::max()) throw std::length_error("too many directions");
        const auto lane = static_cast<std::uint16_t>(seed.lane);
        of_register[seed.input] = {lane, static_cast<std::uint16_t>(lane + 1)};
    }
    plan.flows.reserve(tape.instructions().size());
    for (const Tape::Instruction& i : tape.instructions()) {
        Flow flow;
        const auto operands = i.operands();
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const Range range = of_register[operands[k]];
            if (range.empty()) continue;
            flow.operand[flow.count++] = {static_cast<std::uint16_t>(k), range};
            flow.result = hull(flow.result, range);
        }
        of_register[i.target] = flow.result;
        plan.flows.push_back(flow);
    }
    plan.outputs.assign(tape.output_registers().begin(), tape.output_registers().end());
    for (const std::uint32_t output : plan.outputs) plan.output_ranges.push_back(of_register[output]);
    plan_ = std::make_shared<const Plan>(std::move(plan));
}

namespace {

constexpr std::size_t kFewLanes = 8;

/// Products with it need no regard to 0·∞.
bool is_plain(double partial) { return partial != 0.0 && std::isfinite(partial); }

/// into = p a, with 0·∞ = 0. What doesn't count (a branch not taken) may not even be a number.
void scale(double* into, const double* a, double p, std::size_t count) {
    if (p == 0.0) {
        std::fill_n(into, count, 0.0);
    } else if (std::isfinite(p)) {
        for (std::size_t k = 0; k < count; ++k) into[k] = p * a[k];
    } else {
        for (std::size_t k = 0; k < count; ++k) into[k] = chain_term(a[k], p);
    }
}

/// into = p a + q b.
void combine(double* into, const double* a, double p, const double* b, double q, std::size_t count) {
    if (p == 0.0) return scale(into, b, q, count);
    if (q == 0.0) return scale(into, a, p, count);
    if (std::isfinite(p) && std::isfinite(q)) {
        for (std::size_t k = 0; k < count; ++k) into[k] = p * a[k] + q * b[k];
    } else {
        for (std::size_t k = 0; k < count; ++k) into[k] = chain_term(a[k], p) + chain_term(b[k], q);
    }
}

}  // namespace

// The target may be the register of an operand: each lane is written after the same lane of the operands was read.
void Tangents::propagate(const Tape::Instruction& i, const Flow& flow, const Partials& partials) {
    const auto lanes_of = [&](std::uint32_t from) { return slopes_.data() + std::size_t{from} * plan_->lanes; };
    const auto operands = i.operands();
    double* const into = lanes_of(i.target);
    if (flow.count < 3 && flow.result.size() <= kFewLanes) {  // what takes longer to divide into parts than to do
        const Flow::Operand& first = flow.operand[0];
        const double* const a = lanes_of(operands[first.index]);
        const double p = partials[first.index];
        if (flow.count == 1) {
            const bool plain = is_plain(p);
            for (std::size_t lane = first.range.from; lane < first.range.to; ++lane)
                into[lane] = plain ? p * a[lane] : chain_term(a[lane], p);
            return;
        }
        const Flow::Operand& second = flow.operand[1];
        const double* const b = lanes_of(operands[second.index]);
        const double q = partials[second.index];
        if (is_plain(p) && is_plain(q) && first.range.size() == flow.result.size() &&
            second.range.size() == flow.result.size()) {
            for (std::size_t lane = flow.result.from; lane < flow.result.to; ++lane)
                into[lane] = p * a[lane] + q * b[lane];
            return;
        }
        for (std::size_t lane = flow.result.from; lane < flow.result.to; ++lane) {
            const double left = first.range.has(lane) ? chain_term(a[lane], p) : 0.0;
            into[lane] = left + (second.range.has(lane) ? chain_term(b[lane], q) : 0.0);
        }
        return;
    }
    if (flow.count == 3) {  // a condition and both branches: the one taken is passed on
        const Flow::Operand& taken = flow.operand[partials[1] != 0.0 ? 1 : 2];
        const double* const from = lanes_of(operands[taken.index]);
        std::copy(from + flow.result.from, from + flow.result.to, into + flow.result.from);
        std::fill(into + flow.result.from, into + taken.range.from, 0.0);
        std::fill(into + taken.range.to, into + flow.result.to, 0.0);
        return;
    }
    Range l = flow.operand[0].range;
    const double* a = lanes_of(operands[flow.operand[0].index]);
    double p = partials[flow.operand[0].index];
    if (flow.count == 1) return scale(into + l.from, a + l.from, p, l.size());
    Range r = flow.operand[1].range;
    const double* b = lanes_of(operands[flow.operand[1].index]);
    double q = partials[flow.operand[1].index];
    if (l.from > r.from) {
        std::swap(l, r);
        std::swap(a, b);
        std::swap(p, q);
    }
    // From left to right: `l` alone, nothing or both, then what reaches further.
    const std::uint16_t alone = std::min(l.to, r.from);
    scale(into + l.from, a + l.from, p, static_cast<std::size_t>(alone - l.from));
    if (l.to < r.from) std::fill(into + l.to, into + r.from, 0.0);
    const std::uint16_t shared = std::max(std::min(l.to, r.to), r.from);
    combine(into + r.from, a + r.from, p, b + r.from, q, static_cast<std::size_t>(shared - r.from));
    if (l.to > r.to) scale(into + r.to, a + r.to, p, static_cast<std::size_t>(l.to - r.to));
    if (r.to > shared) scale(into + shared, b + shared, q, static_cast<std::size_t>(r.to - shared));
}

void Tangents::slopes(std::size_t output, double* into) const {
    const Range r = plan_->output_ranges[output];
    const double* from = slopes_.data() + plan_->outputs[output] * plan_->lanes;
    std::fill(into, into + r.from, 0.0);
    std::copy(from + r.from, from + r.to, into + r.from);
    std::fill(into + r.to, into + plan_->lanes, 0.0);
}

void Tangents::evaluate(std::span<const double> inputs, std::span<const double> speeds) {
    if (values_.empty()) {
        values_ = tape_->make_workspace<double>();
        slopes_.resize(tape_->register_count() * plan_->lanes);
    }
    double* const w = values_.data();
    std::copy(inputs.begin(), inputs.end(), w);
    const std::vector<Seed>& seeds = plan_->seeds;
    for (std::size_t s = 0; s < seeds.size(); ++s) slopes_[seeds[s].input * plan_->lanes + seeds[s].lane] = speeds[s];
    const auto code = tape_->instructions();
    for (std::size_t n = 0; n < code.size(); ++n) {
        const Tape::Instruction& i = code[n];
        const Flow& flow = plan_->flows[n];
        if (flow.count == 0) {
            w[i.target] = execute(i, w, tape_->tables());
            continue;
        }
        const Sloped result = execute_sloped(i, w, tape_->tables());
        propagate(i, flow, result.slopes);
        w[i.target] = result.value;
    }
}

}  // namespace bondgraph::expression
