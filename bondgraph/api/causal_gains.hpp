#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bondgraph/analysis/mason.hpp"
#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// The signal-flow graph of a session's model (stage causal at least), its parameters by name, to the results named.
/// Throws analysis::NoGains.
analysis::SignalFlow flow_of(const Session& session, const causality::CausalGraph& causal,
                             const std::vector<std::string>& outputs, analysis::Dynamics dynamics);

/// What the names in gains stand for; marked are those that occur in `gains`.
std::vector<GainParameter> gain_parameters(const analysis::SignalFlow& flow,
                                           const std::vector<analysis::Laurent>& gains);

/// A path with its gain, in names.
CausalLoop named(const analysis::SignalFlow& flow, const analysis::FlowPath& path);

/// The gains of a model's causal paths and loops, or why there are none.
struct CausalGains {
    std::optional<analysis::SignalFlow> flow;
    std::string none_because;
    /// All loops, through storages too, shortest first; nothing where they are more than a reader follows.
    std::optional<std::vector<analysis::FlowPath>> loops;
};
/// Of a session at stage causal. Models too large to be read have none.
CausalGains causal_gains(const Session& session);
/// The gain along variables each of which is computed from the one before; nothing where one is not.
std::optional<std::string> gain_along(const analysis::SignalFlow& flow, const std::vector<model::VariableId>& path);

}  // namespace bondgraph::api
