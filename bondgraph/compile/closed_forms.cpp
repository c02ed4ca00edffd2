#include "bondgraph/compile/closed_forms.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "bondgraph/compile/planar_pair.hpp"
#include "bondgraph/compile/rod_forms.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;
using std::numbers::pi;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

namespace {

constexpr std::size_t kMostCoordinates = 12;
constexpr double kExact = 1e-9;  // beside 1, or beside lengths: structure, not chance
constexpr double kFound = 1e-6;  // how far conditions, which hold to 1e-9, may take a coordinate from its closed form
constexpr std::array<int, 3> kPlaces{1, 256, 64};  // of each of so many coordinates that go all the way round
constexpr std::size_t kFrame = 12;                 // x, then R row by row

/// What turns there and back leave of a zero.
double clean(double x, double size) { return std::abs(x) < 1e-14 * size ? 0.0 : x; }
Vec3 clean(Vec3 v) {
    const double size = v.cwiseAbs().maxCoeff();
    for (double& x : v) x = clean(x, size);
    return v;
}

std::array<Expr, 2> cosine_and_sine(std::span<const ClosedForm> forms, Expr angle, std::uint32_t variable) {
    for (const ClosedForm& f : forms) {
        if (f.variable.value == variable && f.turn) return *f.turn;
    }
    return {expression::cos(angle), expression::sin(angle)};
}

/// By an angle of which cosine and sine are known, in a sense.
PlaneVector turned_back_by(const PlaneVector& v, const std::array<Expr, 2>& turn, double sense) {
    const Expr s = Expr(sense) * turn[1];
    return {v.re * turn[0] + v.im * s, v.im * turn[0] - v.re * s};
}

}  // namespace

/// Two frames that are held together, and how they move in the plane of the loop.
struct ClosedForms::Frames {
    std::array<std::vector<Expr>, 2> pose;  ///< of each, kFrame entries
    std::vector<std::uint32_t> variables;
    Vec3 normal = Vec3::Zero();
    Vec3 first = Vec3::Zero();  ///< axes of the plane
    Vec3 second = Vec3::Zero();
    std::array<std::vector<double>, 2> turns;  ///< by variable: 1, −1 (about the normal), 0
    std::array<std::vector<Vec3>, 2> moves;    ///< by variable, at the point: what the origin moves by
    std::array<Vec3, 2> origin{};
    std::array<Mat3, 2> orientation{};
    double apart = 0.0;  ///< angle of the first against the second where all coordinates are 0

    [[nodiscard]] PlaneVector in_plane(std::size_t side, const Vec3& offset) const {
        PlaneVector result;
        for (int k = 0; k < 3; ++k) {
            const auto at = static_cast<std::size_t>(k);
            Expr x = pose[side][at];
            for (std::size_t j = 0; j < 3; ++j) x += Expr(offset[static_cast<int>(j)]) * pose[side][3 + 3 * j + at];
            result.re += Expr(first[k]) * x;
            result.im += Expr(second[k]) * x;
        }
        return result;
    }
};

/// A point at which a few variables have other values.
class ClosedForms::Elsewhere {
   public:
    explicit Elsewhere(const ChoicePoint& at) : at_(&at) {}
    [[nodiscard]] double operator[](std::uint32_t v) const {
        const auto found = std::ranges::find(moved_, v, &std::pair<std::uint32_t, double>::first);
        return found == moved_.end() ? at_->values[v] : found->second;
    }
    double& operator[](std::uint32_t v) {
        const auto found = std::ranges::find(moved_, v, &std::pair<std::uint32_t, double>::first);
        return found == moved_.end() ? moved_.emplace_back(v, at_->values[v]).second : found->second;
    }

   private:
    const ChoicePoint* at_;
    std::vector<std::pair<std::uint32_t, double>> moved_;
};

ClosedForms::ClosedForms(const ReducedSystem& system, const ChoicePoint& at)
    : s_(system), at_(at), graph_(*system.graph().expressions), coordinate_(system.variable_count(), 0) {
    layout_.variable.assign(system.variable_count(), expression::kNoNode);
    for (const ClosedLoops::Coordinate& c : system.loops->position) coordinate_[c.variable] = c.number ? 2 : 1;
}

