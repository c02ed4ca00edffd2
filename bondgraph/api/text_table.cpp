#include "bondgraph/api/text_table.hpp"

#include <algorithm>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::api {

std::string plain_heading(std::string_view text) { return std::string(text) + '\n'; }

std::string bold_heading(std::string_view text) { return "\033[1m" + std::string(text) + "\033[0m\n"; }

std::string Table::text() const {
    std::vector<std::size_t> widths(columns_.size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t k = 0; k < std::min(row.size(), widths.size()); ++k) {
            widths[k] = std::max(widths[k], utf8_count(row[k]));
        }
    }
    std::string result;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t k = 0; k < std::min(row.size(), widths.size()); ++k) {
            const std::string padding(widths[k] - utf8_count(row[k]), ' ');
            line += "  ";
            line += columns_[k] == Align::right ? padding + row[k] : row[k] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + '\n';
    }
    return result;
}

}  // namespace bondgraph::api
