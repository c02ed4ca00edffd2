// A point that satisfies all equations, hidden constraints included, and what the model fixes at the start.

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::ElementId;

namespace {

constexpr std::size_t kLargest = 1500;  // dense factorizations up to this size take seconds
constexpr int kIterations = 100;
constexpr double kMet = 1e-9;  // of a row's own size

struct Condition {
    Expr residual;
    std::string name;
    SourcePosition position;
    bool fixed = true;
};

class StartSearch {
   public:
    StartSearch(const ReducedSystem& s, double time, std::span<const double> held)
        : s_(s), g_(s.graph()), graph_(*g_.expressions), time_(time), held_(held), x_(s.variable_count(), 0.0) {}

    std::vector<double> run() {
        collect();
        // Guesses first, alone: they only say where to begin.
        approach(conditions(false), false);
        approach(conditions(true), false);
        const std::vector<double> begin = x_;
        std::vector<Expr> rows = equations();
        std::vector<Expr> all = rows;
        for (const Expr& c : conditions(true)) all.push_back(c);
        if (search(all, begin)) return finished();
        const std::vector<double> reached = x_;
        if (search(rows, begin)) contradiction(reached);
        no_solution(rows);
    }

   private:
    void collect() {
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            const model::Element& e = g_.elements[i];
            for (const model::StartValue& s : e.starts) {
                const auto variable = model::element_variable(g_, ElementId(i), s.variable);
                for (Eigen::Index k = 0; k < variable->value.size(); ++k) {
                    const std::string index = variable->value.size() > 1 ? fmt::format("[{}]", k + 1) : "";
                    add(variable->value.data()[k], s.value.value.data()[k], e.name + "." + s.variable + index,
                        s.position, s.fixed);
                }
            }
            for (const model::GivenEquation& q : e.initial_equations)
                add(q.lhs, q.rhs, "an initial equation of " + e.name, q.position, true);
            if (e.steady || g_.steady) rest(e);
        }
        for (const model::GivenEquation& q : g_.initial_equations)
            add(q.lhs, q.rhs, "an initial equation", q.position, true);
    }

    void add(Expr value, Expr target, std::string name, SourcePosition position, bool fixed) {
        const Expr residual = s_.in_variables(value - target);
        if (!residual.is_literal()) conditions_.push_back({residual, std::move(name), position, fixed});
    }

    void rest(const model::Element& e) {
        for (const model::Element::Slot& slot : e.slots) {
            if (slot.kind != model::Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < slot.size; ++k) {
                const VariableId v = g_.slot_variable(slot.first + k);
                add(graph_.derivative(v.value), 0.0, "der(" + g_.variable_name(v) + ")", e.position, true);
            }
        }
    }

    std::vector<Expr> conditions(bool fixed) const {
        std::vector<Expr> list;
        for (const Condition& c : conditions_) {
            if (c.fixed == fixed) list.push_back(c.residual);
        }
        return list;
    }

    std::vector<Expr> equations() const {
        std::vector<Expr> list;
        for (const ReducedEquation& e : s_.equations) list.push_back(e.residual);
        return list;
    }

    PointTape tape(std::span<const Expr> rows) const {
        return {graph_, x_.size(), 2 * s_.inputs.size(), s_.events ? s_.events->held_count : 0, rows};
    }

    /// The rows at x_: residuals and a dense Jacobian by the variables that occur, each row divided by its largest
    /// derivative.
    struct Linearized {
        std::vector<std::uint32_t> columns;
        Eigen::MatrixXd matrix;
        Eigen::VectorXd residual;
        Eigen::VectorXd scale;  ///< what the rows were divided by
    };

    Linearized linearize(const PointTape& tape) const {
        Linearized l;
        l.columns = tape.pattern().columns;
        std::sort(l.columns.begin(), l.columns.end());
        l.columns.erase(std::unique(l.columns.begin(), l.columns.end()), l.columns.end());
        const auto entries = tape.jacobian(x_, time_, held_);
        const auto values = tape.values(x_, time_, held_);
        l.matrix.setZero(static_cast<Eigen::Index>(tape.size()), static_cast<Eigen::Index>(l.columns.size()));
        l.residual.resize(static_cast<Eigen::Index>(tape.size()));
        l.scale.setOnes(static_cast<Eigen::Index>(tape.size()));
        for (std::size_t r = 0; r < tape.size(); ++r) {
            const auto row = static_cast<Eigen::Index>(r);
            for (std::size_t k = tape.pattern().starts[r]; k < tape.pattern().starts[r + 1]; ++k) {
                const auto at = std::lower_bound(l.columns.begin(), l.columns.end(), tape.pattern().columns[k]);
                l.matrix(row, at - l.columns.begin()) = entries[k];
            }
            l.residual(row) = values[r];
            const double largest = l.matrix.cols() == 0 ? 0.0 : l.matrix.row(row).cwiseAbs().maxCoeff();
            if (largest > 0.0) {
                l.matrix.row(row) /= largest;
                l.residual(row) /= largest;
                l.scale(row) = largest;
            }
        }
        return l;
    }

    /// Largest residual of scaled rows against the size of the terms in them.
    double violation(const Linearized& l) const {
        double worst = 0.0;
        for (Eigen::Index r = 0; r < l.residual.size(); ++r) {
            double size = 1e-6;
            for (std::size_t c = 0; c < l.columns.size(); ++c)
                size = std::max(size, std::abs(l.matrix(r, static_cast<Eigen::Index>(c)) * x_[l.columns[c]]));
            const double v = std::abs(l.residual(r)) / size;
            if (!(v <= worst)) worst = v;
        }
        return worst;
    }

