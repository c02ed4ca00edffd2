#pragma once

#include <string>

#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/session.hpp"
#include "bondgraph/io/plot.hpp"
#include "bondgraph/io/results.hpp"

namespace bondgraph::cli {

/// The formats by the extensions of files that are to be written; "-" is CSV or SVG. Throw UsageError naming the
/// extensions there are.
io::ResultFormat result_format_of(const std::string& file);
io::PlotFormat plot_format_of(const std::string& file);

/// Writes a result. Throws UsageError when the file takes it not.
void write_results(OutputFile& file, io::ResultFormat format, const io::ResultTable& table);

/// Draws into `file`; false when that could not be done, which has been said then.
bool draw_into(OutputFile& file, const io::TimeSeries& series, const std::vector<io::Panel>& panels,
               const io::PlotOptions& options);

}  // namespace bondgraph::cli
