// Consistent rates and algebraic variables at given states, by KINSOL with the exact Jacobian.

#include <fmt/format.h>
#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <Eigen/KLUSupport>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/expression/print.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/sundials.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

// The component in whose parameters or law the expression stands as it was written.
bool find_origin(const model::BondGraph& g, std::uint32_t node, NotFinite& result) {
    const auto holds = [&](const expression::Expr& x) {
        if (x.is_literal()) return false;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(*g.expressions, roots);
        return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    };
    const auto blame = [&](const model::Element& e, SourcePosition position) {
        result.component = fmt::format("'{}' ({})", e.name, e.type->name);
        result.position = position.known() ? position : e.position;
        return true;
    };
    for (const model::Element& e : g.elements) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k]) continue;
            for (const auto& x : e.parameters[k]->value.reshaped()) {
                if (holds(x)) return blame(e, e.parameter_positions[k]);
            }
        }
        for (const auto& equation : e.given_equations) {
            if (holds(equation.lhs) || holds(equation.rhs)) return blame(e, equation.position);
        }
    }
    return false;
}

}  // namespace

NotFinite explain_not_finite(Evaluator& ev, double time, std::span<const double> y, std::span<const double> yp) {
    const CompiledModel& m = ev.model();
    const auto inputs = ev.inputs(time, y, yp);
    NotFinite result;
    const std::uint32_t node = m.residual.first_not_finite(inputs);
    std::vector<double> f(m.size());
    ev.residual(time, y, yp, f);
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (std::isfinite(f[i])) continue;
        const auto& e = m.graph().elements[m.rows[i].element.index()];
        result.component = fmt::format("'{}' ({})", e.name, e.type->name);
        result.position = m.rows[i].position.known() ? m.rows[i].position : e.position;
        break;
    }
    if (node != expression::kNoNode) {
        const auto name = [&](const expression::Node& leaf) {
            const std::string v =
                leaf.op == expression::Op::parameter ? "input" : m.name(compile::VariableId(std::size_t{leaf.a}));
            return leaf.op == expression::Op::derivative ? fmt::format("der({})", v) : v;
        };
        result.expression = expression::to_text(m.graph().expressions->at(node), name);
        find_origin(m.graph(), node, result);
        if (result.expression.size() > 200) result.expression = result.expression.substr(0, 200) + "…";
    }
    return result;
}

namespace {

class RateSolver {
   public:
    RateSolver(Evaluator& ev, Point& point) : ev_(ev), m_(ev.model()), point_(point), n_(ev.size()) {
        alpha_.resize(n_);
        beta_.resize(n_);
        for (std::size_t j = 0; j < n_; ++j) {
            alpha_[j] = m_.unknowns[j].differential ? 0.0 : 1.0;
            beta_[j] = 1.0 - alpha_[j];
        }
        entries_.resize(m_.pattern.columns.size());
        residual_.resize(n_);
    }

