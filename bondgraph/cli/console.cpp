#include "bondgraph/cli/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::cli {
namespace {

bool plain_by_wish() {
    const char* wish = std::getenv("NO_COLOR");
    return wish != nullptr && *wish != '\0';
}

}  // namespace

void say(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void put(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw UsageError(fmt::format("can't write to standard output: {}", std::strerror(errno)));
    }
}

bool terminal_on_stderr() { return isatty(STDERR_FILENO) != 0; }

std::string heading(std::string_view text) {
    const bool bold = isatty(STDOUT_FILENO) != 0 && !plain_by_wish();
    return bold ? fmt::format("\033[1m{}\033[0m\n", text) : fmt::format("{}\n", text);
}

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

}  // namespace bondgraph::cli
