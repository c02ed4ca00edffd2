#include "bondgraph/simulation/start_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "bondgraph/compile/events.hpp"

namespace bondgraph::simulation {
namespace {

using compile::CompiledModel;
using compile::StartCondition;
using expression::Expr;

std::vector<double> values_of(Evaluator& ev, const Point& p, const expression::Tape& tape) {
    std::vector<double> values(tape.output_count());
    if (values.empty()) return values;
    auto work = tape.make_workspace<double>();
    ev.run(tape, work, p.time, p.y, p.yp, values);
    return values;
}

double value_of(Evaluator& ev, const Point& p, Expr in_unknowns) {
    return values_of(ev, p, ev.model().tape(std::array{in_unknowns}))[0];
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
        d.error("BG-I006", at, fmt::format("the start asks for {} to be {:.6g}; it must be {}", what, value, wanted),
                {{"because", fmt::format("the free parameter '{}' is found from {}",
                                         g.free_parameters[held - g.first_free()].name, conditions_text(m, at))},
                 {"try", "change these conditions, or make another parameter free"}});
    }
    throw ModelError(d.items());
}

std::vector<Expr> sides_of_bounds(const CompiledModel& m) {
    std::vector<Expr> sides;
    for (const model::ParameterBound& bound : m.graph().bounds) {
        sides.push_back(m.in_unknowns(bound.value));
        sides.push_back(m.in_unknowns(bound.limit));
    }
    return sides;
}

/// Both sides of all bounds that parameters were declared with.
struct DeclaredBounds {
    explicit DeclaredBounds(const CompiledModel& m) : sides(m.tape(sides_of_bounds(m))) {}
    expression::Tape sides;
};

void check_declared(Evaluator& ev, const Point& p) {
    const CompiledModel& m = ev.model();
    const std::vector<double> values = values_of(ev, p, ev.findings().of<DeclaredBounds>().sides);
    for (std::size_t i = 0; i < m.graph().bounds.size(); ++i) {
        const model::ParameterBound& bound = m.graph().bounds[i];
        const double value = values[2 * i];
        const double limit = values[2 * i + 1];
        if (bound.whole ? value == std::round(value) : bound.upper ? value < limit : value > limit) continue;
        if (!bound.whole && !bound.exclusive && value == limit) continue;
        const auto parameter =
            std::max(model::parameter_in(m.graph(), bound.value), model::parameter_in(m.graph(), bound.limit));
        refuse(m, *parameter, fmt::format("'{}'", bound.name), value, bound.words, bound.position);
    }
}

/// What follows from parameters that are known at the start only.
struct DerivedParameters {
    explicit DerivedParameters(const CompiledModel& m) {
        std::vector<Expr> outputs;
        const std::map<std::string, model::Quantity> in_order(m.graph().parameters.begin(), m.graph().parameters.end());
        for (const auto& [name, q] : in_order) {
            for (const Expr& x : q.value.reshaped()) {
                const auto held = model::parameter_in(m.graph(), x);
                if (!held) continue;
                names.emplace_back(name, *held);
                outputs.push_back(m.in_unknowns(x));
            }
        }
        values = m.tape(outputs);
    }
    std::vector<std::pair<std::string, std::size_t>> names;  ///< and the parameter each depends on
    expression::Tape values;
};

// It has to have a value at the start, whatever uses it.
void check_derived(Evaluator& ev, const Point& p) {
    const CompiledModel& m = ev.model();
    const auto& [names, tape] = ev.findings().of<DerivedParameters>();
    const std::vector<double> values = values_of(ev, p, tape);
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (std::isfinite(values[k])) continue;
        refuse(m, names[k].second, fmt::format("'{}'", names[k].first), values[k], "a finite number",
               m.graph().model_position);
    }
}

/// A bound of a component type, where it depends on parameters that are known at the start only.
struct Limited {
    const model::Element* element = nullptr;
    std::size_t parameter = 0;
    std::size_t held = 0;  ///< the parameter it depends on
    Expr value;
};

