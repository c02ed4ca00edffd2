#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/unit_text.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
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

/// The first names, in the order of the file.
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 8;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost));
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), names.size() > kMost ? ", …" : "");
}

/// The columns that are drawn as one table, and the place of each of the file's columns in it.
class Selection {
   public:
    explicit Selection(const io::Results& results) : results_(results) {}

    /// A name, or that of a vector: then all its components.
    std::vector<io::Curve> find(const std::string& name) {
        std::vector<io::Curve> curves;
        for (std::size_t k = 0; k < results_.columns.size(); ++k) {
            if (results_.columns[k].name == name) return {curve(k)};
        }
        for (std::size_t n = 1;; ++n) {
            const std::string component = fmt::format("{}[{}]", name, n);
            const auto found = std::find_if(results_.columns.begin(), results_.columns.end(),
                                            [&](const io::ResultColumn& c) { return c.name == component; });
            if (found == results_.columns.end()) break;
            curves.push_back(curve(static_cast<std::size_t>(found - results_.columns.begin())));
        }
        if (curves.empty()) unknown_.push_back(name);
        return curves;
    }

    /// Throws UsageError with all names that no column has.
    void check(const std::string& file) const {
        if (unknown_.empty()) return;
        std::vector<std::string> names;
        for (const io::ResultColumn& column : results_.columns) names.push_back(column.name);
        std::vector<std::string> messages;
        for (const std::string& name : unknown_) {
            std::string hint = did_you_mean(name, names);
            if (hint.empty()) hint = "; it has " + some_of(names);
            messages.push_back(fmt::format("'{}' has no column '{}'{}", file, name, hint));
        }
        throw UsageError(fmt::format("{}", fmt::join(messages, "\nerror: ")));
    }

    /// The rows of these columns whose first column lies between two values.
    void fill(double from, double to, std::vector<double>& time, std::vector<double>& data) const {
        const io::ResultColumn& first = results_.columns.front();
        for (std::size_t row = 0; row < results_.rows; ++row) {
            const double t = first.at(row);
            if (!(t >= from && t <= to)) continue;
            time.push_back(t);
            for (const std::size_t k : chosen_) data.push_back(results_.columns[k].at(row));
        }
    }

    [[nodiscard]] std::size_t size() const { return chosen_.size(); }

   private:
    io::Curve curve(std::size_t k) {
        const auto found = std::find(chosen_.begin(), chosen_.end(), k);
        const auto place = static_cast<std::size_t>(found - chosen_.begin());
        if (found == chosen_.end()) chosen_.push_back(k);
        return {place, results_.columns[k].name, results_.columns[k].unit};
    }

    const io::Results& results_;
    std::vector<std::size_t> chosen_;
    std::vector<std::string> unknown_;
};

io::Results read(const std::string& file) {
    try {
        return io::read_results(file);
    } catch (const io::UnreadableResults& e) {
        throw UsageError(fmt::format("can't read '{}': {}", file, e.what()));
    } catch (const std::invalid_argument& e) {
        throw UsageError(fmt::format("can't read '{}': {}", file, e.what()));
    }
}

/// "20 ms" in seconds, `otherwise` where nothing was typed.
double time_in(const std::string& text, const char* option, const UnitSystem& units, double otherwise) {
    if (text.empty()) return otherwise;
    const auto refuse = [&] { throw UsageError(fmt::format("{} takes a time, as in 20 ms, not '{}'", option, text)); };
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) refuse();
    const std::string unit = normal_unit_text(std::string_view(end, text.data() + text.size()));
    if (unit.empty() && end != text.data() + text.size()) refuse();
    if (unit.empty()) return number;
    const auto known = units.parse(unit);
    if (!known || known->dimension != Dimension{.second = 1}) refuse();
    return number * known->scale;
}

int plot(const PlotCommandOptions& options, const UnitSystem& units) {
    const std::filesystem::path result = options.result;
    const std::string output = options.output.empty() ? result.stem().string() + ".svg" : options.output;
    io::PlotOptions style{.format = plot_format_of(output)};
    const double from = time_in(options.from, "--from", units, -HUGE_VAL);
    const double to = time_in(options.to, "--to", units, HUGE_VAL);
    if (from > to) throw UsageError(fmt::format("--from {:.6g} s lies after --to {:.6g} s", from, to));
    const io::Results results = read(options.result);
    if (results.cut)
        say(fmt::format("note: the last line of '{}' has no end and is left out: the file may be cut off\n",
                        options.result));
    Selection selection(results);
    std::vector<io::Curve> curves;
    for (const std::string& name : whole_names(options.y)) {
        for (io::Curve& curve : selection.find(name)) curves.push_back(std::move(curve));
    }
    if (!options.x.empty() && options.x != results.columns.front().name) {
        const auto x = selection.find(options.x);
        if (x.size() > 1) throw UsageError(fmt::format("--x takes one column, and '{}' has components", options.x));
        if (!x.empty()) style.x = x.front();
    }
    selection.check(options.result);
    const io::ResultColumn& first = results.columns.front();
    // In a CSV file nothing says what the first column is measured in.
    style.time_label = io::with_unit({0, first.name, first.name == "time" ? "s" : first.unit});
    std::vector<double> time;
    std::vector<double> data;
    selection.fill(from, to, time, data);
    if (time.empty()) {
        throw UsageError(results.rows == 0
                             ? fmt::format("'{}' has no rows", options.result)
                             : fmt::format("'{}' has no rows there: its {} goes from {:.6g} to {:.6g}", options.result,
                                           first.name, first.at(0), first.at(results.rows - 1)));
    }
    OutputFile file(output, {options.result});
    const io::TimeSeries series{{}, time, data, selection.size()};
    const std::string title = options.title.empty() ? result.stem().string() : options.title;
    return draw_into(file, series, io::panels_by_unit(title, curves), style) ? kDone : kWrongUsage;
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
    commands.actions[command] = [options](const Environment& environment) {
        try {
            return plot(*options, environment.units);
        } catch (const UsageError& e) {
            say(fmt::format("error: {}\n", e.what()));
            return kWrongUsage;
        }
    };
}

}  // namespace bondgraph::cli
