#include "bondgraph/api/linearization.hpp"

#include <cmath>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/structure.hpp"

namespace bondgraph::api {

simulation::Point linearization_point(const compile::CompiledModel& model, const simulation::Settings& settings,
                                      std::optional<double> at) {
    const double time = at.value_or(settings.start);
    if (!std::isfinite(time)) throw UsageError("the time to linearize at has to be a finite number");
    if (time < settings.start) throw UsageError("the time to linearize at lies before the start");
    try {
        if (time == settings.start) return simulation::start_point(model, settings);
        simulation::Settings until = settings;
        until.stop = time;
        return simulation::simulate_to(model, until);
    } catch (const ModelError&) {
        throw;
    } catch (const std::runtime_error& e) {
        throw StartFailure{plain_error(Error::Kind::run, {e.what()})};
    }
}

namespace {

std::vector<double> by_rows(const Eigen::MatrixXd& m) {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(m.size()));
    for (Eigen::Index r = 0; r < m.rows(); ++r) {
        for (Eigen::Index c = 0; c < m.cols(); ++c) all.push_back(m(r, c));
    }
    return all;
}

std::vector<Root> roots_of(const analysis::Roots& roots) {
    std::vector<Root> result;
    // Adding zero turns −0 into 0.
    for (const analysis::MultipleRoot& r : analysis::multiplicities(roots))
        result.push_back({{r.value.real() + 0.0, r.value.imag() + 0.0}, r.multiplicity});
    return result;
}

}  // namespace

LinearModel linear_model(const analysis::LinearModel& linear) {
    return {linear.states,     linear.inputs,     linear.outputs,     by_rows(linear.A), by_rows(linear.B),
            by_rows(linear.C), by_rows(linear.D), linear.eigenvalues, linear.left_out};
}

std::vector<std::string> transfer_outputs(const Session& session) {
    std::vector<std::string> names;
    for (const simulation::Signal& signal : find_signals(session, session.model.outputs)) {
        if (!signal.impulse) names.push_back(signal.name);
    }
    return names.empty() ? state_names(*session.system) : names;
}

Transfer transfer_of(const std::string& input, const std::string& output, const std::string& output_unit,
                     const analysis::TransferFunction& h) {
    Transfer transfer{input, output, output_unit, roots_of(h.zeros), roots_of(h.poles), h.gain};
    transfer.static_gain = analysis::static_gain(h);
    transfer.high_frequency_gain = analysis::high_frequency_gain(h);
    if (auto ratio = analysis::as_polynomials(h)) {
        transfer.numerator = std::move(ratio->numerator);
        transfer.denominator = std::move(ratio->denominator);
    }
    transfer.cancelled = roots_of(h.cancelled);
    transfer.disagreement = h.disagreement;
    return transfer;
}

std::vector<Transfer> transfer_functions(const Session& session, const analysis::LinearModel& linear) {
    if (linear.inputs.empty() && !linear.left_out.empty())
        throw UsageError("a transfer function begins at a source, and the model depends on the derivatives of all");
    if (linear.inputs.empty()) throw UsageError("a transfer function begins at a source, and the model has none");
    if (linear.outputs.empty()) throw UsageError("a transfer function ends at a result: name one");
    std::vector<Transfer> result;
    for (std::size_t i = 0; i < linear.inputs.size(); ++i) {
        for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
            const std::string unit = find_signals(session, {{linear.outputs[o], {}, false}}).front().unit;
            const analysis::TransferFunction function =
                analysis::transfer_function(analysis::channel(linear, i, o), &linear.eigenvalues);
            result.push_back(transfer_of(linear.inputs[i], linear.outputs[o], unit, function));
        }
    }
    return result;
}

}  // namespace bondgraph::api
