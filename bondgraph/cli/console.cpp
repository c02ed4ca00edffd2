#include "bondgraph/cli/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

bool bold_headings() { return isatty(STDOUT_FILENO) != 0 && !plain_by_wish(); }

std::string heading(std::string_view text) {
    return bold_headings() ? api::bold_heading(text) : api::plain_heading(text);
}

}  // namespace bondgraph::cli