std::vector<ClosedForm> ClosedForms::at(const ClosedLoops::Place& place, std::span<const Expr> conditions,
                                        std::span<const std::uint32_t> coordinates) const {
    if (conditions.size() != coordinates.size()) return {};
    if (coordinates.size() == 2) {
        auto forms = pair({conditions[0], conditions[1]}, coordinates);
        if (hold(forms, conditions)) return forms;
    }
    if (coordinates.size() == 2 || coordinates.size() == 3) {
        if (const auto both = frames(place)) {
            auto forms = in_plane(*both, conditions, coordinates);
            // What moves in one plane turns nothing across it; but the frames may move without these coordinates.
            const auto moves = [&](std::uint32_t v) { return std::ranges::binary_search(both->variables, v); };
            if (!forms.empty() || std::ranges::all_of(coordinates, moves)) return forms;
        }
    }
    return in_space(place, conditions, coordinates);
}

std::vector<ClosedForm> ClosedForms::in_plane(const Frames& both, std::span<const Expr> conditions,
                                              std::span<const std::uint32_t> coordinates) const {
    if (coordinates.size() == 3) return held_rigidly(both, conditions, coordinates);
    auto forms = held_by_pin(both, coordinates);
    return hold(forms, conditions) ? forms : std::vector<ClosedForm>{};
}

std::vector<ClosedForm> ClosedForms::in_space(const ClosedLoops::Place& place, std::span<const Expr> conditions,
                                              std::span<const std::uint32_t> coordinates) const {
    std::vector<ClosedForm> forms;
    if (coordinates.size() == 1) {
        const auto by = judge(conditions, coordinates);
        if (!by) return {};
        const RodCoordinate x{coordinates[0], coordinate_[coordinates[0]] == 2};
        if (const auto solved = solve_distance(graph_, conditions[0], x, *by))
            forms.push_back(form(x.variable, *solved));
        return hold(forms, conditions) ? forms : std::vector<ClosedForm>{};
    }
    if (coordinates.size() != 3) return {};
    forms = rod_on_cross({conditions[0], conditions[1], conditions[2]}, coordinates);
    if (hold(forms, conditions)) return forms;
    if (place.poses[0].size() != kFrame || place.poses[1].size() != kFrame) return {};
    // Conditions may be resolved in a frame that the angles turn.
    std::array<Expr, 3> apart;
    for (std::size_t k = 0; k < apart.size(); ++k)
        apart[k] = s_.in_variables(place.poses[1][k]) - s_.in_variables(place.poses[0][k]);
    forms = rod_on_cross(apart, coordinates);
    return hold(forms, conditions) ? forms : std::vector<ClosedForm>{};
}

std::vector<ClosedForm> ClosedForms::rod_on_cross(const std::array<Expr, 3>& vanishes,
                                                  std::span<const std::uint32_t> coordinates) const {
    const auto by = judge(vanishes, coordinates);
    if (!by) return {};
    std::array<RodCoordinate, 3> three;
    for (std::size_t k = 0; k < three.size(); ++k) three[k] = {coordinates[k], coordinate_[coordinates[k]] == 2};
    std::vector<ClosedForm> forms;
    for (const auto& [variable, solved] : solve_rod_on_cross(graph_, vanishes, three, *by))
        forms.push_back(form(variable, solved));
    return forms;
}

/// Whether expressions depend on coordinates of loops alone, and on which.
bool ClosedForms::only_coordinates(std::span<const Expr> all, std::vector<std::uint32_t>& variables) const {
    std::vector<std::uint32_t> roots;
    for (const Expr& e : all) {
        if (!e.is_literal()) roots.push_back(e.node());
    }
    variables.clear();
    for (const std::uint32_t n : expression::reachable(graph_, roots)) {
        const expression::Node& node = graph_[n];
        if (node.op == Op::time || node.op == Op::derivative || node.op == Op::parameter || node.op == Op::held)
            return false;
        if (node.op != Op::variable) continue;
        if (coordinate_[node.a] == 0) return false;
        variables.push_back(node.a);
    }
    std::ranges::sort(variables);
    return variables.size() <= kMostCoordinates;
}

