#include "bondgraph/io/plot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>

#include "bondgraph/base/utf8.hpp"

extern char** environ;

namespace bondgraph::io {
namespace {

// Okabe, Ito: Color Universal Design, 2008: told apart with any kind of colour vision. The yellow comes last because it
// is faint on white.
constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"};
constexpr int kWidth = 900;
constexpr int kPanelHeight = 300;
constexpr std::size_t kVisiblePoints = 4000;
constexpr std::size_t kMostUnitsOfOnePanel = 2;
constexpr int kSecondAxis = 70;  // room for its numbers and label
constexpr int kNotFound = 127;   // exit status of a program that could not be started

/// A text as gnuplot reads it literally: single quotes doubled, nothing that could end the line.
std::string literal(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += '\'';
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
    return result + '\'';
}

std::vector<std::string> units_of(const Panel& panel) {
    std::vector<std::string> units;
    for (const Curve& curve : panel.curves) {
        if (std::find(units.begin(), units.end(), curve.unit) == units.end()) units.push_back(curve.unit);
    }
    return units;
}

std::string bracketed(const std::string& unit) {
    return unit.empty() || unit == "1" ? std::string() : fmt::format("[{}]", unit);
}

/// Of an axis: its unit, and the name where only one curve goes by it and it isn't longer than the axis: the legend has
/// it anyway.
std::string axis_label(const Panel& panel, const std::string& unit) {
    constexpr std::size_t kLongest = 34;  // characters along the height of a panel
    const auto of_unit = [&](const Curve& curve) { return curve.unit == unit; };
    if (std::count_if(panel.curves.begin(), panel.curves.end(), of_unit) != 1) return bracketed(unit);
    const std::string label = with_unit(*std::find_if(panel.curves.begin(), panel.curves.end(), of_unit));
    return utf8_count(label) <= kLongest ? label : bracketed(unit);
}

std::string legend_text(const Curve& curve, std::size_t units) { return units > 1 ? with_unit(curve) : curve.label; }

/// Where the axes end, as a share of the width, so that the longest legend has room and all panels are equally wide.
double right_end(std::span<const Panel> panels) {
    constexpr double kCharacter = 7.5;
    constexpr double kSample = 60.0;
    constexpr double kNarrowest = 0.5;
    double room = 0.0;
    for (const Panel& panel : panels) {
        const auto units = units_of(panel);
        const int axis = units.size() == 2 ? kSecondAxis : 0;
        for (const Curve& curve : panel.curves) {
            const auto length = static_cast<double>(utf8_count(legend_text(curve, units.size())));
            room = std::max(room, axis + kSample + kCharacter * length);
        }
    }
    return std::max(1.0 - room / kWidth, kNarrowest);
}

void write_number(fmt::memory_buffer& out, double value) {
    if (std::isfinite(value)) {
        fmt::format_to(std::back_inserter(out), "{:.9g}", value);
    } else {
        fmt::format_to(std::back_inserter(out), "NaN");
    }
}

/// Over another column than the time, its extremes are to be seen as well.
std::vector<std::size_t> rows_to_draw(const TimeSeries& series, std::size_t column, const std::optional<Curve>& x) {
    const auto rows = visible_rows(series, column, kVisiblePoints);
    if (!x) return rows;
    const auto others = visible_rows(series, x->column, kVisiblePoints);
    std::vector<std::size_t> both;
    std::set_union(rows.begin(), rows.end(), others.begin(), others.end(), std::back_inserter(both));
    return both;
}

void write_data(fmt::memory_buffer& out, const TimeSeries& series, std::size_t panel, const Panel& content,
                const std::optional<Curve>& x) {
    for (std::size_t k = 0; k < content.curves.size(); ++k) {
        const std::size_t column = content.curves[k].column;
        fmt::format_to(std::back_inserter(out), "$p{}c{} << END\n", panel, k);
        for (const std::size_t row : rows_to_draw(series, column, x)) {
            write_number(out, x ? series.at(row, x->column) : series.time[row]);
            out.push_back(' ');
            write_number(out, series.at(row, column));
            out.push_back('\n');
        }
        fmt::format_to(std::back_inserter(out), "END\n");
    }
}

/// Beyond this the plotter takes numbers for missing ones, or gives up; its own reckoning needs room, too.
constexpr double kLargestDrawn = 1e300;

void check_size(const std::string& name, double value) {
    if (!std::isfinite(value) || std::abs(value) <= kLargestDrawn) return;
    throw std::runtime_error(
        fmt::format("'{}' reaches {:.3g}, and plots show numbers up to {:g}: leave it out of the plot, or draw a "
                    "stretch of time where it is smaller",
                    name, value, kLargestDrawn));
}

/// Throws std::runtime_error where a number is too large to be drawn.
void check_sizes(const TimeSeries& series, std::span<const Panel> panels, const PlotOptions& options) {
    for (std::size_t row = 0; row < series.time.size(); ++row) {
        if (options.x)
            check_size(options.x->label, series.at(row, options.x->column));
        else
            check_size(options.time_label, series.time[row]);
        for (const Panel& panel : panels) {
            for (const Curve& curve : panel.curves) check_size(curve.label, series.at(row, curve.column));
        }
    }
}

/// The range of the values with that unit (all of them for null) where gnuplot can't choose it well: an autoscaled axis
/// has no height where all its values are equal, and draws rounding noise where they nearly are. Gives by how much
/// values differ that are drawn as equal, 0 where none do.
double write_range(fmt::memory_buffer& out, const TimeSeries& series, const Panel& content, const std::string* unit,
                   const char* axis) {
    double least = HUGE_VAL;
    double greatest = -HUGE_VAL;
    for (const Curve& curve : content.curves) {
        if (unit != nullptr && curve.unit != *unit) continue;
        for (std::size_t row = 0; row < series.time.size(); ++row) {
            const double value = series.at(row, curve.column);
            if (!std::isfinite(value)) continue;
            least = std::min(least, value);
            greatest = std::max(greatest, value);
        }
    }
    const double size = std::max(std::abs(least), std::abs(greatest));
    if (least <= greatest && greatest - least > 1e-9 * size) {
        fmt::format_to(std::back_inserter(out), "set {}range [*:*]\n", axis);
        return 0.0;
    }
    if (!(least <= greatest)) least = greatest = 0.0;  // nothing to see, but a frame all the same
    const double margin = std::isfinite(size) && size > 0.0 ? 0.1 * size : 1.0;
    fmt::format_to(std::back_inserter(out), "set {}range [{}:{}]\n", axis, least - margin, greatest + margin);
    constexpr double kRounding = 1e-14;  // nothing to tell of
    return greatest - least > kRounding * size ? greatest - least : 0.0;
}

/// What a flat line hides is said beside it.
void write_difference(fmt::memory_buffer& out, double difference, bool right) {
    if (difference == 0.0) return;
    fmt::format_to(std::back_inserter(out),
                   "set label {} 'values differ by {:.2g} only' at graph {},0.92 {} tc rgb '#333333'\n", right ? 2 : 1,
                   difference, right ? 0.99 : 0.01, right ? "right" : "left");
}

void write_axes(fmt::memory_buffer& out, const TimeSeries& series, const Panel& content,
                const std::vector<std::string>& units) {
    const bool second = units.size() == 2;
    const std::string left = units.size() <= 2 && !units.empty() ? axis_label(content, units[0]) : "";
    const std::string right = second ? axis_label(content, units[1]) : "";
    fmt::format_to(std::back_inserter(out), "set ylabel {}\nset y2label {}\n", literal(left), literal(right));
    const std::string tick = content.tick > 0.0 ? fmt::format("{}", content.tick) : "autofreq";
    fmt::format_to(std::back_inserter(out), "set ytics {}\n", tick);
    fmt::format_to(std::back_inserter(out), "unset label\n");
    write_difference(out, write_range(out, series, content, second ? units.data() : nullptr, "y"), false);
    if (second) {
        fmt::format_to(std::back_inserter(out), "set border 11\nset y2tics\n");
        write_difference(out, write_range(out, series, content, &units[1], "y2"), true);
    } else {
        fmt::format_to(std::back_inserter(out), "set border 3\nunset y2tics\n");
    }
}

void write_panel(fmt::memory_buffer& out, const TimeSeries& series, std::size_t panel, const Panel& content,
                 double right, const std::string& x_label) {
    const auto units = units_of(content);
    constexpr double kGap = 12.0;
    const double key = right + (kGap + (units.size() == 2 ? kSecondAxis : 0)) / kWidth;
    fmt::format_to(std::back_inserter(out), "set key at screen {:.3f},graph 1 left top Left reverse samplen 2\n", key);
    fmt::format_to(std::back_inserter(out), "set title {}\nset xlabel {}\n", literal(content.title), literal(x_label));
    write_axes(out, series, content, units);
    fmt::format_to(std::back_inserter(out), "plot {}", content.curves.empty() ? "NaN notitle" : "");
    for (std::size_t k = 0; k < content.curves.size(); ++k) {
        const Curve& curve = content.curves[k];
        const bool second = units.size() == 2 && curve.unit == units[1];
        fmt::format_to(std::back_inserter(out),
                       "{}$p{}c{} using 1:2 axes x1y{} with lines lw 2 lc rgb '{}' dt {} title {}", k == 0 ? "" : ", ",
                       panel, k, second ? 2 : 1, kColours[k % kColours.size()], 1 + (k / kColours.size()) % 5,
                       literal(legend_text(curve, units.size())));
    }
    out.push_back('\n');
}

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Stream temporary_file() {
    Stream file(std::tmpfile(), &std::fclose);
    if (!file) throw std::runtime_error(fmt::format("can't make a temporary file: {}", std::strerror(errno)));
    return file;
}

std::string contents(std::FILE* file) {
    std::rewind(file);
    std::string text;
    std::array<char, 4096> block{};
    for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file)) > 0;) text.append(block.data(), n);
    return text;
}

