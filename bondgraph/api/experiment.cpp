#include "bondgraph/api/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "bondgraph/io/load_model.hpp"
#include "bondgraph/model/results.hpp"

namespace bondgraph::api {
namespace {

constexpr double kDefaultStop = 1.0;
constexpr double kDefaultTolerance = 1e-6;
constexpr double kDefaultIntervals = 500.0;
constexpr double kLeastTolerance = 1e-14;
constexpr double kMostRows = 1e7;
constexpr Dimension kTimeDimension{.second = 1};

struct Given {
    double number = 0.0;
    SourcePosition position;
};

/// The option if typed, else the file's value, else the default (with the position of the model).
class Reader {
   public:
    Reader(Session& session, Diagnostics& diagnostics) : session_(session), diagnostics_(diagnostics) {}

    Given read(const std::optional<Value>& option, const std::string& option_name,
               const std::optional<model::Value>& value, Dimension dimension, double otherwise) {
        const Given fallback{otherwise, session_.graph->model_position};
        try {
            if (option && option->number() != nullptr) return {*option->number(), {}};
            if (option) return number(io::parse_option_value(option->text(), option_name, session_.sources), dimension);
            return value ? number(*value, dimension) : fallback;
        } catch (const ModelError& e) {
            diagnostics_.append(e.diagnostics());
        } catch (const std::invalid_argument& e) {
            throw UsageError(e.what());
        }
        return fallback;
    }

   private:
    Given number(const model::Value& value, Dimension dimension) {
        return {model::number_in(value, *session_.graph, session_.environment->units, model::Measure::of(dimension)),
                value.position()};
    }

