#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace bondgraph::io {

struct Results;
enum class LastLine : std::uint8_t;

/// Columns over time as they lie in memory: from row to row it is `stride` numbers, from column to column `step`. Row
/// by row, the first names.size() of a row are meant.
struct TimeSeries {
    std::span<const std::string> names;
    std::span<const double> time;
    std::span<const double> data;
    std::size_t stride = 0;
    std::size_t step = 1;

    [[nodiscard]] double at(std::size_t row, std::size_t column) const { return data[row * stride + column * step]; }
};

/// A name as a CSV field: quoted where RFC 4180 asks for it.
std::string csv_field(std::string_view name);

/// `time,…` and one line a row, ended by '\n'; numbers with the fewest digits that read back exactly, '.' as decimal
/// sign whatever the locale. False when the stream refused a write.
bool write_csv(std::FILE* stream, const TimeSeries& series);

/// A table with names in its first line and numbers in the others (an empty field is no number); a last line without
/// end is left out if it may be cut, which Results::cut tells. Throws UnreadableResults naming the line.
Results read_csv(const std::filesystem::path& file, LastLine last);

}  // namespace bondgraph::io
