// One body over all signal blocks of the catalogue: what a block gives doesn't depend on how its model is written, and
// does depend on each of its inputs and parameters.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bondgraph/elements/catalogue.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// Settings that show what a block does within two seconds, where its example has others.
const std::map<std::string, std::string> kShown = {
    {"Sine", "amplitude: 2, frequency: 0.4 Hz"},
    {"SampleHold", "period: 0.3"},
    {"Pulse", "period: 0.5, width: 0.2, rising: 0.05"},
    {"Greater", "threshold: 0.5"},
    {"Delay", "T: 0.3 s, past: 0.2"},
    {"Step", "height: 3, start: 0.4"},
    {"Relay", "closes_above: 0.5, opens_below: -0.5"},
    {"Integrator", "initial: {y: 0.3}"},
    {"Sum", "k: [1, -2]"},
    {"Constant", "k: 2"},
};

struct Block {
    const model::ComponentType* type;
    std::string settings;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};

std::string settings_in(std::string_view example) {
    const auto comma = example.find(',');
    if (comma == std::string_view::npos) return "";
    return std::string(example.substr(comma + 2, example.rfind('}') - comma - 2));
}

std::vector<Block> blocks() {
    std::vector<Block> result;
    const model::Catalogue catalogue = elements::standard_catalogue();
    for (const model::ComponentType* type : catalogue.types()) {
        if (type->structure != model::Structure::block || !type->ports.empty() || !type->connectors.empty() ||
            type->pattern != model::PortPattern::fixed || type->outputs.empty() || !type->alias_of.empty())
            continue;
        Block b{type, settings_in(type->example), {}, {}};
        if (const auto shown = kShown.find(std::string(type->name)); shown != kShown.end()) b.settings = shown->second;
        for (const model::SignalSpec& s : type->inputs) {
            if (s.many)
                b.inputs.insert(b.inputs.end(), {"u1", "u2"});
            else
                b.inputs.emplace_back(s.name);
        }
        for (const model::SignalSpec& s : type->outputs) b.outputs.emplace_back(s.name);
        result.push_back(std::move(b));
    }
    return result;
}

/// How a model with a block is written.
struct Writing {
    std::string more_settings = {};
    bool backwards = false;
    bool wrapped = false;
    bool through_gains = false;
    bool switching_beside = false;
    std::string other_input = {};  ///< gets a signal of another size
};

std::string model_of(const Block& b, const Writing& how) {
    std::string block = "{type: " + std::string(b.type->name);
    if (!b.settings.empty()) block += ", " + b.settings;
    if (!how.more_settings.empty()) block += ", " + how.more_settings;
    block += "}";
    std::vector<std::string> components;
    std::vector<std::string> signals;
    for (std::size_t k = 0; k < b.inputs.size(); ++k) {
        const std::string source = "s" + std::to_string(k);
        const std::string size = b.inputs[k] == how.other_input ? "1.7" : "1";
        components.push_back("  " + source + ": {type: Sine, amplitude: " + size +
                             ", frequency: " + (k == 0 ? "0.9 Hz" : "0.35 Hz") + "}\n");
        if (how.through_gains) {
            components.push_back("  g" + std::to_string(k) + ": {type: Gain, k: 1}\n");
            signals.push_back(source + ".y -> g" + std::to_string(k) + ".u");
            signals.push_back("g" + std::to_string(k) + ".y -> b." + b.inputs[k]);
        } else {
            signals.push_back(source + ".y -> b." + b.inputs[k]);
        }
    }
    std::string text = "model: block\n";
    if (how.wrapped) {
        text += "types:\n  Wrapped:\n";
        if (!b.inputs.empty()) {
            text += "    inputs: [";
            for (const std::string& name : b.inputs) text += (text.back() == '[' ? "" : ", ") + name;
            text += "]\n";
        }
        text += "    outputs: [";
        for (const std::string& name : b.outputs) text += (text.back() == '[' ? "" : ", ") + name;
        text += "]\n    components:\n      inner: " + block + "\n    signals:\n";
        for (const std::string& name : b.inputs) text += "      - " + name + " -> inner." + name + "\n";
        for (const std::string& name : b.outputs) text += "      - inner." + name + " -> " + name + "\n";
        components.emplace_back("  b: {type: Wrapped}\n");
    } else {
        components.push_back("  b: " + block + "\n");
    }
    for (const std::string& name : b.outputs) {
        components.push_back("  see_" + name + ": {type: Gain, k: 1}\n");
        signals.push_back("b." + name + " -> see_" + name + ".u");
    }
    if (how.switching_beside) {
        components.emplace_back("  U: {type: Se, e: 'sin(7*time)'}\n");
        components.emplace_back("  loop: {type: 1}\n");
        components.emplace_back("  d: {type: D}\n");
        components.emplace_back("  load: {type: R, R: 2}\n");
    }
    if (how.backwards) {
        std::ranges::reverse(components);
        std::ranges::reverse(signals);
    }
    text += "components:\n";
    for (const std::string& line : components) text += line;
    if (how.switching_beside) text += "bonds: [U -> loop, loop -> d, loop -> load]\n";
    text += "signals: [";
    for (const std::string& line : signals) text += (text.back() == '[' ? "" : ", ") + line;
    return text + "]\n";
}

