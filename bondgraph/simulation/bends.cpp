#include "bondgraph/simulation/bends.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/simulation/run_failures.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Enclosure;
using expression::Expr;
using expression::Node;
using expression::Op;
using BendAt = compile::TimeFunctions::Kink::At;

namespace {

/// What is left of an argument beside the largest it has been: rounding.
constexpr double kSpeck = 1e-10;
/// Stretches in which a part of a step is looked at by itself at most.
constexpr int kMostParts = 16;

/// Per node of `nodes`, ascending, whether it follows unknowns or what comes out of delays.
std::unordered_map<std::uint32_t, bool> following(const CompiledModel& m, std::span<const std::uint32_t> nodes) {
    const expression::Graph& graph = *m.graph().expressions;
    const std::size_t first_delay = m.graph().first_delay();
    std::unordered_map<std::uint32_t, bool> follows;
    for (const std::uint32_t n : nodes) {
        const Node& node = graph[n];
        bool follow = node.op == Op::variable || node.op == Op::derivative ||
                      (node.op == Op::held && node.a >= first_delay && node.a < first_delay + m.graph().delays.size());
        for (const std::uint32_t child : node.operands()) follow = follow || follows.at(child);
        follows.emplace(n, follow);
    }
    return follows;
}

/// Between its points such a table has a continuous value and slope, and at them as well.
bool bends_only_slightly(const expression::Graph& graph, const Node& n) {
    if (n.op != Op::table1 && n.op != Op::table1_slope) return false;
    const expression::Table1& table = graph.tables().one[n.a];
    return !table.polynomials.empty() && table.continuous >= (n.op == Op::table1 ? 1 : 2);
}

/// smooth(k, …) with k ≥ 0 in a model's laws: the operand, and where it stands.
struct Promising {
    std::uint32_t node = 0;
    model::ElementId element;
    SourcePosition position;
};

std::vector<Promising> promising(const CompiledModel& m) {
    const model::BondGraph& g = m.graph();
    const expression::Graph& graph = *g.expressions;
    std::vector<Promising> found;
    if (std::ranges::none_of(graph.nodes(), [](const Node& n) { return n.op == Op::smooth; })) return found;
    std::unordered_map<std::uint32_t, bool> known;
    const auto look = [&](Expr e, const model::Equation& q) {
        if (e.is_literal()) return;
        const std::array roots{e.node()};
        for (const std::uint32_t n : expression::reachable(graph, roots)) {
            const Node& node = graph[n];
            if (node.op != Op::smooth || !known.emplace(n, true).second) continue;
            if (graph[node.a].op == Op::constant && graph[node.a].number() >= 0.0)
                found.push_back({n, q.element, q.position});
        }
    };
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (g.elements[i].type->law == nullptr) continue;
        std::vector<model::Equation> equations;
        std::vector<model::Update> updates;
        model::LawContext context(g, model::ElementId(i), equations, &updates);
        g.elements[i].type->law(context);
        for (const model::Equation& q : equations) {
            look(q.lhs, q);
            look(q.rhs, q);
        }
    }
    return found;
}

}  // namespace

Bends::Bends(const CompiledModel& m) {
    const auto hold = m.hold();
    expression::Graph& graph = *m.graph().expressions;
    std::vector<std::uint32_t> roots;
    const auto add_root = [&](Expr e) {
        if (!e.is_literal()) roots.push_back(e.node());
    };
    for (const compile::EnergyTerm& term : m.energy) add_root(term.power);
    std::vector<Expr> values;
    for (const Promising& p : promising(m)) {
        const Expr value = m.in_unknowns(graph.at(graph[p.node].b));
        if (value.is_literal()) continue;
        promises.push_back({expression_text(m, p.node), p.position, m.graph().elements[p.element.index()].name});
        values.push_back(value);
        add_root(value);
    }
    const std::vector<std::uint32_t> nodes = expression::reachable(graph, roots);
    const auto follows = following(m, nodes);
    std::vector<Expr> found;
    for (const std::uint32_t node : nodes) {
        if (bends_only_slightly(graph, graph[node])) continue;
        for (auto& bend : compile::bends_of(graph, node, [&](std::uint32_t of) { return follows.at(of); })) {
            if (bend.argument.is_constant()) continue;
            bends.push_back({bend.at, std::move(bend.points)});
            found.push_back(bend.argument);
        }
    }
    promised = m.tape(values);
    if (bends.empty()) return;
    arguments = m.tape(found);
    std::vector<bool> unknown(m.input_size(), false);
    std::fill_n(unknown.begin() + 1, 2 * m.size(), true);
    for (const auto& needed : arguments.dependencies(unknown))
        watched.insert(watched.end(), needed.begin(), needed.end());
    std::ranges::sort(watched);
    watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
    closely = std::ranges::any_of(watched, [&](std::uint32_t input) { return input > m.state_count; });
}