    Session& session_;
    Diagnostics& diagnostics_;
};

/// An interval nobody gave follows from start and stop: only those can be wrong then.
void check(const Given& start, const Given& stop, const Given& tolerance, const Given* interval,
           Diagnostics& diagnostics) {
    if (!(std::isfinite(start.number) && std::isfinite(stop.number) && stop.number > start.number)) {
        diagnostics.error("BG-S001", stop.position,
                          fmt::format("the simulation would stop at {} s without having run: it starts at {} s",
                                      stop.number, start.number),
                          {{"try", "give 'stop' a later time than 'start'"}});
    }
    if (!(tolerance.number > 0.0 && tolerance.number < 1.0)) {
        diagnostics.error(
            "BG-S002", tolerance.position,
            fmt::format("the tolerance is {}; it has to be greater than 0 and less than 1", tolerance.number),
            {{"because", "it is relative: 1e-6 asks for about six correct digits"}});
    } else if (tolerance.number < kLeastTolerance) {
        diagnostics.error("BG-S002", tolerance.position,
                          fmt::format("the tolerance is {}; below {} the rounding of numbers with 16 digits takes over",
                                      tolerance.number, kLeastTolerance),
                          {{"because", "it is relative: 1e-6 asks for about six correct digits"}});
    }
    if (interval && !(interval->number > 0.0 && std::isfinite(interval->number))) {
        diagnostics.error(
            "BG-S003", interval->position,
            fmt::format("the interval between rows of the output is {} s; it has to be positive", interval->number));
    }
    if (!interval || diagnostics.has_errors()) return;
    const double rows = (stop.number - start.number) / interval->number;
    if (rows > kMostRows) {
        diagnostics.error(
            "BG-S004", interval->position,
            fmt::format("the output would have {:.3g} rows, which is more than {:.0f}", rows, kMostRows),
            {{"try", fmt::format("an interval of at least {:.3g} s", (stop.number - start.number) / kMostRows)}});
    }
}

/// The signals that a name stands for: one, or the components of a multibond.
std::vector<simulation::Signal> expand(const model::BondGraph& graph, model::NameLookup& names,
                                       const std::string& name) {
    std::vector<simulation::Signal> found;
    const auto find = [&](const std::string& text) {
        auto signal = simulation::find_signal(names, text);
        return signal ? std::move(signal) : simulation::find_impulse(graph, text);
    };
    if (auto signal = find(name)) {
        found.push_back(*std::move(signal));
        return found;
    }
    if (name.ends_with(']')) return found;
    const auto at = [&](std::size_t row, std::size_t column) {
        return find(fmt::format("{}[{},{}]", name, row, column));
    };
    if (at(1, 2)) {  // a matrix, row by row
        for (std::size_t row = 1; at(row, 1); ++row) {
            for (std::size_t column = 1; at(row, column); ++column) found.push_back(*at(row, column));
        }
        return found;
    }
    for (std::size_t k = 1;; ++k) {
        auto signal = find(fmt::format("{}[{}]", name, k));
        if (!signal) return found;
        found.push_back(*std::move(signal));
    }
}

}  // namespace

simulation::Settings experiment_settings(Session& session, const ExperimentOptions& options) {
    const model::Experiment& experiment = session.model.experiment;
    Diagnostics diagnostics;
    Reader reader(session, diagnostics);
    const auto read = [&](const std::optional<Value>& option, const std::string& name,
                          const std::optional<model::Value>& value, Dimension dimension, double otherwise) {
        return reader.read(option, (session.command_line ? "--" : kOfValues) + name, value, dimension, otherwise);
    };
    const Given start = reader.read({}, "", experiment.start, kTimeDimension, 0.0);
    Given stop = read(options.stop, "stop", experiment.stop, kTimeDimension, kDefaultStop);
    const Given tolerance = read(options.tolerance, "tolerance", experiment.tolerance, Dimension{}, kDefaultTolerance);
    const Given interval = read(options.interval, "interval", experiment.interval, kTimeDimension,
                                (stop.number - start.number) / kDefaultIntervals);
    diagnostics.throw_if_errors();
    if (!options.stop && !experiment.stop && experiment.start) stop.position = start.position;
    const bool spaced = options.rows && (options.interval || experiment.interval);
    check(start, stop, tolerance, spaced ? &interval : nullptr, diagnostics);
    diagnostics.throw_if_errors();
    simulation::Settings settings;
    settings.start = start.number;
    settings.stop = stop.number;
    settings.tolerance = tolerance.number;
    settings.interval = interval.number;
    settings.shared = session.shared;
    settings.adjustable = session.inputs;
    return settings;
}

double start_time(Session& session) {
    Diagnostics diagnostics;
    const Given start = Reader(session, diagnostics).read({}, "", session.model.experiment.start, kTimeDimension, 0.0);
    diagnostics.throw_if_errors();
    return start.number;
}

void check_reach(const simulation::Settings& settings, double at, SourcePosition position, Diagnostics& diagnostics) {
    const double rows = (at - settings.start) / settings.interval;
    if (at <= settings.stop || rows <= kMostRows) return;
    diagnostics.error(
        "BG-S004", position,
        fmt::format("a run up to {:g} s would have {:.3g} rows, which is more than {:.0f}", at, rows, kMostRows),
        {{"because",
          fmt::format("it stops at {:g} s otherwise, with a row every {:g} s", settings.stop, settings.interval)},
         {"try", "correct the time, or give 'experiment:' a later stop or a longer interval"}});
}

void check_start(Session& session) {
    const simulation::Settings settings = experiment_settings(session);
    try {
        simulation::start_point(*session.compiled, settings);
    } catch (const ModelError&) {
        throw;
    } catch (const std::runtime_error&) {  // a numerical failure, which a run describes
    }
}

double option_time(Session& session, const std::string& text, const std::string& option) {
    Diagnostics diagnostics;
    const Given time = Reader(session, diagnostics).read(Value(text), option, {}, kTimeDimension, 0.0);
    diagnostics.throw_if_errors();
    return time.number;
}

std::vector<simulation::Signal> find_signals(const Session& session, const std::vector<model::Text>& names) {
    Diagnostics diagnostics;
    std::vector<simulation::Signal> signals;
    model::NameLookup lookup(*session.graph);
    for (const model::Text& name : names) {
        std::vector<simulation::Signal> found;
        for (const std::string& one : model::results_of_arrays(*session.graph, name.text)) {
            auto signals_of_one = expand(*session.graph, lookup, one);
            std::move(signals_of_one.begin(), signals_of_one.end(), std::back_inserter(found));
        }
        if (found.empty() && !model::is_left_out(*session.graph, name.text)) {
            diagnostics.error("BG-O002", name.position, model::no_such_result(name.text, *session.graph));
        }
        for (simulation::Signal& signal : found) signals.push_back(std::move(signal));
    }
    diagnostics.throw_if_errors();
    return signals;
}

std::vector<simulation::Signal> output_signals(const Session& session) {
    std::vector<model::Text> names = session.model.outputs;
    if (names.empty()) {
        for (std::string& name : simulation::default_outputs(*session.compiled)) {
            names.push_back({std::move(name), session.graph->model_position, false});
        }
    }
    std::vector<simulation::Signal> signals;
    std::unordered_set<std::string> seen{"time"};  // every table begins with the time anyway
    for (simulation::Signal& signal : find_signals(session, names)) {
        if (seen.insert(signal.name).second) signals.push_back(std::move(signal));
    }
    return signals;
}

}  // namespace bondgraph::api