std::vector<double> run(const Block& b, const Writing& how = {}) {
    Pipeline p(model_of(b, how));
    simulation::Settings settings;
    settings.stop = 2.0;
    settings.interval = 0.05;
    settings.tolerance = 1e-9;
    for (int k = 0; k < 150; ++k) settings.also_at.push_back(0.0131 * k + 0.0317);
    std::vector<std::string> names;
    for (const std::string& name : b.outputs) names.push_back("see_" + name + ".y");
    const auto done = p.run(settings, names);
    EXPECT_FALSE(done.summary.failure);
    // Events are rows of their own: of each time the last one, at the times asked for.
    std::map<double, std::vector<double>> rows;
    for (std::size_t r = 0; r < done.result.time.size(); ++r) {
        std::vector<double>& row = rows[done.result.time[r]];
        row.clear();
        for (std::size_t c = 0; c < names.size(); ++c) row.push_back(done.result.at(r, c));
    }
    std::vector<double> all;
    const auto take = [&](double time) {
        auto at = rows.lower_bound(time - 1e-12);
        if (at != rows.end()) all.insert(all.end(), at->second.begin(), at->second.end());
    };
    for (const double time : settings.also_at) take(time);
    return all;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

class SignalBlocks : public ::testing::TestWithParam<Block> {};

TEST_P(SignalBlocks, GiveTheSameHoweverTheModelIsWritten) {
    const Block& b = GetParam();
    const std::vector<double> plain = run(b);
    ASSERT_FALSE(plain.empty());
    EXPECT_LE(apart(run(b, {.backwards = true}), plain), 1e-9) << "lines backwards";
    EXPECT_LE(apart(run(b, {.wrapped = true}), plain), 1e-9) << "wrapped in a type";
    EXPECT_LE(apart(run(b, {.switching_beside = true}), plain), 1e-7) << "something switching beside it";
    EXPECT_LE(apart(run(b, {.wrapped = true, .switching_beside = true}), plain), 1e-7) << "both";
    EXPECT_LE(apart(run(b, {.through_gains = true}), plain), 1e-9) << "signals by way of gains";
}

TEST_P(SignalBlocks, DependOnEachInput) {
    const Block& b = GetParam();
    const std::vector<double> plain = run(b);
    for (const std::string& input : b.inputs) EXPECT_GT(apart(run(b, {.other_input = input}), plain), 0.01) << input;
}

TEST_P(SignalBlocks, DependOnEachParameter) {
    const Block& b = GetParam();
    const std::vector<double> plain = run(b);
    for (const model::ParameterSpec& p : b.type->parameters) {
        const std::string name(p.name);
        const bool given = (", " + b.settings).find(", " + name + ":") != std::string::npos;
        if (given || p.kind != model::ParameterKind::number || p.shape == model::Shape::matrix || !p.default_value)
            continue;
        const std::string as_default = fmt::format("{}: {}", name, *p.default_value);
        EXPECT_EQ(apart(run(b, {.more_settings = as_default}), plain), 0.0) << as_default;
        const std::string other = fmt::format("{}: {}", name, *p.default_value * 1.2 + 0.07);
        EXPECT_GT(apart(run(b, {.more_settings = other}), plain), 1e-3) << other;
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SignalBlocks, ::testing::ValuesIn(blocks()),
                         [](const auto& info) { return std::string(info.param.type->name); });

TEST(SignalBlocksList, HasTheBlocksOfTheCatalogue) { EXPECT_GE(blocks().size(), 13U); }

}  // namespace
}  // namespace bondgraph
