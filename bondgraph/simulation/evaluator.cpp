#include "bondgraph/simulation/evaluator.hpp"

#include <algorithm>
#include <utility>

#include "bondgraph/simulation/delays.hpp"

namespace bondgraph::simulation {

namespace {

/// Directions per evaluation: more would push the derivatives of registers out of the processor's cache.
constexpr std::uint32_t kLanes = 64;

}  // namespace

/// A row costs about a pass when it is found by itself, and a pass for every kLanes columns when it is found with the
/// others: the widest rows are taken out as long as that pays.
structure::Colouring JacobianPlan::colour_narrow_rows(const compile::CompiledModel& model) {
    constexpr std::size_t kWide = 4 * kLanes;
    const structure::Incidence& pattern = model.pattern;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t r = 0; r < pattern.rows(); ++r) {
        if (pattern.row(r).size() > kWide) rows.push_back(r);
    }
    if (rows.empty()) return model.colouring;
    const auto width = [&](std::uint32_t r) { return pattern.row(r).size(); };
    std::ranges::stable_sort(rows, std::ranges::greater{}, width);
    std::size_t best = 0;
    const auto passes = [&](std::size_t taken) {
        return taken + (taken < rows.size() ? width(rows[taken]) : kWide) / kLanes;
    };
    for (std::size_t taken = 1; taken <= rows.size(); ++taken) {
        if (passes(taken) < passes(best)) best = taken;
    }
    rows.resize(best);
    std::ranges::sort(rows);
    if (rows.empty()) return model.colouring;
    structure::Incidence narrow;
    for (std::uint32_t r = 0; r < pattern.rows(); ++r) {
        const bool wide = std::ranges::binary_search(rows, r);
        if (wide) wide_rows.push_back({r, static_cast<std::uint32_t>(pattern.starts[r])});
        narrow.add_row(wide ? std::span<const std::uint32_t>() : pattern.row(r));
    }
    gradients.emplace(model.residual, rows);
    return structure::colour_columns(narrow, model.size());
}

JacobianPlan::JacobianPlan(const compile::CompiledModel& model) {
    const auto size = static_cast<std::uint32_t>(model.size());
    const structure::Colouring colouring = colour_narrow_rows(model);
    const auto& colour = colouring.colour;
    const std::size_t count = (colouring.count + kLanes - 1) / kLanes;
    std::vector<std::vector<std::uint32_t>> columns(count);
    for (std::uint32_t j = 0; j < size; ++j) columns[colour[j] / kLanes].push_back(j);
    for (std::vector<std::uint32_t>& chosen : columns) {
        std::vector<expression::Tangents::Seed> seeds;
        for (const std::uint32_t j : chosen) seeds.push_back({1 + j, colour[j] % kLanes});
        for (const std::uint32_t j : chosen) {
            seeds.push_back({1 + size + j, colour[j] % kLanes});
        }
        passes.push_back({{model.residual, std::move(seeds)}, std::move(chosen), {}});
    }
    std::uint32_t entry = 0;
    std::size_t wide = 0;
    for (std::uint32_t row = 0; row < model.pattern.rows(); ++row) {
        if (wide < wide_rows.size() && wide_rows[wide].row == row) {
            entry += static_cast<std::uint32_t>(model.pattern.row(row).size());
            ++wide;
            continue;
        }
        for (const std::uint32_t column : model.pattern.row(row)) {
            passes[colour[column] / kLanes].places.push_back({entry++, row, colour[column] % kLanes});
        }
    }
}

Evaluator::Evaluator(const compile::CompiledModel& model) : Evaluator(std::make_shared<const Findings>(model)) {}

Evaluator::Evaluator(std::shared_ptr<const Findings> findings)
    : findings_(std::move(findings)),
      model_(findings_->model()),
      inputs_(model_.input_size(), 0.0),
      work_(model_.residual.make_workspace<double>()),
      delay_work_(model_.delays.times.make_workspace<double>()),
      alpha_(model_.size()),
      beta_(model_.size()) {}

std::span<const double> Evaluator::inputs(double time, std::span<const double> y, std::span<const double> yp) {
    inputs_[0] = segment.inside(time);
    std::copy(y.begin(), y.end(), inputs_.begin() + 1);
    std::copy(yp.begin(), yp.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(y.size()));
    if (delays != nullptr) delays->fill(model_, inputs_, delay_work_);
    return inputs_;
}

bool Evaluator::residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out) {
    model_.residual.evaluate<double>(inputs(time, y, yp), out, work_);
    // A sum is not finite when one term is not: one test instead of n.
    double sum = 0.0;
    for (const double x : out) sum += x * 0.0;
    return sum == 0.0 && (delays == nullptr || !delays->beyond());
}

bool Evaluator::jacobian(double time, std::span<const double> y, std::span<const double> yp, double alpha, double beta,
                         std::span<double> entries) {
    std::fill(alpha_.begin(), alpha_.end(), alpha);
    std::fill(beta_.begin(), beta_.end(), beta);
    return jacobian(time, y, yp, alpha_, beta_, entries);
}

bool Evaluator::jacobian(double time, std::span<const double> y, std::span<const double> yp,
                         std::span<const double> alpha, std::span<const double> beta, std::span<double> entries) {
    if (plan_ == nullptr) {
        plan_ = &findings_->of<JacobianPlan>();
        for (const JacobianPlan::Pass& pass : plan_->passes) passes_.push_back(pass.tangents);
        gradients_ = plan_->gradients;
    }
    const auto at = inputs(time, y, yp);
    double sum = 0.0;
    for (std::size_t number = 0; number < passes_.size(); ++number) {
        const JacobianPlan::Pass& pass = plan_->passes[number];
        const std::size_t count = pass.columns.size();
        speeds_.resize(2 * count);
        for (std::size_t k = 0; k < count; ++k) {
            speeds_[k] = alpha[pass.columns[k]];
            speeds_[count + k] = beta[pass.columns[k]];
        }
        passes_[number].evaluate(at, speeds_);
        for (const JacobianPlan::Place& p : pass.places) {
            const double value = passes_[number].slope(p.row, p.lane);
            entries[p.entry] = value;
            sum += value * 0.0;
        }
    }
    if (gradients_) gradients_->evaluate(at);
    for (std::size_t k = 0; k < plan_->wide_rows.size(); ++k) {
        const std::span<const double> slopes = gradients_->gradient(k);
        std::size_t entry = plan_->wide_rows[k].first_entry;
        for (const std::uint32_t j : model_.pattern.row(plan_->wide_rows[k].row)) {
            const double value = expression::chain_term(alpha[j], slopes[1 + j]) +
                                 expression::chain_term(beta[j], slopes[1 + size() + j]);
            entries[entry++] = value;
            sum += value * 0.0;
        }
    }
    return sum == 0.0;
}

AlgebraicLoops& Evaluator::loops() {
    if (!loops_) loops_.emplace(findings_->of<AlgebraicLoops>());
    return *loops_;
}

bool Evaluator::solve_loops(double time, std::span<double> y, std::span<const double> yp) {
    AlgebraicLoops& loops = this->loops();
    if (loops.empty()) return true;
    inputs(time, y, yp);
    if (!loops.solve(inputs_)) return false;
    for (const std::uint32_t j : loops.unknowns()) y[j] = inputs_[1 + j];
    return true;
}

void Evaluator::run(const expression::Tape& tape, std::vector<double>& workspace, double time,
                    std::span<const double> y, std::span<const double> yp, std::span<double> out) {
    tape.evaluate<double>(inputs(time, y, yp), out, workspace);
}

}  // namespace bondgraph::simulation
