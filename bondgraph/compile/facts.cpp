#include "bondgraph/compile/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using expression::Graph;
using expression::Node;
using expression::Op;
using model::Role;

namespace {

std::vector<std::uint32_t> nodes_of(const Graph& graph, std::span<const Expr> roots) {
    std::vector<std::uint32_t> start;
    for (const Expr& e : roots) {
        if (!e.is_literal()) start.push_back(e.node());
    }
    return expression::reachable(graph, start);
}

enum class Degree : std::uint8_t { constant, time, linear, other };

Degree degree_of(const Node& n, std::span<const Degree> operands) {
    Degree highest = Degree::constant;
    for (const Degree d : operands) highest = std::max(highest, d);
    switch (n.op) {
        case Op::constant:
            return Degree::constant;
        case Op::time:
        case Op::parameter:
        case Op::held:
            return Degree::time;
        case Op::variable:
        case Op::derivative:
            return Degree::linear;
        case Op::negate:
        case Op::no_event:
        case Op::add:
        case Op::subtract:
            return highest;
        case Op::multiply:
            if (operands[0] == Degree::constant || operands[1] == Degree::constant) return highest;
            break;
        case Op::divide:
            if (operands[1] == Degree::constant) return operands[0];
            break;
        default:
            break;
    }
    return highest <= Degree::time ? highest : Degree::other;
}

}  // namespace

bool is_linear(const Graph& graph, std::span<const Expr> roots) {
    std::unordered_map<std::uint32_t, Degree> degree;
    for (const std::uint32_t n : nodes_of(graph, roots)) {
        std::array<Degree, 3> operands{Degree::constant, Degree::constant, Degree::constant};
        std::size_t k = 0;
        for (const std::uint32_t child : graph[n].operands()) operands[k++] = degree.at(child);
        const Degree d = degree_of(graph[n], std::span(operands.data(), k));
        if (d == Degree::other) return false;
        degree.emplace(n, d);
    }
    return true;
}

namespace {

// Values of nodes that depend on time alone, at three times: enough to see a line.
using Samples = std::array<double, 3>;
constexpr Samples kTimes{0.0, 1.0, 2.0};

std::optional<double> crossing(const Samples& d) {
    const double slope = d[1] - d[0];
    if (slope == 0.0 || !std::isfinite(slope)) return std::nullopt;
    if (std::abs(d[2] - d[1] - slope) > 1e-9 * (std::abs(slope) + std::abs(d[0]))) return std::nullopt;
    return -d[0] / slope;
}

}  // namespace

namespace {

// The difference whose zeros are events of an operation, at a time; all operands depend on time alone.
double difference_at(const Graph& graph, std::span<const std::uint32_t> nodes, double time) {
    std::unordered_map<std::uint32_t, double> value;
    double a = 0.0;
    double b = 0.0;
    for (const std::uint32_t n : nodes) {
        const Node& node = graph[n];
        std::array<double, 3> operands{};
        std::size_t k = 0;
        for (const std::uint32_t child : node.operands()) operands[k++] = value.at(child);
        a = operands[0];
        b = k > 1 ? operands[1] : 0.0;
        switch (node.op) {
            case Op::time:
                value[n] = time;
                break;
            case Op::constant:
                value[n] = node.number();
                break;
            case Op::table1:
                value[n] = graph.tables().one[node.a].value(operands[0]);
                break;
            default:
                value[n] = expression::evaluate_op(node.op, operands[0], operands[1], operands[2]);
        }
    }
    return a - b;
}

// Zeros of a difference that is a straight line between known corners (a ramp held at both ends). False when it is
// something else somewhere.
bool add_zeros_between(const Graph& graph, std::uint32_t node, std::vector<double>& corners) {
    constexpr std::size_t kMostCorners = 200;
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    if (corners.empty() || corners.size() > kMostCorners) return false;
    const std::array root{node};
    const auto nodes = expression::reachable(graph, root);
    const double margin = 1.0 + std::abs(corners.front()) + std::abs(corners.back());
    std::vector<double> ends = corners;
    ends.insert(ends.begin(), corners.front() - margin);
    ends.push_back(corners.back() + margin);
    std::vector<double> found;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const double length = ends[k + 1] - ends[k];
        std::array<double, 3> at{};
        for (std::size_t i = 0; i < 3; ++i)
            at[i] = difference_at(graph, nodes, ends[k] + length * (0.25 + 0.25 * static_cast<double>(i)));
        const double slope = (at[2] - at[0]) / (0.5 * length);
        const double size = std::abs(at[0]) + std::abs(at[2]);
        if (!(std::abs(at[0] - 2.0 * at[1] + at[2]) <= 1e-9 * size)) return false;
        if (slope == 0.0) continue;
        const double zero = ends[k] + 0.25 * length - at[0] / slope;
        const bool first = k == 0;
        const bool last = k + 2 == ends.size();
        if ((first || zero > ends[k]) && (last || zero < ends[k + 1])) found.push_back(zero);
    }
    corners.insert(corners.end(), found.begin(), found.end());
    return true;
}

}  // namespace

