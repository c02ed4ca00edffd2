#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/analysis/transfer_function.hpp"
#include "bondgraph/api/causal_gains.hpp"
#include "bondgraph/cli/session.hpp"

namespace bondgraph::cli {

/// {"R": 1000, …}: what the names in gains stand for.
nlohmann::ordered_json parameters_json(const std::vector<api::GainParameter>& parameters);
/// "with R = 1000, C1 = 1e-06 (C1.C)": those that occur. Empty where there are none.
std::string parameters_text(const std::vector<api::GainParameter>& parameters);

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
