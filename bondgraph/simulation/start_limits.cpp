#include "bondgraph/simulation/start_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/compile/events.hpp"

namespace bondgraph::simulation {
namespace {

using compile::CompiledModel;
using compile::StartCondition;
using expression::Expr;
using expression::Op;

double value_of(Evaluator& ev, const Point& p, Expr in_unknowns) {
    const std::array outputs{in_unknowns};
    const expression::Tape tape = ev.model().tape(outputs);
    auto work = tape.make_workspace<double>();
    std::array<double, 1> out{};
    ev.run(tape, work, p.time, p.y, p.yp, out);
    return out[0];
}

// The free or adjustable parameter an expression depends on (as its held value), free ones first, where it depends on
// nothing that changes with time.
std::optional<std::size_t> parameter_in(const model::BondGraph& g, Expr e) {
    if (e.is_literal()) return std::nullopt;
    std::optional<std::size_t> found;
    const std::array roots{e.node()};
    for (const std::uint32_t n : expression::reachable(*g.expressions, roots)) {
        const expression::Node& node = (*g.expressions)[n];
        if (node.op == Op::variable || node.op == Op::derivative || node.op == Op::time) return std::nullopt;
        if (node.op != Op::held) continue;
        if (node.a < g.first_adjustable() || node.a >= g.first_sample()) return std::nullopt;
        found = std::max(found.value_or(0), std::size_t{node.a});
    }
    return found;
}

// "'L.e = 0' in line 10, 'L.f = 8' in line 10"
std::string conditions_text(const CompiledModel& m, SourcePosition beside) {
    constexpr std::size_t kMost = 3;
    std::string text;
    std::size_t count = 0;
    for (const StartCondition& c : m.conditions) {
        if (!c.fixed || c.kind == StartCondition::Kind::value) continue;
        if (++count > kMost) return text + ", …";
        text += fmt::format("{}'{}' in {}", count == 1 ? "" : ", ",
                            c.kind == StartCondition::Kind::steady ? c.name + " = 0" : c.name,
                            m.graph().line_text(c.position, beside));
    }
    return text.empty() ? "the start values" : text;
}

[[noreturn]] void refuse(const CompiledModel& m, std::size_t held, const std::string& what, double value,
                         const std::string& wanted, SourcePosition at) {
    const model::BondGraph& g = m.graph();
    Diagnostics d;
    if (held < g.first_free()) {
        d.error("BG-I006", at, fmt::format("{} is {:.6g}; it must be {}", what, value, wanted),
                {{"because", fmt::format("'{}' has been set to a value of its own for this run",
                                         g.adjustable[held - g.first_adjustable()].name)}});
    } else {
        d.error("BG-I006", at,
                fmt::format("the start asks for {} to be {:.6g}; it must be {}", what, value, wanted),
                {{"because", fmt::format("the free parameter '{}' is found from {}",
                                         g.free_parameters[held - g.first_free()].name, conditions_text(m, at))},
                 {"try", "change these conditions, or make another parameter free"}});
    }
    throw ModelError(d.items());
}

void check_declared(Evaluator& ev, const Point& p, const model::ParameterBound& bound) {
    const CompiledModel& m = ev.model();
    const double value = value_of(ev, p, m.in_unknowns(bound.value));
    const double limit = value_of(ev, p, m.in_unknowns(bound.limit));
    if (bound.upper ? value < limit : value > limit) return;
    if (!bound.exclusive && value == limit) return;
    const auto parameter = std::max(parameter_in(m.graph(), bound.value), parameter_in(m.graph(), bound.limit));
    refuse(m, *parameter, fmt::format("'{}'", bound.name), value, bound.words, bound.position);
}

void check_found(Evaluator& ev, const Point& p, const model::Element& e, std::size_t k) {
    const model::ParameterSpec& spec = e.type->parameters[k];
    const auto& q = e.parameters[k];
    if (!spec.minimum || !q) return;
    const CompiledModel& m = ev.model();
    for (Eigen::Index c = 0; c < q->value.cols(); ++c) {
        for (Eigen::Index r = 0; r < q->value.rows(); ++r) {
            if (r != c && q->value.cols() > 1) continue;  // bounds hold for scalars, vectors and diagonals
            const auto parameter = parameter_in(m.graph(), q->value(r, c));
            if (!parameter) continue;
            const double v = value_of(ev, p, m.in_unknowns(q->value(r, c)));
            if (v > *spec.minimum || (v == *spec.minimum && !spec.exclusive_minimum)) continue;
            const auto& at = e.parameter_positions[k];
            refuse(m, *parameter, fmt::format("'{}' of '{}' ({})", spec.name, e.name, e.type->name), v,
                   fmt::format("{} {:g}", spec.exclusive_minimum ? "greater than" : "at least", *spec.minimum),
                   at.known() ? at : e.position);
        }
    }
}

void check_excess(Evaluator& ev, const Point& p, std::size_t index) {
    const CompiledModel& m = ev.model();
    const model::Element& e = m.graph().elements[index];
    std::vector<model::Equation> none;
    model::LawContext context(m.graph(), model::ElementId(index), none);
    Expr excess = e.type->start_excess(context);
    if (m.events) excess = compile::freeze(m.graph(), *m.events, excess);
    if (!(value_of(ev, p, m.in_unknowns(excess)) > 0.0)) return;
    // Of a part between frames these are no limits of a state: how it is mounted doesn't fit what it is made for.
    if (e.type->build != nullptr) {
        Diagnostics d;
        d.error("BG-I006", e.position, fmt::format("the axes of '{}' ({}) don't fit together", e.name, e.type->name),
                {{"because", fmt::format("the type is: {}", e.type->summary)},
                 {"try", "look at its directions, and at how its frames lie"}});
        d.throw_if_errors();
    }
    std::string state;
    for (const auto& slot : e.slots) {
        if (slot.kind != model::Element::Slot::Kind::state) continue;
        const auto variable = m.graph().slot_variable(slot.first);
        state = fmt::format("{} = {:.6g}", m.name(variable), value_of(ev, p, m.values[variable.index()]));
    }
    Diagnostics d;
    d.error("BG-I006", e.position, fmt::format("'{}' ({}) starts outside its limits: {}", e.name, e.type->name, state),
            {{"try", "give it a start value between them, or on one of them to start in contact"}});
    d.throw_if_errors();
}

}  // namespace

void check_limits(Evaluator& ev, const Point& p) {
    const model::BondGraph& g = ev.model().graph();
    ev.set_held(p.held);
    for (const model::ParameterBound& bound : g.bounds) check_declared(ev, p, bound);
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const model::Element& e = g.elements[i];
        for (std::size_t k = 0; k < e.parameters.size() && g.first_sample() > g.first_adjustable(); ++k)
            check_found(ev, p, e, k);
        if (e.type->start_excess != nullptr) check_excess(ev, p, i);
    }
}

}  // namespace bondgraph::simulation
