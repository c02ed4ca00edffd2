#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// `states:` of a type, a state machine in other words of the type: variables and equations that change at events.
///
///     states:
///       filling: {exits: {full: level > 2}}
///       full: {entry: {fills: fills + 1}, exits: {filling: level < 1 and time - entered > 5}}
///
/// It is in the first state at the start. Each state's name is a boolean, `state` the number of the state, `entered`
/// the time at which it was entered; what leads from one to another is the boolean "filling_to_full". Of several exits
/// that are open the first is taken. What `entry` says is set as the state is entered, not at the start. Reports
/// BG-M089 for names of no state and for states that nothing leads to.
model::Body load_states(YamlNode&& node, Diagnostics& diagnostics);

}  // namespace bondgraph::io