TimeEvents find_time_events(const Graph& graph, std::span<const Expr> roots) {
    std::unordered_map<std::uint32_t, Samples> samples;
    std::unordered_set<std::uint32_t> straight;  // linear in time, seen from how they are made
    std::vector<std::uint32_t> bent;
    TimeEvents result;
    std::vector<double>& events = result.times;
    for (const std::uint32_t n : nodes_of(graph, roots)) {
        const Node& node = graph[n];
        if (node.op == Op::table1) {
            if (graph[node.b].op == Op::time) {
                const auto& x = graph.tables().one[node.a].x;
                events.insert(events.end(), x.begin(), x.end());
            }
            if (const auto at = samples.find(node.b); at != samples.end()) {
                Samples s{};
                for (std::size_t k = 0; k < 3; ++k) s[k] = graph.tables().one[node.a].value(at->second[k]);
                samples.emplace(n, s);
            }
            continue;
        }
        if (node.op == Op::time) {
            samples.emplace(n, kTimes);
            straight.insert(n);
            continue;
        }
        if (node.op == Op::constant) {
            samples.emplace(n, Samples{node.number(), node.number(), node.number()});
            straight.insert(n);
            continue;
        }
        std::array<Samples, 3> operands{};
        std::size_t k = 0;
        bool timely = !node.operands().empty();
        for (const std::uint32_t child : node.operands()) {
            const auto at = samples.find(child);
            if (at == samples.end()) {
                timely = false;
                break;
            }
            operands[k++] = at->second;
        }
        if (!timely || node.op == Op::table1_slope || node.op == Op::table2 || node.op == Op::table2_slope_x ||
            node.op == Op::table2_slope_y)
            continue;
        Samples value{};
        Samples difference{};
        for (std::size_t t = 0; t < 3; ++t) {
            value[t] = expression::evaluate_op(node.op, operands[0][t], operands[1][t], operands[2][t]);
            difference[t] = operands[0][t] - (k > 1 ? operands[1][t] : 0.0);
        }
        samples.emplace(n, value);
        const auto operand_straight = [&](std::uint32_t child) { return straight.contains(child); };
        const bool all_straight = std::all_of(node.operands().begin(), node.operands().end(), operand_straight);
        const auto number = [&](std::uint32_t child) { return graph[child].op == Op::constant; };
        const bool keeps = node.op == Op::negate || node.op == Op::add || node.op == Op::subtract ||
                           (node.op == Op::multiply && (number(node.a) || number(node.b))) ||
                           (node.op == Op::divide && number(node.b));
        if (all_straight && keeps) straight.insert(n);
        switch (node.op) {
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal:
            case Op::equal:
            case Op::not_equal:
            case Op::min:
            case Op::max:
            case Op::abs:
            case Op::sign:
                if (!all_straight) {
                    bent.push_back(n);
                } else if (const auto t = crossing(difference)) {
                    events.push_back(*t);
                }
                break;
            default:
                break;
        }
    }
    constexpr std::size_t kMostBent = 1000;
    if (bent.size() > kMostBent) result.hidden = true;
    for (std::size_t k = 0; k < bent.size() && bent.size() <= kMostBent; ++k)
        result.hidden = !add_zeros_between(graph, bent[k], events) || result.hidden;
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    return result;
}

std::vector<EnergyTerm> energy_terms(const CompiledModel& m) {
    std::vector<EnergyTerm> terms;
    const auto& g = m.graph();
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const model::Element& e = g.elements[i];
        const Role role = e.type->role;
        if (role != Role::source && role != Role::residual_sink && role != Role::resistor && role != Role::storage &&
            role != Role::user && role != Role::potential)
            continue;
        std::vector<model::Equation> none;
        model::LawContext context(g, model::ElementId(i), none);
        Expr power = 0.0;
        bool pseudo = false;
        for (std::size_t p = 0; p < e.ports.size(); ++p) {
            if (!model::domains()[e.ports[p].domain].power) {
                pseudo = true;
                continue;
            }
            const Expr direction = e.ports[p].direction == model::PortDirection::in ? 1.0 : -1.0;
            const auto effort = context.effort(p);
            const auto flow = context.flow(p);
            for (Eigen::Index k = 0; k < effort.size(); ++k) power += direction * effort(k) * flow(k);
        }
        if (pseudo && e.ports.size() == 1) continue;
        using Kind = EnergyTerm::Kind;
        EnergyTerm term{Kind::other, model::ElementId(i), m.in_unknowns(power), 0.0};
        if (role == Role::source || role == Role::residual_sink) term.kind = Kind::source;
        if (role == Role::potential) {
            const auto energy = e.type->stored_energy == nullptr ? std::nullopt : e.type->stored_energy(context);
            term.kind = energy ? Kind::storage : Kind::source;
            if (energy) term.energy = m.in_unknowns(*energy);
        }
        if (role == Role::resistor) {
            const auto energy = e.type->stored_energy == nullptr ? std::nullopt : e.type->stored_energy(context);
            term.kind = energy ? Kind::lossy_storage : Kind::dissipation;
            if (energy) term.energy = m.in_unknowns(*energy);
        }
        if (role == Role::storage || role == Role::user) {
            const auto energy = e.type->stored_energy == nullptr ? std::nullopt : e.type->stored_energy(context);
            // A joint's coordinates store nothing: what they take is the error with which their efforts vanish.
            const bool books = energy || e.type->free_rates;
            if (role == Role::storage) term.kind = books ? Kind::storage : Kind::integrated_storage;
            // An own type with a declared energy: what it takes beyond that is dissipated.
            if (role == Role::user && energy) term.kind = Kind::other;
            if (energy) term.energy = m.in_unknowns(*energy);
        }
        terms.push_back(term);
    }
    return terms;
}

}  // namespace bondgraph::compile
