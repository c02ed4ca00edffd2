#include "bondgraph/api/plots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/plot.hpp"

namespace bondgraph::api {
namespace {

io::Curve io_curve(const PlotCurve& curve) { return {curve.column, curve.label, curve.unit}; }

std::vector<PlotPanel> panels_by_unit(const std::string& title, const std::vector<PlotCurve>& curves) {
    std::vector<io::Curve> all;
    for (const PlotCurve& curve : curves) all.push_back(io_curve(curve));
    std::vector<PlotPanel> panels;
    for (const io::Panel& panel : io::panels_by_unit(title, all)) {
        panels.push_back({panel.title, {}, panel.tick});
        for (const io::Curve& curve : panel.curves)
            panels.back().curves.push_back({curve.column, curve.label, curve.unit});
    }
    return panels;
}

constexpr std::size_t kMostCurvesByDefault = 12;

/// Finds a signal's column, appending one where there is none yet.
class PlottedColumns {
   public:
    explicit PlottedColumns(std::vector<simulation::Signal>& signals) : signals_(signals) {
        for (std::size_t k = 0; k < signals.size(); ++k) column_.emplace(signals[k].name, k);
    }

    PlotCurve curve(simulation::Signal signal) {
        const auto [entry, fresh] = column_.try_emplace(signal.name, signals_.size());
        PlotCurve result{entry->second, signal.name, signal.unit};
        if (fresh) signals_.push_back(std::move(signal));
        return result;
    }

   private:
    std::vector<simulation::Signal>& signals_;
    std::unordered_map<std::string, std::size_t> column_;
};

std::vector<PlotPanel> default_panels(const Session& session, std::vector<simulation::Signal>& signals,
                                      PlottedColumns& columns) {
    std::vector<PlotCurve> curves;
    const std::vector<model::VariableId>& states = session.system->states;
    model::NameLookup names(*session.graph);
    for (std::size_t k = 0; k < std::min(states.size(), kMostCurvesByDefault); ++k) {
        if (auto signal = simulation::find_signal(names, session.system->name(states[k]))) {
            curves.push_back(columns.curve(*std::move(signal)));
        }
    }
    if (curves.empty()) {
        for (std::size_t k = 0; k < std::min(signals.size(), kMostCurvesByDefault); ++k) {
            curves.push_back({k, signals[k].name, signals[k].unit});
        }
    }
    if (curves.empty()) {
        throw UsageError(fmt::format(
            "{}there is nothing to draw: the model has no states, and no result under 'outputs:' or 'plots:'",
            session.command_line ? "--plot: " : ""));
    }
    return panels_by_unit(session.model.name.text, curves);
}

}  // namespace

std::vector<PlotPanel> plot_panels(const Session& session, std::vector<simulation::Signal>& signals) {
    PlottedColumns columns(signals);
    if (session.model.plots.empty()) return default_panels(session, signals, columns);
    std::vector<model::Text> all;
    for (const model::Plot& plot : session.model.plots) all.insert(all.end(), plot.y.begin(), plot.y.end());
    find_signals(session, all);  // reports the mistakes of all plots at once
    std::vector<PlotPanel> panels;
    for (const model::Plot& plot : session.model.plots) {
        PlotPanel panel{plot.title, {}};
        for (simulation::Signal& signal : find_signals(session, plot.y)) {
            panel.curves.push_back(columns.curve(std::move(signal)));
        }
        panels.push_back(std::move(panel));
    }
    return panels;
}

namespace {

/// The first names, in their order.
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 8;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost));
    return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), names.size() > kMost ? ", …" : "");
}

/// All names that no column has.
Error unknown_columns(const Series& series, const PlotOptions& options, const std::vector<std::string>& unknown) {
    std::vector<std::string> names;
    for (const Series::Column& column : series.columns()) names.push_back(column.name);
    std::vector<std::string> messages;
    for (const std::string& name : unknown) {
        std::string hint = did_you_mean(name, names);
        if (hint.empty()) hint = "; it has " + some_of(names);
        messages.push_back(fmt::format("{} has no column '{}'{}", options.called, name, hint));
    }
    return plain_error(Error::Kind::usage, messages);
}

/// The columns that are drawn as a series of their own.
class ChosenColumns {
   public:
    explicit ChosenColumns(const Series& all) : all_(all) {}

    PlotCurve curve(std::size_t column) {
        const auto found = std::ranges::find(chosen_, column);
        const auto place = static_cast<std::size_t>(found - chosen_.begin());
        if (found == chosen_.end()) chosen_.push_back(column);
        return {place, all_.columns()[column].name, all_.columns()[column].unit};
    }

    /// The rows whose time lies between two values.
    [[nodiscard]] Series between(double from, double to) const {
        std::vector<std::size_t> rows;
        std::vector<double> time;
        for (std::size_t row = 0; row < all_.rows(); ++row) {
            const double t = all_.time()[row];
            if (!(t >= from && t <= to)) continue;
            rows.push_back(row);
            time.push_back(t);
        }
        std::vector<Series::Column> columns;
        std::vector<double> data;
        for (const std::size_t k : chosen_) {
            columns.push_back(all_.columns()[k]);
            for (const std::size_t row : rows) data.push_back(all_.column(k)[row]);
        }
        return Series::of_columns(std::move(columns), std::move(time), std::move(data), all_.abscissa());
    }

