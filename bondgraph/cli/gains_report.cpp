#include "bondgraph/cli/gains_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {

using Json = nlohmann::ordered_json;
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

Json symbols_json(const SignalFlow& flow) {
    Json report = Json::object();
    for (const analysis::Symbol& s : flow.symbols) report[s.name] = s.value;
    return report;
}

std::string symbols_text(const SignalFlow& flow, const std::vector<Laurent>& gains) {
    std::vector<bool> occurs(flow.symbols.size(), false);
    for (const Laurent& gain : gains) {
        for (const auto& [monomial, number] : gain.terms()) {
            for (const auto& [symbol, exponent] : monomial) {
                if (symbol != analysis::kFrequency) occurs[symbol - 1] = true;
            }
        }
    }
    std::string text;
    for (std::size_t k = 0; k < flow.symbols.size(); ++k) {
        if (!occurs[k]) continue;
        const analysis::Symbol& s = flow.symbols[k];
        text += fmt::format("{}{} = {:.6g}", text.empty() ? "with " : ", ", s.name, s.value);
        // An element's name alone doesn't tell whether it is a stiffness or a compliance.
        if (s.path.starts_with(s.name + ".")) text += fmt::format(" ({})", s.path);
    }
    return text;
}

namespace {

std::vector<Laurent> gains_of(const std::vector<FlowPath>& paths) {
    std::vector<Laurent> gains;
    for (const FlowPath& path : paths) gains.push_back(path.gain);
    return gains;
}

}  // namespace

NamedPath named(const SignalFlow& flow, const FlowPath& path) {
    NamedPath result{{}, analysis::text(path.gain, flow.names)};
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

std::string gains_text(const CausalGains& gains) {
    if (!gains.loops) return heading(fmt::format("Gains of causal loops: not shown, {}", gains.none_because));
    if (gains.loops->empty()) return heading("Causal loops: none");
    std::string text = heading("Causal loops and their gains (1/s: an integration)");
    Table table({Align::left, Align::left});
    for (const FlowPath& loop : *gains.loops) {
        NamedPath p = named(*gains.flow, loop);
        p.nodes.push_back(p.nodes.front());
        table.add({p.gain, fmt::format("{}", fmt::join(p.nodes, " > "))});
    }
    text += table.text();
    if (const std::string symbols = symbols_text(*gains.flow, gains_of(*gains.loops)); !symbols.empty())
        text += "  " + symbols + "\n";
    return text;
}

Json loops_json(const CausalGains& gains) {
    if (!gains.loops) return nullptr;
    Json list = Json::array();
    for (const FlowPath& loop : *gains.loops) {
        const NamedPath p = named(*gains.flow, loop);
        list.push_back({{"nodes", p.nodes}, {"gain", p.gain}});
    }
    return list;
}

namespace {

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

}  // namespace

std::vector<MasonReport> mason_reports(const SignalFlow& flow, const analysis::LinearModel& linear) {
    std::vector<MasonReport> reports;
    std::vector<std::string> left_out;
    for (std::size_t i = 0; i < linear.inputs.size(); ++i) {
        const auto input = std::find_if(flow.inputs.begin(), flow.inputs.end(),
                                        [&](std::uint32_t n) { return flow.nodes[n] == linear.inputs[i]; });
        for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
            auto rule = analysis::mason(flow, *input, flow.outputs[o]);
            if (!rule) {
                const std::string why = fmt::format(
                    "between {} and {} lie more than {} loops or {} paths; --tf gives the transfer function",
                    linear.inputs[i], linear.outputs[o], analysis::kMostLoops, analysis::kMostForwardPaths);
                left_out.push_back(why);
                continue;
            }
            const auto difference = disagreement(flow, rule->transfer, analysis::channel(linear, i, o), linear);
            reports.push_back({linear.inputs[i], linear.outputs[o], std::move(*rule), difference});
        }
    }
    if (reports.empty() && !left_out.empty()) throw UsageError("--mason: " + left_out.front());
    for (const std::string& why : left_out) say(fmt::format("warning: --mason leaves one out: {}\n", why));
    return reports;
}

