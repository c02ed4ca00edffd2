#pragma once

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

/// What the first column of the series is, drawn along the horizontal axis that all panels share.
struct HorizontalAxis {
    std::string label = "time [s]";
    bool logarithmic = false;  ///< all its values are positive then
};

/// The program that draws can't be found; nothing is wrong with the results.
class PlotterMissing : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// The panels below each other as the text of an SVG file. Curves of two different units in one panel get an axis each;
/// with more units the legend tells them apart. Long series are thinned to what can be seen, extremes kept.
/// `plotter` is looked up in PATH. Throws PlotterMissing, or std::runtime_error with the program's own message.
std::string draw_plot(const TimeSeries& series, std::span<const Panel> panels, const std::string& plotter = "gnuplot",
                      const HorizontalAxis& axis = {});

/// The script given to the plotter.
std::string plot_script(const TimeSeries& series, std::span<const Panel> panels, const HorizontalAxis& axis = {});

/// Rows to draw of one column: all of them up to `limit`; beyond that the first, last, least and greatest of every
/// stretch of time. Ascending.
std::vector<std::size_t> visible_rows(const TimeSeries& series, std::size_t column, std::size_t limit);

}  // namespace bondgraph::io
