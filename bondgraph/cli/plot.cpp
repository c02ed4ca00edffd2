#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"
#include "bondgraph/cli/result_file.hpp"

namespace bondgraph::cli {
namespace {

struct PlotCommandOptions {
    std::string result;
    std::vector<std::string> y;
    std::string x;
    std::string from;
    std::string to;
    std::string output;
    std::string title;
};

/// "20 ms" in seconds, nothing where nothing was typed.
std::optional<double> time_in(const std::string& text, const char* option) {
    if (text.empty()) return std::nullopt;
    const auto time = api::seconds(text);
    if (!time) throw UsageError(fmt::format("{} takes a time, as in 20 ms, not '{}'", option, text));
    return time;
}

int plot(const PlotCommandOptions& options) {
    const std::filesystem::path result = options.result;
    const std::string output = options.output.empty() ? result.stem().string() + ".svg" : options.output;
    const api::PictureFormat format = picture_format_of(output);
    const auto from = time_in(options.from, "--from");
    const auto to = time_in(options.to, "--to");
    if (from && to && *from > *to)
        throw UsageError(fmt::format("--from {:.6g} s lies after --to {:.6g} s", *from, *to));
    const api::ReadResults results = value_of(api::read_results(options.result));
    if (results.cut)
        say(fmt::format("note: the last line of '{}' has no end and is left out: the file may be cut off\n",
                        options.result));
    if (results.series.find(options.x).size() > 1)
        throw UsageError(fmt::format("--x takes one column, and '{}' has components", options.x));
    const api::Plot drawing =
        value_of(api::plot(results.series, {.y = whole_names(options.y),
                                            .x = options.x,
                                            .from = from,
                                            .to = to,
                                            .title = options.title.empty() ? result.stem().string() : options.title,
                                            .called = fmt::format("'{}'", options.result)}));
    api::OutputFile file(output, {options.result});
    return draw_into(file, drawing, format) ? kDone : kWrongUsage;
}

}  // namespace

void add_plot(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("plot", "Draw columns of a result file");
    const auto options = std::make_shared<PlotCommandOptions>();
    command->add_option("RESULT", options->result, "A .csv, .mat or .h5 file of a run")->required();
    add_names_option(*command, "--y", options->y, "The columns to draw, separated by commas")->required();
    command->add_option("--x", options->x, "The column to draw them over (default: the time)")->type_name("NAME");
    command->add_option("--from", options->from, "Draw from this time on, as in 20ms")->type_name("TIME");
    command->add_option("--to", options->to, "Draw up to this time")->type_name("TIME");
    command->add_option("-o,--output", options->output, "FILE.svg or FILE.png, or - for SVG on standard output")
        ->type_name("FILE");
    command->add_option("--title", options->title, "Heading of the drawing (default: the file's name)")
        ->type_name("TEXT");
    commands.actions[command] = [options] { return report_mistakes(options->result, [&] { return plot(*options); }); };
}

}  // namespace bondgraph::cli
