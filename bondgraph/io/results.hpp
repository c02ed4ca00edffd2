#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/io/csv.hpp"

namespace bondgraph::io {

/// What a column of a time series means beyond its name.
struct ColumnMeaning {
    std::string unit;  ///< SI; empty when unknown, "1" without dimension
    std::string description;
};

/// A result as formats store it that keep more than names: `meanings` are parallel to series.names.
struct ResultTable {
    TimeSeries series;
    std::span<const ColumnMeaning> meanings;
    std::string model;
};

enum class ResultFormat : std::uint8_t { csv, mat, hdf5 };

/// The format of a file by its extension, whatever the case; a name without extension is CSV.
/// Throws std::invalid_argument naming the extensions there are.
ResultFormat result_format(const std::filesystem::path& file);

/// A column read from a result file; a constant may have a single value.
struct ResultColumn {
    std::string name;
    std::string unit;  ///< empty when the file tells none
    std::string description;
    std::vector<double> values;

    [[nodiscard]] double at(std::size_t row) const { return values.size() == 1 ? values.front() : values[row]; }
};

/// A result read back. Columns are in the order of the file; the first is what the others depend on, mostly time.
struct Results {
    std::vector<ResultColumn> columns;
    std::size_t rows = 0;
    bool cut = false;  ///< the last line of a CSV file has no end: it may be half a row, and is left out
};

/// A file that can't be read as a result; what() says why, without the file's name.
class UnreadableResults : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// What a last line without end of a CSV file is: half a row of a program that was stopped, or a row like the others,
/// as editors write it.
enum class LastLine : std::uint8_t { cut, whole };

/// Reads CSV, MAT or HDF5 by the extension. Throws UnreadableResults, or std::invalid_argument as result_format() does.
Results read_results(const std::filesystem::path& file, LastLine last = LastLine::cut);

}  // namespace bondgraph::io
