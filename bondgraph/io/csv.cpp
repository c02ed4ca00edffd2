#include "bondgraph/io/csv.hpp"

#include <fmt/format.h>

#include <iterator>

namespace bondgraph::io {

std::string csv_field(std::string_view name) {
    if (name.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(name);
    std::string field = "\"";
    for (const char c : name) {
        if (c == '"') field += '"';
        field += c;
    }
    return field + '"';
}

bool write_csv(std::FILE* stream, const TimeSeries& series) {
    constexpr std::size_t kFlushAt = 1U << 16U;
    fmt::memory_buffer buffer;
    const auto flush = [&] {
        const bool written = std::fwrite(buffer.data(), 1, buffer.size(), stream) == buffer.size();
        buffer.clear();
        return written;
    };
    auto out = std::back_inserter(buffer);
    fmt::format_to(out, "time");
    for (const std::string& name : series.names) fmt::format_to(out, ",{}", csv_field(name));
    buffer.push_back('\n');
    for (std::size_t row = 0; row < series.time.size(); ++row) {
        fmt::format_to(out, "{}", series.time[row]);
        for (std::size_t k = 0; k < series.names.size(); ++k) fmt::format_to(out, ",{}", series.at(row, k));
        buffer.push_back('\n');
        if (buffer.size() > kFlushAt && !flush()) return false;
    }
    return flush();
}

}  // namespace bondgraph::io
