#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/io/csv.hpp"

namespace bondgraph::io {

struct Curve {
    std::size_t column = 0;  ///< of the time series
    std::string label;
    std::string unit;  ///< SI; empty when unknown
};

struct Panel {
    std::string title;
    std::vector<Curve> curves;
    double tick = 0.0;  ///< distance of the numbers at the left axis; 0: chosen to suit
};

enum class PlotFormat : std::uint8_t { svg, png };

/// The format of a drawing by its file's extension; a name without one is SVG. Throws std::invalid_argument naming
/// those there are.
PlotFormat plot_format(const std::filesystem::path& file);

struct PlotOptions {
    PlotFormat format = PlotFormat::svg;
    std::optional<Curve> x = {};  ///< drawn over this column instead of the time
    /// What the first column of the series is, where no other one is drawn over.
    std::string time_label = "time [s]";
    bool logarithmic = false;  ///< the horizontal axis; all its values are positive then
};

/// The program that draws can't be found; nothing is wrong with the results.
class PlotterMissing : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// The panels below each other as the contents of an SVG or PNG file. Curves of two different units in one panel get an
/// axis each; with more units the legend tells them apart. An axis of a single curve has its name. Long series are
/// thinned to what can be seen, extremes kept. `plotter` is looked up in PATH. Throws PlotterMissing, or
/// std::runtime_error with the program's own message, or naming the curve with numbers beyond 1e300.
std::string draw_plot(const TimeSeries& series, std::span<const Panel> panels, const std::string& plotter = "gnuplot",
                      const PlotOptions& options = {});

/// The script given to the plotter.
std::string plot_script(const TimeSeries& series, std::span<const Panel> panels, const PlotOptions& options = {});

/// "name [unit]"; the unit is left out where it is unknown or 1.
std::string with_unit(const Curve& curve);

/// All curves in one panel, or one panel per unit where there are more than two units; the first has the title.
std::vector<Panel> panels_by_unit(const std::string& title, const std::vector<Curve>& curves);

/// Rows to draw of one column: all of them up to `limit`; beyond that the first, last, least and greatest of every
/// stretch of time. Ascending.
std::vector<std::size_t> visible_rows(const TimeSeries& series, std::size_t column, std::size_t limit);

}  // namespace bondgraph::io
