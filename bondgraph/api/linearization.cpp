#include "bondgraph/api/linearization.hpp"

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/api/structure.hpp"

namespace bondgraph::api {
namespace {

/// Multibonds by component. Impulses of the model's own outputs are left out: jumps are no part of a linear model.
std::vector<std::string> outputs_of(const Session& session, const LinearizeOptions& options) {
    std::vector<model::Text> names;
    for (const std::string& name : options.outputs) names.push_back({name, {}, false});
    std::vector<std::string> outputs;
    try {
        for (const simulation::Signal& s : find_signals(session, names.empty() ? session.model.outputs : names)) {
            if (!s.impulse || !names.empty()) outputs.push_back(s.name);
        }
    } catch (const ModelError& e) {
        if (names.empty()) throw;
        throw UsageError(e.diagnostics().front().message);
    }
    return outputs.empty() && options.or_states ? state_names(*session.system) : outputs;
}

std::vector<double> by_rows(const Eigen::MatrixXd& m) {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(m.size()));
    for (Eigen::Index r = 0; r < m.rows(); ++r) {
        for (Eigen::Index c = 0; c < m.cols(); ++c) all.push_back(m(r, c));
    }
    return all;
}

Eigen::MatrixXd matrix_of(const std::vector<double>& by_rows, std::size_t rows, std::size_t columns) {
    Eigen::MatrixXd m(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c)
            m(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = by_rows[r * columns + c];
    }
    return m;
}

}  // namespace

Linearized linearized(Session& session, const LinearizeOptions& options) {
    simulation::Settings settings;
    std::vector<std::string> outputs;
    {
        const auto hold = session.compiled->hold();
        settings = experiment_settings(session, {.rows = false});
        outputs = outputs_of(session, options);
    }
    Linearized result{point_at(*session.compiled, settings, options.at), {}};
    const auto hold = session.compiled->hold();
    result.model = analysis::linearize(result.point, options.inputs, outputs);
    return result;
}

std::vector<Linearized> linearized_along(Session& session, const LinearizeOptions& options, std::size_t instants) {
    simulation::Settings settings;
    std::vector<std::string> outputs;
    {
        const auto hold = session.compiled->hold();
        settings = experiment_settings(session, {.stop = options.stop, .rows = false});
        outputs = outputs_of(session, options);
    }
    settings.interrupted = options.cancel;
    if (session.compiled->linear && mode_of(*session.causal).empty()) instants = 1;
    std::vector<simulation::Point> points;
    try {
        points = simulation::points_along(*session.compiled, settings, instants);
    } catch (const ModelError&) {
        throw;
    } catch (const std::runtime_error& e) {
        throw StartFailure{plain_error(Error::Kind::run, {e.what()})};
    }
    std::vector<Linearized> results;
    const auto hold = session.compiled->hold();
    for (simulation::Point& point : points) {
        if (options.cancel != nullptr && *options.cancel) break;
        Linearized one{std::move(point), {}};
        try {
            one.model = analysis::linearize(one.point, options.inputs, outputs);
        } catch (const ModelError&) {
            if (results.empty() && &point == &points.back()) throw;
            continue;
        }
        results.push_back(std::move(one));
    }
    return results;
}

LinearModel linear_values(const analysis::LinearModel& linear) {
    return {linear.states,     linear.inputs,     linear.outputs,     by_rows(linear.A), by_rows(linear.B),
            by_rows(linear.C), by_rows(linear.D), linear.eigenvalues, linear.left_out};
}

LinearModel linear_model(const Session& session, const Linearized& linear) {
    LinearModel result = linear_values(linear.model);
    result.time = linear.point.time;
    std::vector<model::Text> names;
    for (const std::string& name : result.outputs) names.push_back({name, {}, false});
    const auto hold = session.compiled->hold();
    for (const simulation::Signal& s : find_signals(session, names)) result.output_units.push_back(s.unit);
    return result;
}

analysis::LinearModel matrices_of(const LinearModel& linear) {
    const std::size_t states = linear.states.size();
    const std::size_t inputs = linear.inputs.size();
    const std::size_t outputs = linear.outputs.size();
    analysis::LinearModel result{linear.states, linear.inputs, linear.outputs, linear.left_out};
    result.A = matrix_of(linear.A, states, states);
    result.B = matrix_of(linear.B, states, inputs);
    result.C = matrix_of(linear.C, outputs, states);
    result.D = matrix_of(linear.D, outputs, inputs);
    result.eigenvalues = linear.eigenvalues;
    return result;
}

void check_channels(const LinearModel& linear) {
    if (linear.inputs.empty() && !linear.left_out.empty())
        throw UsageError("a transfer function begins at a source, and the model depends on the derivatives of all");
    if (linear.inputs.empty()) throw UsageError("a transfer function begins at a source, and the model has none");
    if (linear.outputs.empty()) throw UsageError("a transfer function ends at a result: name one");
}

}  // namespace bondgraph::api
