#pragma once

#include <string>
#include <string_view>

#include "bondgraph/api/text_table.hpp"
#include "bondgraph/api/usage_error.hpp"
#include "bondgraph/base/numbers.hpp"

namespace bondgraph::cli {

/// Exit statuses of every command.
inline constexpr int kDone = 0;
inline constexpr int kWrongUsage = 1;
inline constexpr int kWrongModel = 2;
inline constexpr int kFailed = 3;

/// The command can't be carried out as it was typed. Reported as "error: …", exit status kWrongUsage.
using api::UsageError;

/// Writes text for people to standard error. What can't be written there is lost silently: there is no better place.
void say(std::string_view text);
/// Writes data to standard output. Throws UsageError when that fails (a closed pipe, a full disk).
void put(std::string_view text);

/// Whether standard error is a terminal that people watch.
bool terminal_on_stderr();

/// A heading of a report on standard output: bold on a terminal unless NO_COLOR is set.
std::string heading(std::string_view text);
/// Whether headings are.
bool bold_headings();

using api::Align;
using api::Table;

}  // namespace bondgraph::cli
