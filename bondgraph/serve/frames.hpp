#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bondgraph::serve {

/// Texts between two processes, each behind its length: 8 bytes, the lowest first.

/// Whether it could be written.
bool write_frame(int file, std::string_view text);

/// The next one, waiting for it until `deadline`. Nothing where the other side has ended, the time is over, or it is
/// longer than `most`.
std::optional<std::string> read_frame(int file, std::size_t most,
                                      std::optional<std::chrono::steady_clock::time_point> deadline = {});

}  // namespace bondgraph::serve
