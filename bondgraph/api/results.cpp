#include "bondgraph/api/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "bondgraph/api/messages.hpp"
#include "bondgraph/io/hdf5.hpp"
#include "bondgraph/io/mat.hpp"
#include "bondgraph/io/results.hpp"

namespace bondgraph::api {

Series::Series(std::vector<Column> columns, std::vector<double> time, std::span<const double> by_row)
    : columns_(std::move(columns)), time_(std::move(time)), data_(by_row.size()) {
    constexpr std::size_t kTile = 32;  // rows and columns that a cache holds together
    const std::size_t rows = time_.size();
    const std::size_t width = columns_.size();
    const auto copy_tile = [&](std::size_t r0, std::size_t c0) {
        for (std::size_t c = c0; c < std::min(c0 + kTile, width); ++c) {
            for (std::size_t r = r0; r < std::min(r0 + kTile, rows); ++r) data_[c * rows + r] = by_row[r * width + c];
        }
    };
    for (std::size_t r = 0; r < rows; r += kTile) {
        for (std::size_t c = 0; c < width; c += kTile) copy_tile(r, c);
    }
}

Series Series::of_columns(std::vector<Column> columns, std::vector<double> time, std::vector<double> by_column,
                          Column abscissa) {
    Series series;
    series.columns_ = std::move(columns);
    series.time_ = std::move(time);
    series.data_ = std::move(by_column);
    series.abscissa_ = std::move(abscissa);
    return series;
}

std::vector<std::size_t> Series::find(std::string_view name) const {
    const auto place = [&](std::string_view one) {
        return static_cast<std::size_t>(std::ranges::find(columns_, one, &Column::name) - columns_.begin());
    };
    if (const std::size_t k = place(name); k < columns_.size()) return {k};
    std::vector<std::size_t> components;
    for (std::size_t n = 1;; ++n) {
        const std::size_t k = place(fmt::format("{}[{}]", name, n));
        if (k == columns_.size()) return components;
        components.push_back(k);
    }
}

std::span<const double> Series::operator[](std::string_view name) const {
    const auto at = std::ranges::find(columns_, name, &Column::name);
    if (at == columns_.end()) throw std::out_of_range("no column '" + std::string(name) + "'");
    return column(static_cast<std::size_t>(at - columns_.begin()));
}

namespace {

std::vector<std::string> names_of(const Series& series) {
    std::vector<std::string> names;
    for (const Series::Column& c : series.columns()) names.push_back(c.name);
    return names;
}

io::TimeSeries by_columns(const Series& series, const std::vector<std::string>& names) {
    return {names, series.time(), series.by_column(), 1, series.rows()};
}

std::string csv_text(const io::TimeSeries& series) {
    char* bytes = nullptr;
    std::size_t size = 0;
    std::FILE* stream = open_memstream(&bytes, &size);
    if (stream == nullptr) throw std::bad_alloc();
    const bool written = io::write_csv(stream, series);
    std::fclose(stream);
    std::string text(bytes, size);
    std::free(bytes);
    if (!written) throw std::bad_alloc();
    return text;
}

}  // namespace

Result<ResultFormat> result_format(const std::string& file) {
    try {
        const io::ResultFormat format = io::result_format(file);
        return format == io::ResultFormat::csv   ? ResultFormat::csv
               : format == io::ResultFormat::mat ? ResultFormat::mat
                                                 : ResultFormat::hdf5;
    } catch (const std::invalid_argument& e) {
        return plain_error(Error::Kind::usage, {fmt::format("can't write '{}': {}", file, e.what())});
    }
}

bool write_csv(std::FILE* stream, const Series& series) {
    const std::vector<std::string> names = names_of(series);
    return io::write_csv(stream, by_columns(series, names));
}

Result<std::string> result_file(const Series& series, ResultFormat format, const std::string& model) {
    const std::vector<std::string> names = names_of(series);
    std::vector<io::ColumnMeaning> meanings;
    for (const Series::Column& c : series.columns()) meanings.push_back({c.unit, c.description});
    try {
        const io::ResultTable table{by_columns(series, names), meanings, model};
        if (format == ResultFormat::csv) return csv_text(table.series);
        return format == ResultFormat::hdf5 ? io::hdf5_file(table) : io::mat_file(table);
    } catch (const std::runtime_error& e) {
        return plain_error(Error::Kind::usage, {e.what()});
    }
}

Result<ReadResults> read_results(const std::string& file) {
    try {
        const io::Results read = io::read_results(file);
        std::vector<Series::Column> columns;
        std::vector<double> data;
        data.reserve(read.columns.size() * read.rows);
        for (const io::ResultColumn& c : read.columns) {
            columns.push_back({c.name, c.unit, c.description});
            for (std::size_t row = 0; row < read.rows; ++row) data.push_back(c.at(row));
        }
        std::vector<double> first(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(read.rows));
        Series::Column abscissa = columns.front();
        return ReadResults{Series::of_columns(std::move(columns), std::move(first), std::move(data), abscissa),
                           read.cut};
    } catch (const io::UnreadableResults& e) {
        return plain_error(Error::Kind::usage, {fmt::format("can't read '{}': {}", file, e.what())});
    } catch (const std::invalid_argument& e) {
        return plain_error(Error::Kind::usage, {fmt::format("can't read '{}': {}", file, e.what())});
    }
}

}  // namespace bondgraph::api
