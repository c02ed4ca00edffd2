#include "bondgraph/serve/worker.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "bondgraph/serve/answers.hpp"
#include "bondgraph/serve/frames.hpp"

namespace bondgraph::serve {
namespace {

// What looks for mistakes of memory reserves more of it than any model needs.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif
constexpr rlim_t kMemory = rlim_t{4} * 1024 * 1024 * 1024;

void limit(decltype(RLIMIT_AS) what, rlim_t most) {
    const rlimit both{.rlim_cur = most, .rlim_max = most};
    ::setrlimit(what, &both);
}

}  // namespace

int work(const WorkerOptions& options) {
    // It ends with the server however that ends; Ctrl-C in a terminal is the server's.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    if (kLimitsMemory) limit(RLIMIT_AS, kMemory);
    constexpr std::size_t kMostRequest = 64U << 20U;
    Answers answers(options);
    while (const auto request = read_frame(STDIN_FILENO, kMostRequest)) {
        if (!write_frame(STDOUT_FILENO, answers.answer(*request))) return 1;
    }
    return 0;
}

}  // namespace bondgraph::serve
