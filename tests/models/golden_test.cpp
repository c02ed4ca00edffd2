// Textbook systems: what they are must not depend on the order in which they are written, nor on how arrows are drawn.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Poles = std::vector<std::complex<double>>;

struct Golden {
    const char* file;
    std::size_t states;
    std::size_t dependent;
    std::size_t loops;
    Poles poles;
    bool one_sided = true;  ///< what drives it (sources, start values) lies on one side of every bond between junctions
};

// Structure and poles from exact rational arithmetic.
std::vector<Golden> golden() {
    return {
        {"electrical/rc.yaml", 1, 0, 0, {-1000.0}},
        {"electrical/rl.yaml", 1, 0, 0, {-4.0}},
        {"electrical/series_rlc.yaml", 2, 0, 0, {{-0.5, 0.8660254}, {-0.5, -0.8660254}}},
        {"electrical/parallel_rlc.yaml", 2, 0, 0, {{-0.5, 0.8660254}, {-0.5, -0.8660254}}},
        {"electrical/voltage_divider.yaml", 0, 0, 1, {}},
        {"electrical/parallel_capacitors.yaml", 1, 1, 0, {-1.0 / 3.0}},
        {"electrical/capacitor_on_voltage_source.yaml", 0, 1, 0, {}},
        {"electrical/loaded_lc_filter.yaml", 2, 0, 0, {{-0.75, 0.96824584}, {-0.75, -0.96824584}}},
        {"translational/mass_spring_damper.yaml", 2, 0, 0, {{-0.25, 1.98431348}, {-0.25, -1.98431348}}},
        {"translational/rigidly_joined_masses.yaml", 1, 1, 0, {-1.0 / 3.0}},
        {"translational/lever.yaml", 2, 1, 0, {{0.0, 0.48507125}, {0.0, -0.48507125}}},
        {"translational/half_car.yaml",
         4,
         0,
         0,
         {{-1.420495536, 5.988495085},
          {-1.420495536, -5.988495085},
          {-1.924504464, 6.900463869},
          {-1.924504464, -6.900463869}}},
        {"rotational/geared_shaft.yaml", 3, 0, 0, {-0.22224, {-2.3889, 29.904}, {-2.3889, -29.904}}},
        {"electromechanical/motor_step_response.yaml", 2, 0, 0, {-2.002500782, -9.997499218}},
        {"electromechanical/hoist.yaml", 2, 1, 0, {-1.9983, -0.0016681}},
        {"electromechanical/loudspeaker.yaml", 3, 0, 0, {-11575.2, {-237.42, 217.49}, {-237.42, -217.49}}},
        {"hydraulic/cascaded_tanks.yaml", 2, 0, 0, {-0.381966011, -2.618033989}},
        {"hydraulic/ram_incompressible.yaml", 1, 0, 0, {-82.0}},
        {"thermal/wall.yaml", 2, 0, 0, {-0.10685, -1.5598}, false},
    };
}

void PrintTo(const Golden& g, std::ostream* out) { *out << g.file; }

class GoldenBondGraph : public testing::TestWithParam<Golden> {};

std::string test_name(const testing::TestParamInfo<Golden>& info) {
    std::string name = info.param.file;
    name = name.substr(name.find('/') + 1);
    return name.substr(0, name.find('.'));
}

void expect_poles(const Poles& found, const Poles& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    Poles left = found;
    for (const auto& e : expected) {
        const auto at = std::min_element(left.begin(), left.end(),
                                         [&](auto a, auto b) { return std::abs(a - e) < std::abs(b - e); });
        EXPECT_LT(std::abs(*at - e), tolerance * std::max(1.0, std::abs(e))) << "pole " << e << ", nearest " << *at;
        left.erase(at);
    }
}

void expect_structure(Pipeline& p, const Golden& g) {
    EXPECT_EQ(p.compiled().state_count, g.states);
    EXPECT_EQ(p.causal().dependent_storage_count(), g.dependent);
    EXPECT_EQ(p.causal().loops.size(), g.loops);
}

// The poles of the model as it is written, found once and to all digits.
Poles own_poles(const Golden& g) {
    Pipeline p(test::load_file(test::model_path(g.file)));
    return p.linear().eigenvalues;
}

template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& engine) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[engine() % i]);
}

// Values of component results in the middle of a run, and how large they became.
struct Ending {
    std::vector<double> values;
    std::vector<double> scale;
};

Ending ending(Pipeline& p, const std::vector<std::string>& names) {
    simulation::Settings settings = p.settings();
    settings.tolerance = 1e-8;
    settings.interval = settings.stop / 50.0;
    const simulation::Run run = p.run(settings, names);
    EXPECT_FALSE(run.summary.failure);
    Ending end;
    for (std::size_t k = 0; k < names.size(); ++k) {
        double most = 0.0;
        for (std::size_t r = 0; r < run.result.time.size(); ++r) most = std::max(most, std::abs(run.result.at(r, k)));
        end.values.push_back(run.result.at(run.result.time.size() / 2, k));
        end.scale.push_back(most);
    }
    return end;
}

