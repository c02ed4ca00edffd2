#include "bondgraph/cli/mason_report.hpp"

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

Json parameters_json(const std::vector<api::GainParameter>& parameters) {
    Json report = Json::object();
    for (const api::GainParameter& p : parameters) report[p.name] = p.value;
    return report;
}

std::string parameters_text(const std::vector<api::GainParameter>& parameters) {
    std::string text;
    for (const api::GainParameter& p : parameters) {
        if (!p.occurs) continue;
        text += fmt::format("{}{} = {:.6g}", text.empty() ? "with " : ", ", p.name, p.value);
        // An element's name alone doesn't tell whether it is a stiffness or a compliance.
        if (p.path.starts_with(p.name + ".")) text += fmt::format(" ({})", p.path);
    }
    return text;
}

namespace {

std::vector<Laurent> gains_of(const std::vector<FlowPath>& paths) {
    std::vector<Laurent> gains;
    for (const FlowPath& path : paths) gains.push_back(path.gain);
    return gains;
}

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
        const api::CausalLoop p = api::named(flow, path);
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
        api::CausalLoop p = api::named(flow, paths[k]);
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
    return {{"parameters", parameters_json(api::gain_parameters(flow, {}))}, {"channels", std::move(list)}};
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
        if (const std::string with = parameters_text(api::gain_parameters(flow, shown)); !with.empty())
            text += "  " + with + "\n";
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
