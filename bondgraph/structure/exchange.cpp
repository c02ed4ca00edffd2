#include "bondgraph/structure/exchange.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::structure {

namespace {

struct Gain {
    double value = 0.0;
    std::size_t place = 0;  ///< among the chosen
    Eigen::Index other = -1;
};

/// Solves with the chosen columns: densely where these are few.
class ChosenColumns {
   public:
    ChosenColumns(const Eigen::MatrixXd& matrix, std::span<const Eigen::Index> chosen) {
        constexpr Eigen::Index kDense = 16;
        const Eigen::Index n = matrix.rows();
        if (n <= kDense) {
            dense_.compute(matrix(Eigen::all, std::vector<Eigen::Index>(chosen.begin(), chosen.end())));
            regular_ = dense_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
            return;
        }
        Incidence pattern;
        std::vector<double> entries;
        std::vector<std::uint32_t> columns;
        for (Eigen::Index r = 0; r < n; ++r) {
            columns.clear();
            for (std::size_t c = 0; c < chosen.size(); ++c) {
                const double entry = matrix(r, chosen[c]);
                if (entry == 0.0) continue;
                columns.push_back(static_cast<std::uint32_t>(c));
                entries.push_back(entry);
            }
            pattern.add_row(columns);
        }
        sparse_ = std::make_unique<SparseFactors>(pattern);
        regular_ = sparse_->factorize(entries);
    }

    [[nodiscard]] bool regular() const { return regular_; }

    void solve(Eigen::VectorXd& x) const {
        if (sparse_)
            sparse_->solve(std::span(x.data(), static_cast<std::size_t>(x.size())));
        else
            x = dense_.solve(x).eval();
    }

   private:
    Eigen::PartialPivLU<Eigen::MatrixXd> dense_;
    std::unique_ptr<SparseFactors> sparse_;
    bool regular_ = false;
};

Gain largest_gain(const Eigen::MatrixXd& matrix, std::span<const Eigen::Index> chosen, const ExchangeWeight& weight) {
    const Gain undetermined{std::numeric_limits<double>::infinity(), 0, -1};
    Gain best;
    if (matrix.rows() == 0) return best;
    if (static_cast<std::size_t>(matrix.rows()) != chosen.size() || !matrix.allFinite()) return undetermined;
    const ChosenColumns columns(matrix, chosen);
    if (!columns.regular()) return undetermined;
    std::vector<bool> taken(static_cast<std::size_t>(matrix.cols()), false);
    for (const Eigen::Index c : chosen) taken[static_cast<std::size_t>(c)] = true;
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
        if (taken[static_cast<std::size_t>(c)] || matrix.col(c).isZero(0.0)) continue;
        Eigen::VectorXd x = matrix.col(c);
        columns.solve(x);
        if (!x.allFinite()) return undetermined;
        for (Eigen::Index r = 0; r < x.size(); ++r) {
            if (std::abs(x(r)) <= best.value) continue;
            const double gain = std::abs(x(r)) * weight(chosen[static_cast<std::size_t>(r)], c);
            if (gain > best.value * (1.0 + 1e-12))  // rounding shall not decide between equals
                best = {gain, static_cast<std::size_t>(r), c};
        }
    }
    return best;
}

}  // namespace

double exchange_weight(StateWish lost, StateWish won) {
    constexpr std::array kWeights{1.0, 0.3, 0.1, 1e-3};
    if (lost.firmness <= won.firmness) return kWeights[0];
    const int against = std::max<int>(lost.firmness, -won.firmness);
    return kWeights[static_cast<std::size_t>(std::clamp(against, 1, 3))];
}

double exchange_gain(const Eigen::MatrixXd& matrix, std::span<const Eigen::Index> chosen,
                     const ExchangeWeight& weight) {
    return largest_gain(matrix, chosen, weight).value;
}

std::vector<Eigen::Index> exchanged(const Eigen::MatrixXd& matrix, std::vector<Eigen::Index> chosen,
                                    const ExchangeWeight& weight) {
    // Each exchange multiplies the determinant, so none comes twice; the bound is for rounding.
    for (Eigen::Index left = 4 * matrix.cols(); left > 0; --left) {
        const Gain gain = largest_gain(matrix, chosen, weight);
        if (gain.value <= kExchanged || gain.other < 0) break;
        chosen[gain.place] = gain.other;
    }
    return chosen;
}

}  // namespace bondgraph::structure
