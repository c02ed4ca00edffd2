#include "bondgraph/cli/result_file.hpp"

#include <fmt/format.h>

#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

template <class Format>
Format format_or_refuse(const api::Result<Format>& format) {
    if (!format) throw UsageError(format.error().messages.front().text);
    return *format;
}

}  // namespace

api::ResultFormat result_format_of(const std::string& file) { return format_or_refuse(api::result_format(file)); }

api::PictureFormat picture_format_of(const std::string& file) { return format_or_refuse(api::picture_format(file)); }

void write_results(api::OutputFile& file, api::ResultFormat format, const api::Series& series,
                   const std::string& model) {
    if (format == api::ResultFormat::csv) return file.finish(api::write_csv(file.stream(), series));
    const auto bytes = api::result_file(series, format, model);
    if (!bytes) throw UsageError(fmt::format("can't write '{}': {}", file.name(), bytes.error().messages.front().text));
    file.write(*bytes);
}

bool draw_into(api::OutputFile& file, const api::Plot& plot, api::PictureFormat format) {
    const auto drawing = api::picture(plot, format);
    if (drawing)
        file.write(*drawing);
    else
        say(drawing.error().text());
    return drawing.ok();
}

}  // namespace bondgraph::cli
