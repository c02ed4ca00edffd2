#pragma once

#include <atomic>

namespace bondgraph::simulation {

/// Thrown by searches that may be long, where the user asks for the end of the run meanwhile.
struct Interrupted {};

/// `asked`: looked at now and then; null where nobody can ask.
inline void end_if_asked(const std::atomic<bool>* asked) {
    if (asked != nullptr && asked->load()) throw Interrupted{};
}

}  // namespace bondgraph::simulation
