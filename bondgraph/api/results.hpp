#pragma once

// Columns of numbers over time, and the files that hold them.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

/// Columns of numbers over time, one row per time. At events there are two rows of one time: before and after.
class Series {
   public:
    struct Column {
        std::string name;
        std::string unit;  ///< SI; empty where unknown
        std::string description;
    };

    Series() = default;
    Series(std::vector<Column> columns, std::vector<double> time, std::span<const double> by_row);
    /// Of numbers column after column, over something that may be no time.
    static Series of_columns(std::vector<Column> columns, std::vector<double> time, std::vector<double> by_column,
                             Column abscissa);

    [[nodiscard]] std::size_t rows() const { return time_.size(); }
    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
    [[nodiscard]] std::span<const double> time() const { return time_; }
    /// What time() is; in files of others the first column, whatever that may be.
    [[nodiscard]] const Column& abscissa() const { return abscissa_; }
    [[nodiscard]] std::span<const double> column(std::size_t index) const {
        return std::span(data_).subspan(index * time_.size(), time_.size());
    }
    [[nodiscard]] std::span<const double> by_column() const { return data_; }
    /// The column of this name, or those of all components of a vector that has it; none where there is neither.
    [[nodiscard]] std::vector<std::size_t> find(std::string_view name) const;
    /// Throws std::out_of_range where there is no such column.
    [[nodiscard]] std::span<const double> operator[](std::string_view name) const;

   private:
    std::vector<Column> columns_;
    std::vector<double> time_;
    std::vector<double> data_;  ///< column after column
    Column abscissa_{"time", "s", ""};
};

enum class ResultFormat : std::uint8_t { csv, mat, hdf5 };

/// The format of a result file by its extension; a name without one, and "-", is CSV. Kind usage for others.
Result<ResultFormat> result_format(const std::string& file);
/// What such a file holds, as `bondgraph run` writes it. Kind usage where the format can't hold it.
Result<std::string> result_file(const Series& series, ResultFormat format, const std::string& model);
/// The same of CSV, written as it is made; false where the stream refused it.
bool write_csv(std::FILE* stream, const Series& series);

/// A result read back.
struct ReadResults {
    Series series;     ///< its first column is what the others depend on, mostly time, and its time() as well
    bool cut = false;  ///< the last line of a CSV file has no end: it may be half a row, and is left out
};
/// Of CSV, MAT or HDF5, by the extension. Kind usage where it can't be read.
Result<ReadResults> read_results(const std::string& file);

}  // namespace bondgraph::api
