#pragma once

#include <cstring>
#include <span>
#include <string>

namespace bondgraph::api {

/// Bytes as base64.
std::string base64(std::span<const char> bytes);

/// Numbers as base64 of their little-endian bytes.
template <class Number>
std::string packed(std::span<const Number> numbers) {
    return base64({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace bondgraph::api
