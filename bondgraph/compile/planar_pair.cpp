#include "bondgraph/compile/planar_pair.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using std::numbers::pi;

namespace {

using Number = std::complex<double>;

/// Turned by a right angle to the right where `sign` is 1.
PlaneVector turned_back(const PlaneVector& a, double sign) { return {Expr(sign) * a.im, Expr(-sign) * a.re}; }
class Pair {
   public:
    Pair(const PlaneVector& vanishes, std::uint32_t a, std::uint32_t b, const FormJudge& judge)
        : d_(vanishes), judge_(judge), graph_(graph_of(vanishes)), a_(a), b_(b) {}

    std::optional<std::array<SolvedCoordinate, 2>> solve() {
        if (graph_ == nullptr) return std::nullopt;
        parts_.emplace(*graph_, judge_);
        differentiate();
        if (!tell_kinds()) return std::nullopt;
        if (carried_ == Carried::not_at_all && !turns_a_) return exchanged();
        if (carried_ == Carried::a_by_b) return exchanged();
        if (carried_ == Carried::not_at_all) return turns_b_ ? two_rods() : rod_and_slider();
        return turns_b_ ? rod_on_rod() : slider_on_guide();
    }

   private:
    using Both = std::array<SolvedCoordinate, 2>;
    enum class Carried : std::uint8_t { not_at_all, b_by_a, a_by_b };

    static expression::Graph* graph_of(const PlaneVector& v) { return v.re.is_literal() ? v.im.graph() : v.re.graph(); }

    [[nodiscard]] PlaneVector derivative(const PlaneVector& v, std::uint32_t variable) const {
        const std::array roots{v.re, v.im};
        const auto d = expression::derivative(*graph_, roots, graph_->variable(variable));
        return {d[0], d[1]};
    }

    void differentiate() {
        da_ = derivative(d_, a_);
        db_ = derivative(d_, b_);
        daa_ = derivative(da_, a_);
        dbb_ = derivative(db_, b_);
        dab_ = derivative(da_, b_);
        at_ = numbers({d_, da_, db_, daa_, dbb_, dab_});
    }

    [[nodiscard]] std::vector<std::vector<Number>> numbers(const std::vector<PlaneVector>& all) const {
        std::vector<Expr> flat;
        for (const PlaneVector& v : all) flat.insert(flat.end(), {v.re, v.im});
        std::vector<std::vector<Number>> result;
        for (const auto& row : judge_.anywhere(flat)) {
            auto& out = result.emplace_back();
            for (std::size_t k = 0; k < all.size(); ++k) out.emplace_back(row[2 * k], row[2 * k + 1]);
        }
        return result;
    }

    /// 0: slides, ±1: turns, nothing: neither.
    [[nodiscard]] std::optional<double> turns(std::size_t first, std::size_t second) const {
        std::optional<double> result;
        for (const auto& p : at_) {
            const Number one = p[first];
            const Number two = p[second];
            if (!(std::abs(one) > 0.0) || !std::isfinite(std::abs(one) + std::abs(two))) return std::nullopt;
            const Number ratio = two / one;
            double kind = 0.0;
            if (std::abs(ratio) > FormParts::kExact) {
                kind = ratio.imag() > 0.0 ? 1.0 : -1.0;
                if (std::abs(ratio - Number(0.0, kind)) > FormParts::kExact) return std::nullopt;
            }
            if (result && *result != kind) return std::nullopt;
            result = kind;
        }
        return result;
    }

    bool tell_kinds() {
        const auto a = turns(1, 3);
        const auto b = turns(2, 4);
        if (!a || !b) return false;
        sign_a_ = *a;
        sign_b_ = *b;
        turns_a_ = sign_a_ != 0.0;
        turns_b_ = sign_b_ != 0.0;
        const auto everywhere = [&](auto&& holds) { return std::ranges::all_of(at_, holds); };
        if (everywhere([](const auto& p) {
                return std::abs(p[5]) <= FormParts::kExact * std::max(std::abs(p[1]), std::abs(p[2]));
            }))
            carried_ = Carried::not_at_all;
        else if (turns_a_ && everywhere([&](const auto& p) {
                     return std::abs(p[5] - Number(0.0, sign_a_) * p[2]) <= FormParts::kExact * std::abs(p[2]);
                 }))
            carried_ = Carried::b_by_a;
        else if (turns_b_ && everywhere([&](const auto& p) {
                     return std::abs(p[5] - Number(0.0, sign_b_) * p[1]) <= FormParts::kExact * std::abs(p[1]);
                 }))
            carried_ = Carried::a_by_b;
        else
            return false;
        return turns_a_ || turns_b_;
    }

    std::optional<Both> exchanged() const {
        auto other = Pair(d_, b_, a_, judge_).solve();
        if (other) std::swap((*other)[0], (*other)[1]);
        return other;
    }

