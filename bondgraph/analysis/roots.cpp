#include "bondgraph/analysis/roots.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bondgraph/structure/components.hpp"

namespace bondgraph::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void sort(Roots& roots) {
    std::sort(roots.begin(), roots.end(), [](const Complex& a, const Complex& b) {
        return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag());
    });
}

/// Whether a matrix is singular to working precision, whatever the scales of its rows and columns.
bool is_singular(Eigen::MatrixXd m) {
    for (int sweep = 0; sweep < 3; ++sweep) {
        for (Index i = 0; i < m.rows(); ++i) {
            const double row = m.row(i).cwiseAbs().maxCoeff();
            if (row == 0.0) return true;
            m.row(i) /= row;
        }
        for (Index j = 0; j < m.cols(); ++j) {
            const double column = m.col(j).cwiseAbs().maxCoeff();
            if (column == 0.0) return true;
            m.col(j) /= column;
        }
    }
    Eigen::FullPivLU<Eigen::MatrixXd> lu;
    lu.setThreshold(100.0 * kEpsilon * static_cast<double>(m.rows()));
    return !lu.compute(m).isInvertible();
}

// What rounding leaves of zero in a number that comes from n others, relative to its terms.
double own_rounding(Index n) { return 10.0 * kEpsilon * static_cast<double>(n); }

// What m_ij m_ji leaves of a matrix that is symmetric in other units of its variables: those of networks that store
// energy of one kind only (R and C, springs that creep). Nothing for any other.
std::optional<Eigen::MatrixXd> symmetric_form(const Eigen::MatrixXd& m) {
    constexpr double kSame = 1e-13;
    const Index n = m.rows();
    std::vector<double> log_unit(static_cast<std::size_t>(n), 0.0);
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    Eigen::MatrixXd symmetric = m;
    std::vector<Index> open;
    for (Index first = 0; first < n; ++first) {
        if (seen[static_cast<std::size_t>(first)]) continue;
        seen[static_cast<std::size_t>(first)] = true;
        open.push_back(first);
        while (!open.empty()) {
            const Index i = open.back();
            open.pop_back();
            for (Index j = 0; j < n; ++j) {
                if (j == i || (m(i, j) == 0.0 && m(j, i) == 0.0)) continue;
                if (!(m(i, j) / m(j, i) > 0.0) || !std::isfinite(m(i, j) / m(j, i))) return std::nullopt;
                const double unit = log_unit[static_cast<std::size_t>(i)] + 0.5 * std::log(m(j, i) / m(i, j));
                if (!seen[static_cast<std::size_t>(j)]) {
                    seen[static_cast<std::size_t>(j)] = true;
                    log_unit[static_cast<std::size_t>(j)] = unit;
                    open.push_back(j);
                } else if (std::abs(unit - log_unit[static_cast<std::size_t>(j)]) > kSame) {
                    return std::nullopt;
                }
                symmetric(i, j) = std::copysign(std::sqrt(std::abs(m(i, j))) * std::sqrt(std::abs(m(j, i))), m(i, j));
            }
        }
    }
    return symmetric;
}

// The states of a chain in their order, each coupled to the one before; nothing where they form no chain.
std::optional<std::vector<Index>> chain_order(const Eigen::MatrixXd& symmetric) {
    const Index n = symmetric.rows();
    std::vector<std::vector<Index>> beside(static_cast<std::size_t>(n));
    Index end = -1;
    for (Index i = 0; i < n; ++i) {
        auto& list = beside[static_cast<std::size_t>(i)];
        for (Index j = 0; j < n && list.size() < 3; ++j) {
            if (j != i && symmetric(i, j) != 0.0) list.push_back(j);
        }
        if (list.size() > 2) return std::nullopt;
        if (list.size() < 2) end = i;
    }
    if (end < 0) return std::nullopt;
    std::vector<Index> order{end};
    for (Index before = -1; order.size() < static_cast<std::size_t>(n);) {
        const Index now = order.back();
        const auto& list = beside[static_cast<std::size_t>(now)];
        const auto next = std::find_if(list.begin(), list.end(), [&](Index j) { return j != before; });
        if (next == list.end()) return std::nullopt;
        before = now;
        order.push_back(*next);
    }
    return order;
}

