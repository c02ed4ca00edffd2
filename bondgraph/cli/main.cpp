#include <malloc.h>
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

/// What is freed is needed again soon: giving it back to the system and asking anew takes a tenth of the time in which
/// the equations of a large model are made.
void keep_memory() {
#ifdef __GLIBC__
    constexpr int kAtOnce = 64 << 20;
    constexpr int kMost = 1 << 30;
    mallopt(M_TOP_PAD, kAtOnce);
    mallopt(M_TRIM_THRESHOLD, kMost);
    mallopt(M_MMAP_THRESHOLD, kMost);
#endif
}

}  // namespace

int main(int argument_count, char** arguments) {
    ensure_stack();
    keep_memory();
    bondgraph::cli::prepare_for_signals();
    return bondgraph::cli::run_command_line(argument_count, arguments);
}
