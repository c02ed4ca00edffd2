#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace bondgraph::serve {

/// What came of asking a worker.
struct WorkerAnswer {
    enum class Outcome {
        answered,
        stopped,   ///< by stop()
        too_long,  ///< the time was over
        ended,     ///< the process died of it
        busy       ///< too many are waiting already
    };
    Outcome outcome = Outcome::ended;
    std::string text;
};

/// Processes that answer requests, a few at once; others wait for their turn. One that takes too long or dies is
/// replaced. Safe for threads.
class Workers {
   public:
    struct Options {
        std::vector<std::string> command;  ///< program and arguments of a worker
        std::size_t processes = 2;
        std::size_t waiting = 48;  ///< requests that may wait
        std::chrono::milliseconds limit{30'000};
    };

    explicit Workers(Options options);
    /// Ends all of them, whatever they do.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Asks one of them; the one that answered this tab last where that is free, as it knows the model.
    WorkerAnswer ask(const std::string& tab, const std::string& request);
    /// Ends what is being done for a tab; its requests come back as stopped.
    void stop(const std::string& tab);
    /// Ends all that is being done, and takes no more.
    void close();

   private:
    struct Worker;
    Worker* take(const std::string& tab, WorkerAnswer& why_not);
    bool start(Worker& worker);
    static void end(Worker& worker);

    Options options_;
    std::mutex mutex_;
    std::condition_variable free_;
    std::list<Worker> workers_;
    std::size_t waiting_ = 0;
    bool closed_ = false;
};

}  // namespace bondgraph::serve
