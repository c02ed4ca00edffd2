#include "bondgraph/serve/workers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "bondgraph/serve/frames.hpp"

namespace bondgraph::serve {

struct Workers::Worker {
    pid_t process = 0;  ///< 0: none runs
    int to = -1;
    int from = -1;
    bool busy = false;
    bool stopped = false;
    std::string tab = {};  ///< that it answered last
};

Workers::Workers(Options options) : options_(std::move(options)) {
    for (std::size_t i = 0; i < options_.processes; ++i) workers_.emplace_back();
}

Workers::~Workers() {
    close();
    std::unique_lock lock(mutex_);
    // Threads that ask still use them.
    free_.wait(lock, [&] {
        bool idle = waiting_ == 0;
        for (const Worker& w : workers_) idle = idle && !w.busy;
        return idle;
    });
    for (Worker& w : workers_) end(w);
}

void Workers::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (Worker& w : workers_) {
        if (!w.busy || w.process == 0) continue;
        w.stopped = true;
        ::kill(w.process, SIGKILL);
    }
    free_.notify_all();
}

void Workers::stop(const std::string& tab) {
    const std::lock_guard lock(mutex_);
    for (Worker& w : workers_) {
        if (!w.busy || w.process == 0 || w.tab != tab) continue;
        w.stopped = true;
        ::kill(w.process, SIGKILL);
    }
}

bool Workers::start(Worker& worker) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0) return false;
    if (::pipe2(out.data(), O_CLOEXEC) != 0) {
        ::close(in[0]);
        ::close(in[1]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    // A connection that it had too would stay open when the server closes it, and its browser would wait for ever.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::vector<char*> arguments;
    for (std::string& a : options_.command) arguments.push_back(a.data());
    arguments.push_back(nullptr);
    const int failure = ::posix_spawn(&worker.process, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    worker.to = in[1];
    worker.from = out[0];
    if (failure == 0) return true;
    worker.process = 0;
    end(worker);
    return false;
}

void Workers::end(Worker& worker) {
    if (worker.to >= 0) ::close(worker.to);
    if (worker.from >= 0) ::close(worker.from);
    if (worker.process != 0) {
        ::kill(worker.process, SIGKILL);
        while (::waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    worker.process = 0;
    worker.to = -1;
    worker.from = -1;
    worker.tab.clear();
}

Workers::Worker* Workers::take(const std::string& tab, WorkerAnswer& why_not) {
    std::unique_lock lock(mutex_);
    const auto free_one = [&]() -> Worker* {
        Worker* best = nullptr;
        for (Worker& w : workers_) {
            if (w.busy) continue;
            if (w.tab == tab) return &w;
            // Rather one that knows nothing yet than one that knows another tab's model.
            if (best == nullptr || (w.tab.empty() && !best->tab.empty())) best = &w;
        }
        return best;
    };
    Worker* worker = nullptr;
    if (waiting_ >= options_.waiting && free_one() == nullptr) {
        why_not.outcome = WorkerAnswer::Outcome::busy;
        return nullptr;
    }
    ++waiting_;
    free_.wait(lock, [&] { return closed_ || (worker = free_one()) != nullptr; });
    --waiting_;
    if (closed_) {
        why_not.outcome = WorkerAnswer::Outcome::stopped;
        free_.notify_all();
        return nullptr;
    }
    worker->busy = true;
    worker->stopped = false;
    if (worker->process == 0 && !start(*worker)) {
        worker->busy = false;
        free_.notify_all();
        why_not.outcome = WorkerAnswer::Outcome::ended;
        return nullptr;
    }
    worker->tab = tab;
    return worker;
}

WorkerAnswer Workers::ask(const std::string& tab, const std::string& request) {
    WorkerAnswer answer;
    Worker* worker = take(tab, answer);
    if (worker == nullptr) return answer;
    constexpr std::size_t kMostAnswer = 256U << 20U;
    const auto deadline = std::chrono::steady_clock::now() + options_.limit;
    std::optional<std::string> text;
    if (write_frame(worker->to, request)) text = read_frame(worker->from, kMostAnswer, deadline);
    const std::lock_guard lock(mutex_);
    if (text) {
        answer = {.outcome = WorkerAnswer::Outcome::answered, .text = *std::move(text)};
    } else {
        const bool late = std::chrono::steady_clock::now() >= deadline;
        answer.outcome = worker->stopped ? WorkerAnswer::Outcome::stopped
                         : late          ? WorkerAnswer::Outcome::too_long
                                         : WorkerAnswer::Outcome::ended;
        end(*worker);
    }
    // Killed when it had answered already: the next one is to have a new process.
    if (worker->stopped && worker->process != 0) end(*worker);
    worker->busy = false;
    free_.notify_all();
    return answer;
}

}  // namespace bondgraph::serve