Roots eigenvalues_of_symmetric(const Eigen::MatrixXd& symmetric) {
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    if (const auto order = chain_order(symmetric)) {
        const Index n = symmetric.rows();
        Eigen::VectorXd diagonal(n);
        Eigen::VectorXd beside(n - 1);
        for (Index k = 0; k < n; ++k) {
            const Index at = (*order)[static_cast<std::size_t>(k)];
            diagonal(k) = symmetric(at, at);
            if (k > 0) beside(k - 1) = symmetric((*order)[static_cast<std::size_t>(k) - 1], at);
        }
        solver.computeFromTridiagonal(diagonal, beside, Eigen::EigenvaluesOnly);
    } else {
        solver.compute(symmetric, Eigen::EigenvaluesOnly);
    }
    if (solver.info() != Eigen::Success) return {};
    return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

Roots all_eigenvalues(const Eigen::MatrixXd& m) {
    if (const auto symmetric = symmetric_form(m)) {
        if (Roots values = eigenvalues_of_symmetric(*symmetric); !values.empty()) return values;
    }
    const Eigen::VectorXcd values = m.eigenvalues();
    return {values.begin(), values.end()};
}

bool by_magnitude(const Complex& a, const Complex& b) { return std::abs(a) < std::abs(b); }

// What rounding beside the largest has made of small eigenvalues: zero if the matrix is singular, else they are found
// anew as the large ones of its inverse.
void add_eigenvalues(const Eigen::MatrixXd& block, Roots& roots) {
    if (block.rows() == 1) {
        roots.emplace_back(block(0, 0));
        return;
    }
    const double rounding = 10.0 * kEpsilon * block.norm();
    Roots values = all_eigenvalues(block);
    std::sort(values.begin(), values.end(), by_magnitude);
    const auto small =
        std::find_if(values.begin(), values.end(), [&](const Complex& v) { return std::abs(v) > rounding; });
    if (small != values.begin()) {
        Roots inverse;
        if (!is_singular(block)) {
            inverse = all_eigenvalues(block.inverse());
            std::sort(inverse.rbegin(), inverse.rend(), by_magnitude);
        }
        for (auto v = values.begin(); v != small; ++v) {
            const auto k = static_cast<std::size_t>(v - values.begin());
            *v = inverse.empty() ? 0.0 : 1.0 / inverse[k];
        }
    }
    for (const Complex& v : values) {
        const bool real = std::abs(v.imag()) <= std::min(rounding, kSameRoot * std::abs(v));
        const bool undamped = !real && std::abs(v.real()) <= own_rounding(block.rows()) * std::abs(v);
        roots.push_back(real ? Complex(v.real()) : undamped ? Complex(0.0, v.imag()) : v);
    }
}

// det(A − s E): E is singular at most by rounding, since the input shows in the output.
Roots generalized_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& E) {
    Roots roots;
    if (A.rows() == 0) return roots;
    const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(A, E, false);
    for (Index i = 0; i < A.rows(); ++i) {
        const Complex alpha = solver.alphas()(i);
        const double beta = solver.betas()(i);
        if (beta == 0.0 || std::abs(beta) * A.norm() < 10.0 * kEpsilon * std::abs(alpha) * E.norm())
            continue;  // infinite
        roots.push_back(std::abs(alpha) <= 10.0 * kEpsilon * A.norm() ? Complex(0.0) : alpha / beta);
    }
    return roots;
}

// a − b, with what rounding leaves of a zero taken for one: `terms` bounds what the entries are made of.
template <class Matrix>
Matrix difference(const Matrix& a, const Matrix& b, const Matrix& terms) {
    const double tolerance = 10.0 * kEpsilon * static_cast<double>(std::max(a.cols(), a.rows()) + 1);
    const Matrix d = a - b;
    return (d.array().abs() > tolerance * terms.array()).select(d, 0.0);
}

// A channel whose states go one by one. What is gone keeps its place, so that a step costs no more than the entries it
// changes: those of a chain are few.
class Deflation {
   public:
    explicit Deflation(const SingleChannel& s) : s_(s) {
        for (Index i = 0; i < s.A.rows(); ++i) states_.push_back(i);
    }

    [[nodiscard]] bool shows() const { return s_.d != 0.0; }
    [[nodiscard]] bool hopeless() const { return states_.empty() || s_.c.isZero(0.0); }
    [[nodiscard]] SingleChannel rest() const { return {s_.A(states_, states_), s_.b(states_), s_.c(states_), s_.d}; }

