#include "bondgraph/io/load_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;

model::Plot read_plot(YamlNode&& node, Diagnostics& diagnostics) {
    model::Plot plot;
    const SourcePosition position = node.position;
    const bool has_y = node.find("y") != nullptr;
    read_keys(std::move(node), "an entry of 'plots'",
              {{"title", [&](const YamlNode&,
                             YamlNode&& value) { plot.title = read_doc(std::move(value), {"title"}, diagnostics); }},
               {"y",
                [&](const YamlNode&, YamlNode&& value) {
                    if (value.kind == Kind::null) report_kind(value, {"y"}, "the name of a result", diagnostics);
                    plot.y = read_texts(std::move(value), "y", "the name of a result", diagnostics);
                }}},
              diagnostics);
    if (!has_y)
        diagnostics.error("BG-M039", position, "this plot shows nothing: 'y:' is missing",
                          {{"try", "name the results it shows, as in {title: Speed, y: [J.f]}"}});
    return plot;
}

/// The keys of an entry of `expect:` that hold a value; `error` and `source` are texts, all others name results.
struct ValueKey {
    std::string_view name;
    std::optional<model::Value> model::Expectation::*member;
};

constexpr std::array<ValueKey, 7> kValueKeys{{
    {"at", &model::Expectation::at},
    {"tolerance", &model::Expectation::tolerance},
    {"within", &model::Expectation::within},
    {"states", &model::Expectation::states},
    {"dependent_storages", &model::Expectation::dependent_storages},
    {"algebraic_loops", &model::Expectation::algebraic_loops},
    {"poles", &model::Expectation::poles},
}};

/// A key without a dot can't name a component's variable: one that is near a key of an expectation is that, misspelt.
std::string misspelt_key(const YamlNode& key) {
    if (key.scalar == "time" || key.scalar.find('.') != std::string::npos) return {};
    std::vector<std::string> names{"error", "source"};
    for (const ValueKey& known : kValueKeys) names.emplace_back(known.name);
    return did_you_mean(key.scalar, names);
}

void read_expectation_key(model::Expectation& expectation, YamlNode&& key, YamlNode&& value, Diagnostics& diagnostics) {
    const auto known = std::find_if(kValueKeys.begin(), kValueKeys.end(),
                                    [&](const ValueKey& candidate) { return candidate.name == key.scalar; });
    if (known != kValueKeys.end()) {
        expectation.*(known->member) = read_value(std::move(value), {known->name}, diagnostics);
    } else if (key.scalar == "error") {
        expectation.error =
            read_text(std::move(value), {"error"}, "the code of a message such as BG-M001", diagnostics);
    } else if (key.scalar == "source") {
        expectation.source = read_doc(std::move(value), {"source"}, diagnostics);
    } else if (const std::string hint = misspelt_key(key); !hint.empty()) {
        diagnostics.error("BG-M036", key.position,
                          fmt::format("unknown key {} in an entry of 'expect'{}", quoted_excerpt(key.scalar), hint));
    } else if (auto expected = read_value(std::move(value), {key.scalar}, diagnostics)) {
        expectation.values.push_back({text_of(std::move(key)), *std::move(expected)});
    }
}

bool expects_structure(const YamlNode& node) {
    constexpr std::array<std::string_view, 5> kFacts{"states", "dependent_storages", "algebraic_loops", "poles",
                                                     "error"};
    return std::any_of(kFacts.begin(), kFacts.end(), [&](std::string_view key) { return node.find(key) != nullptr; });
}

model::Expectation read_expectation(YamlNode&& node, Diagnostics& diagnostics) {
    model::Expectation expectation;
    expectation.position = node.position;
    const bool has_at = node.find("at") != nullptr;
    const bool structure = expects_structure(node);
    const std::size_t errors_before = diagnostics.error_count();
    for (std::size_t i = 0; i < node.size(); ++i)
        read_expectation_key(expectation, std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]),
                             diagnostics);
    if (!expectation.values.empty() && !has_at) {
        diagnostics.error("BG-M035", expectation.values.front().key.position,
                          fmt::format("{} is expected at no time: 'at:' is missing",
                                      quoted_excerpt(expectation.values.front().key.text)),
                          {{"try", "say when, as in {at: 2 s, J.f: 235.3}"}});
    } else if (expectation.values.empty() && !structure && diagnostics.error_count() == errors_before) {
        diagnostics.error("BG-M035", expectation.position, "this entry of 'expect' expects nothing",
                          {{"try",
                            "give a result and a time, as in {at: 2 s, J.f: 235.3}, or a fact such as "
                            "{dependent_storages: 1}"}});
    }
    return expectation;
}

}  // namespace

model::Experiment load_experiment(YamlNode&& node, Diagnostics& diagnostics) {
    model::Experiment experiment;
    if (!is_map(node, {"experiment"}, diagnostics, "write 'experiment: {stop: 2 s}'")) return experiment;
    const auto into = [&](std::optional<model::Value>& target) {
        return [&](const YamlNode& key, YamlNode&& value) {
            target = read_value(std::move(value), {key.scalar}, diagnostics);
        };
    };
    read_keys(std::move(node), "'experiment'",
              {{"start", into(experiment.start)},
               {"stop", into(experiment.stop)},
               {"tolerance", into(experiment.tolerance)},
               {"interval", into(experiment.interval)}},
              diagnostics);
    return experiment;
}

std::vector<model::Plot> load_plots(YamlNode&& node, Diagnostics& diagnostics) {
    std::vector<model::Plot> plots;
    if (!is_list(node, {"plots"}, diagnostics, "begin each plot with '- ', as in '- {title: Speed, y: [J.f]}'"))
        return plots;
    for (YamlNode& child : node.children) {
        if (child.kind == Kind::map)
            plots.push_back(read_plot(std::move(child), diagnostics));
        else
            report_kind(child, {"plots", true}, "a map such as {title: Speed, y: [J.f]}", diagnostics);
    }
    return plots;
}

std::vector<model::Expectation> load_expectations(YamlNode&& node, Diagnostics& diagnostics) {
    std::vector<model::Expectation> expectations;
    if (!is_list(node, {"expect"}, diagnostics, "begin each entry with '- ', as in '- {at: 2 s, J.f: 235.3}'"))
        return expectations;
    for (YamlNode& child : node.children) {
        if (child.kind == Kind::map)
            expectations.push_back(read_expectation(std::move(child), diagnostics));
        else
            report_kind(child, {"expect", true}, "a map such as {at: 2 s, J.f: 235.3}", diagnostics);
    }
    return expectations;
}

}  // namespace bondgraph::io