/// Expressions in variables at points: one row for each of these.
std::vector<std::vector<double>> ClosedForms::values(std::span<const Expr> all,
                                                     std::span<const Elsewhere> points) const {
    std::vector<std::uint32_t> used;
    if (!only_coordinates(all, used)) return {};
    layout_.size = 0;
    for (const std::uint32_t v : used) layout_.variable[v] = layout_.size++;
    const expression::Tape tape(graph_, all, layout_);
    for (const std::uint32_t v : used) layout_.variable[v] = expression::kNoNode;
    std::vector<double> work = tape.make_workspace<double>();
    std::vector<double> inputs(used.size());
    std::vector<std::vector<double>> result;
    for (const Elsewhere& p : points) {
        for (std::size_t k = 0; k < used.size(); ++k) inputs[k] = p[used[k]];
        tape.evaluate<double>(inputs, result.emplace_back(all.size()), work);
    }
    return result;
}

/// Expressions wherever the other coordinates are, if these are angles after a turn of which all is as before (an own
/// joint may turn by half of its coordinate, or advance with it). Nothing otherwise.
std::vector<std::vector<double>> ClosedForms::all_over(std::span<const Expr> all,
                                                       std::span<const std::uint32_t> others) const {
    if (others.size() >= kPlaces.size()) return {};
    std::vector<Elsewhere> turned{Elsewhere(at_)};
    std::vector<Elsewhere> points{Elsewhere(at_)};
    const int count = kPlaces[others.size()];
    for (const std::uint32_t v : others) {
        if (coordinate_[v] != 2) return {};
        turned.emplace_back(at_);
        turned.back()[v] += 2.0 * pi;
        const std::size_t before = points.size();
        for (int k = 1; k < count; ++k) {
            for (std::size_t i = 0; i < before; ++i) {
                points.push_back(points[i]);
                points.back()[v] += 2.0 * pi * k / count;
            }
        }
    }
    const auto after = values(all, turned);
    for (const std::vector<double>& row : after) {
        for (std::size_t k = 0; k < row.size(); ++k) {
            const double size = *std::ranges::max_element(after[0], {}, [](double x) { return std::abs(x); });
            if (!(std::abs(row[k] - after[0][k]) <= kExact * std::abs(size))) return {};
        }
    }
    return values(all, points);
}

/// By what is known of coordinates that such conditions determine.
std::optional<FormJudge> ClosedForms::judge(std::span<const Expr> vanishes,
                                            std::span<const std::uint32_t> coordinates) const {
    std::vector<std::uint32_t> others;
    if (!only_coordinates(vanishes, others)) return std::nullopt;
    std::vector<Elsewhere> points(4, Elsewhere(at_));
    std::minstd_rand random(3);
    std::uniform_real_distribution<double> beside(-1.0, 1.0);
    for (std::size_t k = 1; k < points.size(); ++k) {
        for (const std::uint32_t v : others) points[k][v] += beside(random) * (coordinate_[v] == 2 ? 1.0 : 0.3);
    }
    std::erase_if(others, [&](std::uint32_t v) { return std::ranges::find(coordinates, v) != coordinates.end(); });
    if (others.size() >= kPlaces.size() ||
        std::ranges::any_of(others, [&](std::uint32_t v) { return coordinate_[v] != 2; }))
        return std::nullopt;  // what says nothing of all places finds no form
    return FormJudge{
        .anywhere = [this, points = std::move(points)](std::span<const Expr> all) { return values(all, points); },
        .all_over = [this, others](std::span<const Expr> all) { return all_over(all, others); },
        .others = others};
}

ClosedForm ClosedForms::form(std::uint32_t variable, const SolvedCoordinate& solved) const {
    ClosedForm result{VariableId(std::size_t{variable}), solved.value};
    if (solved.turn) result.turn = std::array{solved.turn->re, solved.turn->im};
    result.arcs = solved.arcs;
    result.within = solved.within;
    return result;
}

bool ClosedForms::never_vanishes(Expr e) const {
    const std::array one{e};
    std::vector<std::uint32_t> used;
    if (!only_coordinates(one, used)) return false;
    const auto places = all_over(one, used);
    if (places.empty()) return false;
    double largest = 0.0;
    for (const auto& p : places) largest = std::max(largest, std::abs(p[0]));
    const double sign = places[0][0] > 0.0 ? 1.0 : -1.0;
    return std::ranges::all_of(places, [&](const auto& p) { return sign * p[0] > FormParts::kInLine * largest; });
}

std::vector<ClosedForm> ClosedForms::pair(const PlaneVector& vanishes,
                                          std::span<const std::uint32_t> coordinates) const {
    const std::array both{vanishes.re, vanishes.im};
    const auto by = judge(both, coordinates);
    if (!by) return {};
    const auto solved = solve_planar_pair(vanishes, coordinates[0], coordinates[1], *by);
    if (!solved) return {};
    return {form(coordinates[0], (*solved)[0]), form(coordinates[1], (*solved)[1])};
}

