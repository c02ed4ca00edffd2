#include "bondgraph/api/mason_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "bondgraph/analysis/mason.hpp"
#include "bondgraph/analysis/transfer_function.hpp"
#include "bondgraph/api/causal_gains.hpp"

namespace bondgraph::api {
namespace {

using analysis::Laurent;
using analysis::SignalFlow;

/// Nothing where the formula reads 0/0 whatever the frequency: two parameters' difference is a factor of both parts.
std::optional<double> disagreement(const SignalFlow& flow, const analysis::LaurentRatio& ratio,
                                   const analysis::SingleChannel& channel, const analysis::LinearModel& linear) {
    double scale = 1.0;
    for (const auto& eigenvalue : linear.eigenvalues) scale = std::max(scale, std::abs(eigenvalue));
    double largest = 0.0;
    bool compared = false;
    for (const double w : {1e-3 * scale, 0.1 * scale, 0.7 * scale, 5.0 * scale}) {
        const std::complex<double> s(0.3 * w, w);
        const analysis::RoundedValue expected = analysis::rounded_value_at(channel, s);
        const analysis::RoundedValue found = analysis::rounded_value(ratio, s, flow.values);
        if (std::isinf(found.rounding)) continue;  // 0/0 says nothing
        const double difference = std::abs(found.value - expected.value);
        if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
        compared = true;
        if (difference > found.rounding + expected.rounding)
            largest = std::max(largest, difference / std::abs(expected.value));
    }
    return compared ? std::optional(largest) : std::nullopt;
}

/// The coefficients of s with the parameters' values, by its power.
std::map<int, long double> coefficients(const Laurent& gain, const std::vector<double>& values) {
    std::map<int, long double> found;
    for (const auto& [monomial, number] : gain.terms()) {
        long double term = number;
        int power = 0;
        for (const auto& [symbol, exponent] : monomial) {
            if (symbol == analysis::kFrequency)
                power = exponent;
            else
                term *= std::pow(static_cast<long double>(values[symbol - 1]), exponent);
        }
        found[power] += term;
    }
    std::erase_if(found, [](const auto& entry) { return entry.second == 0.0L; });
    return found;
}

/// Highest power first, down to `lowest`.
std::vector<double> polynomial(const std::map<int, long double>& coefficients, int lowest, long double divisor) {
    std::vector<double> result;
    if (coefficients.empty()) return result;
    for (int power = coefficients.rbegin()->first; power >= lowest; --power) {
        const auto found = coefficients.find(power);
        result.push_back(found == coefficients.end() ? 0.0 : static_cast<double>(found->second / divisor));
    }
    return result;
}

void add_values(MasonChannel& channel, const analysis::LaurentRatio& transfer, const SignalFlow& flow) {
    const auto numerator = coefficients(transfer.numerator, flow.values);
    const auto denominator = coefficients(transfer.denominator, flow.values);
    if (denominator.empty()) return;
    int lowest = denominator.begin()->first;
    if (!numerator.empty()) lowest = std::min(lowest, numerator.begin()->first);
    channel.numerator_values = polynomial(numerator, lowest, denominator.rbegin()->second);
    channel.denominator_values = polynomial(denominator, lowest, denominator.rbegin()->second);
}

MasonChannel channel_of(const SignalFlow& flow, const analysis::Mason& rule, const std::string& input,
                        const std::string& output) {
    MasonChannel channel{.input = input, .output = output};
    std::vector<Laurent> shown;
    for (const analysis::FlowPath& loop : rule.loops) {
        channel.loops.push_back(named(flow, loop));
        shown.push_back(loop.gain);
    }
    for (std::size_t k = 0; k < rule.paths.size(); ++k) {
        const CausalLoop path = named(flow, rule.paths[k]);
        const Laurent& cofactor = rule.cofactors[k];
        channel.paths.push_back({path.nodes, path.gain, analysis::text(cofactor, flow.names),
                                 cofactor.is_number(1.0) && !rule.loops.empty()});
        shown.push_back(rule.paths[k].gain);
    }
    channel.non_touching = rule.non_touching;
    channel.determinant = analysis::text(rule.determinant, flow.names);
    channel.numerator = analysis::text(rule.transfer.numerator, flow.names);
    channel.denominator = analysis::text(rule.transfer.denominator, flow.names);
    channel.transfer = analysis::text(rule.transfer, flow.names);
    add_values(channel, rule.transfer, flow);
    channel.parameters = gain_parameters(flow, shown);
    return channel;
}

/// The same model seen by its linear outputs only: a power has no gain.
analysis::LinearModel with_gains(const Session& session, const causality::CausalGraph& causal,
                                 analysis::LinearModel linear, std::vector<MasonGap>& left_out) {
    try {
        flow_of(session, causal, linear.outputs, analysis::Dynamics::transfer);
        return linear;
    } catch (const analysis::NoGains&) {  // which of them, if not all, is seen one by one
    }
    std::vector<Eigen::Index> rows;
    std::vector<std::string> names;
    for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
        try {
            flow_of(session, causal, {linear.outputs[o]}, analysis::Dynamics::transfer);
            rows.push_back(static_cast<Eigen::Index>(o));
            names.push_back(linear.outputs[o]);
        } catch (const analysis::NoGains& why) {
            left_out.push_back({why.what(), false});
        }
    }
    linear.C = Eigen::MatrixXd(linear.C(rows, Eigen::all));
    linear.D = Eigen::MatrixXd(linear.D(rows, Eigen::all));
    linear.outputs = std::move(names);
    return linear;
}

void add_channels(Mason& mason, const SignalFlow& flow, const analysis::LinearModel& linear) {
    for (std::size_t i = 0; i < linear.inputs.size(); ++i) {
        const auto input =
            std::ranges::find_if(flow.inputs, [&](std::uint32_t n) { return flow.nodes[n] == linear.inputs[i]; });
        for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
            const auto rule = analysis::mason(flow, *input, flow.outputs[o]);
            if (!rule) {
                mason.left_out.push_back(
                    {fmt::format("between {} and {} lie more than {} loops or {} paths", linear.inputs[i],
                                 linear.outputs[o], analysis::kMostLoops, analysis::kMostForwardPaths),
                     true});
                continue;
            }
            MasonChannel channel = channel_of(flow, *rule, linear.inputs[i], linear.outputs[o]);
            channel.disagreement = disagreement(flow, rule->transfer, analysis::channel(linear, i, o), linear);
            mason.channels.push_back(std::move(channel));
        }
    }
}

}  // namespace

Mason mason_rules(const Session& session, const causality::CausalGraph& causal, const analysis::LinearModel& linear) {
    Mason mason;
    const analysis::LinearModel shown = with_gains(session, causal, linear, mason.left_out);
    if (shown.outputs.empty()) return mason;
    try {
        const SignalFlow flow = flow_of(session, causal, shown.outputs, analysis::Dynamics::transfer);
        mason.parameters = gain_parameters(flow, {});
        add_channels(mason, flow, shown);
    } catch (const analysis::NoGains& why) {
        mason.left_out = {{why.what(), false}};
    }
    return mason;
}

}  // namespace bondgraph::api
