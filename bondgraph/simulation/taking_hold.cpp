// Conditions on positions that come to hold at an event: why they can't.

#include "bondgraph/simulation/taking_hold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;

namespace {

const model::Element& component_of_part(const model::BondGraph& g, const model::Element& part) {
    return part.owner.valid() ? g.elements[part.owner.index()] : part;
}

std::vector<double> values_before(Evaluator& raw, const Instant& before, double time, const std::vector<Expr>& of) {
    const CompiledModel& m = raw.model();
    const expression::Tape tape = m.tape(m.in_unknowns(of));
    auto work = tape.make_workspace<double>();
    std::vector<double> result(of.size());
    raw.set_held(before.held);
    raw.segment = before.segment;
    raw.run(tape, work, time, before.values, std::vector<double>(before.values.size(), 0.0), result);
    return result;
}

/// What lengths of the model are measured by: the largest distance of a frame from the world's along an axis, and how
/// far parts come in the run at the speeds of now. At the origin, frames say nothing.
double reach_of_frames(const model::BondGraph& g, std::span<const double> values, double span) {
    double reach = 0.0;
    for (const model::Bond& b : g.bonds) {
        if (b.domain != *model::find_domain("translational")) continue;
        for (std::uint32_t k = 0; k < b.size; ++k)
            reach = std::max(reach, span * std::abs(values[model::BondGraph::flow(b.first + k).index()]));
    }
    for (const model::Element& e : g.elements) {
        for (const model::Connector& c : e.connectors) {
            for (std::size_t s = 0; s < c.signals.size(); ++s) {
                if (c.type->signals[s].unit != "m") continue;
                for (std::uint32_t k = 0; k < c.type->signals[s].rows; ++k)
                    reach = std::max(reach, std::abs(values[g.slot_variable(c.signals[s] + k).index()]));
            }
        }
    }
    return reach;
}

/// How far the conditions of a part are from being met: a length, or an angle.
struct Apart {
    double by = 0.0;
    bool angle = false;
};

Apart how_far_apart(Evaluator& raw, const Instant& before, double time, const model::Element& part) {
    const auto entries = [](const model::Quantity& q) {
        return std::vector<Expr>(q.value.data(), q.value.data() + q.value.size());
    };
    double sum = 0.0;
    for (const double x : values_before(raw, before, time, entries(*part.parameter("position")))) sum += x * x;
    Apart apart{std::sqrt(sum), part.ports[0].domain == *model::find_domain("rotational")};
    const model::Quantity* upright = part.parameter("upright");
    if (apart.angle && upright != nullptr)
        apart.by = std::atan2(apart.by, values_before(raw, before, time, entries(*upright)).front());
    return apart;
}

Failure cant_take_hold(const model::Element& component, double length, double angle, double time) {
    std::string what = "its ";
    if (length > 0.0) what += fmt::format("frames are {:.3g} m", length);
    if (length > 0.0 && angle > 0.0) what += " and their ";
    if (angle > 0.0) what += fmt::format("axes are {:.3g} rad", angle);
    return {
        .message = fmt::format("'{}' ({}) can't take hold: {} apart", component.name, component.type->name, what),
        .time = time,
        .position = component.position,
        .notes = {{"because", "a joint that becomes active makes velocities jump, not positions"},
                  {"try",
                   "make it active by a condition that becomes true where the frames meet (a position that crosses 0), "
                   "not at a given time"}}};
}

}  // namespace

std::optional<Failure> apart_at_closing(Evaluator& raw, const Instant& before, std::span<const double> held,
                                        RunTime at) {
    const model::BondGraph& g = raw.model().graph();
    constexpr double kApart = 1e-9;  // as a share of the model's lengths: far above rounding
    const double least = kApart * reach_of_frames(g, before.values, at.span);
    model::ElementId first;
    double length = 0.0;
    double angle = 0.0;
    for (std::size_t d = 0; d < g.discretes.size(); ++d) {
        const model::Element& part = g.elements[g.discretes[d].element.index()];
        if (!part.type->holds_positions || held[2 * d] == 0.0 || before.held[2 * d] != 0.0) continue;
        if (first.valid() && part.owner != first) continue;
        const Apart apart = how_far_apart(raw, before, at.now, part);
        if (!(apart.by > (apart.angle ? kApart : least))) continue;
        first = part.owner;
        (apart.angle ? angle : length) = apart.by;
    }
    if (!first.valid()) return std::nullopt;
    return cant_take_hold(g.elements[first.index()], length, angle, at.now);
}

std::string changed_text(const model::BondGraph& graph, std::size_t discrete, double value) {
    const auto& v = graph.discretes[discrete];
    const model::Element& part = graph.elements[v.element.index()];
    if (!part.type->holds_positions) return fmt::format("'{}' = {:g}", graph.variable_name(v.variable), value);
    return fmt::format("'{}' {}active", component_of_part(graph, part).name, value != 0.0 ? "" : "not ");
}

}  // namespace bondgraph::simulation
