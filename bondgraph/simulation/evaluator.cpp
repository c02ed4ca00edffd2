#include "bondgraph/simulation/evaluator.hpp"

#include <algorithm>

namespace bondgraph::simulation {

namespace {

/// Directions per evaluation: more would push the derivatives of registers out of the processor's cache.
constexpr std::uint32_t kLanes = 64;

}  // namespace

Evaluator::Evaluator(const compile::CompiledModel& model)
    : model_(model),
      inputs_(model.input_size(), 0.0),
      work_(model.residual.make_workspace<double>()),
      alpha_(model.size()),
      beta_(model.size()) {}

/// A row costs about a pass when it is found by itself, and a pass for every kLanes columns when it is found with the
/// others: the widest rows are taken out as long as that pays.
structure::Colouring Evaluator::colour_narrow_rows() {
    constexpr std::size_t kWide = 4 * kLanes;
    const structure::Incidence& pattern = model_.pattern;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t r = 0; r < pattern.rows(); ++r) {
        if (pattern.row(r).size() > kWide) rows.push_back(r);
    }
    if (rows.empty()) return model_.colouring;
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
    if (rows.empty()) return model_.colouring;
    structure::Incidence narrow;
    for (std::uint32_t r = 0; r < pattern.rows(); ++r) {
        const bool wide = std::ranges::binary_search(rows, r);
        if (wide) wide_rows_.push_back({r, static_cast<std::uint32_t>(pattern.starts[r])});
        narrow.add_row(wide ? std::span<const std::uint32_t>() : pattern.row(r));
    }
    gradients_.emplace(model_.residual, rows);
    return structure::colour_columns(narrow, size());
}

void Evaluator::make_passes() {
    const structure::Colouring colouring = colour_narrow_rows();
    const auto& colour = colouring.colour;
    const std::size_t count = (colouring.count + kLanes - 1) / kLanes;
    std::vector<std::vector<std::uint32_t>> columns(count);
    for (std::uint32_t j = 0; j < size(); ++j) columns[colour[j] / kLanes].push_back(j);
    for (std::vector<std::uint32_t>& chosen : columns) {
        std::vector<expression::Tangents::Seed> seeds;
        for (const std::uint32_t j : chosen) seeds.push_back({1 + j, colour[j] % kLanes});
        for (const std::uint32_t j : chosen) {
            seeds.push_back({1 + static_cast<std::uint32_t>(size()) + j, colour[j] % kLanes});
        }
        std::vector<double> speeds(seeds.size());
        passes_.push_back({{model_.residual, std::move(seeds)}, std::move(chosen), {}, std::move(speeds)});
    }
    std::uint32_t entry = 0;
    std::size_t wide = 0;
    for (std::uint32_t row = 0; row < model_.pattern.rows(); ++row) {
        if (wide < wide_rows_.size() && wide_rows_[wide].row == row) {
            entry += static_cast<std::uint32_t>(model_.pattern.row(row).size());
            ++wide;
            continue;
        }
        for (const std::uint32_t column : model_.pattern.row(row)) {
            passes_[colour[column] / kLanes].places.push_back({entry++, row, colour[column] % kLanes});
        }
    }
}

std::span<const double> Evaluator::inputs(double time, std::span<const double> y, std::span<const double> yp) {
    inputs_[0] = segment.inside(time);
    std::copy(y.begin(), y.end(), inputs_.begin() + 1);
    std::copy(yp.begin(), yp.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(y.size()));
    return inputs_;
}

bool Evaluator::residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out) {
    model_.residual.evaluate<double>(inputs(time, y, yp), out, work_);
    // A sum is not finite when one term is not: one test instead of n.
    double sum = 0.0;
    for (const double x : out) sum += x * 0.0;
    return sum == 0.0;
}

bool Evaluator::jacobian(double time, std::span<const double> y, std::span<const double> yp, double alpha, double beta,
                         std::span<double> entries) {
    std::fill(alpha_.begin(), alpha_.end(), alpha);
    std::fill(beta_.begin(), beta_.end(), beta);
    return jacobian(time, y, yp, alpha_, beta_, entries);
}

bool Evaluator::jacobian(double time, std::span<const double> y, std::span<const double> yp,
                         std::span<const double> alpha, std::span<const double> beta, std::span<double> entries) {
    if (passes_.empty()) make_passes();
    const auto at = inputs(time, y, yp);
    double sum = 0.0;
    for (Pass& pass : passes_) {
        const std::size_t count = pass.columns.size();
        for (std::size_t k = 0; k < count; ++k) {
            pass.speeds[k] = alpha[pass.columns[k]];
            pass.speeds[count + k] = beta[pass.columns[k]];
        }
        pass.tangents.evaluate(at, pass.speeds);
        for (const Place& p : pass.places) {
            const double value = pass.tangents.slope(p.row, p.lane);
            entries[p.entry] = value;
            sum += value * 0.0;
        }
    }
    if (gradients_) gradients_->evaluate(at);
    for (std::size_t k = 0; k < wide_rows_.size(); ++k) {
        const std::span<const double> slopes = gradients_->gradient(k);
        std::size_t entry = wide_rows_[k].first_entry;
        for (const std::uint32_t j : model_.pattern.row(wide_rows_[k].row)) {
            const double value = expression::chain_term(alpha[j], slopes[1 + j]) +
                                 expression::chain_term(beta[j], slopes[1 + size() + j]);
            entries[entry++] = value;
            sum += value * 0.0;
        }
    }
    return sum == 0.0;
}

AlgebraicLoops& Evaluator::loops() {
    if (!loops_) loops_.emplace(model_);
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
