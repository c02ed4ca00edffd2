// Consistent rates and algebraic variables at given states: one Newton step where the equations are linear, all means
// of start_nonlinear.hpp where they are not.
//
// In this order:
//   run()                        the course of it: factors at hand, one step, moved guesses, other means, refinement
//   current() … jacobian()       unknowns out of the point and into it; residual and matrix there
//   nearby()                     steps with factors that are at hand already
//   newton_step(), factorize()   one step with factors of its own, which are kept for the next time
//   remember_scales() …          when it has converged: each row beside its own terms, or rounding alone is left
//   refine()                     steps until nothing is left of any row
//   newton_and_more()            nonlinear equations, by all means
//   not_finite(), no_solution()  what is said where there is none

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/newton_matrix.hpp"
#include "bondgraph/simulation/rate_factors.hpp"
#include "bondgraph/simulation/singular.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/start_nonlinear.hpp"
#include "bondgraph/simulation/undetermined.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

class RateSolver {
   public:
    RateSolver(Evaluator& ev, Point& point, Effort effort)
        : ev_(ev), m_(ev.model()), point_(point), n_(ev.size()), effort_(effort) {
        alpha_.resize(n_);
        beta_.resize(n_);
        for (std::size_t j = 0; j < n_; ++j) {
            alpha_[j] = m_.unknowns[j].differential ? 0.0 : 1.0;
            beta_[j] = 1.0 - alpha_[j];
        }
        timely_ = m_.linear && m_.state_count == 0 && n_ > kSmall;
        entries_.resize(m_.pattern.columns.size());
        residual_.resize(n_);
    }

    void run() {
        if (n_ == 0) return;
        std::vector<double> u = current();
        const std::vector<double> first = u;
        if (effort_ != Effort::thorough && nearby(u, false)) return put(u);
        u = first;
        if (effort_ == Effort::shown) {
            if (residual(u, residual_) && newton_step(u) && nearby(u, true)) return put(u);
            u = first;
        }
        // A linear system is solved by one step; a guess at a singular point of a nonlinear one is moved a little.
        bool regular = false;
        bool finite = true;
        for (int attempt = 0; attempt < 4 && !regular; ++attempt) {
            if (attempt > 0) {
                for (std::size_t j = 0; j < n_; ++j) {
                    if (alpha_[j] != 0.0)
                        u[j] += std::pow(10.0, attempt - 2) *
                                std::cos(1.0 + 3.7 * static_cast<double>(j + n_ * static_cast<std::size_t>(attempt)));
                }
            }
            if (!residual(u, residual_)) {
                if (attempt == 0) finite = false;
                if (!finite && m_.state_count == n_) break;  // nothing to move
                continue;
            }
            regular = newton_step(u);
        }
        if (!regular && !finite) {
            u = first;
            const bool hopeless = effort_ != Effort::thorough || m_.state_count == n_;
            if (hopeless || !newton_and_more(u)) not_finite(first);
        } else if (!regular) {
            put(first);
            refuse_undetermined(ev_, point_);
        } else if (!converged() && !only_rounding() && !newton_and_more(u)) {
            no_solution();
        }
        if (!m_.linear) refine(u);
        put(u);
    }

   private:
    std::vector<double> current() const {
        std::vector<double> u(n_);
        for (std::size_t j = 0; j < n_; ++j) u[j] = alpha_[j] != 0.0 ? point_.y[j] : point_.yp[j];
        return u;
    }

    void put(const std::vector<double>& u) {
        for (std::size_t j = 0; j < n_; ++j) {
            (alpha_[j] != 0.0 ? point_.y : point_.yp)[j] = u[j];
            if (alpha_[j] != 0.0) point_.yp[j] = 0.0;
        }
    }

    bool residual(const std::vector<double>& u, std::vector<double>& f) {
        put(u);
        return ev_.residual(point_.time, point_.y, point_.yp, f);
    }

    bool jacobian(const std::vector<double>& u) {
        put(u);
        return ev_.jacobian(point_.time, point_.y, point_.yp, alpha_, beta_, entries_);
    }

