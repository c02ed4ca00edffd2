#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/start_factors.hpp"
#include "bondgraph/simulation/start_nonlinear.hpp"
#include "bondgraph/structure/matching.hpp"

namespace bondgraph::simulation {

using Eigen::VectorXd;
using Status = NonlinearResult::Status;

namespace {

constexpr int kMostSteps = 500;
constexpr int kMostCorrections = 8;
constexpr double kShortest = 1e-7;

class Path {
   public:
    Path(const NonlinearSystem& s, std::span<const double> start, Homotopy kind, double direction)
        : s_(s),
          kind_(kind),
          direction_(direction),
          start_(Eigen::Map<const VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()))),
          f_(start_.size()),
          f0_(start_.size()),
          entries_(s.pattern.columns.size()),
          factors_(s.pattern) {}

    /// False when the path can't be begun here.
    bool prepare() {
        if (!evaluate(start_) || !s_.jacobian({start_.data(), s_.size()}, entries_)) return false;
        f0_ = f_;
        rows_ = VectorXd::Ones(start_.size());
        if (kind_ == Homotopy::newton) return factors_.factorize(entries_);
        factors_.factorize(entries_);  // for its scales, also when it is singular
        if (!(factors_.rows().minCoeff() > 0.0) || !(factors_.columns().minCoeff() > 0.0)) return false;
        rows_ = factors_.rows();
        const auto matching = structure::maximum_matching(s_.pattern, s_.size());
        if (matching.size() < s_.size()) return false;
        diagonal_ = VectorXd(start_.size());
        partner_.resize(s_.size());
        place_.resize(s_.size());
        for (std::uint32_t r = 0; r < s_.size(); ++r) {
            const auto row = s_.pattern.row(r);
            partner_[r] = matching.column_of[r];
            place_[r] = s_.pattern.starts[r] +
                        static_cast<std::size_t>(std::find(row.begin(), row.end(), partner_[r]) - row.begin());
            const double sign = entries_[place_[r]] < 0.0 ? -direction_ : direction_;
            diagonal_(r) = sign * factors_.columns()(partner_[r]);
        }
        return true;
    }

    /// True when λ = 1 was reached; x is the last point on the path.
    bool follow(VectorXd& x) {
        x = start_;
        double lambda = 0.0;
        double step = 0.1;
        for (int k = 0; k < kMostSteps && lambda < 1.0; ++k) {
            end_if_asked(s_.interrupted);
            const double to = std::min(1.0, lambda + step);
            VectorXd next = x;
            const int corrections = advance(next, lambda, to);
            if (corrections < 0) {
                step *= 0.5;
                if (step < kShortest) return false;
                continue;
            }
            x = next;
            lambda = to;
            if (corrections <= 3) step *= 2.0;
        }
        return lambda == 1.0;
    }

   private:
    bool evaluate(const VectorXd& x) { return s_.residual({x.data(), s_.size()}, {f_.data(), s_.size()}); }

    // H and its factors at x; false when there are none.
    bool look(const VectorXd& x, double lambda, VectorXd& h) {
        if (!evaluate(x) || !s_.jacobian({x.data(), s_.size()}, entries_)) return false;
        h = f_.cwiseQuotient(rows_);
        if (kind_ == Homotopy::newton) {
            h -= (1.0 - lambda) * f0_;
        } else {
            h *= lambda;
            for (std::uint32_t r = 0; r < s_.size(); ++r) {
                for (std::uint32_t e = s_.pattern.starts[r]; e < s_.pattern.starts[r + 1]; ++e)
                    entries_[e] *= lambda / rows_(r);
                entries_[place_[r]] += (1.0 - lambda) * diagonal_(r);
                h(r) += (1.0 - lambda) * diagonal_(r) * (x(partner_[r]) - start_(partner_[r]));
            }
        }
        return factors_.factorize(entries_);
    }

    VectorXd along(const VectorXd& x) const {
        if (kind_ == Homotopy::newton) return f0_;
        VectorXd result = f_.cwiseQuotient(rows_);
        for (std::uint32_t r = 0; r < s_.size(); ++r)
            result(r) -= diagonal_(r) * (x(partner_[r]) - start_(partner_[r]));
        return result;
    }

    // Tangent and Newton's corrections; their number, or −1 when they don't contract.
    int advance(VectorXd& x, double from, double to) {
        VectorXd h;
        if (!look(x, from, h)) return -1;
        x -= (to - from) * factors_.solve(along(x));
        double before = -1.0;
        for (int k = 0; k < kMostCorrections; ++k) {
            if (!x.allFinite() || !look(x, to, h)) return -1;
            const VectorXd correction = factors_.solve(-h);
            if (!correction.allFinite()) return -1;
            const double length = factors_.size_of(correction);
            if (before >= 0.0 && length > 0.5 * before) return -1;
            x += correction;
            before = length;
            if (length <= 1e-6 * factors_.size_of(x) || length == 0.0) return k + 1;
        }
        return -1;
    }

    const NonlinearSystem& s_;
    Homotopy kind_;
    double direction_;  // of D: its sign decides to which side a path leaves
    VectorXd start_;
    VectorXd f_;
    VectorXd f0_;
    std::vector<double> entries_;
    ScaledFactors factors_;
    VectorXd rows_;
    VectorXd diagonal_;
    std::vector<std::uint32_t> partner_;
    std::vector<std::size_t> place_;
};

}  // namespace

NonlinearResult solve_homotopy(const NonlinearSystem& s, std::span<const double> start, Homotopy kind) {
    NonlinearResult result{.x = {start.begin(), start.end()}, .residual = std::vector<double>(s.size(), 1.0)};
    for (const double direction : {1.0, -1.0}) {
        Path path(s, start, kind, direction);
        VectorXd x;
        if (!path.prepare()) {
            result.status = Status::not_finite;
            return result;
        }
        // A path that ends early gives no point worth anything.
        if (path.follow(x)) {
            result = solve_newton(s, {x.data(), s.size()});
            result.method = "homotopy";
        }
        if (result.solved() || kind == Homotopy::newton) break;
    }
    return result;
}

}  // namespace bondgraph::simulation
