#pragma once

#include <atomic>

namespace bondgraph::cli {

/// What signals do in this program: one that ends it removes the parts of unfinished outputs first; a limit on the size
/// of files is told like a full disk instead of ending the program. Signals that are ignored already stay so (nohup).
void prepare_for_signals();

/// While it lives, the first Ctrl-C, SIGTERM or SIGHUP asks for an end with what there is; a second one ends the
/// program at once.
class Interruption {
   public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// True once it has been asked for.
    [[nodiscard]] static const std::atomic<bool>& asked();
    /// By which signal, as in "SIGTERM"; null while it hasn't, and for Ctrl-C, which the user knows of.
    [[nodiscard]] const char* signal_name() const;
};

}  // namespace bondgraph::cli
