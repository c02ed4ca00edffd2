#include "bondgraph/simulation/error_filter.hpp"

namespace bondgraph::simulation {

namespace {

std::vector<expression::Tangents::Seed> all_rates(const compile::CompiledModel& m) {
    std::vector<expression::Tangents::Seed> seeds;
    const auto n = static_cast<std::uint32_t>(m.size());
    for (std::uint32_t i = 0; i < m.state_count; ++i) seeds.push_back({1 + n + i, 0});
    return seeds;
}

}  // namespace

ErrorFilter::ErrorFilter(Evaluator& evaluator, std::span<const std::uint32_t> rows)
    : ev_(evaluator),
      own_(evaluator.model().residual, all_rates(evaluator.model())),
      speeds_(evaluator.model().state_count, 1.0),
      slopes_(evaluator.size(), 0.0),
      together_(evaluator.size(), false) {
    for (const std::uint32_t row : rows) together_[row] = true;
}

void ErrorFilter::keep(double time, std::span<const double> y, std::span<const double> yp, double c) {
    own_.evaluate(ev_.inputs(time, y, yp), speeds_);
    for (std::size_t row = 0; row < slopes_.size(); ++row) own_.slopes(row, &slopes_[row]);
    c_ = c;
}

void ErrorFilter::apply(std::span<double> error, const RateBlock* block, NewtonMatrix& newton) {
    if (block != nullptr) block->multiply(error);
    for (std::size_t row = 0; row < error.size(); ++row) {
        if (row >= speeds_.size() && !together_[row]) error[row] = 0.0;  // an algebraic equation
        error[row] *= together_[row] ? c_ : c_ * slopes_[row];
    }
    newton.solve(error);
}

}  // namespace bondgraph::simulation