   private:
    const Series& all_;
    std::vector<std::size_t> chosen_;
};

Error no_rows(const Series& series, const PlotOptions& options) {
    const auto time = series.time();
    return plain_error(Error::Kind::usage,
                       {time.empty() ? fmt::format("{} has no rows", options.called)
                                     : fmt::format("{} has no rows there: its {} goes from {:.6g} to {:.6g}",
                                                   options.called, series.abscissa().name, time.front(), time.back())});
}

}  // namespace

Result<Plot> plot(const Series& series, const PlotOptions& options) {
    ChosenColumns chosen(series);
    std::vector<PlotCurve> curves;
    std::vector<std::string> unknown;
    for (const std::string& name : options.y) {
        const auto columns = series.find(name);
        if (columns.empty()) unknown.push_back(name);
        for (const std::size_t column : columns) curves.push_back(chosen.curve(column));
    }
    Plot result;
    if (!options.x.empty() && options.x != series.abscissa().name) {
        const auto columns = series.find(options.x);
        if (columns.empty()) unknown.push_back(options.x);
        if (columns.size() > 1)
            return plain_error(Error::Kind::usage,
                               {fmt::format("x takes one column, and '{}' has components", options.x)});
        if (columns.size() == 1) result.x = chosen.curve(columns.front());
    }
    if (!unknown.empty()) return unknown_columns(series, options, unknown);
    result.series = chosen.between(options.from.value_or(-HUGE_VAL), options.to.value_or(HUGE_VAL));
    if (result.series.rows() == 0) return no_rows(series, options);
    const Series::Column& first = series.abscissa();
    // In a CSV file nothing says what the first column is measured in.
    result.time_label = io::with_unit({0, first.name, first.name == "time" ? "s" : first.unit});
    result.panels = panels_by_unit(options.title, curves);
    return result;
}

Plot bode_plot(std::span<const LinearModel> models) {
    const Responses responses = frequency_responses(models);
    Plot plot{.time_label = "angular frequency [rad/s]", .logarithmic = true};
    plot.panels = {{"Magnitude", {}}, {"Phase", {}}};
    std::vector<Series::Column> columns;
    std::vector<double> data;
    double least = 0.0;
    double greatest = 0.0;
    for (std::size_t k = 0; k < responses.channels.size(); ++k) {
        const std::string label = fmt::format("{} / {}", responses.channels[k].output, responses.channels[k].input);
        plot.panels[0].curves.push_back({columns.size(), label, "dB"});
        columns.push_back({label, "dB", ""});
        plot.panels[1].curves.push_back({columns.size(), label, "deg"});
        columns.push_back({label, "deg", ""});
        data.insert(data.end(), responses.values[k].begin(), responses.values[k].end());
        data.insert(data.end(), responses.phases[k].begin(), responses.phases[k].end());
        if (responses.channels[k].dead) continue;
        for (const double phase : responses.phases[k]) {
            least = std::min(least, phase);
            greatest = std::max(greatest, phase);
        }
    }
    plot.panels[1].tick = greatest - least > 225.0 ? 90.0 : 45.0;
    plot.series =
        Series::of_columns(std::move(columns), responses.abscissa, std::move(data), {"angular frequency", "rad/s", ""});
    return plot;
}

Plot step_plot(std::span<const LinearModel> models) {
    const Responses responses = step_responses(models);
    Plot plot;
    std::vector<Series::Column> columns;
    std::vector<double> data;
    for (std::size_t k = 0; k < responses.channels.size(); ++k) {
        const Responses::Channel& c = responses.channels[k];
        const std::string title = fmt::format("Answer to a unit step of {}", c.input);
        if (plot.panels.empty() || plot.panels.back().title != title) plot.panels.push_back({title, {}});
        plot.panels.back().curves.push_back({columns.size(), c.output, c.output_unit});
        columns.push_back({c.output, c.output_unit, ""});
        data.insert(data.end(), responses.values[k].begin(), responses.values[k].end());
    }
    plot.series = Series::of_columns(std::move(columns), responses.abscissa, std::move(data), {"time", "s", ""});
    return plot;
}

Result<PictureFormat> picture_format(const std::string& file) {
    try {
        return io::plot_format(file) == io::PlotFormat::png ? PictureFormat::png : PictureFormat::svg;
    } catch (const std::invalid_argument& e) {
        return plain_error(Error::Kind::usage, {fmt::format("can't write '{}': {}", file, e.what())});
    }
}

Result<std::string> picture(const Plot& plot, PictureFormat format) {
    io::PlotOptions options{.format = format == PictureFormat::png ? io::PlotFormat::png : io::PlotFormat::svg,
                            .time_label = plot.time_label,
                            .logarithmic = plot.logarithmic};
    if (plot.x) options.x = io_curve(*plot.x);
    std::vector<io::Panel> panels;
    for (const PlotPanel& panel : plot.panels) {
        panels.push_back({panel.title, {}, panel.tick});
        for (const PlotCurve& curve : panel.curves) panels.back().curves.push_back(io_curve(curve));
    }
    const io::TimeSeries series{{}, plot.series.time(), plot.series.by_column(), 1, plot.series.rows()};
    try {
        return io::draw_plot(series, panels, "gnuplot", options);
    } catch (const std::runtime_error& e) {
        return plain_error(Error::Kind::run, {e.what()});
    }
}

}  // namespace bondgraph::api