    // Newton's steps with the last factorization, the first one by earlier solutions where time alone changes what the
    // equations say, while they converge fast: to rounding, or not at all. `fresh`: it was made here, so that what no
    // step makes less is rounding.
    bool nearby(std::vector<double>& u, bool fresh) {
        constexpr int kMost = 6;
        constexpr double kFast = 0.2;
        constexpr double kRounding = 1e-9;
        const double rounding = timely_ ? 1e-14 : 1e-15;  // among thousands of rows some round ten times worse
        const auto factors = ev_.rate_factors;
        if (!factors || !as_before(factors->held) || !residual(u, residual_)) return false;
        entries_ = factors->entries;
        double last = std::numeric_limits<double>::infinity();
        for (int k = 0; k < kMost; ++k) {
            const Eigen::VectorXd step =
                k == 0 && timely_ ? factors->earlier.solve(factors->lu, right_side()) : factors->lu.solve(right_side());
            if (!step.allFinite()) return false;
            if (k == 0) noise_of(factors->lu, step);
            for (std::size_t j = 0; j < n_; ++j) u[j] += step(static_cast<Eigen::Index>(j));
            if (k == 0) remember_scales(u);
            if (!residual(u, residual_)) return false;
            const double now = scaled_norm(residual_);
            const bool settled = now > kFast * last && now <= (fresh ? kRounding : kConverged);
            if (now <= rounding || settled) return true;
            if (!(now <= kFast * last)) return k > 0 && only_rounding();
            last = now;
        }
        return converged();
    }

    // Of held values: what comes out of delays only adds to rows.
    [[nodiscard]] bool as_before(std::span<const double> held) const {
        const auto now = ev_.held();
        if (m_.delays.empty()) return std::ranges::equal(held, now);
        const auto first = static_cast<std::ptrdiff_t>(m_.graph().first_delay());
        const auto last = first + static_cast<std::ptrdiff_t>(m_.delays.size());
        if (held.size() != now.size()) return false;
        return std::equal(now.begin(), now.begin() + first, held.begin()) &&
               std::equal(now.begin() + last, now.end(), held.begin() + last);
    }

    [[nodiscard]] Eigen::VectorXd right_side() const {
        return -Eigen::Map<const Eigen::VectorXd>(residual_.data(), static_cast<Eigen::Index>(n_));
    }

    // What rounding leaves in a row whose own terms vanish, judged by the largest step of the scaled system.
    void noise_of(const ScaledFactors& lu, const Eigen::VectorXd& step) {
        noise_.assign(n_, 0.0);
        const double largest = lu.size_of(step);
        for (std::size_t i = 0; i < n_; ++i) noise_[i] = lu.rows()(static_cast<Eigen::Index>(i)) * largest;
    }

    // One Newton step from u, tried in full; false when the matrix is singular.
    bool newton_step(std::vector<double>& u) {
        if (!jacobian(u)) return false;
        const auto factors = std::make_shared<RateFactors>(m_.pattern, order());
        if (!factorize(factors->lu)) return false;
        const Eigen::VectorXd step = factors->lu.solve(right_side());
        std::vector<double> next(n_);
        noise_of(factors->lu, step);
        for (std::size_t i = 0; i < n_; ++i) next[i] = u[i] + step(static_cast<Eigen::Index>(i));
        remember_scales(next);
        std::vector<double> f(n_);
        const double before = scaled_norm(residual_);
        if (residual(next, f) && scaled_norm(f) <= before) {
            u = next;
            residual_ = f;
        } else {
            residual(u, residual_);
        }
        factors->entries = entries_;
        factors->held.assign(ev_.held().begin(), ev_.held().end());
        ev_.rate_factors = factors;
        return true;
    }

    // Of a matrix that is factorized as it is, and large enough to be by KLU.
    [[nodiscard]] std::shared_ptr<const structure::SparseOrder> order() const {
        if (n_ <= kSmall || NewtonMatrix::form_for(m_, 1) == NewtonMatrix::Form::cut) return nullptr;
        return ev_.findings().of<PatternOrder>().order;
    }

