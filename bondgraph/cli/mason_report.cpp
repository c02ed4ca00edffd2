#include "bondgraph/cli/mason_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {

using Json = nlohmann::ordered_json;

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

std::string numbers_text(const char* letter, const std::vector<std::uint32_t>& set) {
    std::string text;
    for (const std::uint32_t k : set) text += fmt::format("{}{}{}", text.empty() ? "" : "*", letter, k + 1);
    return text;
}

/// "1 - L1 - L2 + L1*L2"
std::string determinant_text(const api::MasonChannel& channel) {
    std::string text = "1";
    for (std::size_t k = 0; k < channel.loops.size(); ++k) text += fmt::format(" - L{}", k + 1);
    for (const auto& set : channel.non_touching) text += (set.size() % 2 == 0 ? " + " : " - ") + numbers_text("L", set);
    return text;
}

std::string ways_text(const char* title, const Table& table) {
    if (table.empty()) return fmt::format("  {}: none\n", title);
    return fmt::format("  {}\n", title) + table.text();
}

std::string paths_text(const api::MasonChannel& channel) {
    Table table({Align::left, Align::left, Align::left});
    for (std::size_t k = 0; k < channel.paths.size(); ++k) {
        const api::ForwardPath& path = channel.paths[k];
        table.add({fmt::format("  P{}", k + 1), path.gain, fmt::format("{}", fmt::join(path.nodes, " > "))});
    }
    return ways_text("Forward paths", table);
}

std::string closed_paths_text(const api::MasonChannel& channel) {
    Table table({Align::left, Align::left, Align::left});
    for (std::size_t k = 0; k < channel.loops.size(); ++k) {
        auto nodes = channel.loops[k].nodes;
        nodes.push_back(nodes.front());
        table.add({fmt::format("  L{}", k + 1), channel.loops[k].gain, fmt::format("{}", fmt::join(nodes, " > "))});
    }
    return ways_text("Loops", table);
}

std::string rule_text(const api::MasonChannel& channel) {
    Table rule({Align::left, Align::left, Align::left});
    rule.add({"Determinant", "D", "= " + determinant_text(channel)});
    std::string sum;
    for (std::size_t k = 0; k < channel.paths.size(); ++k) {
        const api::ForwardPath& path = channel.paths[k];
        rule.add({k == 0 ? "Cofactors" : "", fmt::format("D{}", k + 1),
                  "= " + path.cofactor + (path.touched_by_all ? "  (every loop touches the path)" : "")});
        sum += fmt::format("{}P{}*D{}", sum.empty() ? "" : " + ", k + 1, k + 1);
    }
    if (channel.paths.empty())
        sum = "0";
    else
        sum = (channel.paths.size() > 1 ? "(" + sum + ")" : sum) + "/D";
    rule.add({"Transfer", "H", "= " + sum});
    rule.add({"", "", "= " + channel.transfer});
    return rule.text();
}

std::string agreement_text(const std::optional<double>& disagreement) {
    if (!disagreement) return "  With these values it reads 0/0; the matrices A, B, C, D say what it tends to.\n";
    if (*disagreement <= api::kTrustedDisagreement) return "  The matrices A, B, C, D give the same.\n";
    return fmt::format("  CAUTION: the matrices A, B, C, D differ by {:.2g}.\n", *disagreement);
}

}  // namespace

Json mason_json(const api::Mason& mason) {
    Json list = Json::array();
    for (const api::MasonChannel& c : mason.channels) {
        Json report{{"input", c.input}, {"output", c.output}, {"paths", Json::array()}};
        for (const api::ForwardPath& path : c.paths)
            report["paths"].push_back({{"nodes", path.nodes}, {"gain", path.gain}, {"cofactor", path.cofactor}});
        report["loops"] = Json::array();
        for (const api::CausalLoop& loop : c.loops)
            report["loops"].push_back({{"nodes", loop.nodes}, {"gain", loop.gain}});
        report["non_touching"] = c.non_touching;
        report["determinant"] = c.determinant;
        report["numerator"] = c.numerator;
        report["denominator"] = c.denominator;
        report["disagreement"] = c.disagreement ? Json(*c.disagreement) : Json(nullptr);
        list.push_back(std::move(report));
    }
    return {{"parameters", parameters_json(mason.parameters)}, {"channels", std::move(list)}};
}

std::string mason_text(const api::Mason& mason) {
    std::string text;
    for (const api::MasonChannel& c : mason.channels) {
        text += heading(fmt::format("Mason's rule for {} / {}", c.output, c.input));
        text += paths_text(c) + closed_paths_text(c) + rule_text(c);
        if (const std::string with = parameters_text(c.parameters); !with.empty()) text += "  " + with + "\n";
        text += agreement_text(c.disagreement);
    }
    return text;
}

}  // namespace bondgraph::cli
