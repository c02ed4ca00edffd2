#include "bondgraph/api/causal_gains.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/results.hpp"

namespace bondgraph::api {

using analysis::FlowPath;
using analysis::Laurent;
using analysis::SignalFlow;

SignalFlow flow_of(const Session& session, const causality::CausalGraph& causal,
                   const std::vector<std::string>& outputs, analysis::Dynamics dynamics) {
    std::vector<analysis::FlowOutput> values;
    for (const std::string& name : outputs) {
        if (const auto found = model::resolve_name(*session.graph, name)) values.push_back({name, found->value});
    }
    const analysis::NamedParameters parameters(*session.graph, session.model);
    return analysis::signal_flow(causal, parameters, values, dynamics);
}

std::vector<GainParameter> gain_parameters(const SignalFlow& flow, const std::vector<Laurent>& gains) {
    std::vector<GainParameter> result;
    for (const analysis::Symbol& s : flow.symbols) result.push_back({s.name, s.path, s.value, false});
    for (const Laurent& gain : gains) {
        for (const auto& [monomial, number] : gain.terms()) {
            for (const auto& [symbol, exponent] : monomial) {
                if (symbol != analysis::kFrequency) result[symbol - 1].occurs = true;
            }
        }
    }
    return result;
}

CausalLoop named(const SignalFlow& flow, const FlowPath& path) {
    CausalLoop result{{}, analysis::text(path.gain, flow.names)};
    for (const std::uint32_t n : path.nodes) result.nodes.push_back(flow.nodes[n]);
    return result;
}

CausalGains causal_gains(const Session& session) {
    constexpr std::uint32_t kMostBonds = 200;
    constexpr std::size_t kLoopsToRead = 50;
    CausalGains gains;
    if (session.graph->bond_components > kMostBonds) {
        gains.none_because = fmt::format("the model has more than {} bonds", kMostBonds);
        return gains;
    }
    try {
        gains.flow = flow_of(session, *session.causal, {}, analysis::Dynamics::transfer);
    } catch (const analysis::NoGains& why) {
        gains.none_because = why.what();
        return gains;
    }
    gains.loops = analysis::loops_of(analysis::simplified(*gains.flow), kLoopsToRead);
    if (!gains.loops) gains.none_because = fmt::format("there are more than {}", kLoopsToRead);
    return gains;
}

std::optional<std::string> gain_along(const SignalFlow& flow, const std::vector<model::VariableId>& path) {
    Laurent gain = 1.0;
    for (std::size_t k = 1; k < path.size(); ++k) {
        const std::pair ends(path[k - 1].value, path[k].value);
        const auto edge =
            std::lower_bound(flow.edges.begin(), flow.edges.end(), ends,
                             [](const analysis::FlowEdge& e, const auto& x) { return std::pair(e.from, e.to) < x; });
        if (edge == flow.edges.end() || std::pair(edge->from, edge->to) != ends) return std::nullopt;
        gain = gain * edge->gain;
    }
    return analysis::text(gain, flow.names);
}

}  // namespace bondgraph::api