/// The frames, where they move in one plane wherever the coordinates are.
std::optional<ClosedForms::Frames> ClosedForms::frames(const ClosedLoops::Place& place) const {
    Frames f;
    std::vector<Expr> all;
    for (std::size_t side = 0; side < 2; ++side) {
        for (const Expr& e : place.poses[side]) f.pose[side].push_back(s_.in_variables(e));
        if (f.pose[side].size() != kFrame) return std::nullopt;
        all.insert(all.end(), f.pose[side].begin(), f.pose[side].end());
    }
    if (!only_coordinates(all, f.variables) || f.variables.empty()) return std::nullopt;
    const std::vector<Expr> poses = all;
    for (const std::uint32_t v : f.variables) {
        const auto d = expression::derivative(graph_, poses, graph_.variable(v));
        all.insert(all.end(), d.begin(), d.end());
    }
    std::vector<Elsewhere> points(4, Elsewhere(at_));
    std::minstd_rand random(5);
    std::uniform_real_distribution<double> beside(-1.0, 1.0);
    for (std::size_t k = 1; k < points.size(); ++k) {
        for (const std::uint32_t v : f.variables) points[k][v] = k == 1 ? 0.0 : points[k][v] + beside(random);
    }
    const auto numbers = values(all, points);
    const auto entry = [&](std::size_t point, std::size_t which, std::size_t side) {
        return numbers[point].data() + (2 * which + side) * kFrame;
    };
    const auto moves = [&](std::size_t point, std::size_t which, std::size_t side) -> Vec3 {
        return Eigen::Map<const Vec3>(entry(point, which, side));
    };
    using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    const auto matrix = [&](std::size_t point, std::size_t which, std::size_t side) -> Mat3 {
        return Eigen::Map<const RowMajor>(entry(point, which, side) + 3);
    };
    const auto turns = [&](std::size_t point, std::size_t which, std::size_t side) -> Vec3 {
        const Mat3 s = matrix(point, which, side).transpose() * matrix(point, 0, side);
        return {s(2, 1), s(0, 2), s(1, 0)};
    };
    const std::size_t count = f.variables.size();
    for (std::size_t k = 1; k <= 2 * count && f.normal.isZero(); ++k) {
        const Vec3 w = turns(0, (k + 1) / 2, k % 2);
        if (w.norm() > 0.5) f.normal = clean(w.normalized());
    }
    if (f.normal.isZero()) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side) {
        for (std::size_t k = 1; k <= count; ++k) {
            const double turn = std::round(turns(0, k, side).dot(f.normal));
            f.turns[side].push_back(turn);
            f.moves[side].push_back(moves(0, k, side));
            for (std::size_t p = 0; p < points.size(); ++p) {
                const Vec3 moved = moves(p, k, side);
                if ((turns(p, k, side) - turn * f.normal).norm() > kExact ||
                    std::abs(moved.dot(f.normal)) > kExact * std::max(1.0, moved.norm()))
                    return std::nullopt;
            }
        }
        f.origin[side] = moves(0, 0, side);
        f.orientation[side] = matrix(0, 0, side);
    }
    const Mat3 relative = matrix(1, 0, 1).transpose() * matrix(1, 0, 0);
    const Vec3 sine(relative(2, 1) - relative(1, 2), relative(0, 2) - relative(2, 0), relative(1, 0) - relative(0, 1));
    f.apart = std::atan2(sine.dot(f.normal), relative.trace() - 1.0);
    int least = 0;
    f.normal.cwiseAbs().minCoeff(&least);
    f.first = Vec3::Unit(least);
    f.first = clean((f.first - f.normal * f.normal.dot(f.first)).normalized());
    f.second = clean(f.normal.cross(f.first));
    return f;
}

std::vector<ClosedForm> ClosedForms::held_by_pin(const Frames& f, std::span<const std::uint32_t> coordinates) const {
    const PlaneVector one = f.in_plane(0, Vec3::Zero());
    const PlaneVector two = f.in_plane(1, Vec3::Zero());
    return pair({two.re - one.re, two.im - one.im}, coordinates);
}

