#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::api {

/// How a report writes a heading: a line of its own, with its end.
using Heading = std::function<std::string(std::string_view text)>;

/// Without any adornment.
std::string plain_heading(std::string_view text);
/// Bold on a terminal.
std::string bold_heading(std::string_view text);

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

}  // namespace bondgraph::api
