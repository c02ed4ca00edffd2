#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bondgraph::api {

// How the page of a model holds numbers.

/// Bytes as base64.
std::string base64(std::span<const char> bytes);

/// Numbers as base64 of their little-endian bytes.
template <class Number>
std::string packed(std::span<const Number> numbers) {
    return base64({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

/// Every how many rows are kept so that so many columns hold at most so many numbers; first and last always are.
std::vector<std::size_t> kept_rows(std::size_t rows, std::size_t columns, std::size_t most);
/// Values at `kept` rows of which each has `width`, as 32 bits; of what never changes one row.
std::string packed_rows(std::span<const double> values, std::size_t width, std::span<const std::size_t> kept);
/// The same as 64 bits.
std::string packed_times(std::span<const double> time, std::span<const std::size_t> kept);
std::string packed_wide(std::span<const double> values, std::span<const std::size_t> kept);
/// What 32 bits can't hold: huge and tiny numbers.
bool is_wide(std::span<const double> values);

}  // namespace bondgraph::api