namespace {

Json paths_json(const SignalFlow& flow, const std::vector<FlowPath>& paths) {
    Json list = Json::array();
    for (const FlowPath& path : paths) {
        const NamedPath p = named(flow, path);
        list.push_back({{"nodes", p.nodes}, {"gain", p.gain}});
    }
    return list;
}

std::string numbers_text(const char* letter, const std::vector<std::uint32_t>& set) {
    std::string text;
    for (const std::uint32_t k : set) text += fmt::format("{}{}{}", text.empty() ? "" : "*", letter, k + 1);
    return text;
}

/// "1 - L1 - L2 + L1*L2"
std::string determinant_text(const analysis::Mason& m) {
    std::string text = "1";
    for (std::size_t k = 0; k < m.loops.size(); ++k) text += fmt::format(" - L{}", k + 1);
    for (const auto& set : m.non_touching) text += (set.size() % 2 == 0 ? " + " : " - ") + numbers_text("L", set);
    return text;
}

void add_paths(std::string& text, const SignalFlow& flow, const char* title, const char* letter,
               const std::vector<FlowPath>& paths, bool closed) {
    if (paths.empty()) {
        text += fmt::format("  {}: none\n", title);
        return;
    }
    text += fmt::format("  {}\n", title);
    Table table({Align::left, Align::left, Align::left});
    for (std::size_t k = 0; k < paths.size(); ++k) {
        NamedPath p = named(flow, paths[k]);
        if (closed) p.nodes.push_back(p.nodes.front());
        table.add({fmt::format("  {}{}", letter, k + 1), p.gain, fmt::format("{}", fmt::join(p.nodes, " > "))});
    }
    text += table.text();
}

}  // namespace

Json mason_json(const SignalFlow& flow, const std::vector<MasonReport>& reports) {
    Json list = Json::array();
    for (const MasonReport& r : reports) {
        Json report{{"input", r.input}, {"output", r.output}, {"paths", paths_json(flow, r.mason.paths)}};
        for (std::size_t k = 0; k < r.mason.paths.size(); ++k)
            report["paths"][k]["cofactor"] = analysis::text(r.mason.cofactors[k], flow.names);
        report["loops"] = paths_json(flow, r.mason.loops);
        report["non_touching"] = r.mason.non_touching;
        report["determinant"] = analysis::text(r.mason.determinant, flow.names);
        report["numerator"] = analysis::text(r.mason.transfer.numerator, flow.names);
        report["denominator"] = analysis::text(r.mason.transfer.denominator, flow.names);
        report["disagreement"] = r.disagreement ? Json(*r.disagreement) : Json(nullptr);
        list.push_back(std::move(report));
    }
    return {{"parameters", symbols_json(flow)}, {"channels", std::move(list)}};
}

std::string mason_text(const SignalFlow& flow, const std::vector<MasonReport>& reports) {
    std::string text;
    for (const MasonReport& r : reports) {
        const analysis::Mason& m = r.mason;
        text += heading(fmt::format("Mason's rule for {} / {}", r.output, r.input));
        add_paths(text, flow, "Forward paths", "P", m.paths, false);
        add_paths(text, flow, "Loops", "L", m.loops, true);
        Table rule({Align::left, Align::left, Align::left});
        rule.add({"Determinant", "D", "= " + determinant_text(m)});
        std::string sum;
        for (std::size_t k = 0; k < m.paths.size(); ++k) {
            const bool touches_all = m.cofactors[k].is_number(1.0);
            rule.add({k == 0 ? "Cofactors" : "", fmt::format("D{}", k + 1),
                      "= " + analysis::text(m.cofactors[k], flow.names) +
                          (touches_all && !m.loops.empty() ? "  (every loop touches the path)" : "")});
            sum += fmt::format("{}P{}*D{}", sum.empty() ? "" : " + ", k + 1, k + 1);
        }
        if (m.paths.empty())
            sum = "0";
        else
            sum = (m.paths.size() > 1 ? "(" + sum + ")" : sum) + "/D";
        rule.add({"Transfer", "H", "= " + sum});
        rule.add({"", "", "= " + analysis::text(m.transfer, flow.names)});
        text += rule.text();
        std::vector<Laurent> shown = gains_of(m.loops);
        for (const FlowPath& path : m.paths) shown.push_back(path.gain);
        if (const std::string symbols = symbols_text(flow, shown); !symbols.empty()) text += "  " + symbols + "\n";
        if (!r.disagreement)
            text += "  With these values it reads 0/0; the matrices A, B, C, D say what it tends to.\n";
        else if (*r.disagreement <= analysis::kTrusted)
            text += "  The matrices A, B, C, D give the same.\n";
        else
            text += fmt::format("  CAUTION: the matrices A, B, C, D differ by {:.2g}.\n", *r.disagreement);
    }
    return text;
}

}  // namespace bondgraph::cli