/// Runs the plotter with these files as its standard streams and gives its exit status. Files instead of pipes: neither
/// side can block the other, and a plotter that ends early raises no signal here.
int run_plotter(const std::string& plotter, std::FILE* script, std::FILE* drawing, std::FILE* messages) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(drawing), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(messages), STDERR_FILENO);
    std::string name = plotter;
    std::string defaults = "-d";  // a user's own start-up file could change the look or fail
    std::string from_stdin = "-";
    std::array<char*, 4> arguments{name.data(), defaults.data(), from_stdin.data(), nullptr};
    pid_t child = 0;
    const int refused = posix_spawnp(&child, plotter.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (refused != 0) return kNotFound;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) throw std::runtime_error(std::strerror(errno));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::vector<std::size_t> visible_rows(const TimeSeries& series, std::size_t column, std::size_t limit) {
    const std::size_t rows = series.time.size();
    std::vector<std::size_t> kept;
    if (rows <= limit) {
        kept.resize(rows);
        std::iota(kept.begin(), kept.end(), std::size_t{0});
        return kept;
    }
    const std::size_t stretches = std::max<std::size_t>(limit / 4, 1);
    for (std::size_t s = 0; s < stretches; ++s) {
        const std::size_t begin = rows * s / stretches;
        const std::size_t end = rows * (s + 1) / stretches;
        std::array chosen{begin, begin, begin, end - 1};
        for (std::size_t row = begin; row < end; ++row) {
            if (series.at(row, column) < series.at(chosen[1], column)) chosen[1] = row;
            if (series.at(row, column) > series.at(chosen[2], column)) chosen[2] = row;
        }
        std::sort(chosen.begin(), chosen.end());
        for (const std::size_t row : chosen) {
            if (kept.empty() || kept.back() < row) kept.push_back(row);
        }
    }
    return kept;
}

