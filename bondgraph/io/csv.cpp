#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include "bondgraph/io/csv_table.hpp"
#include "bondgraph/io/results.hpp"
#include "bondgraph/io/text_file.hpp"

namespace bondgraph::io {
namespace {

/// Takes one record off the front of `text`: its fields, with quotes resolved. `lines` counts the ends of lines in it.
std::vector<std::string> take_record(std::string_view& text, std::size_t& lines) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') ++lines;
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            fields.back() += text[++i];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (quoted || (c != ',' && c != '\n' && c != '\r')) {
            fields.back() += c;
        } else if (c == ',') {
            fields.emplace_back();
        } else if (c == '\n') {
            break;
        }
    }
    text.remove_prefix(std::min(i + 1, text.size()));
    return fields;
}

double number_in(const std::string& field, std::size_t line, const std::string& column) {
    const std::size_t begin = field.find_first_not_of(' ');
    if (begin == std::string::npos) return std::nan("");
    const std::size_t length = field.find_last_not_of(' ') + 1 - begin;
    const char* first = field.data() + begin + (field[begin] == '+' ? 1 : 0);
    const char* last = field.data() + begin + length;
    double value = 0.0;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc() && end == last) return value;
    throw UnreadableResults(fmt::format("line {}: '{}' under '{}' is no number", line, field, column));
}

enum class Texts : std::uint8_t { refused, no_numbers };

double number_in(const std::string& field, std::size_t line, const std::string& column, Texts texts) {
    if (texts == Texts::refused) return number_in(field, line, column);
    try {
        return number_in(field, line, column);
    } catch (const UnreadableResults&) {
        return std::nan("");
    }
}

Results read_records(const std::filesystem::path& file, LastLine last, Texts texts) {
    const TextFile read = read_text_file(file);
    if (!read.failure.empty()) throw UnreadableResults(read.failure);
    std::string_view text = read.text;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::size_t line = 1;
    Results results;
    for (std::string& name : take_record(text, line)) results.columns.push_back({std::move(name), "", "", {}});
    if (results.columns.size() == 1 && results.columns.front().name.empty()) throw UnreadableResults("it is empty");
    while (!text.empty()) {
        const std::size_t at = line;
        const auto fields = take_record(text, line);
        if (last == LastLine::cut && text.empty() && !read.text.ends_with('\n')) {
            // Half a number is a number too.
            results.cut = true;
            break;
        }
        if (fields.size() == 1 && fields.front().empty()) continue;  // an empty line
        if (fields.size() != results.columns.size()) {
            throw UnreadableResults(fmt::format("line {} has {} fields, but the first line has {} names", at,
                                                fields.size(), results.columns.size()));
        }
        for (std::size_t k = 0; k < fields.size(); ++k)
            results.columns[k].values.push_back(number_in(fields[k], at, results.columns[k].name, texts));
        ++results.rows;
    }
    return results;
}

}  // namespace

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
    // Where columns lie one behind the other, what is fetched from memory for a row has the next ones in it.
    constexpr std::size_t kRows = 8;
    const std::size_t width = series.names.size();
    const std::size_t rows = series.time.size();
    std::vector<double> together(kRows * width);
    for (std::size_t row = 0; row < rows; ++row) {
        if (row % kRows == 0) {
            const std::size_t count = std::min(kRows, rows - row);
            for (std::size_t k = 0; k < width; ++k) {
                for (std::size_t r = 0; r < count; ++r) together[r * width + k] = series.at(row + r, k);
            }
        }
        fmt::format_to(out, "{}", series.time[row]);
        const auto first = together.begin() + static_cast<std::ptrdiff_t>(row % kRows * width);
        for (std::size_t k = 0; k < width; ++k) fmt::format_to(out, ",{}", first[static_cast<std::ptrdiff_t>(k)]);
        buffer.push_back('\n');
        if (buffer.size() > kFlushAt && !flush()) return false;
    }
    return flush();
}

Results read_csv(const std::filesystem::path& file, LastLine last) { return read_records(file, last, Texts::refused); }

Results read_csv_with_texts(const std::filesystem::path& file) {
    return read_records(file, LastLine::whole, Texts::no_numbers);
}

}  // namespace bondgraph::io
