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
constexpr int kSecondAxis = 70;  // room for its numbers and label
constexpr int kNotFound = 127;   // exit status of a program that could not be started

/// A text as gnuplot reads it literally: single quotes doubled, nothing that could end the line.
std::string quoted(std::string_view text) {
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

std::string legend_text(const Curve& curve, std::size_t units) {
    const std::string unit = bracketed(curve.unit);
    return units > 1 && !unit.empty() ? fmt::format("{} {}", curve.label, unit) : curve.label;
}

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

void write_data(fmt::memory_buffer& out, const TimeSeries& series, std::size_t panel, const Panel& content) {
    for (std::size_t k = 0; k < content.curves.size(); ++k) {
        const std::size_t column = content.curves[k].column;
        fmt::format_to(std::back_inserter(out), "$p{}c{} << END\n", panel, k);
        for (const std::size_t row : visible_rows(series, column, kVisiblePoints)) {
            write_number(out, series.time[row]);
            out.push_back(' ');
            write_number(out, series.at(row, column));
            out.push_back('\n');
        }
        fmt::format_to(std::back_inserter(out), "END\n");
    }
}

/// The range of the values with that unit (all of them for null) where gnuplot can't choose it well: an autoscaled axis
/// has no height where all its values are equal, and draws rounding noise where they nearly are.
void write_range(fmt::memory_buffer& out, const TimeSeries& series, const Panel& content, const std::string* unit,
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
        return;
    }
    if (!(least <= greatest)) least = greatest = 0.0;  // nothing to see, but a frame all the same
    const double margin = std::isfinite(size) && size > 0.0 ? 0.1 * size : 1.0;
    fmt::format_to(std::back_inserter(out), "set {}range [{}:{}]\n", axis, least - margin, greatest + margin);
}

void write_axes(fmt::memory_buffer& out, const TimeSeries& series, const Panel& content,
                const std::vector<std::string>& units) {
    const bool second = units.size() == 2;
    const std::string left = units.size() <= 2 && !units.empty() ? bracketed(units[0]) : "";
    const std::string right = second ? bracketed(units[1]) : "";
    fmt::format_to(std::back_inserter(out), "set ylabel {}\nset y2label {}\n", quoted(left), quoted(right));
    const std::string tick = content.tick > 0.0 ? fmt::format("{}", content.tick) : "autofreq";
    fmt::format_to(std::back_inserter(out), "set ytics {}\n", tick);
    write_range(out, series, content, second ? units.data() : nullptr, "y");
    if (second) {
        fmt::format_to(std::back_inserter(out), "set border 11\nset y2tics\n");
        write_range(out, series, content, &units[1], "y2");
    } else {
        fmt::format_to(std::back_inserter(out), "set border 3\nunset y2tics\n");
    }
}

void write_panel(fmt::memory_buffer& out, const TimeSeries& series, std::size_t panel, const Panel& content,
                 double right, const std::string& axis_label) {
    const auto units = units_of(content);
    constexpr double kGap = 12.0;
    const double key = right + (kGap + (units.size() == 2 ? kSecondAxis : 0)) / kWidth;
    fmt::format_to(std::back_inserter(out), "set key at screen {:.3f},graph 1 left top Left reverse samplen 2\n", key);
    fmt::format_to(std::back_inserter(out), "set title {}\nset xlabel {}\n", quoted(content.title), quoted(axis_label));
    write_axes(out, series, content, units);
    fmt::format_to(std::back_inserter(out), "plot ");
    for (std::size_t k = 0; k < content.curves.size(); ++k) {
        const Curve& curve = content.curves[k];
        const bool second = units.size() == 2 && curve.unit == units[1];
        fmt::format_to(std::back_inserter(out),
                       "{}$p{}c{} using 1:2 axes x1y{} with lines lw 2 lc rgb '{}' dt {} title {}", k == 0 ? "" : ", ",
                       panel, k, second ? 2 : 1, kColours[k % kColours.size()], 1 + (k / kColours.size()) % 5,
                       quoted(legend_text(curve, units.size())));
    }
    out.push_back('\n');
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary_file() {
    File file(std::tmpfile(), &std::fclose);
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

std::string plot_script(const TimeSeries& series, std::span<const Panel> panels, const HorizontalAxis& axis) {
    fmt::memory_buffer out;
    const double right = right_end(panels);
    for (std::size_t p = 0; p < panels.size(); ++p) write_data(out, series, p, panels[p]);
    fmt::format_to(std::back_inserter(out),
                   "set terminal svg size {},{} font 'sans,12' noenhanced background rgb 'white'\n"
                   "set encoding utf8\n"
                   "set border 3 lw 1 lc rgb '#555555'\n"
                   "set grid lw 1 lt 1 lc rgb '#dddddd'\n"
                   "set tics nomirror out scale 0.6 tc rgb '#333333'\n"
                   "set title font 'sans,14' offset 0,-0.4\n"
                   "set lmargin at screen 0.1\nset rmargin at screen {:.3f}\n"
                   "set datafile missing 'NaN'\n",
                   kWidth, kPanelHeight * static_cast<int>(std::max<std::size_t>(panels.size(), 1)), right);
    if (!series.time.empty() && series.time.front() < series.time.back()) {
        fmt::format_to(std::back_inserter(out), "set xrange [{}:{}]\n", series.time.front(), series.time.back());
    }
    if (axis.logarithmic) fmt::format_to(std::back_inserter(out), "set logscale x\nset mxtics 10\nset grid mxtics\n");
    fmt::format_to(std::back_inserter(out), "set multiplot layout {},1\n", std::max<std::size_t>(panels.size(), 1));
    for (std::size_t p = 0; p < panels.size(); ++p) {
        write_panel(out, series, p, panels[p], right, p + 1 == panels.size() ? axis.label : "");
    }
    fmt::format_to(std::back_inserter(out), "unset multiplot\n");
    return fmt::to_string(out);
}

std::string draw_plot(const TimeSeries& series, std::span<const Panel> panels, const std::string& plotter,
                      const HorizontalAxis& axis) {
    const std::string script = plot_script(series, panels, axis);
    const File input = temporary_file();
    const File drawing = temporary_file();
    const File messages = temporary_file();
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
