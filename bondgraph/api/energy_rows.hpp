#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::api {

/// Refuses a model as one that has no port-Hamiltonian form.
[[noreturn]] void no_form(const std::string& because);

/// "'c1' (C)"
std::string title(const model::Element& e);

bool stores(const model::Element& e);

/// Whether its law is one of the form: those of sources and signals stand outside.
bool in_form(const model::Element& e);

/// What is linearized for the port-Hamiltonian form: sources, the energy's gradient, efforts and flows at ports.
class EnergyRows {
   public:
    explicit EnergyRows(const compile::CompiledModel& m);

    struct Channel {
        std::string input, output;
        expression::Expr given, conjugate;  ///< as efforts and flows at its port
        std::size_t value = 0;              ///< rows of what it gives, and of what makes power with it
        std::size_t other = 0;
    };
    /// A leaf of an energy and the derivative by it.
    struct Slope {
        std::optional<std::size_t>
            state;  ///< or an unknown that follows, or what a source gives, with a row of its own
        std::size_t leaf = 0;
        std::size_t derivative = 0;
    };
    struct Port {
        double direction = 1.0;
        std::size_t effort = 0;
        std::size_t flow = 0;
    };
    struct Term {
        model::ElementId element;
        std::vector<Slope> slopes;
        std::vector<Port> ports;
        /// Where what a source gives stands in the energy: the second derivatives, of slopes by slopes.
        std::vector<std::size_t> curvatures = {};
    };

    std::vector<analysis::Output> outputs;  ///< the last is the energy
    std::vector<Channel> channels;
    std::vector<Term> terms;
    std::vector<Port> passing;  ///< of elements that neither store, lose nor supply: what power goes through
    expression::Expr energy = 0.0;

   private:
    std::size_t add(std::string name, expression::Expr value);
    void add_sources();
    std::vector<expression::Expr> sources_in(const Term& term, expression::Expr energy_of) const;
    void add_slopes(Term& term, expression::Expr energy_of);
    std::vector<Port> ports_of(model::ElementId id);
    void add_passing(model::ElementId id);
    void add_term(const compile::EnergyTerm& t);

    const compile::CompiledModel& m_;
    const model::BondGraph& g_;
};

}  // namespace bondgraph::api