double Bends::Bend::cell(double argument) const {
    switch (at) {
        case BendAt::zero:
            return argument >= 0.0 ? 1.0 : 0.0;
        case BendAt::whole_numbers:
            return std::floor(argument);
        case BendAt::points:
            return static_cast<double>(std::ranges::upper_bound(points, argument) - points.begin());
    }
    return 0.0;
}

double Bends::Bend::place(double argument, double towards) const {
    const bool up = towards > argument;
    if (at == BendAt::zero) return 0.0;
    const double cell = this->cell(argument);
    if (at == BendAt::whole_numbers) return up ? cell + 1.0 : cell;
    const auto next = static_cast<std::size_t>(cell);
    return points[up ? std::min(next, points.size() - 1) : std::max<std::size_t>(next, 1) - 1];
}

/// One search along a part of a step.
struct BendWatch::Look {
    Course& course;
    Mode& mode;
    Point p = {};

    [[nodiscard]] std::size_t count() const { return course.bends->bends.size(); }

    std::vector<double> arguments(double time, const Interpolate& inside) {
        std::vector<double> values(count());
        p.time = time;
        inside(time, p);
        mode.evaluator->run(course.bends->arguments, course.work, time, p.y, p.yp, values);
        return values;
    }

    /// Whether an argument has come from one side of a place to the other by more than rounding.
    [[nodiscard]] bool passes(std::size_t k, double a, double b) const {
        const Bends::Bend& bend = course.bends->bends[k];
        if (bend.cell(a) == bend.cell(b)) return false;
        return std::abs(a - b) > kSpeck * course.reached[k];
    }

    [[nodiscard]] bool any_passes(const std::vector<double>& a, const std::vector<double>& b) const {
        for (std::size_t k = 0; k < a.size(); ++k) {
            if (passes(k, a[k], b[k])) return true;
        }
        return false;
    }

    /// Whether bounds leave it open that an argument passes a place and comes back.
    bool open(double from, double to, const Events::Enclose& enclose) {
        const auto inputs = course.bounds->inputs();
        const Segment& segment = mode.evaluator->segment;
        inputs[0] = Enclosure::argument(segment.inside(from), segment.inside(to));
        enclose(from, to, course.bends->watched, inputs);
        course.bounds->evaluate(to - from, course.over, expression::Enclosures::Bends::unknown);
        for (std::size_t k = 0; k < count(); ++k) {
            const Enclosure& over = course.over[k];
            if (!over.undefined() && !over.slope.one_sign() && passes(k, over.value.low, over.value.high)) return true;
        }
        return false;
    }

    /// The first instant of a part, to kFine of it: by secants of the argument that passes, a little to either side of
    /// where these lead by turns, and every third time by halving.
    Pass locate(double from, const std::vector<double>& at_from, double to, const std::vector<double>& at_to,
                const Interpolate& inside) {
        constexpr double kFine = 1e-10;
        const double fine = kFine * (to - from);
        Pass pass{from, to};
        std::vector<double> before = at_from;
        std::vector<double> after = at_to;
        for (int turn = 0; pass.after - pass.before > fine; turn = (turn + 1) % 3) {
            double time = 0.5 * (pass.before + pass.after);
            if (!(pass.before < time && time < pass.after)) break;
            std::size_t k = 0;
            while (k < count() && !passes(k, at_from[k], after[k])) ++k;
            if (turn < 2 && k < count()) {
                const double place = course.bends->bends[k].place(before[k], after[k]);
                const double share = (place - before[k]) / (after[k] - before[k]);
                const double there = pass.before + share * (pass.after - pass.before) + (turn == 0 ? 0.3 : -0.3) * fine;
                if (pass.before < there && there < pass.after) time = there;
            }
            std::vector<double> values = arguments(time, inside);
            const bool passed = any_passes(at_from, values);
            (passed ? pass.after : pass.before) = time;
            (passed ? after : before) = std::move(values);
        }
        return pass;
    }
};

BendWatch::Course& BendWatch::course_of(Mode& mode) {
    Course& course = courses_[&mode];
    if (course.bends) return course;
    course.bends = &mode.evaluator->findings().of<Bends>();
    course.promised_work = course.bends->promised.make_workspace<double>();
    course.magnitude.assign(course.bends->promises.size(), 0.0);
    if (course.bends->bends.empty()) return course;
    course.work = course.bends->arguments.make_workspace<double>();
    course.reached.assign(course.bends->bends.size(), 0.0);
    course.bounds.emplace(course.bends->arguments);
    course.over.resize(course.bends->bends.size());
    return course;
}

