#pragma once

// How much results of a run depend on each parameter.

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/results.hpp"

namespace bondgraph::api {

/// One number each of what a result does in a run, in its unit.
struct RunMeasures {
    double end = 0.0;
    double largest = 0.0;  ///< the value that is farthest from 0, at the rows and events of the run
    double mean = 0.0;     ///< over time, by trapezoids between rows
};

/// What runs with a little less and a little more of a parameter gave.
struct ParameterSensitivity {
    std::string parameter;
    std::string unit;               ///< SI; empty where unknown
    double value = 0.0;             ///< that it has in the model
    std::vector<RunMeasures> less;  ///< one per result; none where one of the two runs failed
    std::vector<RunMeasures> more;
    std::string failure;  ///< why there is none
};

struct SensitivityOptions {
    Values values = {};
    std::vector<std::string> results = {};  ///< each with one component: "J.f", "x[2]"
    std::optional<Value> stop = {};         ///< as of RunOptions
    std::optional<Value> interval = {};
    std::optional<Value> tolerance = {};  ///< of these runs; none: a hundredth of the model's, but no less than 1e-9
    double step = 0.01;                   ///< the share of its value by which a parameter is changed, both ways
    std::size_t most = 200;               ///< so many parameters, in their order; others are left out
    /// Told of runs done and of all that there are to do.
    std::function<void(std::size_t done, std::size_t all)> progress = {};
    const std::atomic<bool>* cancel = nullptr;
};

/// Central differences: a parameter p moves a measure m by (more − less)/(2 step) for each p of it, that is
/// (more − less)/(2 step m) percent for one percent. Its error is that of the runs, about `noise` of the measure, and
/// what the square of the step brings in where the result bends within it.
struct Sensitivities {
    std::vector<Series::Column> results;
    std::vector<RunMeasures> now;  ///< with all parameters as they are
    double step = 0.0;
    double noise = 0.0;  ///< percent for percent that runs of this tolerance can't tell from 0
    std::vector<ParameterSensitivity> parameters;
    std::vector<std::string> zero;  ///< parameters with the value 0, of which there is no percent
    std::size_t left_out = 0;       ///< parameters beyond SensitivityOptions::most
};

}  // namespace bondgraph::api
