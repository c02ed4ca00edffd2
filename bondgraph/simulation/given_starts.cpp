#include "bondgraph/simulation/given_starts.hpp"

#include <algorithm>

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::StartCondition;

GivenStarts::GivenStarts(const CompiledModel& m, bool fixed) {
    std::vector<expression::Expr> of_values;
    std::vector<expression::Expr> of_targets;
    for (const StartCondition& c : m.conditions) {
        if (c.fixed != fixed) continue;
        if (is_demanding(c)) {
            any_demanding = true;
            continue;
        }
        list.push_back(&c);
        of_values.push_back(c.value);
        of_targets.push_back(c.target);
    }
    targets = m.tape(of_targets);
    values = m.tape(of_values);
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, 2 * m.size(), true);
    depends = values.dependencies(wanted);
}

GuessedStarts::GuessedStarts(const CompiledModel& m) : GivenStarts(m, false) {
    std::vector<expression::Expr> pairs;
    for (const StartCondition* c : list) pairs.insert(pairs.end(), {c->value, c->target});
    both = m.tape(pairs);
}

}  // namespace bondgraph::simulation