void collect(const CompiledModel& m, const model::Element& e, std::size_t k, std::vector<Limited>& found) {
    const auto& q = e.parameters[k];
    if (!e.type->parameters[k].minimum || !q) return;
    for (Eigen::Index c = 0; c < q->value.cols(); ++c) {
        for (Eigen::Index r = 0; r < q->value.rows(); ++r) {
            if (r != c && q->value.cols() > 1) continue;  // bounds hold for scalars, vectors and diagonals
            const Expr value = q->value(r, c);
            if (value.is_constant()) continue;
            if (const auto held = model::parameter_in(m.graph(), value))
                found.push_back({&e, k, *held, m.in_unknowns(value)});
        }
    }
}

struct LimitedParameters {
    explicit LimitedParameters(const CompiledModel& m) {
        for (const model::Element& e : m.graph().elements) {
            for (std::size_t k = 0; k < e.parameters.size(); ++k) collect(m, e, k, list);
        }
        std::vector<Expr> outputs;
        for (const Limited& l : list) outputs.push_back(l.value);
        values = m.tape(outputs);
    }
    std::vector<Limited> list;
    expression::Tape values;
};

void check_limited(Evaluator& ev, const Point& p) {
    const CompiledModel& m = ev.model();
    const auto& [limited, tape] = ev.findings().of<LimitedParameters>();
    const std::vector<double> values = values_of(ev, p, tape);
    for (std::size_t i = 0; i < limited.size(); ++i) {
        const model::Element& e = *limited[i].element;
        const model::ParameterSpec& spec = e.type->parameters[limited[i].parameter];
        if (values[i] > *spec.minimum || (values[i] == *spec.minimum && !spec.exclusive_minimum)) continue;
        const SourcePosition at = e.parameter_positions[limited[i].parameter];
        refuse(m, limited[i].held, fmt::format("'{}' of '{}' ({})", spec.name, e.name, e.type->name), values[i],
               fmt::format("{} {:g}", spec.exclusive_minimum ? "greater than" : "at least", *spec.minimum),
               at.known() ? at : e.position);
    }
}

Expr excess_of(const CompiledModel& m, std::size_t index) {
    std::vector<model::Equation> none;
    model::LawContext context(m.graph(), model::ElementId(index), none);
    Expr excess = m.graph().elements[index].type->start_excess(context);
    if (m.events) excess = compile::freeze(m.graph(), *m.events, excess);
    return m.in_unknowns(excess);
}

/// "s.q = 0.5"
std::string state_text(Evaluator& ev, const Point& p, const model::Element& e) {
    const CompiledModel& m = ev.model();
    std::string state;
    for (const auto& slot : e.slots) {
        if (slot.kind != model::Element::Slot::Kind::state) continue;
        const auto variable = m.graph().slot_variable(slot.first);
        state = fmt::format("{} = {:.6g}", m.name(variable), value_of(ev, p, m.values[variable.index()]));
    }
    return state;
}

[[noreturn]] void refuse_excess(Evaluator& ev, const Point& p, const model::Element& e) {
    // Of a part between frames these are no limits of a state: how it is mounted doesn't fit what it is made for.
    if (e.type->build != nullptr) {
        Diagnostics d;
        d.error("BG-I006", e.position, fmt::format("the axes of '{}' ({}) don't fit together", e.name, e.type->name),
                {{"because", fmt::format("the type is: {}", e.type->summary)},
                 {"try", "look at its directions, and at how its frames lie"}});
        d.throw_if_errors();
    }
    Diagnostics d;
    d.error("BG-I006", e.position,
            fmt::format("'{}' ({}) starts outside its limits: {}", e.name, e.type->name, state_text(ev, p, e)),
            {{"try", "give it a start value between them, or on one of them to start in contact"}});
    throw ModelError(d.items());
}

/// model::adjusted_elements() of a model.
struct AdjustedElements {
    explicit AdjustedElements(const CompiledModel& m) : list(model::adjusted_elements(m.graph())) {}
    std::vector<std::size_t> list;
};

