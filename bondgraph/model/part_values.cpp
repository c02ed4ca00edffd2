// Pass of flattening for the parts of wrapped components: their values follow from their owners'.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::ExprMatrix;

namespace {

class PartEvaluation {
   public:
    explicit PartEvaluation(Flattening& work) : work_(work) {}

    void run() {
        // The parts' values are only as good as what their owners were given.
        if (!work_.joined || work_.disconnected || work_.diagnostics.has_errors() || values_are_missing()) return;
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.type->check != nullptr)
                e.type->check(LawContext(work_.graph, ElementId(i), none_), work_.diagnostics);
        }
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) check_fixed(work_.graph.elements[i]);
        if (work_.diagnostics.has_errors()) return;
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) {
            if (work_.origins[i].joint != nullptr) motions(i);
        }
        if (work_.diagnostics.has_errors()) return;
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) parameters(i);
    }

   private:
    // What a file with mistakes of form leaves open has no error here.
    bool values_are_missing() const {
        for (std::size_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            const ComponentDeclaration* declaration = work_.origins[i].declaration;
            if (declaration != nullptr && declaration->flawed) return true;
            for (std::size_t k = 0; k < e.parameters.size(); ++k) {
                const auto& value = e.parameters[k];
                if (value ? is_unknown(*value) : e.parameter_positions[k].known()) return true;
            }
        }
        return false;
    }

    // Where frames and masses are follows from states alone: what else moved them would have no velocity.
    void check_fixed(const Element& e) {
        if (e.type->paths.empty() && e.type->root != RootKind::if_needed) return;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (!e.parameters[k] || spec.kind != ParameterKind::number || spec.condition) continue;
            const auto values = e.parameters[k]->value.reshaped();
            if (std::none_of(values.begin(), values.end(), [&](const expression::Expr& x) { return varies(x); }))
                continue;
            work_.diagnostics.error("BG-M057", e.parameter_positions[k],
                                    fmt::format("'{}' of '{}' changes with time or with variables", spec.name, e.name),
                                    {{"because", "what moves has to be a coordinate, so that its velocity is known"},
                                     {"try", "use a joint, driven by an Sf on its port"}});
        }
    }

    bool varies(const expression::Expr& x) const {
        if (x.is_constant()) return false;
        const expression::Graph& graph = *work_.graph.expressions;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(graph, roots);
        return std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
            return graph[n].op == expression::Op::time || graph[n].op == expression::Op::variable ||
                   graph[n].op == expression::Op::derivative;
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
        for (const JointDeclaration::Motion& m : origin.joint->motions) {
            const auto amount = evaluate_value(work_, m.amount, origin.inner_scope, &names);
            const auto axis = m.rotation ? evaluate_value(work_, m.axis, origin.inner_scope, &names) : amount;
            if (!amount || !axis) return;
            if (axis->value.size() != 3 || (m.rotation && !amount->is_scalar())) {
                work_.diagnostics.error("BG-M020", m.position,
                                        m.rotation ? "a rotation has an axis of three values and an angle"
                                                   : "a translation is a list of three lengths");
                return;
            }
            ExprMatrix all(m.rotation ? 4 : 3, 1);
            for (Eigen::Index i = 0; i < 3; ++i) all(i, 0) = axis->value.data()[i];
            if (m.rotation) all(3, 0) = amount->value(0, 0);
            work_.graph.elements[index].motions.push_back(std::move(all));
        }
    }

    Flattening& work_;
    std::vector<Equation> none_;
};

}  // namespace

void evaluate_parts(Flattening& work) { PartEvaluation(work).run(); }

}  // namespace bondgraph::model