bool is_junction_name(const Pipeline& p, const std::string& end) {
    return std::any_of(p.model().body.components.begin(), p.model().body.components.end(),
                       [&](const auto& c) { return c.name.text == end && (c.type.text == "0" || c.type.text == "1"); });
}

TEST_P(GoldenBondGraph, HasTheStructureAndPolesOfTheTextbook) {
    Pipeline p(test::load_file(test::model_path(GetParam().file)));
    expect_structure(p, GetParam());
    expect_poles(own_poles(GetParam()), GetParam().poles, 1e-4);
}

TEST_P(GoldenBondGraph, IsTheSameInWhateverOrderItIsWritten) {
    const Poles poles = own_poles(GetParam());
    std::mt19937_64 engine(7);
    for (int trial = 0; trial < 20; ++trial) {
        model::Model model = test::load_file(test::model_path(GetParam().file));
        shuffle(model.body.components, engine);
        shuffle(model.body.bonds, engine);
        Pipeline p(std::move(model));
        SCOPED_TRACE(trial);
        expect_structure(p, GetParam());
        expect_poles(p.linear().eigenvalues, poles, 1e-7);
    }
}

TEST_P(GoldenBondGraph, IsTheSameWithAnyHalfArrowTurnedRound) {
    const Poles poles = own_poles(GetParam());
    Pipeline drawn(test::load_file(test::model_path(GetParam().file)));
    const auto names = test::component_results(drawn.graph());
    const Ending expected = ending(drawn, names);
    for (std::size_t b = 0; b < drawn.model().body.bonds.size(); ++b) {
        model::Model model = test::load_file(test::model_path(GetParam().file));
        auto& bond = model.body.bonds[b];
        std::swap(bond.from, bond.to);
        SCOPED_TRACE(bond.from.text + " -> " + bond.to.text);
        const bool physical = is_junction_name(drawn, bond.from.text) && is_junction_name(drawn, bond.to.text);
        // In a mesh it decides whether two paths add or subtract: another system.
        if (physical && drawn.causal().meshes > 0) continue;
        Pipeline turned(std::move(model));
        expect_structure(turned, GetParam());
        expect_poles(turned.linear().eigenvalues, poles, 1e-7);
        if (physical && !GetParam().one_sided) continue;
        const Ending found = ending(turned, names);
        for (std::size_t k = 0; k < names.size(); ++k) {
            // Between two junctions the arrow is part of the physics: it may turn the sign of what lies behind it.
            const double a = physical ? std::abs(found.values[k]) : found.values[k];
            const double e = physical ? std::abs(expected.values[k]) : expected.values[k];
            EXPECT_NEAR(a, e, 1e-5 * expected.scale[k] + 1e-12) << names[k];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenBondGraph, testing::ValuesIn(golden()), test_name);

TEST(GoldenConflict, TwoVoltageSourcesAtOneNodeConflictHoweverTheyAreDrawn) {
    for (std::size_t b = 0; b < 3; ++b) {
        model::Model model = test::load_file(test::model_path("electrical/two_voltage_sources_conflict.yaml"));
        std::swap(model.body.bonds[b].from, model.body.bonds[b].to);
        Pipeline p(std::move(model));
        EXPECT_THAT(test::errors_of([&] { p.causal(); }), testing::ElementsAre("BG-C001"));
    }
}

// A turned half arrow turns the sign of that bond's own effort (at a 1-junction) or flow (elsewhere), so of its power.
TEST(HalfArrow, TurnedRoundAtAOneJunctionTurnsTheBondsEffort) {
    const auto value = [&](const std::string& bond, const std::string& name) {
        Pipeline p("components: {s: {type: Se, e: 2}, j: {type: 1}, r: {type: R, R: 4}}\nbonds: [s -> j, loss: " +
                   bond + "]\n");
        return p.run({}, {name}).result.at(0, 0);
    };
    EXPECT_DOUBLE_EQ(value("j -> r", "loss.e"), 2.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "loss.e"), -2.0);
    EXPECT_DOUBLE_EQ(value("j -> r", "loss.f"), 0.5);
    EXPECT_DOUBLE_EQ(value("r -> j", "loss.f"), 0.5);
    EXPECT_DOUBLE_EQ(value("j -> r", "loss.power"), 1.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "loss.power"), -1.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "r.power"), 1.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "r.e"), 2.0);
}

TEST(HalfArrow, TurnedRoundAtAZeroJunctionTurnsTheBondsFlow) {
    const auto value = [&](const std::string& bond, const std::string& name) {
        Pipeline p("components: {s: {type: Sf, f: 2}, j: {type: 0}, r: {type: R, R: 4}}\nbonds: [s -> j, loss: " +
                   bond + "]\n");
        return p.run({}, {name}).result.at(0, 0);
    };
    EXPECT_DOUBLE_EQ(value("j -> r", "loss.f"), 2.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "loss.f"), -2.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "loss.e"), 8.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "loss.power"), -16.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "r.power"), 16.0);
    EXPECT_DOUBLE_EQ(value("r -> j", "r.f"), 2.0);
}

}  // namespace
}  // namespace bondgraph
