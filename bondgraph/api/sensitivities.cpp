#include "bondgraph/api/sensitivities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/messages.hpp"

namespace bondgraph::api {
namespace {

RunMeasures measures_of(std::span<const double> time, std::span<const double> values) {
    RunMeasures m{.end = values.back(), .largest = values.front()};
    double area = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i]) > std::abs(m.largest)) m.largest = values[i];
        if (i > 0) area += 0.5 * (values[i] + values[i - 1]) * (time[i] - time[i - 1]);
    }
    const double length = time.back() - time.front();
    m.mean = length > 0.0 ? area / length : values.back();
    return m;
}

/// The first line of what an error says.
std::string first_of(const Error& error) {
    return error.messages.empty() ? std::string("the run failed") : error.messages.front().text;
}

class SensitivityRuns {
   public:
    SensitivityRuns(const Model& model, const SensitivityOptions& options) : model_(model), options_(options) {}

    Result<Sensitivities> find() {
        if (const auto error = check_names()) return *error;
        const auto experiment =
            model_.experiment({.stop = options_.stop, .interval = options_.interval, .tolerance = options_.tolerance});
        if (!experiment) return experiment.error();
        constexpr double kCloser = 0.01;
        constexpr double kFinest = 1e-9;
        tolerance_ = options_.tolerance
                         ? experiment->tolerance
                         : std::min(experiment->tolerance, std::max(kFinest, kCloser * experiment->tolerance));
        // Of two runs each with an error of some tolerances, their distance over that of the parameters.
        constexpr double kErrors = 5.0;
        found_.noise = kErrors * tolerance_ / (2.0 * options_.step);
        found_.step = options_.step;
        const std::vector<Parameter> able = able_parameters();
        all_ = 1 + 2 * able.size();
        auto now = measured({});
        if (!now) return now.error();
        found_.now = *std::move(now);
        for (const Parameter& p : able) {
            if (const auto error = vary(p)) return *error;
        }
        return std::move(found_);
    }

   private:
    std::optional<Error> check_names() {
        if (options_.results.empty()) return plain_error(Error::Kind::usage, {"sensitivities need a result"});
        for (const std::string& name : options_.results) {
            const auto parts = model_.results(name);
            if (!parts) return parts.error();
            if (parts->size() > 1) {
                return plain_error(Error::Kind::usage,
                                   {fmt::format("'{}' has {} components: a sensitivity is of one of them, as '{}'",
                                                name, parts->size(), parts->front())});
            }
            names_.push_back(parts->front());
        }
        return std::nullopt;
    }

    std::vector<Parameter> able_parameters() {
        std::vector<Parameter> able;
        for (Parameter& p : model_.parameters()) {
            if (const auto set = options_.values.find(p.name); set != options_.values.end()) {
                const double* number = set->second.number();
                if (number == nullptr) continue;
                p.value = *number;
            }
            if (!p.value || !std::isfinite(*p.value)) continue;
            if (*p.value == 0.0) {
                found_.zero.push_back(p.name);
            } else if (able.size() < options_.most) {
                able.push_back(std::move(p));
            } else {
                ++found_.left_out;
            }
        }
        return able;
    }

    Result<std::vector<RunMeasures>> measured(const Values& changed) {
        RunOptions asked{.values = options_.values, .outputs = names_, .stop = options_.stop};
        for (const auto& [name, value] : changed) asked.values.insert_or_assign(name, value);
        asked.interval = options_.interval;
        asked.tolerance = Value(tolerance_);
        asked.energy = false;
        asked.look_again = false;
        asked.cancel = options_.cancel;
        auto run = model_.run(asked);
        if (options_.progress) options_.progress(++done_, all_);
        if (!run) return run.error();
        if (run->failure) return *run->failure;
        if (found_.results.empty()) found_.results = run->series.columns();
        std::vector<RunMeasures> result;
        for (std::size_t c = 0; c < names_.size(); ++c)
            result.push_back(measures_of(run->series.time(), run->series.column(c)));
        return result;
    }

    /// An error where somebody ended it; runs that fail are told of in their place.
    std::optional<Error> vary(const Parameter& p) {
        ParameterSensitivity one{.parameter = p.name, .unit = p.unit, .value = *p.value};
        for (const bool more : {false, true}) {
            auto run = measured({{p.name, *p.value * (1.0 + (more ? options_.step : -options_.step))}});
            if (!run && run.error().kind == Error::Kind::cancelled) return run.error();
            if (!run) {
                one.failure = first_of(run.error());
                one.less.clear();
                break;
            }
            (more ? one.more : one.less) = *std::move(run);
        }
        found_.parameters.push_back(std::move(one));
        return std::nullopt;
    }

    const Model& model_;
    const SensitivityOptions& options_;
    Sensitivities found_;
    std::vector<std::string> names_;
    double tolerance_ = 0.0;
    std::size_t done_ = 0;
    std::size_t all_ = 0;
};

}  // namespace

Result<Sensitivities> sensitivities(const Model& model, const SensitivityOptions& options) {
    return SensitivityRuns(model, options).find();
}

}  // namespace bondgraph::api
