#include "bondgraph/serve/frames.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace bondgraph::serve {
namespace {

constexpr std::size_t kLength = 8;
constexpr unsigned kByte = 8;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(file, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool wait_for(int file, const Deadline& deadline) {
    for (;;) {
        int milliseconds = -1;
        if (deadline) {
            const auto left = *deadline - std::chrono::steady_clock::now();
            if (left.count() <= 0) return false;
            milliseconds = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
        }
        pollfd asked{.fd = file, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&asked, 1, milliseconds);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

bool read_all(int file, char* to, std::size_t size, const Deadline& deadline) {
    while (size > 0) {
        if (!wait_for(file, deadline)) return false;
        const ssize_t count = ::read(file, to, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        to += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

bool write_frame(int file, std::string_view text) {
    std::array<char, kLength> head{};
    std::uint64_t size = text.size();
    for (char& c : head) {
        c = static_cast<char>(size & 0xffU);
        size >>= kByte;
    }
    return write_all(file, {head.data(), head.size()}) && write_all(file, text);
}

std::optional<std::string> read_frame(int file, std::size_t most, Deadline deadline) {
    std::array<char, kLength> head{};
    if (!read_all(file, head.data(), head.size(), deadline)) return std::nullopt;
    std::uint64_t size = 0;
    for (std::size_t i = kLength; i-- > 0;) size = (size << kByte) | static_cast<unsigned char>(head[i]);
    if (size > most) return std::nullopt;
    // As it comes: a wrong length shall not take the memory that it names.
    constexpr std::size_t kBlock = 1U << 20U;
    std::string text;
    while (text.size() < size) {
        const std::size_t at = text.size();
        text.resize(at + std::min<std::size_t>(kBlock, size - at));
        if (!read_all(file, text.data() + at, text.size() - at, deadline)) return std::nullopt;
    }
    return text;
}

}  // namespace bondgraph::serve
