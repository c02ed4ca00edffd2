#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

/// What a run took and gave, for people: `written` are the files, described.
std::string summary_text(const std::string& model, const api::Run& run, const std::vector<std::string>& written);

/// What went wrong, where and when; `written`: that the results up to there have been.
std::string failure_text(const api::Error& failure, bool written);

}  // namespace bondgraph::cli