std::vector<BendWatch::Pass> BendWatch::passed(Mode& mode, double from, double to, const Interpolate& roughly,
                                               const Interpolate& exactly, const Events::Enclose& enclose,
                                               std::vector<BrokenPromise>& broken) {
    std::vector<Pass> found;
    Course& course = course_of(mode);
    if (course.bends->bends.empty() || !(from < to)) return found;
    if (!settings_.energy && course.bends->promises.empty()) return found;
    const auto held = mode.evaluator->held();
    const auto inputs = course.bounds->inputs().subspan(mode.model->first_held());
    for (std::size_t k = 0; k < held.size(); ++k) inputs[k] = Enclosure::constant(held[k]);
    Look look{course, mode};
    std::vector<double> left = look.arguments(from, roughly);
    std::vector<double> ends{to};  // of parts, the nearest one last
    int divided = 0;
    double begin = from;
    while (!ends.empty() && found.size() < kMostPassed) {
        const double end = ends.back();
        const std::vector<double> right = look.arguments(end, roughly);
        for (std::size_t k = 0; k < left.size(); ++k) {
            for (const double x : {left[k], right[k]}) {
                if (std::isfinite(x)) course.reached[k] = std::max(course.reached[k], std::abs(x));
            }
        }
        if (look.any_passes(left, right)) {
            const Interpolate& inside = course.bends->closely ? exactly : roughly;
            const Pass pass = look.locate(begin, left, end, right, inside);
            found.push_back(pass);
            check(course, mode, pass, from, to, exactly, broken);
            begin = pass.after;
            left = look.arguments(begin, inside);
            if (begin >= end) ends.pop_back();
            continue;
        }
        const double middle = 0.5 * (begin + end);
        if (divided < kMostParts && begin < middle && middle < end && look.open(begin, end, enclose)) {
            ++divided;
            ends.push_back(middle);
            continue;
        }
        begin = end;
        left = right;
        ends.pop_back();
    }
    return found;
}

// Of a root the two sides of a bend come together, if slowly, the nearer they are; those of a jump don't.
void BendWatch::check(Course& course, Mode& mode, const Pass& pass, double from, double to, const Interpolate& exactly,
                      std::vector<BrokenPromise>& broken) const {
    constexpr double kFarther = 1e6;
    const std::vector<Bends::Promise>& promises = course.bends->promises;
    if (promises.empty()) return;
    Point p;
    const auto values = [&](double time) {
        std::vector<double> value(promises.size());
        exactly(time, p);
        mode.evaluator->run(course.bends->promised, course.promised_work, time, p.y, p.yp, value);
        return value;
    };
    // Nearer than this, it is rounding of the time that decides on which side of the place a point is.
    const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(to));
    const double near = std::max(pass.after - pass.before, rounding);
    const double far = kFarther * near;
    const std::vector<double> far_before = values(std::max(from, pass.before - far));
    const std::vector<double> far_after = values(std::min(to, pass.after + far));
    const std::vector<double> before = values(std::max(from, pass.before - near));
    const std::vector<double> after = values(std::min(to, pass.after + near));
    for (std::size_t k = 0; k < promises.size(); ++k) {
        if (std::abs(after[k] - before[k]) > 0.5 * std::abs(far_after[k] - far_before[k]))
            note(course, k, pass.after, before[k], after[k], broken);
    }
}

void BendWatch::note(Course& course, std::size_t k, double time, double before, double after,
                     std::vector<BrokenPromise>& broken) const {
    constexpr double kLeast = 1e-6;  ///< of the value: less may be a root's
    for (const double x : {before, after})
        course.magnitude[k] = std::max(course.magnitude[k], std::isfinite(x) ? std::abs(x) : 0.0);
    if (!(std::abs(after - before) > std::max(kLeast, settings_.tolerance) * course.magnitude[k])) return;
    const Bends::Promise& promise = course.bends->promises[k];
    const auto known = std::ranges::find_if(broken, [&](const BrokenPromise& b) {
        return b.position == promise.position && b.text == promise.text && b.element == promise.element;
    });
    if (known == broken.end())
        broken.push_back({promise.text, promise.element, promise.position, time, before, after, 1});
    else
        ++known->times;
}

BendWatch::Beside BendWatch::promised(Mode& mode, const Point& point, double side) {
    constexpr double kFar = 1e-9;  // of the run
    Course& course = course_of(mode);
    Beside values;
    if (course.bends->promises.empty()) return values;
    const auto at = [&](double time, std::vector<double>& value) {
        value.resize(course.bends->promises.size());
        mode.evaluator->run(course.bends->promised, course.promised_work, time, point.y, point.yp, value);
    };
    at(point.time + side * kFar * (settings_.stop - settings_.start), values.far);
    at(point.time, values.near);
    return values;
}

void BendWatch::compare(Mode& mode, const Beside& before, const Point& point, std::vector<BrokenPromise>& broken) {
    if (before.near.empty()) return;
    const Beside after = promised(mode, point, 1.0);
    for (std::size_t k = 0; k < after.near.size(); ++k) {
        if (std::abs(after.near[k] - before.near[k]) > 0.5 * std::abs(after.far[k] - before.far[k]))
            note(course_of(mode), k, point.time, before.near[k], after.near[k], broken);
    }
}

}  // namespace bondgraph::simulation