PlotFormat plot_format(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension.empty() || extension == ".svg") return PlotFormat::svg;
    if (extension == ".png") return PlotFormat::png;
    throw std::invalid_argument(fmt::format("plots are .svg or .png, not '{}'", extension));
}

std::string with_unit(const Curve& curve) {
    const std::string unit = bracketed(curve.unit);
    return unit.empty() ? curve.label : fmt::format("{} {}", curve.label, unit);
}

std::vector<Panel> panels_by_unit(const std::string& title, const std::vector<Curve>& curves) {
    const std::vector<std::string> units = units_of({title, curves});
    if (units.size() <= kMostUnitsOfOnePanel) return {{title, curves}};
    std::vector<Panel> panels;
    for (const std::string& unit : units) {
        Panel panel{panels.empty() ? title : "", {}};
        std::copy_if(curves.begin(), curves.end(), std::back_inserter(panel.curves),
                     [&](const Curve& curve) { return curve.unit == unit; });
        panels.push_back(std::move(panel));
    }
    return panels;
}

std::string plot_script(const TimeSeries& series, std::span<const Panel> panels, const PlotOptions& options) {
    fmt::memory_buffer out;
    const double right = right_end(panels);
    for (std::size_t p = 0; p < panels.size(); ++p) write_data(out, series, p, panels[p], options.x);
    // The one terminal takes sizes of fonts in points, the other in pixels.
    const bool pixels = options.format == PlotFormat::png;
    const char* terminal = pixels ? "pngcairo" : "svg";
    const char* background = pixels ? "" : "rgb ";
    const double point = pixels ? 0.75 : 1.0;
    fmt::format_to(std::back_inserter(out),
                   "set terminal {} size {},{} font 'sans,{}' noenhanced background {}'white'\n"
                   "set encoding utf8\n"
                   "set border 3 lw 1 lc rgb '#555555'\n"
                   "set grid lw 1 lt 1 lc rgb '#dddddd'\n"
                   "set tics nomirror out scale 0.6 tc rgb '#333333'\n"
                   "set title font 'sans,{}' offset 0,-0.4\n"
                   "set lmargin at screen 0.1\nset rmargin at screen {:.3f}\n"
                   "set datafile missing 'NaN'\n",
                   terminal, kWidth, kPanelHeight * static_cast<int>(std::max<std::size_t>(panels.size(), 1)),
                   12 * point, background, 14 * point, right);
    if (options.x) {
        write_range(out, series, {"", {*options.x}}, nullptr, "x");
    } else if (!series.time.empty() && series.time.front() < series.time.back()) {
        fmt::format_to(std::back_inserter(out), "set xrange [{}:{}]\n", series.time.front(), series.time.back());
    }
    if (options.logarithmic)
        fmt::format_to(std::back_inserter(out), "set logscale x\nset mxtics 10\nset grid mxtics\n");
    fmt::format_to(std::back_inserter(out), "set multiplot layout {},1\n", std::max<std::size_t>(panels.size(), 1));
    const std::string x_label = options.x ? with_unit(*options.x) : options.time_label;
    for (std::size_t p = 0; p < panels.size(); ++p) {
        write_panel(out, series, p, panels[p], right, p + 1 == panels.size() ? x_label : "");
    }
    fmt::format_to(std::back_inserter(out), "unset multiplot\n");
    return fmt::to_string(out);
}

std::string draw_plot(const TimeSeries& series, std::span<const Panel> panels, const std::string& plotter,
                      const PlotOptions& options) {
    check_sizes(series, panels, options);
    const std::string script = plot_script(series, panels, options);
    const Stream input = temporary_file();
    const Stream drawing = temporary_file();
    const Stream messages = temporary_file();
    if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() || std::fflush(input.get()) != 0) {
        throw std::runtime_error(fmt::format("can't write a temporary file: {}", std::strerror(errno)));
    }
    std::rewind(input.get());
    const int status = run_plotter(plotter, input.get(), drawing.get(), messages.get());
    if (status == kNotFound) throw PlotterMissing("plots need the program gnuplot (apt install gnuplot-nox)");
    if (status != 0) {
        throw std::runtime_error(fmt::format("{} could not draw the plot:\n{}", plotter, contents(messages.get())));
    }
    return contents(drawing.get());
}

}  // namespace bondgraph::io
