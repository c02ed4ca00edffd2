// Consistent rates and algebraic variables at given states: one Newton step where the equations are linear, all means
// of start_nonlinear.hpp where they are not.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bondgraph/simulation/rate_factors.hpp"
#include "bondgraph/simulation/singular.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/start_nonlinear.hpp"
#include "bondgraph/structure/block_triangular.hpp"

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
        entries_.resize(m_.pattern.columns.size());
        residual_.resize(n_);
    }

    void run() {
        if (n_ == 0) return;
        std::vector<double> u = current();
        const std::vector<double> first = u;
        if (effort_ == Effort::quick && nearby(u)) return put(u);
        u = first;
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
            const bool hopeless = effort_ == Effort::quick || m_.state_count == n_;
            if (hopeless || !newton_and_more(u)) not_finite(first);
        } else if (!regular) {
            singular(first);
        } else if (!converged() && !newton_and_more(u)) {
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

    // Newton's steps with the last factorization, while they converge fast: to rounding, or not at all.
    bool nearby(std::vector<double>& u) {
        constexpr int kMost = 6;
        constexpr double kFast = 0.2;
        constexpr double kRounding = 1e-15;
        const auto factors = ev_.rate_factors;
        if (!factors || !std::ranges::equal(factors->held, ev_.held()) || !residual(u, residual_)) return false;
        entries_ = factors->entries;
        double last = std::numeric_limits<double>::infinity();
        for (int k = 0; k < kMost; ++k) {
            const Eigen::VectorXd step = step_by(factors->lu);
            if (!step.allFinite()) return false;
            if (k == 0) noise_of(factors->lu, step);
            for (std::size_t j = 0; j < n_; ++j) u[j] += step(static_cast<Eigen::Index>(j));
            if (k == 0) remember_scales(u);
            if (!residual(u, residual_)) return false;
            const double now = scaled_norm(residual_);
            if (now <= kRounding || (now <= kConverged && now > kFast * last)) return true;
            if (!(now <= kFast * last)) return false;
            last = now;
        }
        return converged();
    }

    [[nodiscard]] Eigen::VectorXd step_by(const ScaledFactors& lu) const {
        return lu.solve(-Eigen::Map<const Eigen::VectorXd>(residual_.data(), static_cast<Eigen::Index>(n_)));
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
        const auto factors = std::make_shared<RateFactors>(m_.pattern);
        if (!factors->lu.factorize(entries_)) return false;
        const Eigen::VectorXd step = step_by(factors->lu);
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

    bool converged() const { return scaled_norm(residual_) <= kConverged; }

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
            if (left > 4.0 * bounds[row]) largest = std::max(largest, left / std::max(terms, left));
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
            result = effort_ == Effort::thorough ? solve_by_all_means(system, u) : solve_line_search(system, u);
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

    std::string element_text(std::size_t row) const {
        if (!m_.rows[row].element.valid()) return fmt::format("'{}'", m_.name(m_.rows[row].variable));
        const auto* e = &m_.graph().elements[m_.rows[row].element.index()];
        if (e->owner.valid()) e = &m_.graph().elements[e->owner.index()];
        return fmt::format("'{}' ({})", e->name, e->type->name);
    }

    /// Whether a variable is one inside a joint or body, which no user has named.
    bool is_inner(compile::VariableId v) const {
        const model::BondGraph& g = m_.graph();
        const auto part = [&](model::ElementId id) { return g.elements[id.index()].owner.valid(); };
        if (v.value >= 2 * g.bond_components)
            return v.index() < g.variable_count() && part(g.slot_variables[v.value - 2 * g.bond_components].element);
        const model::Bond& bond = g.bonds[g.bond_of_component(v.value / 2).index()];
        return part(bond.from) && part(bond.to);
    }

    // The unknowns that may move without any equation noticing, and the equations that say the same thing.
    struct Singularity {
        std::vector<std::string> free;
        bool inner = true;  ///< all of them inside components
        std::vector<std::string> elements;
        SourcePosition position;
    };

    void add(Singularity& s, const Eigen::VectorXd& free, const Eigen::VectorXd& repeated,
             std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) const {
        constexpr double kNoticed = 1e-6;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (std::abs(free(static_cast<Eigen::Index>(k))) < kNoticed * free.lpNorm<Eigen::Infinity>()) continue;
            const std::string v = m_.name(m_.unknowns[columns[k]].variable);
            s.inner = s.inner && is_inner(m_.unknowns[columns[k]].variable);
            s.free.push_back(alpha_[columns[k]] != 0.0 ? v : fmt::format("der({})", v));
        }
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (std::abs(repeated(static_cast<Eigen::Index>(k))) < kNoticed * repeated.lpNorm<Eigen::Infinity>())
                continue;
            const std::string e = element_text(rows[k]);
            if (std::find(s.elements.begin(), s.elements.end(), e) != s.elements.end()) continue;
            const auto position = m_.rows[rows[k]].position;
            if (!s.position.known() && position.known()) s.position = position;
            s.elements.push_back(e);
        }
    }

    // The first block of the matrix that is singular, by numbers or by its structure.
    Singularity find_singularity(const std::vector<double>& u) {
        Singularity result;
        if (!jacobian(u)) return result;
        structure::Incidence nonzero;
        std::vector<std::uint32_t> row;
        std::size_t entry = 0;
        for (std::size_t r = 0; r < n_; ++r) {
            row.clear();
            for (const std::uint32_t c : m_.pattern.row(r)) {
                if (entries_[entry++] != 0.0) row.push_back(c);
            }
            nonzero.add_row(row);
        }
        const Eigen::SparseMatrix<double> j = ev_.matrix(entries_);
        const auto matching = structure::maximum_matching(nonzero, n_);
        const auto blocks = structure::block_triangular(nonzero, n_, matching);
        const auto& over = blocks.parts.overdetermined_rows;
        const auto& under = blocks.parts.underdetermined_columns;
        if (!over.empty() || !under.empty()) {
            add(result, Eigen::VectorXd::Ones(static_cast<Eigen::Index>(under.size())),
                Eigen::VectorXd::Ones(static_cast<Eigen::Index>(over.size())), over, under);
            return result;
        }
        constexpr std::size_t kLargestDense = 500;
        for (std::size_t b = 0; b < blocks.rows.rows(); ++b) {
            const auto rows = blocks.rows.row(b);
            const auto columns = blocks.columns.row(b);
            if (rows.size() > kLargestDense || rows.size() == 1) continue;
            const auto k = static_cast<Eigen::Index>(rows.size());
            Eigen::MatrixXd a(k, k);
            for (Eigen::Index r = 0; r < k; ++r) {
                for (Eigen::Index c = 0; c < k; ++c)
                    a(r, c) = j.coeff(static_cast<Eigen::Index>(rows[static_cast<std::size_t>(r)]),
                                      static_cast<Eigen::Index>(columns[static_cast<std::size_t>(c)]));
            }
            const Eigen::VectorXd row_size = a.cwiseAbs().rowwise().maxCoeff().cwiseInverse();
            a = row_size.asDiagonal() * a;
            const Eigen::VectorXd column_size = a.cwiseAbs().colwise().maxCoeff().cwiseInverse();
            a = a * column_size.asDiagonal();
            Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
            lu.setThreshold(kSmallest);
            if (lu.isInvertible()) continue;
            Eigen::FullPivLU<Eigen::MatrixXd> transposed(a.transpose());
            transposed.setThreshold(kSmallest);
            add(result, lu.kernel().col(0), transposed.kernel().col(0), rows, columns);
            return result;
        }
        return result;
    }

    [[noreturn]] void singular(const std::vector<double>& u) {
        Singularity s = find_singularity(u);
        Diagnostics d;
        std::vector<DiagnosticNote> notes;
        notes.push_back({"where", s.free.empty()           ? "the algebraic equations of the whole model"
                                  : s.inner && massless(s) ? fmt::format("the motion of {}", shortened(s.elements))
                                                           : fmt::format("{} may take any value", shortened(s.free))});
        const auto known = singular_positions(ev_, point_.time, point_.y, point_.yp);
        if (!known.empty() && !s.position.known()) s.position = singular_place(ev_, point_.time, point_.y, point_.yp);
        if (!known.empty() || massless(s)) {
            notes.insert(notes.end(), known.begin(), known.end());
            if (known.empty()) explain_massless(s, notes);
            d.error("BG-I004", s.position.known() ? s.position : m_.graph().model_position,
                    fmt::format("the equations don't determine all rates at time {:g}", point_.time), notes);
            d.throw_if_errors();
        }
        notes.push_back({"because", s.elements.empty()
                                        ? "some equations say the same at this point"
                                        : fmt::format("the equations of {} say the same, so that nothing determines {}",
                                                      shortened(s.elements), s.free.size() > 1 ? "them" : "it")});
        notes.push_back({"try", s.elements.empty()
                                    ? "remove a constraint that others imply (rSe, rSf, own types), or describe the "
                                      "system by independent coordinates"
                                    : "add what decides (a resistance, a storage, Ron and Goff of switches and "
                                      "diodes), or remove what is said twice: a constraint that repeats another, a "
                                      "modulus or coefficient of 0"});
        d.error("BG-I004", s.position.known() ? s.position : m_.graph().model_position,
                fmt::format("the equations don't determine all rates at time {:g}", point_.time), notes);
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    // Why a motion meets no inertia, in the words of mechanics.
    void explain_massless(const Singularity& s, std::vector<DiagnosticNote>& notes) const {
        const auto point = [](const model::Element& e) { return e.type->root == model::RootKind::at_last; };
        if (only_free_bodies(s)) {
            notes.push_back({"because", "a free body has no inertia against this motion"});
            notes.push_back({"try", "give its moments of inertia (I_11, I_22, I_33), or let a joint hold it"});
        } else if (named_in(s, point) > 0) {
            notes.push_back({"because",
                             "point masses have no inertia against turning about the line they lie on (one alone: "
                             "about any), and what is connected to them has none either"});
            notes.push_back({"try", "use a Body with moments of inertia in place of a PointMass"});
        } else if (s.elements.size() > 1) {
            notes.push_back({"because",
                             "they can move together so that nothing with mass or inertia moves, as two "
                             "parallel joints do with a part without mass between them"});
            notes.push_back({"try", "put a Body between them, or remove one"});
        } else {
            notes.push_back({"because",
                             "nothing with mass or inertia moves with it: what is behind the joint has no mass, "
                             "or it is a point mass on the axis"});
            notes.push_back({"try", fmt::format("put a Body with {} behind the joint, or an I on its axis",
                                                slides(s) ? "a mass" : "moments of inertia")});
        }
    }

    /// Whether the joints that may move at any rate do nothing but slide.
    bool slides(const Singularity& s) const {
        const auto turns = [](const model::Element& e) {
            return std::any_of(e.ports.begin(), e.ports.end(),
                               [](const model::Port& p) { return model::domains()[p.domain].name == "rotational"; });
        };
        return named_in(s, [](const model::Element& e) { return !e.ports.empty(); }) > 0 && named_in(s, turns) == 0;
    }

    /// Whether what is left open are the rates of joints, or bodies that nothing carries, alone.
    bool massless(const Singularity& s) const {
        const std::size_t joints = named_in(s, [](const model::Element& e) { return e.type->free_rates; });
        return joints > 0 && joints == s.elements.size();
    }

    bool only_free_bodies(const Singularity& s) const {
        const auto has_inertia = [](const model::Element& e) {
            return std::any_of(e.type->parameters.begin(), e.type->parameters.end(),
                               [](const model::ParameterSpec& p) { return p.name == "I_33"; });
        };
        return !s.elements.empty() && named_in(s, has_inertia) == s.elements.size();
    }

    template <class Of>
    std::size_t named_in(const Singularity& s, const Of& of) const {
        std::size_t count = 0;
        for (const model::Element& e : m_.graph().elements) {
            if (!of(e)) continue;
            const std::string quoted = "'" + e.name + "'";
            count += static_cast<std::size_t>(
                std::count_if(s.elements.begin(), s.elements.end(),
                              [&](const std::string& text) { return text.starts_with(quoted); }));
        }
        return count;
    }

    static std::string shortened(const std::vector<std::string>& names) {
        constexpr std::size_t kMost = 6;
        std::string text;
        for (std::size_t k = 0; k < names.size() && k < kMost; ++k) text += (k == 0 ? "" : ", ") + names[k];
        if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
        return text;
    }

    static constexpr double kConverged = 1e-12;  // residual beside a row's terms
    static constexpr double kSmallest = 1e-12;   // ratio of pivots below which nothing is left worth having

    Evaluator& ev_;
    const CompiledModel& m_;
    Point& point_;
    std::size_t n_;
    Effort effort_;
    std::vector<double> alpha_, beta_, entries_, residual_, row_scale_, unknown_scale_, noise_;
    std::vector<double> violation_;  ///< of each row beside its terms, where no solution was found
};

}  // namespace

void solve_rates(Evaluator& evaluator, Point& point, Effort effort) { RateSolver(evaluator, point, effort).run(); }

}  // namespace bondgraph::simulation
