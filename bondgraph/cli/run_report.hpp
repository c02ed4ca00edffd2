#pragma once

#include <string>
#include <vector>

#include "bondgraph/cli/session.hpp"
#include "bondgraph/simulation/doubt.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::cli {

/// What a run took and gave, for people: `written` are the files, described.
std::string summary_text(const Session& session, const simulation::Settings& settings, const simulation::Run& run,
                         const std::vector<std::string>& written);

/// A warning, with what to do.
std::string doubt_text(const Session& session, const simulation::Settings& settings, const simulation::Doubt& doubt);

/// The warning that the run passed a position in which its motion may branch; empty where it didn't.
std::string branching_text(const Session& session, const simulation::Summary& summary);

/// Warnings of closed loops that are loaded in directions in which their reactions can't be told; empty without.
std::string indeterminate_text(const Session& session, const simulation::Summary& summary);

/// A warning of closed loops that begin far from where guesses have them; empty without.
std::string far_guesses_text(const Session& session);

/// Warnings of locks that have nothing to hold; empty without.
std::string idle_locks_text(const Session& session, const simulation::Summary& summary);

/// What went wrong, where and when; `written`: that the results up to there have been.
std::string failure_text(const Session& session, const simulation::Failure& failure, bool written);

}  // namespace bondgraph::cli