    /// Where both coordinates are 0.
    [[nodiscard]] PlaneVector at_zero(const PlaneVector& v) const {
        const std::array roots{v.re, v.im};
        const std::array zero{graph_->variable(a_).node(), graph_->variable(b_).node()};
        const auto r = expression::substitute(*graph_, roots, [&](std::uint32_t n) {
            return n == zero[0] || n == zero[1] ? std::optional(Expr(0.0)) : std::nullopt;
        });
        return {r[0], r[1]};
    }

    /// The length of a vector, the same everywhere.
    [[nodiscard]] std::optional<double> length(const PlaneVector& v) const {
        const auto n = numbers({v});
        const double here = std::abs(n[0][0]);
        const bool same = std::ranges::all_of(
            n, [&](const auto& p) { return std::abs(std::abs(p[0]) - here) <= FormParts::kExact * here; });
        return here > 0.0 && same ? std::optional(here) : std::nullopt;
    }

    /// A vector that turns with the others, and its angle as their sum.
    [[nodiscard]] std::optional<Direction> direction(const PlaneVector& v) const {
        std::vector<PlaneVector> all{v};
        for (const std::uint32_t r : judge_.others) all.push_back(derivative(v, r));
        const auto n = numbers(all);
        Expr sum = 0.0;
        for (std::size_t k = 0; k < judge_.others.size(); ++k) {
            const auto rate = [&](const std::vector<Number>& p) { return (p[k + 1] / p[0]).imag(); };
            const double rounded = std::round(rate(n[0]));
            for (const auto& p : n) {
                if (!(std::abs(p[k + 1] / p[0] - Number(0.0, rounded)) <= FormParts::kExact)) return std::nullopt;
            }
            if (rounded != 0.0) sum += Expr(rounded) * graph_->variable(judge_.others[k]);
        }
        // What is left beside the sum, found where all numbers are at hand.
        const std::array sums{sum};
        const double left = std::arg(n[0][0]) - judge_.anywhere(sums)[0][0];
        return Direction{v, sum + Expr(std::remainder(left, 2.0 * pi))};
    }

    /// An angle counted in the sense of its coordinate; `turn` is e^(i angle).
    SolvedCoordinate angle_in_sense(double sign, Expr angle, const PlaneVector& turn) const {
        return {Expr(sign) * angle, PlaneVector{turn.re, Expr(sign) * turn.im}, parts_->arcs()};
    }

    struct Triangle {
        Expr height;  ///< of the first rod over the base, times the base
        Expr along;   ///< of the first rod, times the base
        Expr base_squared;
    };
    /// Rods of these lengths over a base, bent as `now`, the first rod, is against it.
    [[nodiscard]] std::optional<Triangle> triangle(const PlaneVector& base, double first, double second,
                                                   Number now) const {
        const Number base_now = numbers({base})[0][0];
        const double height = (now * std::conj(base_now)).imag();
        if (!(std::abs(height) > FormParts::kInLine * first * std::abs(base_now))) return std::nullopt;
        Triangle t;
        t.base_squared = square(base);
        t.along = Expr(0.5) * (t.base_squared + Expr(first * first - second * second));
        const Expr area = Expr(first * first) * t.base_squared - t.along * t.along;
        // The rods' lengths times the sine between them: along a base that vanishes they lie on each other.
        if (!parts_->positive(area, Expr(first * first * second * second))) return std::nullopt;
        t.height = Expr(height > 0.0 ? 1.0 : -1.0) * expression::sqrt(area);
        return t;
    }

    std::optional<Both> two_rods() {
        const PlaneVector first = -at_zero(daa_);
        const PlaneVector second = -at_zero(dbb_);
        const PlaneVector base = first + second - at_zero(d_);
        const auto l1 = length(first);
        const auto l2 = length(second);
        const auto d1 = direction(first);
        const auto d2 = direction(second);
        if (!l1 || !l2 || !d1 || !d2) return std::nullopt;
        const auto t = triangle(base, *l1, *l2, -at_[0][3]);
        if (!t) return std::nullopt;
        const auto towards = parts_->angle(base, {*d1, *d2});
        if (!towards) return std::nullopt;
        const PlaneVector near{t->along, t->height};
        const PlaneVector far{t->base_squared - t->along, -t->height};
        const Expr near_squared = t->base_squared * Expr(*l1 * *l1);
        const Expr far_squared = t->base_squared * Expr(*l2 * *l2);
        const Expr to_near = parts_->arc(near, near_squared);
        const Expr to_far = parts_->arc(far, far_squared);
        return Both{
            angle_in_sense(sign_a_, *towards + to_near - d1->angle, over(from(base * near, first), near_squared)),
            angle_in_sense(sign_b_, *towards + to_far - d2->angle, over(from(base * far, second), far_squared))};
    }

