#include "bondgraph/analysis/transfer_function.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bondgraph/structure/dense.hpp"

namespace bondgraph::analysis {
namespace {

using Complex = std::complex<double>;

// Frequencies at which both forms are compared: between and beyond the poles' magnitudes.
std::vector<double> test_frequencies(const TransferFunction& h) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0.0;
    for (const Roots* roots : {&h.poles, &h.zeros}) {
        for (const Complex& r : *roots) {
            if (std::abs(r) == 0.0) continue;
            least = std::min(least, std::abs(r));
            greatest = std::max(greatest, std::abs(r));
        }
    }
    if (!(least <= greatest)) return {1.0};
    return {0.1 * least, std::sqrt(least * greatest), 0.5 * greatest, 10.0 * greatest};
}

// Off the imaginary axis, where undamped poles lie. What is 120 dB below the rest need not agree as well.
double largest_disagreement(const TransferFunction& h, const SingleChannel& channel) {
    constexpr double kLittle = 1e-6;
    std::vector<Complex> points;
    std::vector<Complex> expected;
    double scale = 0.0;
    for (const double w : test_frequencies(h)) {
        points.emplace_back(0.3 * w, w);
        expected.push_back(value_at(channel, points.back()));
        scale = std::max(scale, std::abs(expected.back()));
    }
    double largest = 0.0;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const double difference = std::abs(value_at(h, points[k]) - expected[k]);
        if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
        if (difference > 0.0)
            largest = std::max(largest, difference / std::max(std::abs(expected[k]), kLittle * scale));
    }
    return largest;
}

// (sI − A)⁻¹ b; of a large matrix with few entries as real and imaginary parts, whose entries stay few.
Eigen::VectorXcd answer(const SingleChannel& c, Complex s) {
    const auto n = c.A.rows();
    if (structure::worth_sparse_factors(c.A)) {
        const Eigen::SparseMatrix<double> own = c.A.sparseView();
        std::vector<Eigen::Triplet<double>> entries;
        for (int i = 0; i < static_cast<int>(n); ++i) {
            const int other = i + static_cast<int>(n);
            for (const int part : {i, other}) entries.emplace_back(part, part, s.real());
            entries.emplace_back(i, other, -s.imag());
            entries.emplace_back(other, i, s.imag());
            for (Eigen::SparseMatrix<double>::InnerIterator a(own, i); a; ++a) {
                const int row = static_cast<int>(a.row());
                entries.emplace_back(row, i, -a.value());
                entries.emplace_back(row + static_cast<int>(n), other, -a.value());
            }
        }
        Eigen::SparseMatrix<double> parts(2 * n, 2 * n);
        parts.setFromTriplets(entries.begin(), entries.end());
        Eigen::VectorXd right = Eigen::VectorXd::Zero(2 * n);
        right.head(n) = c.b;
        if (const auto x = structure::sparse_solution(parts, right))
            return x->col(0).head(n) + Complex(0.0, 1.0) * x->col(0).tail(n);
    }
    const Eigen::MatrixXcd resolvent = s * Eigen::MatrixXcd::Identity(n, n) - c.A.cast<Complex>();
    return resolvent.partialPivLu().solve(c.b.cast<Complex>());
}

// Poles with a zero in the same place, each zero used once. The roots are merged, so conjugates stay together.
void cancel(TransferFunction& h) {
    Roots poles;
    for (const Complex& p : h.poles) {
        const auto nearest = std::min_element(h.zeros.begin(), h.zeros.end(), [&](const Complex& a, const Complex& b) {
            return std::abs(a - p) < std::abs(b - p);
        });
        if (nearest == h.zeros.end() || std::abs(*nearest - p) > kSameRoot * std::abs(p)) {
            poles.push_back(p);
            continue;
        }
        h.cancelled.push_back(p);
        h.zeros.erase(nearest);
    }
    h.poles = std::move(poles);
}

}  // namespace

TransferFunction transfer_function(const SingleChannel& channel, const Roots* eigenvalues) {
    const SingleChannel s = balanced(reduced(channel));
    const bool whole = eigenvalues != nullptr && s.A.rows() == channel.A.rows();
    const Zeros zeros = invariant_zeros(s);
    TransferFunction h;
    h.gain = zeros.gain;
    if (h.gain == 0.0) return h;
    h.zeros = merged(zeros.values);
    h.poles = merged(whole ? *eigenvalues : block_eigenvalues(s.A));
    cancel(h);
    h.disagreement = largest_disagreement(h, s);
    return h;
}

Complex value_at(const TransferFunction& h, Complex s) {
    // Factors in turn from above and below, so that products of many large ones don't overflow.
    Complex value = h.gain;
    for (std::size_t k = 0; k < std::max(h.poles.size(), h.zeros.size()); ++k) {
        if (k < h.zeros.size()) value *= s - h.zeros[k];
        if (k < h.poles.size()) value /= s - h.poles[k];
    }
    return value;
}

Complex value_at(const SingleChannel& c, Complex s) { return rounded_value_at(c, s).value; }

RoundedValue rounded_value_at(const SingleChannel& c, Complex s) {
    constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
    const auto n = c.A.rows();
    if (n == 0) return {c.d, 0.0};
    const Eigen::VectorXcd x = answer(c, s);
    const double size = c.c.cwiseAbs().dot(x.cwiseAbs().transpose()) + std::abs(c.d);
    return {(c.c.cast<Complex>() * x)(0) + c.d, kRounding * size};
}

std::optional<double> static_gain(const TransferFunction& h) {
    const auto at_zero = [](const Complex& r) { return r == 0.0; };
    if (std::any_of(h.poles.begin(), h.poles.end(), at_zero)) return std::nullopt;
    return value_at(h, 0.0).real() + 0.0;
}

double high_frequency_gain(const TransferFunction& h) { return h.zeros.size() == h.poles.size() ? h.gain : 0.0; }

std::optional<Ratio> as_polynomials(const TransferFunction& h) {
    if (h.poles.size() > kMostDegrees) return std::nullopt;
    Ratio ratio{polynomial(h.zeros), polynomial(h.poles)};
    for (double& coefficient : ratio.numerator) coefficient *= h.gain;
    if (h.gain == 0.0) ratio.numerator = {0.0};
    return ratio;
}

}  // namespace bondgraph::analysis
