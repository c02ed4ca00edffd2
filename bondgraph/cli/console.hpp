#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/session.hpp"
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

enum class Align : bool { left, right };

/// Columns side by side, two blanks apart, indented by two; widths count characters. A short row is filled up with
/// empty cells; blanks at the ends of lines are dropped.
class Table {
   public:
    explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    [[nodiscard]] std::string text() const;

   private:
    std::vector<Align> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace bondgraph::cli
