#include "bondgraph/api/equations_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "bondgraph/api/abbreviations.hpp"
#include "bondgraph/api/causal_gains.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::api {
namespace {

constexpr std::size_t kMostStates = 20;
constexpr std::size_t kMostSymbolicStates = 8;

/// A model that has no consistent start or no proper state space has no matrices to show; the commands that need them
/// say why.
std::optional<analysis::LinearModel> matrices(Session& session, const std::vector<std::string>& outputs) {
    try {
        const compile::CompiledModel model = perturbed(session);
        const simulation::Point start = simulation::start_point(model, experiment_settings(session));
        return analysis::linearize(start, {}, outputs);
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
