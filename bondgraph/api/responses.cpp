#include "bondgraph/analysis/responses.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/linearization.hpp"

namespace bondgraph::api {
namespace {

std::vector<Root> roots_of(const analysis::Roots& roots) {
    std::vector<Root> result;
    // Adding zero turns −0 into 0.
    for (const analysis::MultipleRoot& r : analysis::multiplicities(roots))
        result.push_back({{r.value.real() + 0.0, r.value.imag() + 0.0}, r.multiplicity});
    return result;
}

Transfer transfer_of(const std::string& input, const std::string& output, const std::string& unit,
                     const analysis::TransferFunction& h) {
    Transfer transfer;
    transfer.input = input;
    transfer.output = output;
    transfer.output_unit = unit;
    transfer.zeros = roots_of(h.zeros);
    transfer.poles = roots_of(h.poles);
    transfer.gain = h.gain;
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

/// One input and output of one model.
struct NamedChannel {
    std::string input;
    std::string output;
    std::string output_unit;
    analysis::SingleChannel channel;
    analysis::TransferFunction function;
};

std::vector<NamedChannel> channels_of(const LinearModel& linear) {
    const analysis::LinearModel matrices = matrices_of(linear);
    std::vector<NamedChannel> channels;
    for (std::size_t i = 0; i < linear.inputs.size(); ++i) {
        for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
            analysis::SingleChannel channel = analysis::channel(matrices, i, o);
            analysis::TransferFunction function = analysis::transfer_function(channel, &linear.eigenvalues);
            channels.push_back({linear.inputs[i], linear.outputs[o],
                                o < linear.output_units.size() ? linear.output_units[o] : "", std::move(channel),
                                std::move(function)});
        }
    }
    return channels;
}

/// Those of one place in all models beside each other, told apart by their time.
std::vector<NamedChannel> joined_channels(std::span<const LinearModel> models) {
    std::vector<std::vector<NamedChannel>> each;
    std::size_t most = 0;
    for (const LinearModel& m : models) {
        each.push_back(channels_of(m));
        most = std::max(most, each.back().size());
    }
    std::vector<NamedChannel> all;
    for (std::size_t k = 0; k < most; ++k) {
        for (std::size_t m = 0; m < models.size(); ++m) {
            if (k >= each[m].size()) continue;  // an input that is left out at this time
            NamedChannel& c = each[m][k];
            if (models.size() > 1) c.output += fmt::format(" at {:.6g} s", models[m].time);
            all.push_back(std::move(c));
        }
    }
    return all;
}

std::vector<analysis::TransferFunction> functions_of(const std::vector<NamedChannel>& channels) {
    std::vector<analysis::TransferFunction> functions;
    for (const NamedChannel& c : channels) functions.push_back(c.function);
    return functions;
}

Responses named_responses(const std::vector<NamedChannel>& channels) {
    Responses responses;
    for (const NamedChannel& c : channels)
        responses.channels.push_back({c.input, c.output, c.output_unit, c.function.gain == 0.0});
    return responses;
}

}  // namespace

std::vector<Transfer> transfer_functions(const LinearModel& linear) {
    std::vector<Transfer> result;
    for (const NamedChannel& c : channels_of(linear))
        result.push_back(transfer_of(c.input, c.output, c.output_unit, c.function));
    return result;
}

Responses frequency_responses(std::span<const LinearModel> models) {
    const std::vector<NamedChannel> channels = joined_channels(models);
    Responses responses = named_responses(channels);
    responses.abscissa = analysis::bode_frequencies(functions_of(channels));
    for (const NamedChannel& c : channels) {
        std::vector<double>& magnitudes = responses.values.emplace_back();
        std::vector<double>& phases = responses.phases.emplace_back();
        for (const double w : responses.abscissa) {
            const analysis::BodePoint point = analysis::bode_point(c.function, w);
            magnitudes.push_back(point.magnitude_db);
            phases.push_back(c.function.gain == 0.0 ? std::numeric_limits<double>::quiet_NaN() : point.phase_deg);
        }
    }
    return responses;
}

Responses step_responses(std::span<const LinearModel> models) {
    constexpr std::size_t kPoints = 1001;
    const std::vector<NamedChannel> channels = joined_channels(models);
    Responses responses = named_responses(channels);
    const double duration = analysis::step_duration(functions_of(channels));
    for (std::size_t k = 0; k < kPoints; ++k)
        responses.abscissa.push_back(duration * static_cast<double>(k) / static_cast<double>(kPoints - 1));
    for (const NamedChannel& c : channels)
        responses.values.push_back(analysis::step_response(c.channel, duration, kPoints));
    return responses;
}

}  // namespace bondgraph::api
