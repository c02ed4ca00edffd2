#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace bondgraph::api {

// How the page of a model holds numbers: as their little-endian bytes, which stand in its data as such until all of
// them are there.

template <class Number>
nlohmann::ordered_json packed(std::span<const Number> numbers) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(numbers.data());
    return nlohmann::ordered_json::binary({first, first + numbers.size_bytes()});
}

std::string base64(std::span<const std::uint8_t> bytes);
/// How many bytes there are in all.
std::size_t packed_size(const nlohmann::ordered_json& data);
/// Writes base64 in place of all bytes.
void write_base64(nlohmann::ordered_json& data);
/// Moves all bytes into one text and returns it: {"bytes": [from, size]} stands in their place. All begin at
/// a multiple of 4.
std::string part_bytes(nlohmann::ordered_json& data);

/// Every how many rows are kept so that so many columns hold at most so many numbers; first and last always are.
std::vector<std::size_t> kept_rows(std::size_t rows, std::size_t columns, std::size_t most);
/// Values at `kept` rows of which each has `width`, as 32 bits; of what never changes one row.
nlohmann::ordered_json packed_rows(std::span<const double> values, std::size_t width,
                                   std::span<const std::size_t> kept);
/// The same as 64 bits.
nlohmann::ordered_json packed_times(std::span<const double> time, std::span<const std::size_t> kept);
nlohmann::ordered_json packed_wide(std::span<const double> values, std::span<const std::size_t> kept);
/// What 32 bits can't hold: huge and tiny numbers.
bool is_wide(std::span<const double> values);

}  // namespace bondgraph::api
