#include "bondgraph/compile/rod_forms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Graph;
using std::numbers::pi;

namespace {

using Space = std::array<Expr, 3>;
constexpr std::array<std::size_t, 3> kAxes{0, 1, 2};

Space operator+(const Space& a, const Space& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Space operator-(const Space& a) { return {-a[0], -a[1], -a[2]}; }
Space over(const Space& a, Expr by) { return {a[0] / by, a[1] / by, a[2] / by}; }
Expr dot(const Space& a, const Space& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Space cross(const Space& a, const Space& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Space derivative(Graph& graph, const Space& v, std::uint32_t variable) {
    const auto d = expression::derivative(graph, v, graph.variable(variable));
    return {d[0], d[1], d[2]};
}
Expr derivative(Graph& graph, Expr e, std::uint32_t variable) {
    const std::array roots{e};
    return expression::derivative(graph, roots, graph.variable(variable))[0];
}

/// Expressions where a variable has a value.
std::vector<Expr> with(Graph& graph, std::span<const Expr> all, std::uint32_t variable, double value) {
    const std::uint32_t node = graph.variable(variable).node();
    return expression::substitute(
        graph, all, [&](std::uint32_t n) { return n == node ? std::optional(Expr(value)) : std::nullopt; });
}
Expr with(Graph& graph, Expr e, std::uint32_t variable, double value) {
    const std::array roots{e};
    return with(graph, roots, variable, value)[0];
}
Space with(Graph& graph, const Space& v, std::uint32_t variable, double value) {
    const auto r = with(graph, std::span<const Expr>(v), variable, value);
    return {r[0], r[1], r[2]};
}

/// What is the same everywhere as a number: turns there and back leave expressions of it. `size`: beside what it is 0.
Expr as_number(Expr e, double size, const FormJudge& judge) {
    if (e.is_constant()) return std::abs(e.constant()) <= 1e-14 * size ? Expr(0.0) : e;
    const std::array one{e};
    const auto values = judge.anywhere(one);
    if (values.empty()) return e;
    const double here = values[0][0];
    const double exact = 1e-12 * size;
    const bool same = std::ranges::all_of(values, [&](const auto& p) { return std::abs(p[0] - here) <= exact; });
    if (!same) return e;
    // Axes lie along those of a frame more often than by chance nearly so.
    const double nearest = std::round(here / size) * size;
    return std::abs(here - nearest) <= exact ? Expr(nearest) : Expr(here);
}

std::optional<SolvedCoordinate> solve_angle(Graph& graph, Expr vanishes, std::uint32_t x, const FormJudge& judge) {
    const Expr first = derivative(graph, vanishes, x);
    const Expr second = derivative(graph, first, x);
    const std::array slopes{first, second, derivative(graph, second, x)};
    const auto at = judge.anywhere(slopes);
    if (at.empty()) return std::nullopt;
    for (const auto& p : at) {
        const double size = std::hypot(p[0], p[1]);
        if (!(size > 0.0) || !(std::abs(p[2] + p[0]) <= FormParts::kExact * size)) return std::nullopt;
    }
    double size = 0.0;
    for (const auto& p : at) size = std::max(size, std::hypot(p[0], p[1]));
    const Expr second_at_zero = with(graph, second, x, 0.0);
    PlaneVector lever{as_number(-second_at_zero, size, judge), as_number(with(graph, first, x, 0.0), size, judge)};
    const Expr rest = as_number(with(graph, vanishes, x, 0.0) + second_at_zero, size, judge);
    const Expr squared = as_number(square(lever), size * size, judge);
    const Expr grip = squared - rest * rest;
    FormParts parts(graph, judge);
    if (!parts.positive(grip, squared)) return std::nullopt;
    std::optional<Expr> towards;
    if (const auto with_other = squared.is_constant() ? parts.carried(lever) : std::nullopt) {
        const Expr length = expression::sqrt(squared);
        lever = {length * with_other->vector.re, length * with_other->vector.im};
        towards = with_other->angle;
    } else {
        towards = parts.angle(lever);
    }
    if (!towards) return std::nullopt;
    const PlaneVector aside{-rest, Expr(at[0][0] > 0.0 ? 1.0 : -1.0) * expression::sqrt(grip)};
    const Expr angle = *towards - parts.arc(aside, squared);  // the sign of its second component stays
    return SolvedCoordinate{angle, over(from(lever, aside), squared), parts.arcs()};
}

std::optional<SolvedCoordinate> solve_displacement(Graph& graph, Expr vanishes, std::uint32_t x,
                                                   const FormJudge& judge) {
    const Expr first = derivative(graph, vanishes, x);
    const Expr second = derivative(graph, first, x);
    const std::array slopes{first, second};
    const auto at = judge.anywhere(slopes);
    if (at.empty()) return std::nullopt;
    const double twice = at[0][1];
    for (const auto& p : at) {
        if (!(std::abs(p[1] - twice) <= FormParts::kExact * std::abs(twice))) return std::nullopt;
    }
    if (!(std::abs(twice) > 0.0)) return std::nullopt;
    const Expr a = as_number(Expr(0.5) * second, std::abs(twice), judge);
    const Expr b = Expr(0.5) * with(graph, first, x, 0.0);
    const Expr grip = b * b - a * with(graph, vanishes, x, 0.0);
    FormParts parts(graph, judge);
    if (!a.is_constant() || !parts.positive(grip, grip)) return std::nullopt;
    const std::array one{grip};
    double least = std::numeric_limits<double>::infinity();
    for (const auto& p : judge.all_over(one)) least = std::min(least, p[0]);
    const Expr root = Expr(at[0][0] > 0.0 ? 1.0 : -1.0) * expression::sqrt(grip);
    SolvedCoordinate solved{(root - b) / a};
    solved.within = 0.1 * std::sqrt(least) / std::abs(a.constant());
    return solved;
}

/// A rod on a universal joint whose end has to be in a point.
class RodOnCross {
   public:
    /// `outer`: the angle about the axis that the rest carries; `inner`: about the one across it; `third`: see
    /// solve_rod_on_cross().
    RodOnCross(Graph& graph, const Space& vanishes, RodCoordinate third, std::uint32_t outer, std::uint32_t inner,
               const FormJudge& judge)
        : graph_(graph), c_(vanishes), third_(third), p_(outer), q_(inner), judge_(judge) {}

    std::vector<std::pair<std::uint32_t, SolvedCoordinate>> solve() {
        if (!differentiate() || !find_axes()) return {};
        auto length = solve_distance(graph_, dot(point_, point_) - rod_squared(), third_, judge_);
        if (!length) return {};
        const FormJudge resolved = with_third(*length);
        const auto angles = directions(resolved);
        if (!angles) return {};
        return {{third_.variable, *length}, {q_, (*angles)[1]}, {p_, (*angles)[0]}};
    }

   private:
    [[nodiscard]] Space at_zero(const Space& v) const { return with(graph_, with(graph_, v, p_, 0.0), q_, 0.0); }
    [[nodiscard]] Space rate(const Space& v, std::uint32_t variable) const { return derivative(graph_, v, variable); }

    /// Numbers of vectors everywhere: by point, then vector.
    [[nodiscard]] std::vector<std::vector<std::array<double, 3>>> numbers(const std::vector<Space>& all) const {
        std::vector<Expr> flat;
        for (const Space& v : all) flat.insert(flat.end(), v.begin(), v.end());
        std::vector<std::vector<std::array<double, 3>>> result;
        for (const auto& row : judge_.anywhere(flat)) {
            auto& out = result.emplace_back();
            for (std::size_t k = 0; k < all.size(); ++k) out.push_back({row[3 * k], row[3 * k + 1], row[3 * k + 2]});
        }
        return result;
    }
    static double norm(const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); }
    static bool opposite(const std::array<double, 3>& a, const std::array<double, 3>& b, double size) {
        return std::hypot(a[0] + b[0], a[1] + b[1], a[2] + b[2]) <= FormParts::kExact * size;
    }

    /// Both angles turn what depends on them; the point and the rod, where both are 0.
    bool differentiate() {
        cp_ = rate(c_, p_);
        cq_ = rate(c_, q_);
        cpp_ = rate(cp_, p_);
        cqq_ = rate(cq_, q_);
        const auto all = numbers({cp_, rate(cpp_, p_), cq_, rate(cqq_, q_), cpp_, cqq_});
        for (const auto& v : all) {
            size_ = std::max({norm(v[0]), norm(v[2]), norm(v[4]), norm(v[5])});
            if (!(size_ > 0.0) || !opposite(v[0], v[1], size_) || !opposite(v[2], v[3], size_)) return false;
        }
        if (all.empty()) return false;
        rod_ = at_zero(cpp_ + cqq_ + rate(rate(cpp_, q_), q_));
        point_ = at_zero(c_) + rod_;
        return true;
    }

    /// The axis of a turn of which these are the first two derivatives of what has to vanish.
    [[nodiscard]] std::optional<Space> axis(Space first, Space second) const {
        const auto squares = [&] {
            const std::array one{dot(second, second)};
            std::vector<double> all;
            for (const auto& p : judge_.anywhere(one)) all.push_back(p[0]);
            return all;
        };
        const auto same = [](const std::vector<double>& all) {
            return std::ranges::all_of(all,
                                       [&](double x) { return std::abs(x - all[0]) <= FormParts::kExact * all[0]; });
        };
        std::vector<double> all = squares();
        if (!same(all)) {  // of a rod that grows: as long as it is at the point
            const std::array third{graph_.variable(third_.variable)};
            const double here = judge_.anywhere(third)[0][0];
            first = with(graph_, first, third_.variable, here);
            second = with(graph_, second, third_.variable, here);
            all = squares();
        }
        if (!same(all) || !(all[0] > FormParts::kExact * size_ * size_)) return std::nullopt;
        Space n = over(cross(first, second), Expr(all[0]));
        for (Expr& x : n) x = as_number(x, 1.0, judge_);
        return n;
    }

    bool find_axes() {
        // The rod may lie along the outer axis where the inner angle is 0.
        const Space second = with(graph_, cpp_, p_, 0.0);
        const auto both = numbers({with(graph_, second, q_, 0.0), with(graph_, second, q_, 0.5 * pi)});
        const double inner = norm(both[0][0]) < norm(both[0][1]) ? 0.5 * pi : 0.0;
        const auto n = axis(with(graph_, with(graph_, cp_, p_, 0.0), q_, inner), with(graph_, second, q_, inner));
        const auto m = axis(at_zero(cq_), at_zero(cqq_));
        if (!n || !m) return false;
        const Space across = cross(*n, *m);
        // That p turns all that q moves as well, about an axis across the other's.
        const Space carried = cross(*n, cq_);
        const auto all = numbers({*n, *m, across, rate(cq_, p_), -carried});
        for (const auto& v : all) {
            if (std::abs(norm(v[0]) - 1.0) > FormParts::kExact || std::abs(norm(v[1]) - 1.0) > FormParts::kExact ||
                std::abs(norm(v[2]) - 1.0) > FormParts::kExact || !opposite(v[3], v[4], size_))
                return false;
        }
        axes_ = {*n, *m, across};
        for (Expr& x : axes_[2]) x = as_number(x, 1.0, judge_);
        for (const std::size_t k : kAxes) rod_along_[k] = as_number(dot(rod_, axes_[k]), size_, judge_);
        return true;
    }

    [[nodiscard]] Expr rod_squared() const {
        return rod_along_[0] * rod_along_[0] + rod_along_[1] * rod_along_[1] + rod_along_[2] * rod_along_[2];
    }

    /// Judged where the third coordinate is what it is found to be.
    [[nodiscard]] FormJudge with_third(const SolvedCoordinate& third) const {
        FormJudge result = judge_;
        const Expr x = graph_.variable(third_.variable);
        std::vector<std::pair<std::uint32_t, Expr>> known{{x.node(), third.value}};
        if (third.turn) {
            known.emplace_back(expression::cos(x).node(), third.turn->re);
            known.emplace_back(expression::sin(x).node(), third.turn->im);
        }
        result.all_over = [this, known](std::span<const Expr> all) {
            return judge_.all_over(expression::substitute(graph_, all, [&](std::uint32_t n) -> std::optional<Expr> {
                for (const auto& [node, value] : known) {
                    if (node == n) return value;
                }
                return std::nullopt;
            }));
        };
        return result;
    }

    /// What stays across the outer axis, and has the sign it has at the point: the rod, turned by the inner angle.
    [[nodiscard]] std::optional<Expr> beside_axis(const FormParts& parts, Expr along, Expr turned_squared) const {
        const Expr rest = turned_squared - along * along;
        if (!parts.positive(rest, turned_squared)) return std::nullopt;
        const Expr q = graph_.variable(q_);
        const std::array one{rod_along_[2] * expression::cos(q) - rod_along_[0] * expression::sin(q)};
        const auto now = judge_.anywhere(one);
        return Expr(now[0][0] > 0.0 ? 1.0 : -1.0) * expression::sqrt(rest);
    }

    // With the rod's components (a, b, d) along the axes n, m, n x m and those of the point (r, s, t):
    // (a + i d) e^(-iq) = r + i z, with z the component across n and m before the outer turn, and
    // (b + i z) e^(ip) = s + i t.
    std::optional<std::array<SolvedCoordinate, 2>> directions(const FormJudge& judge) const {
        FormParts parts(graph_, judge);
        const auto& [a, b, d] = rod_along_;
        Space at;
        for (const std::size_t k : kAxes) at[k] = dot(point_, axes_[k]);
        const PlaneVector rod{a, d};
        const Expr turned_squared = square(rod);
        const auto z = beside_axis(parts, at[0], turned_squared);
        if (!z) return std::nullopt;
        const PlaneVector inner{at[0], *z};
        const auto rod_angle = a.is_constant(0.0) ? right_angle(d) : parts.angle(rod);
        if (!rod_angle) return std::nullopt;
        SolvedCoordinate of_inner{*rod_angle - parts.arc(inner, turned_squared)};  // its second component keeps a sign
        of_inner.turn = a.is_constant(0.0) ? PlaneVector{*z / d, at[0] / d} : over(from(rod, inner), turned_squared);
        of_inner.arcs = parts.arcs();

        FormParts outer_parts(graph_, judge);
        const PlaneVector seen{at[1], at[2]};
        const PlaneVector outer{b, *z};
        const Expr outer_squared = square(outer);
        const auto towards = outer_parts.angle(seen);
        if (!towards) return std::nullopt;
        const bool upright = b.is_constant(0.0);
        SolvedCoordinate of_outer{*towards - (upright ? right_angle(*z) : outer_parts.arc(outer, outer_squared))};
        of_outer.turn = upright ? PlaneVector{at[2] / *z, -at[1] / *z} : over(from(seen, outer), outer_squared);
        of_outer.arcs = outer_parts.arcs();
        return std::array{of_outer, of_inner};
    }

    /// The angle of a vector along the second axis which never vanishes.
    [[nodiscard]] Expr right_angle(Expr component) const {
        const std::array one{component};
        return judge_.anywhere(one)[0][0] > 0.0 ? Expr(0.5 * pi) : Expr(-0.5 * pi);
    }

    Graph& graph_;
    Space c_;
    RodCoordinate third_;
    std::uint32_t p_;
    std::uint32_t q_;
    const FormJudge& judge_;
    Space cp_, cq_, cpp_, cqq_;
    double size_ = 0.0;  ///< about that of the rod
    Space point_, rod_;
    std::array<Space, 3> axes_;  ///< outer, inner where the outer angle is 0, across both
    Space rod_along_;            ///< components of the rod along these, where both angles are 0
};

}  // namespace

std::optional<SolvedCoordinate> solve_distance(Graph& graph, Expr vanishes, RodCoordinate x, const FormJudge& judge) {
    if (vanishes.is_literal()) return std::nullopt;
    return x.angle ? solve_angle(graph, vanishes, x.variable, judge)
                   : solve_displacement(graph, vanishes, x.variable, judge);
}

std::vector<std::pair<std::uint32_t, SolvedCoordinate>> solve_rod_on_cross(
    Graph& graph, const std::array<Expr, 3>& vanishes, const std::array<RodCoordinate, 3>& coordinates,
    const FormJudge& judge) {
    for (const std::size_t third : kAxes) {
        for (const std::size_t outer : kAxes) {
            const std::size_t inner = 3 - third - outer;
            if (outer == third || !coordinates[outer].angle || !coordinates[inner].angle) continue;
            auto solved = RodOnCross(graph, vanishes, coordinates[third], coordinates[outer].variable,
                                     coordinates[inner].variable, judge)
                              .solve();
            if (!solved.empty()) return solved;
        }
    }
    return {};
}

}  // namespace bondgraph::compile
