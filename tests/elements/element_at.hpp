#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bondgraph/model/law_context.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {

/// The value of an expression with its leaves at these values (by node).
double value_at(const expression::Graph& graph, expression::Expr e, const std::map<std::uint32_t, double>& leaves);

/// One element, named x, with its law, at given values of its variables.
class ElementAt {
   public:
    /// `settings` as in the file, without braces: "type: D, Ron: 1"; bonded to a 1-junction if it has a port.
    explicit ElementAt(const std::string& settings);

    /// e, f, a state, an output, an input's source or a discrete variable; "der(q)" for a state's rate.
    ElementAt& set(const std::string& name, double value);
    ElementAt& time(double value);
    /// Whether this is a sampling instant.
    ElementAt& sampling(bool now);

    /// lhs − rhs of the law's equations.
    std::vector<double> residuals();
    /// The value of an own variable that makes an equation vanish (the law is linear in it at the present values).
    double solve(const std::string& name, std::size_t equation = 0);
    /// What a discrete variable becomes at an event with these values.
    double next(const std::string& discrete);
    /// By how much it would start outside its limits: greater than zero where it does.
    double excess();
    bool structural(const std::string& discrete);
    model::PortCausality causality(std::vector<double> modes);

   private:
    expression::Expr leaf(const std::string& name);

    std::unique_ptr<Pipeline> pipeline_;
    model::ElementId id_;
    std::vector<model::Equation> equations_;
    std::vector<model::Update> updates_;
    std::map<std::uint32_t, double> values_;
};

}  // namespace bondgraph::test
