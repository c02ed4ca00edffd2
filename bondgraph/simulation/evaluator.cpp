#include "bondgraph/simulation/evaluator.hpp"

#include <algorithm>

namespace bondgraph::simulation {

Evaluator::Evaluator(const compile::CompiledModel& model)
    : model_(model),
      inputs_(model.input_size(), 0.0),
      work_(model.residual.make_workspace<double>()),
      jet_inputs_(model.input_size()),
      jet_outputs_(model.size()),
      jet_work_(model.residual.make_workspace<Jet>()),
      alpha_(model.size()),
      beta_(model.size()) {
    const std::size_t passes = (model.colouring.count + kLanes - 1) / kLanes;
    places_.resize(passes);
    columns_.resize(passes);
    for (std::uint32_t j = 0; j < model.size(); ++j) columns_[model.colouring.colour[j] / kLanes].push_back(j);
    std::uint32_t entry = 0;
    for (std::uint32_t row = 0; row < model.pattern.rows(); ++row) {
        for (const std::uint32_t column : model.pattern.row(row)) {
            const std::uint32_t colour = model.colouring.colour[column];
            places_[colour / kLanes].push_back({entry++, row, colour % kLanes});
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
    const std::size_t n = size();
    const auto plain = inputs(time, y, yp);
    for (std::size_t i = 0; i < plain.size(); ++i) jet_inputs_[i] = Jet(plain[i]);
    double sum = 0.0;
    for (std::size_t pass = 0; pass < places_.size(); ++pass) {
        for (const std::uint32_t j : columns_[pass]) {
            const std::size_t lane = model_.colouring.colour[j] % kLanes;
            jet_inputs_[1 + j].d[lane] = alpha[j];
            jet_inputs_[1 + n + j].d[lane] = beta[j];
        }
        model_.residual.evaluate<Jet>(jet_inputs_, jet_outputs_, jet_work_);
        for (const Place& p : places_[pass]) {
            const double value = jet_outputs_[p.row].d[p.lane];
            entries[p.entry] = value;
            sum += value * 0.0;
        }
        for (const std::uint32_t j : columns_[pass]) {
            jet_inputs_[1 + j].d = {};
            jet_inputs_[1 + n + j].d = {};
        }
    }
    return sum == 0.0;
}

void Evaluator::run(const expression::Tape& tape, std::vector<double>& workspace, double time,
                    std::span<const double> y, std::span<const double> yp, std::span<double> out) {
    tape.evaluate<double>(inputs(time, y, yp), out, workspace);
}

Eigen::SparseMatrix<double> Evaluator::matrix(std::span<const double> entries) const {
    const auto n = static_cast<Eigen::Index>(size());
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(entries.size());
    std::size_t entry = 0;
    for (std::size_t row = 0; row < model_.pattern.rows(); ++row) {
        for (const std::uint32_t column : model_.pattern.row(row)) {
            triplets.emplace_back(static_cast<int>(row), static_cast<int>(column), entries[entry++]);
        }
    }
    Eigen::SparseMatrix<double> m(n, n);
    m.setFromTriplets(triplets.begin(), triplets.end());
    m.makeCompressed();
    return m;
}

}  // namespace bondgraph::simulation
