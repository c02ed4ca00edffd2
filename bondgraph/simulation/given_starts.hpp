#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::simulation {

/// True for conditions that single values of states can't meet.
[[nodiscard]] inline bool is_demanding(const compile::StartCondition& c) {
    return c.fixed && c.kind != compile::StartCondition::Kind::value;
}

/// The values that conditions of one kind give.
struct GivenStarts {
    GivenStarts(const compile::CompiledModel& model, bool fixed);

    bool any_demanding = false;  ///< conditions of this kind that are none of single values
    std::vector<const compile::StartCondition*> list;
    expression::Tape targets;
    expression::Tape values;
    std::vector<std::vector<std::uint32_t>> depends;  ///< by value: unknowns and rates among the inputs
};

struct FixedStarts : GivenStarts {
    explicit FixedStarts(const compile::CompiledModel& model) : GivenStarts(model, true) {}
};

/// Guesses: their values, and what they were to be.
struct GuessedStarts : GivenStarts {
    explicit GuessedStarts(const compile::CompiledModel& model);
    expression::Tape both;  ///< in turn
};

}  // namespace bondgraph::simulation
