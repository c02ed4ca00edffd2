#include "bondgraph/api/equations_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "bondgraph/api/abbreviations.hpp"
#include "bondgraph/api/causal_gains.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/api/structure.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::api {
namespace {

constexpr std::size_t kMostStates = 20;
constexpr std::size_t kMostSymbolicStates = 8;

bool same_modes(const std::vector<ModeValue>& a, const std::vector<ModeValue>& b) {
    return std::ranges::equal(a, b, {}, &ModeValue::value, &ModeValue::value);
}

/// In the mode of the session, with all states at 0: the matrices of a linear model are the same at all points.
simulation::Point origin(const Session& session, const compile::CompiledModel& model, const simulation::Point& start) {
    simulation::Point point{.time = start.time, .y = {}, .yp = {}, .held = start.held};
    point.y.assign(model.size(), 0.0);
    point.yp.assign(model.size(), 0.0);
    for (std::size_t d = 0; d < session.causal->modes.size(); ++d) {
        if (!session.graph->discretes[d].structural) continue;
        point.held[2 * d] = session.causal->modes[d];
        point.held[2 * d + 1] = session.causal->modes[d];
    }
    point.model = {std::shared_ptr<const compile::CompiledModel>(), &model};
    return point;
}

/// Whether matrices depend on which relations are true, which only a run tells.
bool hang_on_relations(simulation::Point point, const analysis::LinearModel& linear) {
    constexpr std::size_t kMostRelations = 40;
    std::vector<std::uint32_t> held;
    for (const compile::Relation& r : point.model->events->relations) {
        if (r.in_equations) held.push_back(r.held);
    }
    if (held.size() > kMostRelations) return true;
    const auto differ = [&] {
        const analysis::LinearModel other = analysis::linearize(point, linear.inputs, linear.outputs);
        return other.A != linear.A || other.B != linear.B || other.C != linear.C || other.D != linear.D;
    };
    const std::vector<double> before = point.held;
    for (const std::uint32_t r : held) {
        point.held[r] = 1.0 - before[r];
        if (differ()) return true;
        point.held[r] = before[r];
    }
    for (const std::uint32_t r : held) point.held[r] = 1.0 - before[r];
    return !held.empty() && differ();
}

/// Whether rates at a point are A x + B u there and nothing else: friction and knee voltages are constants beside.
bool without_constants(const simulation::Point& point, const analysis::LinearModel& linear) {
    const Eigen::Index n = linear.A.rows();
    if (static_cast<Eigen::Index>(linear.start.size()) != n || !linear.left_out.empty()) return true;
    const analysis::LinearModel sources = analysis::linearize(point, linear.inputs, linear.inputs);
    const Eigen::Map<const Eigen::VectorXd> x(linear.start.data(), n);
    const Eigen::Map<const Eigen::VectorXd> rates(linear.rates.data(), n);
    const Eigen::Map<const Eigen::VectorXd> u(sources.values.data(), static_cast<Eigen::Index>(sources.values.size()));
    const Eigen::VectorXd left = rates - linear.A * x - linear.B * u;
    const Eigen::VectorXd size =
        rates.cwiseAbs() + linear.A.cwiseAbs() * x.cwiseAbs() + linear.B.cwiseAbs() * u.cwiseAbs();
    constexpr double kRounding = 1e-9;  // rates are solved for to some 1e-12 of what they are made of
    return (left.cwiseAbs().array() <= kRounding * size.array()).all();
}

/// A model that has no consistent start, no proper state space or constants beside it has no matrices to show; the
/// commands that need them say why.
std::optional<analysis::LinearModel> matrices(Session& session, const std::vector<std::string>& outputs) {
    try {
        const compile::CompiledModel model = perturbed(session);
        const simulation::Point start = simulation::start_point(model, experiment_settings(session));
        const bool as_at_start = same_modes(mode_of(*start.model->causal), mode_of(*session.causal));
        const simulation::Point point = as_at_start ? start : origin(session, model, start);
        analysis::LinearModel linear = analysis::linearize(point, {}, outputs);
        if (!as_at_start && hang_on_relations(point, linear)) return std::nullopt;
        if (!without_constants(point, linear)) return std::nullopt;
        return linear;
    } catch (const ModelError&) {
        return std::nullopt;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

/// Whether the symbols' values give the numbers: what is shown is checked.
bool agree(const std::vector<analysis::LaurentRatio>& symbols, const Eigen::MatrixXd& numbers,
           const std::vector<double>& values) {
    for (Eigen::Index r = 0; r < numbers.rows(); ++r) {
        for (Eigen::Index c = 0; c < numbers.cols(); ++c) {
            const double value =
                analysis::value(symbols[static_cast<std::size_t>(r * numbers.cols() + c)], 0.0, values).real();
            const double scale = std::max(std::abs(numbers(r, c)), 1e-6 * numbers.row(r).cwiseAbs().maxCoeff());
            if (!(std::abs(value - numbers(r, c)) <= 1e-8 * scale)) return false;
        }
    }
    return true;
}

/// The linear ones of the model's outputs: powers have no row in C.
std::vector<std::string> linear_outputs(const Session& session) {
    std::vector<std::string> names;
    for (const simulation::Signal& signal : find_signals(session, session.model.outputs)) {
        try {
            flow_of(session, *session.causal, {signal.name}, analysis::Dynamics::transfer);
            names.push_back(signal.name);
        } catch (const analysis::NoGains&) {
            continue;
        }
    }
    return names;
}

/// Where the model is linear, has states, and few enough to read.
std::optional<StateSpace> state_space(Session& session, std::vector<Diagnostic>& warnings) {
    const std::size_t states = session.system->states.size();
    if (!session.compiled->linear || states == 0 || states > kMostStates) return std::nullopt;
    const std::vector<std::string> outputs = linear_outputs(session);
    auto numbers = matrices(session, outputs);
    if (!numbers) return std::nullopt;
    StateSpace result{std::move(*numbers), {}, {}, {}};
    if (result.numbers.states.size() > kMostSymbolicStates) return result;
    try {
        const analysis::SignalFlow flow = flow_of(session, *session.causal, outputs, analysis::Dynamics::state_space);
        auto symbols = analysis::symbolic_state_space(flow);
        if (!symbols || flow.states.size() != result.numbers.states.size()) return result;
        result.names = flow.names;
        result.latex_names = flow.latex;
        if (agree(symbols->A, result.numbers.A, flow.values) && agree(symbols->B, result.numbers.B, flow.values) &&
            agree(symbols->C, result.numbers.C, flow.values) && agree(symbols->D, result.numbers.D, flow.values))
            result.symbols = std::move(symbols);
        else
            warnings.push_back({Severity::warning,
                                "",
                                {},
                                "the matrices in symbols differ from those in numbers and are not shown",
                                {}});
    } catch (const analysis::NoGains&) {
        return result;
    }
    return result;
}

/// Why parameters can't stand by their names in this model; empty when they can.
std::string needs_numbers(const Session& session) {
    if (session.system->choice) return "its states were chosen by numbers";
    for (const model::Element& e : session.graph->elements) {
        if (e.owner.valid()) return fmt::format("'{}' is a wrapped component", e.name.substr(0, e.name.find('.')));
    }
    return "";
}

std::string report_text(const EquationsReport& report, EquationsOptions::Format format, const Heading& heading) {
    if (format == EquationsOptions::Format::json) return equations_json(report);
    return format == EquationsOptions::Format::latex ? equations_latex(report) : equations_text(report, heading);
}

}  // namespace

Equations equations_report(Session& session, const EquationsOptions& options, const Heading& heading) {
    take_mode(session, options.mode);
    EquationsReport report{
        .system = session.system.get(), .by_element = options.by_element, .typeset = options.typeset};
    std::vector<Diagnostic> warnings;
    report.state_space = state_space(session, warnings);
    if (!options.symbols) {
        report.readable = without_aliases(*session.system);
        if (!options.expand) report.readable = collapsed(std::move(report.readable), *session.compiled);
        report.abbreviations = abbreviate(report.readable, *session.graph->expressions);
        if (report.state_space) report.state_space->symbols.reset();
        return {report_text(report, options.format, heading), messages_of(warnings, session.sources)};
    }
    if (const std::string why = needs_numbers(session); !why.empty())
        throw UsageError(fmt::format("{}the equations of this model need numbers: {}",
                                     session.command_line ? "--symbols: " : "", why));
    const analysis::NamedParameters parameters(*session.graph, session.model);
    const compile::SortedSystem system = compile::sort_equations(*session.causal);
    report.system = &system;
    report.parameters = parameters.symbols();
    report.readable = without_aliases(system);
    return {report_text(report, options.format, heading), messages_of(warnings, session.sources)};
}

}  // namespace bondgraph::api