    // Where the matrix is full as that of a chain of bodies, by its form with values on the way cut.
    bool factorize(ScaledFactors& lu) {
        if (NewtonMatrix::form_for(m_, 1) != NewtonMatrix::Form::cut) return lu.factorize(entries_);
        if (!cut_) {
            std::vector<CutTangents::Seed> seeds;
            for (std::uint32_t j = 0; j < n_; ++j)
                seeds.push_back({1 + j + (alpha_[j] != 0.0 ? 0 : static_cast<std::uint32_t>(n_)), j});
            cut_.emplace(m_.residual, std::move(seeds), static_cast<std::uint32_t>(n_));
        }
        const std::vector<double> speeds(n_, 1.0);
        std::vector<double> cut_entries(cut_->pattern().columns.size());
        return cut_->evaluate(ev_.inputs(point_.time, point_.y, point_.yp), speeds, cut_entries) &&
               lu.factorize(entries_, cut_->pattern(), cut_entries);
    }

    // Magnitude of every row's terms at the linear solution.
    void remember_scales(const std::vector<double>& u) {
        row_scale_.assign(n_, 0.0);
        std::size_t entry = 0;
        for (std::size_t row = 0; row < n_; ++row) {
            for (const std::uint32_t c : m_.pattern.row(row)) {
                const double term = std::abs(entries_[entry++] * u[c]);
                row_scale_[row] = std::max(row_scale_[row], term);
            }
            row_scale_[row] = std::max(row_scale_[row], std::abs(residual_[row]));
        }
        double largest = 0.0;
        for (const double s : row_scale_) largest = std::max(largest, s);
        for (std::size_t i = 0; i < n_; ++i) {
            double& s = row_scale_[i];
            s = std::max(s, 1e-3 * noise_[i]);
            if (s < 1e-290) s = largest > 1e-290 ? largest : 1.0;
        }
    }

    double scaled_norm(const std::vector<double>& f) const {
        double norm = 0.0;
        for (std::size_t i = 0; i < n_; ++i) norm = std::max(norm, std::abs(f[i]) / row_scale_[i]);
        return norm;
    }

    bool converged() const { return scaled_norm(residual_) <= kConverged; }

    // Whether, in a mechanism with closed loops, what is left of every row is no more than rounding makes of it. The
    // terms of a row may all vanish there: where a piston turns round, so does every velocity of its loop.
    bool only_rounding() {
        if (!m_.reduced || !m_.reduced->loops) return false;
        const std::vector<double> bounds = m_.residual.rounding(ev_.inputs(point_.time, point_.y, point_.yp));
        for (std::size_t i = 0; i < n_; ++i) {
            if (!(std::abs(residual_[i]) <= std::max(kConverged * row_scale_[i], kRoundings * bounds[i]))) return false;
        }
        return true;
    }

    // The largest share of its own terms that is left of any row, rows apart whose rounding is no less.
    double left_beside_terms(const std::vector<double>& u) {
        if (!residual(u, residual_) || !jacobian(u)) return std::numeric_limits<double>::infinity();
        const std::vector<double> bounds = m_.residual.rounding(ev_.inputs(point_.time, point_.y, point_.yp));
        double largest = 0.0;
        std::size_t entry = 0;
        for (std::size_t row = 0; row < n_; ++row) {
            double terms = 0.0;
            for (const std::uint32_t c : m_.pattern.row(row))
                terms = std::max(terms, std::abs(entries_[entry++] * u[c]));
            const double left = std::abs(residual_[row]);
            if (left > kRoundings * bounds[row]) largest = std::max(largest, left / std::max(terms, left));
        }
        return largest;
    }

    // Newton's method until nothing is left of any row beside its own terms: what has judged so far are scales of the
    // whole matrix, in which pascals hide what is left of millilitres.
    void refine(std::vector<double>& u) {
        constexpr double kGone = 1e-13;
        double left = left_beside_terms(u);
        for (int k = 0; k < 20 && left > kGone; ++k) {
            const std::vector<double> before = u;
            if (!newton_step(u)) return;
            const double now = left_beside_terms(u);
            if (!(now < left)) u = before;
            if (!(now < 0.5 * left)) return;
            left = now;
        }
    }

