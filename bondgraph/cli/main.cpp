#include <sys/resource.h>

#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/interruption.hpp"

namespace {

/// Raises a small limit of the stack as far as the system lets us: what recurses is bounded for the usual one.
void ensure_stack() {
    constexpr rlim_t kUsual = 8U << 20U;
    struct rlimit limit {};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kUsual) return;
    limit.rlim_cur = limit.rlim_max < kUsual ? limit.rlim_max : kUsual;
    setrlimit(RLIMIT_STACK, &limit);
}

}  // namespace

int main(int argument_count, char** arguments) {
    ensure_stack();
    bondgraph::cli::prepare_for_signals();
    return bondgraph::cli::run_command_line(argument_count, arguments);
}