/// By how much elements that have limits at the start are beyond them.
struct StartExcess {
    explicit StartExcess(const CompiledModel& m) {
        const model::BondGraph& g = m.graph();
        std::vector<Expr> excess;
        for (std::size_t i = 0; i < g.elements.size(); ++i) {
            if (g.elements[i].type->start_excess == nullptr) continue;
            elements.push_back(i);
            excess.push_back(excess_of(m, i));
        }
        values = m.tape(excess);
    }
    std::vector<std::size_t> elements;
    expression::Tape values;
};

void check_excess(Evaluator& ev, const Point& p) {
    const auto& limited = ev.findings().of<StartExcess>().elements;
    const std::vector<double> values = beyond_limits(ev, p);
    for (std::size_t k = 0; k < limited.size(); ++k) {
        if (values[k] > 0.0) refuse_excess(ev, p, ev.model().graph().elements[limited[k]]);
    }
}

}  // namespace

void check_parameters(Evaluator& ev, const Point& p) {
    const model::BondGraph& g = ev.model().graph();
    ev.set_held(p.held);
    if (!g.adjustable.empty()) {
        Diagnostics found;
        const auto& elements = ev.findings().of<AdjustedElements>().list;
        model::check_adjusted(g, elements, std::span(p.held).subspan(g.first_adjustable(), g.adjustable.size()), found);
        found.throw_if_errors();
    }
    if (g.first_sample() > g.first_adjustable()) {
        check_declared(ev, p);
        check_derived(ev, p);
        check_limited(ev, p);
    }
}

std::vector<double> beyond_limits(Evaluator& ev, const Point& p) {
    return values_of(ev, p, ev.findings().of<StartExcess>().values);
}

void check_moved_limits(Evaluator& ev, const Point& p, std::span<const double> before) {
    const std::vector<double> now = beyond_limits(ev, p);
    for (std::size_t k = 0; k < now.size(); ++k) {
        if (now[k] <= std::max(before[k], 0.0)) continue;
        const model::Element& e = ev.model().graph().elements[ev.findings().of<StartExcess>().elements[k]];
        Diagnostics d;
        d.error("BG-I006", e.position,
                fmt::format("'{}' ({}) would be outside its limits: {}", e.name, e.type->name, state_text(ev, p, e)),
                {{"try", "leave it within its limits: a stop that is moved at once pushes nothing out of its way"}});
        throw ModelError(d.items());
    }
}

void check_limits(Evaluator& ev, const Point& p) {
    check_parameters(ev, p);
    check_excess(ev, p);
}

void check_orientations(const Evaluator& evaluator, const Point& point) {
    constexpr double kLength = 1e-6;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::size_t, double>> squares;  // by slot
    const compile::CompiledModel& m = evaluator.model();
    const model::BondGraph& g = m.graph();
    for (std::size_t i = 0; i < evaluator.size(); ++i) {
        const std::size_t v = m.unknowns[i].variable.index();
        if (v < 2 * std::size_t{g.bond_components} || v >= g.variable_count()) continue;
        const auto& slot = g.slot_variables[v - 2 * std::size_t{g.bond_components}];
        if (!g.elements[slot.element.index()].slots[slot.slot].unit_length) continue;
        auto& [count, square] = squares[{slot.element.value, slot.slot}];
        ++count;
        square += point.y[i] * point.y[i];
    }
    for (const auto& [slot, square] : squares) {
        const model::Element& e = g.elements[slot.first];
        if (square.first < e.slots[slot.second].size || std::abs(square.second - 1.0) <= kLength) continue;
        Diagnostics d;
        d.error("BG-I001", e.position,
                fmt::format("start values contradict the constraints: '{}' has no orientation that meets them", e.name),
                {{"try", "fix fewer rates at the joints of its loop, or use guess: for those that may move"}});
        d.throw_if_errors();
    }
}

}  // namespace bondgraph::simulation
