#pragma once

#include <span>
#include <string>
#include <vector>

#include "bondgraph/simulation/start_problem.hpp"

namespace bondgraph::simulation {

// What is wrong with the conditions of a start, in the words of who wrote them. `involved`: the rows that together with
// the one named demand too much.

/// BG-I001: the conditions leave a law of the model nothing to determine, and violate it.
void report_violated_law(const StartProblem& p, std::uint32_t row, std::span<const std::uint32_t> involved,
                         Diagnostics& diagnostics);

/// BG-I001: a condition that the others make untrue. `open`: states that no condition determines.
void report_contradiction(const StartProblem& p, std::uint32_t row, const StartProblem::Sides& sides,
                          std::span<const std::uint32_t> involved, const std::vector<std::string>& open,
                          Diagnostics& diagnostics);

/// Throws ModelError BG-I002 where a value that a condition asks for is no finite number: parameters of a compiled
/// model may have got values with which it has none.
void refuse_not_finite(std::span<const compile::StartCondition* const> conditions, std::span<const double> values);

/// Throws ModelError BG-I003: a block has no solution that was found. `open`: states that nothing determines and nobody
/// guessed.
[[noreturn]] void refuse_block(StartProblem& p, std::span<const std::uint32_t> rows,
                               std::span<const std::uint32_t> columns, const NonlinearResult& result,
                               const std::vector<std::string>& open);

}  // namespace bondgraph::simulation
