#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace bondgraph::parts {

/// Sets a flag once so many seconds have passed, unless it is gone before.
class TimeLimit {
   public:
    explicit TimeLimit(double seconds)
        : watch_([this, seconds](const std::stop_token& over) {
              std::unique_lock lock(mutex_);
              const auto gone = [&] { return over.stop_requested(); };
              if (!wake_.wait_for(lock, over, std::chrono::duration<double>(seconds), gone)) reached_ = true;
          }) {}
    [[nodiscard]] const std::atomic<bool>* flag() const { return &reached_; }
    [[nodiscard]] bool reached() const { return reached_; }

   private:
    std::atomic<bool> reached_ = false;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread watch_;
};

}  // namespace bondgraph::parts
