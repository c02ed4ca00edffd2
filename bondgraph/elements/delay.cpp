// A signal as it was a time ago.

#include "bondgraph/elements/signal_parts.hpp"
#include "bondgraph/elements/types.hpp"

namespace bondgraph::elements {

using namespace model;

const ComponentType kDelay{
    .name = "Delay",
    .summary = "A signal as it was a time ago: dead time, transport.",
    .law_text = "y(time) = u(time - T); past where that is before the start",
    .example = "belt: {type: Delay, T: 0.4 s}",
    .parameters = {{.name = "T",
                    .doc = "how long the signal takes; where it is a signal itself, `T_max` has to be given",
                    .shape = Shape::scalar,
                    .minimum = 0.0,
                    .exclusive_minimum = true,
                    .unit = "s"},
                   {.name = "T_max",
                    .doc = "where `T` is a signal: the longest it becomes, so long the past is remembered",
                    .shape = Shape::scalar,
                    .minimum = 0.0,
                    .exclusive_minimum = true,
                    .unit = "s",
                    .required = false},
                   number("past", "what the input was before the start", 0.0)},
    .inputs = kOneInput,
    .outputs = kOutput,
    .delays = true,
    .law = [](LawContext& k) { output(k, k.delayed() + k.scalar("past")); },
    .source = kByDefinition,
};

}  // namespace bondgraph::elements