    void run() {
        if (n_ == 0) return;
        std::vector<double> u = current();
        // A linear system is solved by one step; a guess at a singular point of a nonlinear one is moved a little.
        bool regular = false;
        for (int attempt = 0; attempt < 4 && !regular; ++attempt) {
            if (attempt > 0) {
                for (std::size_t j = 0; j < n_; ++j) {
                    if (alpha_[j] != 0.0)
                        u[j] += std::pow(10.0, attempt - 2) *
                                std::cos(1.0 + 3.7 * static_cast<double>(j + n_ * static_cast<std::size_t>(attempt)));
                }
            }
            if (!residual(u, residual_)) {
                if (attempt == 0) not_finite();
                continue;
            }
            regular = newton_step(u);
        }
        if (!regular) singular();
        if (!converged()) kinsol(u);
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

    // One Newton step from u, tried in full; false when the matrix is singular.
    bool newton_step(std::vector<double>& u) {
        if (!jacobian(u)) return false;
        Eigen::SparseMatrix<double> j = ev_.matrix(entries_);
        // Rows and columns are brought to one magnitude, so that singular means singular in any units.
        Eigen::VectorXd rows = Eigen::VectorXd::Zero(j.rows());
        Eigen::VectorXd columns = Eigen::VectorXd::Zero(j.cols());
        for (Eigen::Index c = 0; c < j.cols(); ++c) {
            for (Eigen::SparseMatrix<double>::InnerIterator it(j, c); it; ++it)
                rows(it.row()) = std::max(rows(it.row()), std::abs(it.value()));
        }
        for (Eigen::Index c = 0; c < j.cols(); ++c) {
            for (Eigen::SparseMatrix<double>::InnerIterator it(j, c); it; ++it) {
                if (rows(it.row()) > 0) columns(c) = std::max(columns(c), std::abs(it.value()) / rows(it.row()));
            }
        }
        if (rows.minCoeff() == 0.0 || columns.minCoeff() == 0.0) return false;
        // In place: a product of three factors copies a diagonal for every column.
        Eigen::SparseMatrix<double>& scaled = j;
        for (Eigen::Index c = 0; c < scaled.cols(); ++c) {
            for (Eigen::SparseMatrix<double>::InnerIterator it(scaled, c); it; ++it)
                it.valueRef() /= rows(it.row()) * columns(c);
        }
        constexpr double kSmallest = 1e-12;  // ratio of pivots below which nothing is left of 16 digits worth having
        Eigen::VectorXd rhs(j.rows());
        for (std::size_t i = 0; i < n_; ++i)
            rhs(static_cast<Eigen::Index>(i)) = -residual_[i] / rows(static_cast<Eigen::Index>(i));
        Eigen::VectorXd step;
        if (n_ <= 100) {
            Eigen::FullPivLU<Eigen::MatrixXd> lu{Eigen::MatrixXd(scaled)};
            lu.setThreshold(kSmallest);
            if (!lu.isInvertible()) return false;
            step = lu.solve(rhs);
        } else {
            Eigen::KLU<Eigen::SparseMatrix<double>> lu;
            lu.compute(scaled);
            if (lu.info() != Eigen::Success) return false;
            step = lu.solve(rhs);
            if (lu.info() != Eigen::Success || !step.allFinite()) return false;
            const double left = (scaled * step - rhs).lpNorm<Eigen::Infinity>();
            if (left > 1e-6 * (rhs.lpNorm<Eigen::Infinity>() + step.lpNorm<Eigen::Infinity>() * kSmallest))
                return false;
        }
        std::vector<double> next(n_);
        noise_.assign(n_, 0.0);
        // What rounding leaves in a row whose own terms vanish, judged by the largest step of the scaled system.
        const double largest_step = step.lpNorm<Eigen::Infinity>();
        for (std::size_t i = 0; i < n_; ++i) noise_[i] = rows(static_cast<Eigen::Index>(i)) * largest_step;
        step = step.cwiseQuotient(columns);
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
        return true;
    }

    // Magnitude of every row's terms and every unknown at the linear solution: scales for KINSOL and convergence.
    void remember_scales(const std::vector<double>& u) {
        row_scale_.assign(n_, 0.0);
        unknown_scale_.assign(n_, 0.0);
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
        for (std::size_t j = 0; j < n_; ++j) unknown_scale_[j] = std::abs(u[j]) > 0 ? std::abs(u[j]) : 1.0;
    }

    double scaled_norm(const std::vector<double>& f) const {
        double norm = 0.0;
        for (std::size_t i = 0; i < n_; ++i) norm = std::max(norm, std::abs(f[i]) / row_scale_[i]);
        return norm;
    }

    bool converged() const { return scaled_norm(residual_) <= 1e-12; }

    void kinsol(std::vector<double>& u) {
        const Context context;
        const Vector x(n_, context);
        const Vector u_scale(n_, context);
        const Vector f_scale(n_, context);
        std::copy(u.begin(), u.end(), x.data());
        for (std::size_t i = 0; i < n_; ++i) {
            u_scale.data()[i] = 1.0 / unknown_scale_[i];
            f_scale.data()[i] = 1.0 / row_scale_[i];
        }
        const SparseMatrix matrix(m_.pattern, n_, context);
        const LinearSolver solver(SUNLinSol_KLU(x.get(), matrix.get(), context.get()));
        matrix_ = &matrix;
        void* memory = KINCreate(context.get());
        KINInit(
            memory,
            [](N_Vector x_, N_Vector f_, void* self) {
                auto& s = *static_cast<RateSolver*>(self);
                const double* data = N_VGetArrayPointer(x_);
                std::vector<double> at(data, data + s.n_);
                std::vector<double> out(s.n_);
                const bool ok = s.residual(at, out);
                std::copy(out.begin(), out.end(), N_VGetArrayPointer(f_));
                return ok ? 0 : 1;
            },
            x.get());
        KINSetUserData(memory, this);
        KINSetErrHandlerFn(
            memory, [](int, const char*, const char*, char*, void*) {}, nullptr);
        KINSetInfoHandlerFn(
            memory, [](const char*, const char*, char*, void*) {}, nullptr);
        KINSetLinearSolver(memory, solver.get(), matrix.get());
        KINSetJacFn(memory, [](N_Vector x_, N_Vector, SUNMatrix j, void* self, N_Vector, N_Vector) {
            auto& s = *static_cast<RateSolver*>(self);
            const double* data = N_VGetArrayPointer(x_);
            if (!s.jacobian(std::vector<double>(data, data + s.n_))) return 1;
            s.matrix_->fill(j, s.entries_);
            return 0;
        });
        KINSetFuncNormTol(memory, 1e-10);
        KINSetScaledStepTol(memory, 1e-13);
        KINSetNumMaxIters(memory, 500);
        KINSetMaxSetupCalls(memory, 1);
        const int status = KINSol(memory, x.get(), KIN_LINESEARCH, u_scale.get(), f_scale.get());
        KINFree(&memory);
        std::copy(x.data(), x.data() + n_, u.begin());
        const bool ok = residual(u, residual_);
        // KINSOL may stop because steps are as small as rounding: then the residual decides.
        if (!ok || (status < 0 && scaled_norm(residual_) > 1e-8) || scaled_norm(residual_) > 1e-6) no_solution();
    }

    [[noreturn]] void not_finite() {
        put(current());
        const NotFinite why = explain_not_finite(ev_, point_.time, point_.y, point_.yp);
        Diagnostics d;
        d.error("BG-I002", why.position,
                fmt::format("{} gives no finite value at the start (time {:g})", why.component, point_.time),
                {{"where", why.expression.empty() ? "its equation" : why.expression},
                 {"because", "it divides by zero, takes a root or logarithm of a value that has none, or overflows"},
                 {"try", "check its parameters, or start from another value (initial:)"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void no_solution() {
        std::size_t worst = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!(std::abs(residual_[i]) / row_scale_[i] <= std::abs(residual_[worst]) / row_scale_[worst])) worst = i;
        }
        const auto& e = m_.graph().elements[m_.rows[worst].element.index()];
        Diagnostics d;
        d.error(
            "BG-I003", m_.rows[worst].position,
            fmt::format("no values were found at time {:g} that satisfy all equations", point_.time),
            {{"where", fmt::format("the equation of {} at '{}' ({}) is violated most", m_.name(m_.rows[worst].variable),
                                   e.name, e.type->name)},
             {"try", "give a guess: for the variables of this loop, or check that its laws have a common solution"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void singular() {
        // The direction in which the rates are free, for small models.
        std::string free;
        if (n_ <= 500 && jacobian(current())) {
            const Eigen::FullPivLU<Eigen::MatrixXd> lu{Eigen::MatrixXd(ev_.matrix(entries_))};
            const Eigen::VectorXd direction = lu.kernel().col(0).cwiseAbs();
            const double largest = direction.maxCoeff();
            int shown = 0;
            for (std::size_t j = 0; j < n_ && shown < 6; ++j) {
                if (direction(static_cast<Eigen::Index>(j)) < 1e-6 * largest || largest == 0.0) continue;
                const std::string v = m_.name(m_.unknowns[j].variable);
                free += (shown++ == 0 ? "" : ", ") + (alpha_[j] != 0.0 ? v : fmt::format("der({})", v));
            }
        }
        Diagnostics d;
        d.error(
            "BG-I004", m_.graph().model_position,
            fmt::format("the equations don't determine all rates at time {:g}: this model needs more index reduction "
                        "than this version does",
                        point_.time),
            {{"where", free.empty() ? "the algebraic equations of the whole model" : free},
             {"because",
              "a constraint ties these variables together without determining them, or a loop is singular at this "
              "point"},
             {"try", "check constraints (rSe, rSf, own types), or describe the system by independent coordinates"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    Evaluator& ev_;
    const CompiledModel& m_;
    Point& point_;
    std::size_t n_;
    std::vector<double> alpha_, beta_, entries_, residual_, row_scale_, unknown_scale_, noise_;
    const SparseMatrix* matrix_ = nullptr;
};

}  // namespace

void solve_rates(Evaluator& evaluator, Point& point) { RateSolver(evaluator, point).run(); }

}  // namespace bondgraph::simulation
