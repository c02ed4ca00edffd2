#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/cli/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::cli {

/// What a run took and gave, for people: `written` are the files, described.
std::string summary_text(const Session& session, const simulation::Settings& settings, const simulation::Run& run,
                         const std::vector<std::string>& written);

/// What went wrong, where and when; `written`: that the results up to there have been.
std::string failure_text(const Session& session, const simulation::Failure& failure, bool written);

}  // namespace bondgraph::cli
