#pragma once

#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/output_file.hpp"

namespace bondgraph::cli {

/// The formats by the extensions of files that are to be written; "-" is CSV or SVG. Throw UsageError naming the
/// extensions there are.
api::ResultFormat result_format_of(const std::string& file);
api::PictureFormat picture_format_of(const std::string& file);

/// Writes a result. Throws UsageError when the file takes it not.
void write_results(api::OutputFile& file, api::ResultFormat format, const api::Series& series,
                   const std::string& model);

/// Draws into `file`; false when that could not be done, which has been said then.
bool draw_into(api::OutputFile& file, const api::Plot& plot, api::PictureFormat format);

}  // namespace bondgraph::cli
