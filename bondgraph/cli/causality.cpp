#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/mode_report.hpp"
#include "bondgraph/cli/by_hand.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/mason_report.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

using api::Causality;
using Stroke = api::CausalBond::Stroke;

struct CausalityOptions {
    std::string model;
    std::string format = "text";
    bool expand = false;
    std::vector<std::string> placed;
    std::optional<std::string> at;
    std::vector<std::string> settings;
    bool all_errors = false;
};

const char* stroke_word(Stroke stroke) {
    switch (stroke) {
        case Stroke::at_from:
            return "from";
        case Stroke::at_to:
            return "to";
        case Stroke::open:
            break;
    }
    return "open";
}

const char* drawing(Stroke stroke) {
    switch (stroke) {
        case Stroke::at_from:
            return "|-->";
        case Stroke::at_to:
            return "-->|";
        case Stroke::open:
            break;
    }
    return "--->";
}

std::string causality_json(const Causality& causality) {
    using Json = nlohmann::ordered_json;
    Json report{{"modes", api::mode_json(causality.modes)},
                {"bonds", Json::array()},
                {"storages", Json::array()},
                {"paths", Json::array()},
                {"loops", Json::array()}};
    for (const api::CausalBond& bond : causality.bonds) {
        report["bonds"].push_back({{"name", bond.name},
                                   {"from", bond.from},
                                   {"to", bond.to},
                                   {"component", bond.component + 1},
                                   {"stroke", stroke_word(bond.stroke)},
                                   {"reason", bond.reason},
                                   {"kind", bond.kind}});
    }
    for (const api::CausalStorage& storage : causality.storages) {
        report["storages"].push_back({{"name", storage.name},
                                      {"causality", storage.integral ? "integral" : "derivative"},
                                      {"depends_on", storage.depends_on}});
    }
    for (const api::CausalPath& path : causality.paths) {
        report["paths"].push_back({{"from", path.from},
                                   {"to", path.to},
                                   {"variables", path.variables},
                                   {"gain", path.gain ? Json(*path.gain) : Json(nullptr)}});
    }
    for (const api::AlgebraicLoop& loop : causality.algebraic_loops)
        report["loops"].push_back({{"elements", loop.elements}, {"path", loop.path}});
    report["causal_loops"] = nullptr;
    if (causality.causal_loops) {
        report["causal_loops"] = Json::array();
        for (const api::CausalLoop& loop : *causality.causal_loops)
            report["causal_loops"].push_back({{"nodes", loop.nodes}, {"gain", loop.gain}});
    }
    report["parameters"] = parameters_json(causality.parameters);
    return api::json_text(report);
}

std::string mode_line(const Causality& causality) {
    return causality.modes.empty() ? "" : fmt::format("Structure with {}\n", api::mode_text(causality.modes));
}

std::string strokes_text(const Causality& causality) {
    Table table({Align::left, Align::right, Align::left, Align::left, Align::left});
    std::set<std::array<std::string, 3>> told;
    for (const api::CausalBond& bond : causality.bonds) {
        if (bond.frames && !told.insert({bond.from, bond.to, drawing(bond.stroke)}).second) continue;
        const std::string index = bond.size > 1 ? fmt::format("[{}]", bond.component + 1) : "";
        table.add({bond.frames ? "" : bond.name + index, bond.from, drawing(bond.stroke), bond.to, bond.reason});
    }
    return heading("Causal strokes (| at the end on which the effort acts, > the direction of positive power)") +
           table.text();
}

std::string storages_text(const Causality& causality) {
    if (causality.storages.empty()) return "";
    Table table({Align::left, Align::left, Align::left});
    for (const api::CausalStorage& storage : causality.storages) {
        table.add(
            {storage.name, storage.integral ? "integral" : "derivative",
             storage.depends_on.empty() ? "" : fmt::format("determined by {}", fmt::join(storage.depends_on, ", "))});
    }
    return heading("Storages") + table.text();
}

std::string paths_text(const Causality& causality, std::size_t most) {
    if (causality.paths.empty()) return "";
    Table table({Align::left, Align::left, Align::left});
    for (const api::CausalPath& path : causality.paths) {
        table.add({fmt::format("{} -> {}", path.from, path.to), fmt::format("{}", fmt::join(path.variables, " > ")),
                   path.gain ? "gain " + *path.gain : ""});
    }
    const std::string more = causality.paths.size() == most ? fmt::format("  … (the first {})\n", most) : "";
    return heading("Causal paths") + table.text() + more;
}

std::string loops_text(const Causality& causality) {
    if (causality.algebraic_loops.empty()) return heading("Algebraic loops: none");
    std::string text = heading("Algebraic loops");
    for (const api::AlgebraicLoop& loop : causality.algebraic_loops) {
        auto path = loop.path;
        if (!path.empty()) path.push_back(path.front());
        text += fmt::format("  {}: {}\n", fmt::join(loop.elements, ", "), fmt::join(path, " > "));
    }
    return text;
}

std::string gains_text(const Causality& causality) {
    if (!causality.causal_loops)
        return heading(fmt::format("Gains of causal loops: not shown, {}", causality.no_loops_because));
    if (causality.causal_loops->empty()) return heading("Causal loops: none");
    std::string text = heading("Causal loops and their gains (1/s: an integration)");
    Table table({Align::left, Align::left});
    for (const api::CausalLoop& loop : *causality.causal_loops) {
        auto nodes = loop.nodes;
        nodes.push_back(nodes.front());
        table.add({loop.gain, fmt::format("{}", fmt::join(nodes, " > "))});
    }
    text += table.text();
    if (const std::string with = parameters_text(causality.parameters); !with.empty()) text += "  " + with + "\n";
    return text;
}

int show_causality(const CausalityOptions& options) {
    constexpr std::size_t kMostPaths = 200;
    const api::Model model = load_and_warn(options.model, options.settings);
    if (!options.placed.empty() && options.at)
        throw UsageError("--placed judges strokes of the mode at the start: it does not go with --at");
    if (!options.placed.empty()) return judge_strokes(model, options.placed, options.format == "json");
    const Causality causality = value_of(model.causality(
        {.values = {}, .expand = options.expand, .most_paths = kMostPaths, .mode = mode_at(model, options.at)}));
    if (options.format == "json") {
        put(causality_json(causality));
        return kDone;
    }
    const bool inside = options.expand || !causality.wrapped;
    put(mode_line(causality) + strokes_text(causality) + storages_text(causality) +
        (inside ? paths_text(causality, kMostPaths) : "") + loops_text(causality) +
        (inside ? gains_text(causality) : ""));
    return kDone;
}

}  // namespace

void add_causality(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand(
        "causality", "Show the causal strokes, how each was found, paths and loops");
    const auto options = std::make_shared<CausalityOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    command->add_flag("--expand", options->expand, "Show the multibonds inside joints, bodies and other wrapped parts");
    add_at_option(*command, options->at);
    command
        ->add_option("--placed", options->placed,
                     "Judge strokes that you have placed, one after the other; a text without '=' is a file of them")
        ->type_name("BOND=END")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return show_causality(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