    // A high derivative of the output is larger than any number unless its power of two is kept apart: it is returned.
    int normalize() {
        const int size = std::ilogb(s_.c.cwiseAbs().maxCoeff());
        s_.c *= std::exp2(-size);
        return size;
    }

    // One state replaced by the output c x: while the output is held at zero that state follows from the others, and
    // what keeps it there, d/dt (c x) = 0, is the next output. Removes one infinite zero.
    void step() {
        Index k = 0;
        s_.c.cwiseAbs().maxCoeff(&k);
        const double rounding = 10.0 * kEpsilon * static_cast<double>(states_.size() + 1);
        const std::vector<Index> in_output = non_zero_of([&](Index i) { return s_.c(i); });
        const std::vector<Index> through = non_zero_of([&](Index i) { return s_.A(i, k); });
        Eigen::RowVectorXd next = Eigen::RowVectorXd::Zero(s_.c.cols());
        Eigen::RowVectorXd terms = next;
        for (const Index i : in_output) {
            for (const Index j : states_) add(next(j), terms(j), s_.c(i) * s_.A(i, j));
        }
        double rate = 0.0;  // of the output by the state that goes
        double rate_terms = 0.0;
        double direct = 0.0;
        double direct_terms = 0.0;
        for (const Index i : in_output) {
            add(rate, rate_terms, s_.c(i) * s_.A(i, k));
            add(direct, direct_terms, s_.c(i) * s_.b(i));
        }
        for (const Index j : in_output) {
            const double ratio = s_.c(j) / s_.c(k);
            next(j) -= rate * ratio;
            terms(j) += rate_terms * std::abs(ratio);
            for (const Index i : through) {
                const double change = s_.A(i, k) * ratio;
                const double size = std::abs(s_.A(i, j)) + std::abs(change);
                const double value = s_.A(i, j) - change;
                if (j != k) s_.A(i, j) = std::abs(value) > rounding * size ? value : 0.0;
            }
        }
        s_.d = std::abs(direct) > 10.0 * kEpsilon * direct_terms ? direct : 0.0;
        s_.c.setZero();
        for (const Index j : states_) {
            if (j != k && std::abs(next(j)) > rounding * terms(j)) s_.c(j) = next(j);
        }
        std::erase(states_, k);
    }

   private:
    static void add(double& sum, double& terms, double term) {
        sum += term;
        terms += std::abs(term);
    }

    template <class Entry>
    [[nodiscard]] std::vector<Index> non_zero_of(const Entry& entry) const {
        std::vector<Index> places;
        for (const Index i : states_) {
            if (entry(i) != 0.0) places.push_back(i);
        }
        return places;
    }

    SingleChannel s_;
    std::vector<Index> states_;
};

// The last column of [A b; c d] − s [I 0; 0 0] eliminated by its last row, pivoting there on the largest entry.
Roots finite_zeros(const SingleChannel& s) {
    const Index n = s.A.rows();
    // Neither the size of the input nor that of the output counts.
    constexpr double kMostGrowth = 1e3;
    if (s.b.norm() * s.c.norm() <= kMostGrowth * std::abs(s.d) * s.A.norm() || s.b.isZero(0.0) || s.c.isZero(0.0)) {
        const Eigen::MatrixXd through = s.b * (s.c / s.d);
        return block_eigenvalues(difference<Eigen::MatrixXd>(s.A, through, s.A.cwiseAbs() + through.cwiseAbs()));
    }
    Index k = 0;
    s.c.cwiseAbs().maxCoeff(&k);
    const Eigen::RowVectorXd ratio = s.c / s.c(k);
    Eigen::MatrixXd A = s.A - s.A.col(k) * ratio;
    Eigen::MatrixXd E = Eigen::MatrixXd::Identity(n, n);
    E.row(k) -= ratio;
    // Its own column is gone; the input takes the place.
    A.col(k) = s.b - s.A.col(k) * (s.d / s.c(k));
    E.col(k).setZero();
    E(k, k) = -s.d / s.c(k);
    return generalized_eigenvalues(A, E);
}

}  // namespace