    bool newton_and_more(std::vector<double>& u) {
        NonlinearSystem system;
        system.pattern = m_.pattern;
        system.interrupted = ev_.interrupted;
        std::vector<double> at(n_);
        std::vector<double> f(n_);
        system.residual = [&](std::span<const double> x, std::span<double> out) {
            at.assign(x.begin(), x.end());
            const bool ok = residual(at, f);
            std::copy(f.begin(), f.end(), out.begin());
            return ok;
        };
        system.jacobian = [&](std::span<const double> x, std::span<double> entries) {
            at.assign(x.begin(), x.end());
            const bool ok = jacobian(at);
            std::copy(entries_.begin(), entries_.end(), entries.begin());
            return ok;
        };
        system.rounding = [&](std::span<const double> x) {
            at.assign(x.begin(), x.end());
            put(at);
            return m_.residual.rounding(ev_.inputs(point_.time, point_.y, point_.yp));
        };
        for (std::size_t j = 0; j < n_; ++j) system.typical.push_back(alpha_[j] != 0.0 ? m_.unknowns[j].nominal : 0.0);
        NonlinearResult result = solve_newton(system, u);
        if (!result.solved() && !result.zero_residual) {
            result = effort_ == Effort::thorough ? solve_by_all_means(system, u) : solve_line_search(system, u, kNear);
        }
        if (!result.solved() && !result.zero_residual) {
            violation_ = std::move(result.residual);
            residual(result.x, residual_);
            return false;
        }
        u = std::move(result.x);
        return true;
    }

    [[noreturn]] void not_finite(const std::vector<double>& u) {
        put(u);
        const NotFinite why = explain_not_finite(ev_, point_.time, point_.y, point_.yp);
        Diagnostics d;
        const std::string message =
            fmt::format("{} gives no finite value at the start (time {:g})", why.component, point_.time);
        // What the component itself says of such a position tells more than the expression.
        if (why.position.known() && singular_place(ev_, point_.time, point_.y, point_.yp) == why.position)
            d.error("BG-I002", why.position, message, singular_positions(ev_, point_.time, point_.y, point_.yp));
        d.throw_if_errors();
        d.error("BG-I002", why.position, message,
                {{"where", why.expression.empty() ? "its equation" : why.expression},
                 {"because", why.because},
                 {"try", why.remedy}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void no_solution() {
        std::size_t worst = 0;
        for (std::size_t i = 1; i < n_; ++i) {
            if (!(violation_[i] <= violation_[worst])) worst = i;
        }
        const auto& e = m_.graph().elements[m_.rows[worst].element.index()];
        Diagnostics d;
        d.error(
            "BG-I003", m_.rows[worst].position,
            fmt::format("no values were found at time {:g} that satisfy all equations", point_.time),
            {{"where", fmt::format("the equation of {} at '{}' ({}) is violated most", m_.name(m_.rows[worst].variable),
                                   e.name, e.type->name)},
             {"note",
              fmt::format("the nearest that was found leaves its sides {:.3g} apart", std::abs(residual_[worst]))},
             {"try", "give a guess: for the variables of this loop, or check that its laws have a common solution"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    static constexpr std::size_t kSmall = 100;   // unknowns whose factors cost nothing
    static constexpr int kNear = 50;             // iterations that lead to a solution close by, if there is one
    static constexpr double kConverged = 1e-12;  // residual beside a row's terms
    static constexpr double kRoundings = 4.0;    // what rounding may have made of a row, at most

    Evaluator& ev_;
    const CompiledModel& m_;
    Point& point_;
    std::size_t n_;
    Effort effort_;
    bool timely_ = false;
    std::optional<CutTangents> cut_;
    std::vector<double> alpha_, beta_, entries_, residual_, row_scale_, noise_;
    std::vector<double> violation_;  ///< of each row beside its terms, where no solution was found
};

}  // namespace

void solve_rates(Evaluator& evaluator, Point& point, Effort effort) { RateSolver(evaluator, point, effort).run(); }

}  // namespace bondgraph::simulation
