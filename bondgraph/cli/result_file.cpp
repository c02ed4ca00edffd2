#include "bondgraph/cli/result_file.hpp"

#include <fmt/format.h>

#include "bondgraph/cli/console.hpp"
#include "bondgraph/io/hdf5.hpp"
#include "bondgraph/io/mat.hpp"

namespace bondgraph::cli {
namespace {

template <class Find>
auto format_of(const std::string& file, const Find& find) {
    try {
        return find(file);
    } catch (const std::invalid_argument& e) {
        throw UsageError(fmt::format("can't write '{}': {}", file, e.what()));
    }
}

}  // namespace

io::ResultFormat result_format_of(const std::string& file) { return format_of(file, io::result_format); }

io::PlotFormat plot_format_of(const std::string& file) { return format_of(file, io::plot_format); }

void write_results(OutputFile& file, io::ResultFormat format, const io::ResultTable& table) {
    if (format == io::ResultFormat::csv) return file.finish(io::write_csv(file.stream(), table.series));
    try {
        file.write(format == io::ResultFormat::hdf5 ? io::hdf5_file(table) : io::mat_file(table));
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& e) {
        throw UsageError(fmt::format("can't write '{}': {}", file.name(), e.what()));
    }
}

bool draw_into(OutputFile& file, const io::TimeSeries& series, const std::vector<io::Panel>& panels,
               const io::PlotOptions& options) {
    try {
        const std::string drawing = io::draw_plot(series, panels, "gnuplot", options);
        file.write(drawing);
        return true;
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& e) {
        say(fmt::format("error: {}\n", e.what()));
        return false;
    }
}

}  // namespace bondgraph::cli
