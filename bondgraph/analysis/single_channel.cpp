#include "bondgraph/analysis/single_channel.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace bondgraph::analysis {
namespace {

using Index = Eigen::Index;

// The states that can be reached from `marked` ones along the non-zero entries of A (x_i depends on x_j).
std::vector<bool> closure(const Eigen::MatrixXd& A, std::vector<bool> marked) {
    std::vector<Index> open;
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (marked[i]) open.push_back(static_cast<Index>(i));
    }
    while (!open.empty()) {
        const Index j = open.back();
        open.pop_back();
        for (Index i = 0; i < A.rows(); ++i) {
            if (A(i, j) == 0.0 || marked[static_cast<std::size_t>(i)]) continue;
            marked[static_cast<std::size_t>(i)] = true;
            open.push_back(i);
        }
    }
    return marked;
}

template <class Vector>
std::vector<bool> non_zero(const Vector& v) {
    std::vector<bool> marked;
    for (const double x : v) marked.push_back(x != 0.0);
    return marked;
}

// The power of two nearest to sqrt(column / row): scaling by it makes both norms alike.
double balancing_factor(double column, double row) { return std::exp2(std::round(0.5 * std::log2(row / column))); }

}  // namespace

SingleChannel channel(const LinearModel& model, std::size_t input, std::size_t output) {
    const auto i = static_cast<Index>(input);
    const auto o = static_cast<Index>(output);
    return {model.A, model.B.col(i), model.C.row(o), model.D(o, i)};
}

SingleChannel reduced(const SingleChannel& s) {
    const auto reached = closure(s.A, non_zero(s.b));
    const auto seen = closure(s.A.transpose(), non_zero(s.c));
    std::vector<Index> kept;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        if (reached[i] && seen[i]) kept.push_back(static_cast<Index>(i));
    }
    return {s.A(kept, kept), s.b(kept), s.c(kept), s.d};
}

Eigen::MatrixXd balanced(Eigen::MatrixXd m) {
    constexpr int kMostSweeps = 100;
    bool changed = true;
    for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
        changed = false;
        for (Index k = 0; k < m.rows(); ++k) {
            const double diagonal = std::abs(m(k, k));
            const double column = m.col(k).lpNorm<1>() - diagonal;
            const double row = m.row(k).lpNorm<1>() - diagonal;
            if (!(column > 0.0) || !(row > 0.0)) continue;
            const double factor = balancing_factor(column, row);
            // Less than a twentieth is not worth another sweep.
            if (factor * column + row / factor > 0.95 * (column + row)) continue;
            m.col(k) *= factor;
            m.row(k) /= factor;
            changed = true;
        }
    }
    return m;
}

SingleChannel balanced(const SingleChannel& s) {
    const Index n = s.A.rows();
    Eigen::MatrixXd m(n + 1, n + 1);
    m << s.A, s.b, s.c, s.d;
    m = balanced(std::move(m));
    return {m.topLeftCorner(n, n), m.topRightCorner(n, 1), m.bottomLeftCorner(1, n), m(n, n)};
}

}  // namespace bondgraph::analysis
