#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/analysis/mason.hpp"
#include "bondgraph/analysis/transfer_function.hpp"
#include "bondgraph/cli/session.hpp"

namespace bondgraph::cli {

/// The signal-flow graph of a session's model (stage causal at least), its parameters by name, to the results named.
/// Throws analysis::NoGains.
analysis::SignalFlow flow_of(const Session& session, const causality::CausalGraph& causal,
                             const std::vector<std::string>& outputs, analysis::Dynamics dynamics);

/// {"R": 1000, …}: what the names in gains stand for.
nlohmann::ordered_json symbols_json(const analysis::SignalFlow& flow);
/// "with R = 1000, C1 = 1e-06 (C1.C)": the names that occur in these gains. Empty where there are none.
std::string symbols_text(const analysis::SignalFlow& flow, const std::vector<analysis::Laurent>& gains);

/// A path with its gain, in names.
struct NamedPath {
    std::vector<std::string> nodes;
    std::string gain;
};
NamedPath named(const analysis::SignalFlow& flow, const analysis::FlowPath& path);

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
/// The section on loops, with the values of the names.
std::string gains_text(const CausalGains& gains);
/// A list of: nodes, gain. Null where there are none to be told.
nlohmann::ordered_json loops_json(const CausalGains& gains);

/// Mason's rule for one input and output, checked against the matrices.
struct MasonReport {
    std::string input;
    std::string output;
    analysis::Mason mason;
    /// Largest relative difference from the matrices at some frequencies, beyond rounding. Nothing where the formula
    /// reads 0/0 with the model's values.
    std::optional<double> disagreement;
};
/// In the order of transfer functions: for every input every output. Of those with too many loops it is said that they
/// are left out. Throws UsageError where that is all of them.
std::vector<MasonReport> mason_reports(const analysis::SignalFlow& flow, const analysis::LinearModel& linear);

nlohmann::ordered_json mason_json(const analysis::SignalFlow& flow, const std::vector<MasonReport>& reports);
std::string mason_text(const analysis::SignalFlow& flow, const std::vector<MasonReport>& reports);

}  // namespace bondgraph::cli