    std::optional<Both> rod_on_rod() {
        const PlaneVector outer = -at_zero(dbb_);
        const PlaneVector both = turned_back(at_zero(da_), sign_a_);
        const PlaneVector inner = both - outer;
        const PlaneVector base = both - at_zero(d_);
        const auto l1 = length(inner);
        const auto l2 = length(outer);
        const auto d1 = direction(inner);
        const auto d2 = direction(outer);
        if (!l1 || !l2 || !d1 || !d2) return std::nullopt;
        const auto t = triangle(base, *l1, *l2, at_[0][1] / Number(0.0, sign_a_) + at_[0][4]);
        if (!t) return std::nullopt;
        const auto towards = parts_->angle(base, {*d1});
        if (!towards) return std::nullopt;
        const PlaneVector near{t->along, t->height};
        const PlaneVector far{t->base_squared - t->along, -t->height};
        const Expr near_squared = t->base_squared * Expr(*l1 * *l1);
        const Expr to_near = parts_->arc(near, near_squared);
        const Expr to_far = parts_->arc(far, t->base_squared * Expr(*l2 * *l2));
        // Both have their lengths times that of the base; inner against outer stays what it is at 0.
        const Expr lengths = t->base_squared * Expr(*l1 * *l1 * *l2 * *l2);
        return Both{
            angle_in_sense(sign_a_, *towards + to_near - d1->angle, over(from(base * near, inner), near_squared)),
            angle_in_sense(sign_b_, to_far - to_near - d2->angle + d1->angle,
                           over(from(far, near) * from(inner, outer), lengths))};
    }

    std::optional<Both> rod_and_slider() {
        const PlaneVector rod = -at_zero(daa_);
        const PlaneVector along = at_zero(db_);
        const PlaneVector base = rod - at_zero(d_);
        const auto l = length(rod);
        const auto u = length(along);
        const auto d1 = direction(rod);
        const auto d2 = direction(along);
        if (!l || !u || !d1 || !d2) return std::nullopt;
        const double now = (-at_[0][3] * std::conj(at_[0][2])).real();
        if (!(std::abs(now) > FormParts::kInLine * *l * *u)) return std::nullopt;
        const double sign = now > 0.0 ? 1.0 : -1.0;
        const PlaneVector seen = from(base, along);
        const Expr rest = Expr(*l * *l * *u * *u) - seen.im * seen.im;
        if (!parts_->positive(rest, Expr(*l * *l * *u * *u))) return std::nullopt;
        const Expr x = Expr(sign) * expression::sqrt(rest);
        const PlaneVector reach{x, seen.im};
        const Expr squared(*l * *l * *u * *u);
        const Expr swing = parts_->arc_on_side(reach, sign, squared);
        return Both{angle_in_sense(sign_a_, swing + d2->angle - d1->angle, over(reach * from(along, rod), squared)),
                    SolvedCoordinate{(seen.re - x) / Expr(*u * *u)}};
    }

    std::optional<Both> slider_on_guide() {
        const PlaneVector along = at_zero(db_);
        const PlaneVector arm = turned_back(at_zero(da_), sign_a_);
        const PlaneVector base = arm - at_zero(d_);
        const auto u = length(along);
        const auto d = direction(along);
        if (!u || !d) return std::nullopt;
        const auto arms = numbers({from(arm, along)});
        const Number m = arms[0][0];
        const double size = std::max(std::abs(m), *u * *u);
        for (const auto& p : arms) {
            if (std::abs(p[0] - m) > FormParts::kExact * size) return std::nullopt;
        }
        const double across = std::abs(m.imag()) > FormParts::kExact * FormParts::kExact * size ? m.imag() : 0.0;
        const Number there = at_[0][1] / Number(0.0, sign_a_) * std::conj(at_[0][2]);  // arm and way, seen from the way
        const double sign = there.real() > 0.0 ? 1.0 : -1.0;
        const Expr out_squared = square(base) * Expr(*u * *u);
        const Expr rest = out_squared - Expr(across * across);
        if (!(std::abs(there.real()) > FormParts::kInLine * std::abs(there)) || !parts_->positive(rest, out_squared))
            return std::nullopt;
        const Expr s = Expr(sign) * expression::sqrt(rest);
        const auto towards = parts_->angle(base, {*d});
        if (!towards) return std::nullopt;
        const Expr aside = parts_->arc_on_side({s, Expr(across)}, sign, out_squared);
        return Both{angle_in_sense(sign_a_, *towards - aside - d->angle,
                                   over(from(from(base, along), {s, Expr(across)}), out_squared)),
                    SolvedCoordinate{(s - Expr(m.real())) / Expr(*u * *u)}};
    }

    PlaneVector d_, da_, db_, daa_, dbb_, dab_;
    const FormJudge& judge_;
    expression::Graph* graph_;
    std::uint32_t a_;
    std::uint32_t b_;
    std::vector<std::vector<Number>> at_;  ///< of d_ … dab_
    std::optional<FormParts> parts_;
    double sign_a_ = 0.0;
    double sign_b_ = 0.0;
    bool turns_a_ = false;
    bool turns_b_ = false;
    Carried carried_ = Carried::not_at_all;
};

}  // namespace

std::optional<std::array<SolvedCoordinate, 2>> solve_planar_pair(const PlaneVector& vanishes, std::uint32_t a,
                                                                 std::uint32_t b, const FormJudge& judge) {
    return Pair(vanishes, a, b, judge).solve();
}

}  // namespace bondgraph::compile
