#include "bondgraph/cli/interruption.hpp"

#include <csignal>

#include "bondgraph/api/output_file.hpp"

namespace bondgraph::cli {
namespace {

// A signal handler can reach nothing but these.
std::atomic<bool> listening{false};
std::atomic<bool> interrupted{false};
std::atomic<int> interrupted_by{0};

bool asks_for_an_end(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

void handle(int signal) {
    if (listening && asks_for_an_end(signal) && !interrupted.exchange(true)) {
        interrupted_by = signal;
        return;
    }
    api::remove_unfinished_files();
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // whoever started the program sees what ended it
}

}  // namespace

void prepare_for_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU}) {
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = {};
        action.sa_handler = &handle;
        action.sa_flags = SA_RESTART;  // a write in progress is not to fail by it
        sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

Interruption::Interruption() {
    interrupted = false;
    interrupted_by = 0;
    listening = true;
}

Interruption::~Interruption() { listening = false; }

const std::atomic<bool>& Interruption::asked() { return interrupted; }

const char* Interruption::signal_name() const {
    if (interrupted_by == SIGTERM) return "SIGTERM";
    return interrupted_by == SIGHUP ? "SIGHUP" : nullptr;
}

}  // namespace bondgraph::cli
