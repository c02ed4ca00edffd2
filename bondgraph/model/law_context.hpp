#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// One acausal scalar equation lhs = rhs of an element.
struct Equation {
    expression::Expr lhs;
    expression::Expr rhs;
    ElementId element;
    SourcePosition position;
};

/// What a discrete variable becomes at an event.
struct Update {
    std::size_t discrete = 0;  ///< index into BondGraph::discretes
    expression::Expr value;
    ElementId element;
    SourcePosition position;
};

/// The time derivative of a variable as its law declares it.
struct DeclaredRate {
    VariableId variable;
    expression::Expr value;
};

/// What a law sees of its element: port variables positive in the port's own direction, parameters, states, signals;
/// and where it leaves its equations. Port variables and states are vectors of the port's size.
class LawContext {
   public:
    LawContext(const BondGraph& graph, ElementId element, std::vector<Equation>& equations,
               std::vector<Update>* updates = nullptr, std::vector<DeclaredRate>* rates = nullptr)
        : graph_(graph),
          element_(graph.elements[element.index()]),
          id_(element),
          equations_(equations),
          updates_(updates),
          rates_(rates) {}

    /// `like`: the element with other values of its parameters.
    LawContext(const BondGraph& graph, const Element& like, ElementId element, std::vector<Equation>& equations)
        : graph_(graph), element_(like), id_(element), equations_(equations) {}

    [[nodiscard]] const Element& element() const { return element_; }
    [[nodiscard]] expression::Graph& expressions() const { return *graph_.expressions; }
    [[nodiscard]] std::size_t port_count() const { return element_.ports.size(); }
    [[nodiscard]] std::size_t size(std::size_t port) const { return element_.ports[port].size; }
    [[nodiscard]] expression::ExprVector effort(std::size_t port) const;
    [[nodiscard]] expression::ExprVector flow(std::size_t port) const;
    /// All ports' components one after the other: fields see one vector whether bonded by p or by p1 … pn.
    [[nodiscard]] expression::ExprVector all_efforts() const;
    [[nodiscard]] expression::ExprVector all_flows() const;

    [[nodiscard]] bool has(std::string_view parameter) const { return element_.parameter(parameter) != nullptr; }
    /// A parameter as a matrix of the wanted size: a scalar stands for a multiple of the identity, a vector for a
    /// diagonal.
    [[nodiscard]] expression::ExprMatrix matrix(std::string_view parameter, std::size_t rows, std::size_t cols) const;
    /// matrix(parameter, rows, v.size()) times v, and the transposed of matrix(parameter, v.size(), rows) times v, in
    /// the time their entries take that are not zero.
    [[nodiscard]] expression::ExprVector product(std::string_view parameter, const expression::ExprVector& v,
                                                 std::size_t rows) const;
    [[nodiscard]] expression::ExprVector transposed_product(std::string_view parameter, const expression::ExprVector& v,
                                                            std::size_t rows) const;
    /// A parameter as a vector of the wanted size: a scalar stands for equal components.
    [[nodiscard]] expression::ExprVector vector(std::string_view parameter, std::size_t size) const;
    [[nodiscard]] expression::Expr scalar(std::string_view parameter) const;

    /// A state, output or internal variable of the element by name.
    [[nodiscard]] expression::ExprVector slot(std::string_view name) const;
    [[nodiscard]] expression::ExprVector derivative(std::string_view slot_name) const;
    /// The value of a connected input.
    [[nodiscard]] expression::Expr input(std::string_view name) const;
    [[nodiscard]] std::vector<expression::Expr> inputs() const;

    /// The component a part belongs to.
    [[nodiscard]] LawContext owner() const { return {graph_, element_.owner, equations_}; }
    /// Of a connector: a signal as a matrix, the flow common to all connectors joined there.
    [[nodiscard]] expression::ExprMatrix signal(std::string_view connector, std::string_view name) const;
    /// Another component of the model, for what all share (World): the first of a type, or nothing.
    [[nodiscard]] std::optional<LawContext> first_of(const ComponentType& type) const;
    /// Another element, by the name it has behind this one's ("axis" of "joint").
    [[nodiscard]] LawContext part(std::string_view name) const;

    /// Another element that may hold this one's flow, or its negative, at 0 (ComponentType::rests), and whether it
    /// comes first.
    struct Companion;
    [[nodiscard]] std::vector<Companion> companions() const;

    /// Declares the time derivative of a variable, in variables and their derivatives: used where the variable has to
    /// be differentiated, instead of what its equation's expansion would give.
    void rate(expression::Expr variable, expression::Expr value);
    void rates(const expression::ExprVector& variables, const expression::ExprVector& values);
    /// d/dt of a variable as a leaf.
    [[nodiscard]] expression::Expr der(expression::Expr variable) const;
    [[nodiscard]] expression::ExprVector der(const expression::ExprVector& variables) const;

    void equation(expression::Expr lhs, expression::Expr rhs);
    void equations(const expression::ExprVector& lhs, const expression::ExprVector& rhs);

    /// A discrete variable, and its value before the current iteration of an event.
    [[nodiscard]] expression::Expr discrete(std::string_view name) const { return slot(name)(0); }
    [[nodiscard]] expression::Expr previous(std::string_view name) const;
    /// A sampled block's instants: 1 there, 0 elsewhere.
    [[nodiscard]] expression::Expr sampling() const { return graph_.sample_flag(*element_.sample); }
    /// Of a delay: what its input was a time ago, less `past`; 0 where that was before the start.
    [[nodiscard]] expression::Expr delayed() const { return graph_.delayed_value(*element_.delay); }
    /// What the discrete variable becomes at an event, in values of the current iteration and previous ones.
    void update(std::string_view name, expression::Expr value);

    /// Whether an expression changes only where a run gives parameters other values.
    [[nodiscard]] bool of_parameters(expression::Expr e) const { return parameter_in(graph_, e).has_value(); }

    /// Emits the equations the user wrote (`law:`, `equations:`).
    void given_equations();
    /// Emits the updates of discrete variables the user wrote in `equations:`.
    void given_updates();
    [[nodiscard]] bool has_given_equations() const { return !element_.given_equations.empty(); }
    [[nodiscard]] std::optional<expression::Expr> given_energy() const {
        return element_.books == nullptr ? std::nullopt : element_.books->energy;
    }

   private:
    const BondGraph& graph_;
    const Element& element_;
    ElementId id_;
    std::vector<Equation>& equations_;
    std::vector<Update>* updates_ = nullptr;
    std::vector<DeclaredRate>* rates_ = nullptr;
};

struct LawContext::Companion {
    LawContext context;
    bool first = false;
    int sense = 1;  ///< its flow over this one's
};

}  // namespace bondgraph::model