// One of the three joints, a hinge, holds as a pin does; the other two coordinates bring its pin together, and its own
// follows from the sum of angles.
std::vector<ClosedForm> ClosedForms::held_rigidly(const Frames& f, std::span<const Expr> conditions,
                                                  std::span<const std::uint32_t> coordinates) const {
    for (const std::uint32_t hinge : coordinates) {
        const auto at = static_cast<std::size_t>(std::ranges::find(f.variables, hinge) - f.variables.begin());
        if (at == f.variables.size() || (f.turns[0][at] == 0.0) == (f.turns[1][at] == 0.0)) continue;
        const std::size_t side = f.turns[0][at] != 0.0 ? 0 : 1;
        const Vec3 to_pin = f.normal.cross(f.moves[side][at]) / f.turns[side][at];
        Vec3 pin = f.orientation[side] * to_pin;  // in the frame that the hinge carries: the same in the other one
        const double size = std::max(1e-3, pin.cwiseAbs().maxCoeff());
        for (double& x : pin) x = clean(x, size);
        const PlaneVector one = f.in_plane(0, pin);
        const PlaneVector two = f.in_plane(1, pin);
        const std::array apart{two.re - one.re, two.im - one.im};
        const std::uint32_t node = graph_.variable(hinge).node();
        const auto without = expression::substitute(
            graph_, apart, [&](std::uint32_t n) { return n == node ? std::optional(Expr(0.0)) : std::nullopt; });
        std::vector<std::uint32_t> rest;
        for (const std::uint32_t v : coordinates) {
            if (v != hinge) rest.push_back(v);
        }
        auto forms = pair({without[0], without[1]}, rest);
        if (forms.empty()) continue;
        Expr sum = f.apart;
        PlaneVector turn{clean(std::cos(f.apart), 1.0), clean(std::sin(f.apart), 1.0)};
        for (std::size_t k = 0; k < f.variables.size(); ++k) {
            const double sense = f.turns[0][k] - f.turns[1][k];
            if (k == at || sense == 0.0) continue;
            const Expr angle = graph_.variable(f.variables[k]);
            sum -= Expr(sense) * angle;
            turn = turned_back_by(turn, cosine_and_sine(forms, angle, f.variables[k]), sense);
        }
        const double sense = f.turns[0][at] - f.turns[1][at];
        forms.push_back(
            {VariableId(std::size_t{hinge}), Expr(sense) * sum, std::array{turn.re, Expr(sense) * turn.im}});
        if (hold(forms, conditions)) return forms;
    }
    return {};
}

/// Angles become those of the point by whole turns. Whether forms say what the conditions do, there and wherever the
/// other coordinates are.
bool ClosedForms::hold(std::vector<ClosedForm>& forms, std::span<const Expr> conditions) const {
    if (forms.empty()) return false;
    std::vector<Expr> all;
    for (const ClosedForm& f : forms) all.push_back(f.value);
    const auto here = values(all, std::array{Elsewhere(at_)});
    if (here.empty()) return false;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const double there = at_.values[forms[k].variable.index()];
        double turns = 0.0;
        if (coordinate_[forms[k].variable.index()] == 2)
            turns = 2.0 * pi * std::round((there - here[0][k]) / (2.0 * pi));
        if (!(std::abs(here[0][k] + turns - there) <= kFound * std::max(1.0, std::abs(there)))) return false;
        if (turns != 0.0) forms[k].value = forms[k].value + Expr(turns);
    }
    std::vector<std::uint32_t> used;
    std::vector<Elsewhere> points(4, Elsewhere(at_));
    std::minstd_rand random(7);
    std::uniform_real_distribution<double> anywhere(-pi, pi);
    if (!only_coordinates(conditions, used)) return false;
    for (std::size_t k = 1; k < points.size(); ++k) {
        for (const std::uint32_t v : used) points[k][v] = anywhere(random);
    }
    for (const ClosedForm& f : forms) {
        std::vector<Expr> one{f.value};
        if (f.turn) one.insert(one.end(), f.turn->begin(), f.turn->end());
        const auto found = values(one, points);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double x = points[k][f.variable.index()] = found[k][0];
            if (f.turn && !(std::hypot(found[k][1] - std::cos(x), found[k][2] - std::sin(x)) <= kExact)) return false;
        }
    }
    const auto off = values(conditions, points);
    return !off.empty() && std::ranges::all_of(off, [](const std::vector<double>& row) {
        return std::ranges::all_of(row, [](double x) { return std::abs(x) <= kExact; });
    });
}

}  // namespace bondgraph::compile
