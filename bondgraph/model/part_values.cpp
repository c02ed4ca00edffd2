// Pass of flattening for the parts of wrapped components: their values follow from their owners'.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::ExprMatrix;

namespace {

class PartEvaluation {
   public:
    explicit PartEvaluation(Flattening& work) : work_(work) {}

    void run() {
        if (!work_.joined || work_.disconnected || types_are_missing()) return;
        // A component's values are only as good as what it was given; mistakes of others are no matter.
        bool complete = true;
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.owner.valid()) continue;
            if (values_are_missing(i)) {
                complete = false;
                continue;
            }
            if (e.type->check != nullptr)
                e.type->check(LawContext(work_.graph, ElementId(i), none_), work_.diagnostics);
            check_fixed(e);
        }
        if (!complete || work_.diagnostics.has_errors()) return;
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) {
            if (work_.origins[i].joint != nullptr) motions(i);
        }
        if (work_.diagnostics.has_errors()) return;
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) parameters(i);
    }

   private:
    // A component of an unknown type may be what another one looks for.
    bool types_are_missing() const {
        return std::any_of(work_.scopes.begin(), work_.scopes.end(), [](const Scope& s) {
            return s.body->gaps.components || std::any_of(s.members.begin(), s.members.end(), [](const auto& m) {
                       return m.second.scope == Id<void>::kNone && !m.second.element.valid();
                   });
        });
    }

    // What a file with mistakes of form leaves open has no error here.
    bool values_are_missing(std::size_t i) const {
        const Element& e = work_.graph.elements[i];
        const ComponentDeclaration* declaration = work_.origins[i].declaration;
        if (declaration != nullptr && declaration->flawed) return true;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const auto& value = e.parameters[k];
            if (e.type->parameters[k].kind == ParameterKind::texts && !e.words.empty()) continue;  // no quantity
            const bool kept_elsewhere = e.type->parameters[k].kind != ParameterKind::number;
            const bool needed = e.type->parameters[k].required && e.type->parameters[k].group == 0 && !kept_elsewhere;
            if (value ? is_unknown(*value) : e.parameter_positions[k].known() || needed) return true;
        }
        return false;
    }

    // Where frames and masses are follows from states alone: what else moved them would have no velocity.
    void check_fixed(const Element& e) {
        const auto& ends = e.type->connectors;
        if (std::none_of(ends.begin(), ends.end(), [](const ConnectorSpec& c) { return !c.type->signals.empty(); }))
            return;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (!e.parameters[k] || spec.kind != ParameterKind::number || spec.condition || spec.may_vary) continue;
            const auto values = e.parameters[k]->value.reshaped();
            if (std::none_of(values.begin(), values.end(), [&](const expression::Expr& x) { return varies(x); }))
                continue;
            work_.diagnostics.error("BG-M057", e.parameter_positions[k],
                                    fmt::format("'{}' of '{}' changes with time or with variables", spec.name, e.name),
                                    why_fixed(spec));
        }
    }

    static std::vector<DiagnosticNote> why_fixed(const ParameterSpec& spec) {
        if (spec.unit.starts_with("kg"))
            return {{"because",
                     "m dv/dt = f holds for a constant mass: what comes or goes carries momentum, which the model "
                     "would have to say"},
                    {"try", "give a number or a parameter, and what mass that leaves does as a force (thrust)"}};
        // Where a frame is, a joint can say; a radius or a ratio, none.
        const bool placed = spec.shape == Shape::vector || spec.name == "offset" || spec.name == "angle";
        return {{"because", "what moves has to be a coordinate, so that its velocity is known"},
                {"try", placed ? "use a joint, driven by an Sf on its port" : "give a number or a parameter"}};
    }

    bool varies(const expression::Expr& x, const std::set<std::uint32_t>& except = {}) const {
        if (x.is_constant()) return false;
        const expression::Graph& graph = *work_.graph.expressions;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(graph, roots);
        return std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
            return graph[n].op == expression::Op::time || graph[n].op == expression::Op::derivative ||
                   (graph[n].op == expression::Op::variable && !except.contains(graph[n].a));
        });
    }

    void parameters(std::size_t index) {
        Element& e = work_.graph.elements[index];
        for (const PartParameter& p : work_.origins[index].parameters) {
            const LawContext owner(work_.graph, e.owner, none_);
            for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
                if (e.type->parameters[k].name == p.name) e.parameters[k] = Quantity{p.value(owner), {}};
            }
        }
    }

    // Directions, angles and vectors of a declared joint, in its parameters and coordinates.
    void motions(std::size_t index) {
        const auto& origin = work_.origins[index];
        EvaluationScope names = scope_of(work_, origin.inner_scope);
        names.lookup = [this, index, outer = names.lookup](const std::string& name) -> std::optional<Quantity> {
            const Element& e = work_.graph.elements[index];
            if (e.slot(name) != nullptr) return element_variable(work_.graph, ElementId(index), name);
            return outer(name);
        };
        bool complete = true;
        for (const JointDeclaration::Motion& m : origin.joint->motions) {
            auto read = motion(m, index, names);
            complete = complete && read.has_value();
            // The laws of a joint with mistakes are made up all the same, so that others are found with them.
            work_.graph.elements[index].motions.push_back(
                read ? *std::move(read)
                     : ExprMatrix(ExprMatrix::Constant(m.rotation ? 4 : 3, 1, unknown_quantity().value(0, 0))));
        }
        if (complete) check_used(index);
    }

    // Axis and angle, or a displacement; nothing where that has been reported.
    std::optional<ExprMatrix> motion(const JointDeclaration::Motion& m, std::size_t index,
                                     const EvaluationScope& names) {
        const std::uint32_t scope = work_.origins[index].inner_scope;
        const auto amount = evaluate_value(work_, m.amount, scope, &names);
        const auto axis = m.rotation ? evaluate_value(work_, m.axis, scope, &names) : amount;
        if (!amount || !axis || !fits(m, index, names)) return std::nullopt;
        if (axis->value.size() != 3 || (m.rotation && !amount->is_scalar())) {
            work_.diagnostics.error("BG-M020", m.position,
                                    m.rotation ? "a rotation has an axis of three values and an angle"
                                               : "a translation is a list of three lengths");
            return std::nullopt;
        }
        ExprMatrix all(m.rotation ? 4 : 3, 1);
        for (Eigen::Index i = 0; i < 3; ++i) all(i, 0) = axis->value.data()[i];
        if (m.rotation) all(3, 0) = amount->value(0, 0);
        if ((m.rotation && !check_axis(m, all)) || !moved_by_coordinates(m, all, index)) return std::nullopt;
        warn_of_kinks(work_, work_.graph.elements[index].name, m.position, all);
        return all;
    }

    // The velocity of a motion is the sum over its coordinates: what else changed it would be missing there.
    bool moved_by_coordinates(const JointDeclaration::Motion& m, const ExprMatrix& all, std::size_t index) {
        const Element& e = work_.graph.elements[index];
        std::set<std::uint32_t> coordinates;
        for (const auto& c : work_.origins[index].joint->coordinates)
            coordinates.insert(work_.graph.slot_variable(e.slot(c.name.text)->first).value);
        const auto values = all.reshaped();
        if (std::none_of(values.begin(), values.end(),
                         [&](const expression::Expr& x) { return varies(x, coordinates); }))
            return true;
        work_.diagnostics.error(
            "BG-M057", m.position,
            fmt::format("a motion of '{}' changes with time or with variables other than its coordinates", e.name),
            {{"because", "what moves has to be a coordinate, so that its velocity is known"},
             {"try",
              "make what changes a further coordinate 'c' of the joint, and drive it by an Sf at its port 'axis_c', "
              "whose flow is its rate"}});
        return false;
    }

    // Angles in rad, distances in m.
    bool fits(const JointDeclaration::Motion& m, std::size_t index, const EvaluationScope& names) {
        const std::vector<Value> parts = m.amount.is_list ? m.amount.items : std::vector<Value>{m.amount};
        const Dimension wanted = m.rotation ? Dimension{} : Dimension{.metre = 1};
        bool fit = true;
        for (const Value& part : parts) {
            const auto q =
                part.is_list ? std::nullopt : evaluate_value(work_, part, work_.origins[index].inner_scope, &names);
            if (!q || !q->measure.known() || q->measure.dimension == wanted) continue;
            fit = false;
            const std::string given = written_unit(part, *q);
            work_.diagnostics.error(
                "BG-U002", part.position(),
                fmt::format("{} of '{}' is in {}, not {}", m.rotation ? "an angle" : "a distance",
                            work_.graph.elements[index].name, m.rotation ? "rad" : "m", given == "1" ? "rad" : given));
        }
        return fit;
    }

    bool check_axis(const JointDeclaration::Motion& m, const ExprMatrix& motion) {
        double length = 0.0;
        for (Eigen::Index i = 0; i < 3; ++i) {
            if (varies(motion(i, 0))) {
                work_.diagnostics.error("BG-M057", m.axis.position(), "the axis of a rotation changes",
                                        {{"because", "the angle alone is what moves"},
                                         {"try", "write it as several rotations about fixed axes"}});
                return false;
            }
            length += motion(i, 0).is_constant() ? std::abs(motion(i, 0).constant()) : 1.0;
        }
        if (length > 0.0) return true;
        work_.diagnostics.error("BG-F002", m.axis.position(),
                                "the axis of this rotation has length 0: it points nowhere",
                                {{"try", "give a direction such as [0, 0, 1]"}});
        return false;
    }

    // A coordinate that moves nothing is determined by nothing.
    void check_used(std::size_t index) {
        const Element& e = work_.graph.elements[index];
        const JointDeclaration& joint = *work_.origins[index].joint;
        if (!checked_.insert(&joint).second) return;
        std::vector<std::uint32_t> roots;
        for (const ExprMatrix& m : e.motions) {
            for (const expression::Expr& x : m.reshaped()) {
                if (!x.is_constant()) roots.push_back(x.node());
            }
        }
        const expression::Graph& graph = *work_.graph.expressions;
        const auto nodes = expression::reachable(graph, roots);
        for (const auto& c : joint.coordinates) {
            const std::uint32_t variable = work_.graph.slot_variable(e.slot(c.name.text)->first).value;
            const bool used = std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
                return graph[n].op == expression::Op::variable && graph[n].a == variable;
            });
            if (used) continue;
            work_.diagnostics.error("BG-M056", c.name.position, fmt::format("no motion depends on '{}'", c.name.text),
                                    {{"because", "a coordinate that moves nothing is determined by nothing"},
                                     {"try", "use it in a rotation or a translation, or remove it"}});
        }
    }

    Flattening& work_;
    std::vector<Equation> none_;
    std::set<const JointDeclaration*> checked_;
};

}  // namespace

void evaluate_parts(Flattening& work) { PartEvaluation(work).run(); }

}  // namespace bondgraph::model