Roots block_eigenvalues(const Eigen::MatrixXd& matrix) {
    structure::Incidence successors;
    std::vector<std::uint32_t> row;
    for (Index i = 0; i < matrix.rows(); ++i) {
        row.clear();
        for (Index j = 0; j < matrix.cols(); ++j) {
            if (matrix(i, j) != 0.0) row.push_back(static_cast<std::uint32_t>(j));
        }
        successors.add_row(row);
    }
    const auto blocks = structure::strong_components(successors);
    Roots roots;
    for (std::size_t k = 0; k < blocks.rows(); ++k) {
        const auto members = blocks.row(k);
        const std::vector<Index> places(members.begin(), members.end());
        add_eigenvalues(matrix(places, places), roots);
    }
    sort(roots);
    return roots;
}

Zeros invariant_zeros(const SingleChannel& system) {
    Deflation deflation(system);
    int exponent = 0;
    while (!deflation.shows()) {
        if (deflation.hopeless()) return {};
        exponent += deflation.normalize();
        deflation.step();
    }
    const SingleChannel s = deflation.rest();
    // 0 would mean that nothing acts.
    constexpr double kLeast = std::numeric_limits<double>::min();
    const double gain = std::ldexp(s.d, exponent);
    Zeros zeros{finite_zeros(s), gain != 0.0 ? gain : std::copysign(kLeast, s.d)};
    sort(zeros.values);
    return zeros;
}

Roots merged(const Roots& roots) {
    Roots upper;  // conjugates follow from these; a double real root stands for a pair on the real axis
    for (const Complex& r : roots) {
        const bool real = std::abs(r.imag()) <= kSameRoot * std::abs(r);
        if (real)
            upper.emplace_back(r.real());
        else if (r.imag() > 0.0)
            upper.push_back(r);
    }
    sort(upper);
    Roots result;
    std::vector<bool> taken(upper.size(), false);
    for (std::size_t i = 0; i < upper.size(); ++i) {
        if (taken[i]) continue;
        std::vector<std::size_t> cluster;
        Complex sum = 0.0;
        for (std::size_t k = i; k < upper.size(); ++k) {
            if (taken[k] || std::abs(upper[k] - upper[i]) > kSameRoot * std::abs(upper[i])) continue;
            taken[k] = true;
            cluster.push_back(k);
            sum += upper[k] - upper[i];
        }
        const Complex mean = upper[i] + sum / static_cast<double>(cluster.size());
        for (std::size_t k = 0; k < cluster.size(); ++k) {
            result.push_back(mean);
            if (mean.imag() != 0.0) result.push_back(std::conj(mean));
        }
    }
    sort(result);
    return result;
}

std::vector<MultipleRoot> multiplicities(const Roots& roots) {
    std::vector<MultipleRoot> result;
    for (const Complex& r : roots) {
        const auto same =
            std::find_if(result.begin(), result.end(), [&](const MultipleRoot& m) { return m.value == r; });
        if (same != result.end())
            ++same->multiplicity;
        else
            result.push_back({r, 1});
    }
    return result;
}

namespace {

// A product of factors s + first and s² + first·s + second.
class Product {
   public:
    void times(double first) {
        p_.push_back(0.0);
        for (std::size_t k = p_.size(); k-- > 1;) p_[k] += first * p_[k - 1];
    }
    void times(double first, double second) {
        p_.resize(p_.size() + 2, 0.0);
        for (std::size_t k = p_.size(); k-- > 0;) {
            if (k >= 1) p_[k] += first * p_[k - 1];
            if (k >= 2) p_[k] += second * p_[k - 2];
        }
    }
    [[nodiscard]] const std::vector<double>& coefficients() const { return p_; }

   private:
    std::vector<double> p_{1.0};
};

}  // namespace

std::vector<double> polynomial(const Roots& roots) {
    Product product;
    Product terms;  // of the roots' magnitudes: what the coefficients are sums of
    for (const Complex& r : roots) {
        if (r.imag() > 0.0) {
            product.times(-2.0 * r.real(), std::norm(r));
            terms.times(2.0 * std::abs(r), std::norm(r));
        } else if (r.imag() == 0.0) {
            product.times(-r.real());
            terms.times(std::abs(r));
        }
    }
    std::vector<double> p = product.coefficients();
    const double rounding = own_rounding(static_cast<Index>(roots.size()));
    for (std::size_t k = 0; k < p.size(); ++k) {
        if (std::abs(p[k]) <= rounding * terms.coefficients()[k]) p[k] = 0.0;
    }
    return p;
}

}  // namespace bondgraph::analysis