    static Eigen::VectorXd smallest_step(const Linearized& l) {
        if (l.columns.empty()) return {};  // rows without unknowns
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr;
        qr.setThreshold(1e-11);
        qr.compute(l.matrix);
        return qr.solve(-l.residual);
    }

    /// Damped Gauss–Newton from x_; true when all rows are met.
    bool approach(const std::vector<Expr>& rows, bool must) {
        if (rows.empty()) return true;
        const PointTape tape = this->tape(rows);
        Linearized l = linearize(tape);
        if (l.columns.size() > kLargest) too_large(l.columns.size());
        double last = violation(l);
        for (int iteration = 0; iteration < kIterations && l.residual.allFinite() && l.matrix.allFinite();
             ++iteration) {
            if (last <= 1e-15) break;
            const Eigen::VectorXd step = smallest_step(l);
            if (!step.allFinite()) break;
            const std::vector<double> before = x_;
            const double norm = l.residual.norm();
            Linearized next;
            double factor = 1.0;
            for (; factor > 1e-3; factor *= 0.5) {
                for (std::size_t c = 0; c < l.columns.size(); ++c)
                    x_[l.columns[c]] = before[l.columns[c]] + factor * step(static_cast<Eigen::Index>(c));
                next = linearize(tape);
                // Judged in the old scale: a new one would hide or feign progress.
                const double reached = next.residual.cwiseProduct(next.scale).cwiseQuotient(l.scale).norm();
                if (next.residual.allFinite() && reached <= (1.0 - 0.1 * factor) * norm) break;
            }
            const double now = violation(next);
            const bool better = next.residual.allFinite() && (factor > 1e-3 || now < last);
            if (!better) {
                x_ = before;
                break;
            }
            l = std::move(next);
            last = now;
        }
        return !must || last <= kMet;
    }

    /// From `begin`, and from points moved a little where that is a singular one (all zeros, mostly).
    bool search(const std::vector<Expr>& rows, const std::vector<double>& begin) {
        for (int attempt = 0; attempt < 4; ++attempt) {
            x_ = begin;
            for (std::size_t i = 0; attempt > 0 && i < x_.size(); ++i) {
                if (begin[i] == 0.0) {
                    x_[i] =
                        std::pow(10.0, attempt - 3) *
                        std::cos(1.0 + 3.7 * static_cast<double>(i + x_.size() * static_cast<std::size_t>(attempt)));
                }
            }
            if (approach(rows, true)) return true;
        }
        return false;
    }

    std::vector<double> finished() {
        for (const Assignment& a : s_.eliminated) {
            const std::array value{a.value};
            x_[a.target.index()] = 0.0;
            values_.push_back(value[0]);
        }
        if (values_.empty()) return x_;
        const auto values = tape(values_).values(x_, time_, held_);
        for (std::size_t i = 0; i < values.size(); ++i) x_[s_.eliminated[i].target.index()] = values[i];
        return x_;
    }

    /// The equations alone can be met: name the fixed values that are missed most.
    [[noreturn]] void contradiction(const std::vector<double>& reached) {
        x_ = reached;
        const auto list = conditions(true);
        const auto values = tape(list).values(x_, time_, held_);
        std::vector<std::pair<double, const Condition*>> missed;
        std::size_t k = 0;
        for (const Condition& c : conditions_) {
            if (c.fixed) missed.emplace_back(-std::abs(values[k++]), &c);
        }
        std::stable_sort(missed.begin(), missed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::string others;
        for (std::size_t i = 1; i < missed.size() && i < 6; ++i) {
            if (std::abs(missed[i].first) > 1e-3 * std::abs(missed[0].first))
                others += fmt::format("{}'{}' in {}", others.empty() ? "" : ", ", missed[i].second->name,
                                      g_.line_text(missed[i].second->position, missed[0].second->position));
        }
        Diagnostics d;
        d.error("BG-I001", missed[0].second->position,
                fmt::format("start values contradict the constraints: '{}' can't be met with the others",
                            missed[0].second->name),
                {{"where", others.empty() ? "no other start value gives way to it" : "nor can " + others},
                 {"try", "fix fewer of them, or use guess: for those that may move"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void no_solution(const std::vector<Expr>& rows) {
        const Linearized l = linearize(tape(rows));
        Eigen::Index worst = 0;
        if (l.residual.size() > 0) l.residual.cwiseAbs().maxCoeff(&worst);
        const ReducedEquation& e = s_.equations[static_cast<std::size_t>(worst)];
        const model::Element& element = g_.elements[e.element.index()];
        Diagnostics d;
        d.error(
            "BG-I003", e.position,
            fmt::format("no values were found at time {:g} that satisfy all equations and their derivatives", time_),
            {{"where", fmt::format("an equation of '{}' ({}) is violated most", element.name, element.type->name)},
             {"try", "give a guess: for the variables of this constraint, near a possible position"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void too_large(std::size_t size) {
        Diagnostics d;
        d.error("BG-I003", g_.model_position,
                fmt::format("constraints between states in a model of {} unknowns: more than the start is solved for",
                            size),
                {{"try", "describe the parts by independent coordinates"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    const ReducedSystem& s_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    double time_;
    std::span<const double> held_;
    std::vector<double> x_;
    std::vector<Condition> conditions_;
    std::vector<Expr> values_;
};

}  // namespace

std::vector<double> consistent_start(const ReducedSystem& system, double time, std::span<const double> held) {
    return StartSearch(system, time, held).run();
}

}  // namespace bondgraph::compile
