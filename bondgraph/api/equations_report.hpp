#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/analysis/mason.hpp"
#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/readable_equations.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/api/text_table.hpp"

namespace bondgraph::api {

/// A linear model's matrices; in symbols too where these are few enough to be found.
struct StateSpace {
    analysis::LinearModel numbers;
    std::optional<analysis::SymbolicStateSpace> symbols;
    std::vector<std::string> names;        ///< of the symbols, in text
    std::vector<std::string> latex_names;  ///< the same in LaTeX
};

/// What `equations` shows.
struct EquationsReport {
    const compile::SortedSystem* system = nullptr;
    ReadableSystem readable;
    std::optional<StateSpace> state_space;
    std::vector<expression::Expr> abbreviations;  ///< s1, s2, … in the order of computation
    std::vector<analysis::Symbol> parameters;     ///< that stand in the equations by name
    bool by_element = false;
    bool typeset = false;  ///< JSON has every equation in LaTeX too
};

/// As `bondgraph equations` shows those of a session at stage compiled, which is changed by it: modes become those of
/// the start. Throws UsageError for symbols in a model whose equations need numbers.
Equations equations_report(Session& session, const EquationsOptions& options, const Heading& heading);

/// The equations of one element, in the order of computation.
struct ElementEquations {
    model::ElementId element;  ///< not valid: of the model itself
    std::vector<ReadableEquation> assignments;
    std::vector<ReadableEquation> states;
    std::vector<ReadableEquation> implicit;
};
/// By elements in the order in which their first equation is computed; those with states only come last.
std::vector<ElementEquations> grouped(const ReadableSystem& readable);
/// "coil (I)"; empty for the model itself.
std::string element_title(const compile::SortedSystem& system, model::ElementId element);

std::string equations_text(const EquationsReport& report, const Heading& heading);
std::string equations_latex(const EquationsReport& report);
std::string equations_json(const EquationsReport& report);

/// A matrix of texts, row by row.
std::vector<std::string> entries(const std::vector<analysis::LaurentRatio>& matrix,
                                 const std::vector<std::string>& names, expression::PrintStyle style);

}  // namespace bondgraph::api
