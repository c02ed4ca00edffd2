// Models that are compiled, written to a file and read back: nothing about them is another than before.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/all_of.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder of a test's own, which is gone afterwards.
class StoredModels : public testing::Test {
   protected:
    StoredModels() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string("bondgraph_stored_") + test->test_suite_name() + "_" + test->name();
        std::ranges::replace(name, '/', '_');
        folder_ = fs::temp_directory_path() / name;
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~StoredModels() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string place(const std::string& name) const { return (folder_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(place(name), std::ios::binary) << text;
        return place(name);
    }
    [[nodiscard]] std::string bytes(const std::string& name) const {
        std::ifstream stream(place(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }
    /// The model written to a file and read back.
    [[nodiscard]] Model restored(const Model& model, const SaveOptions& options = {}) const {
        const auto saved = model.save(place("m.bgc"), options);
        EXPECT_TRUE(saved) << saved.error().text();
        return Model::load(place("m.bgc")).value();
    }

   private:
    fs::path folder_;
};

std::vector<double> numbers(const Model& model, const RunOptions& options = {}) {
    const auto run = model.run(options);
    EXPECT_TRUE(run) << run.error().text();
    return run ? all_of(*run) : std::vector<double>{};
}

constexpr const char* kCircuit = R"(model: circuit
description: a capacitor is charged
parameters: {U: {value: 10 V, max: 20 V}, R: 2 ohm}
components:
  source: {type: Se, e: U}
  loop: {type: 1}
  r: {type: R, R: R}
  c: {type: C, C: 0.5 F, initial: {e: 1 V}}
bonds: [source -> loop, loop -> r, loop -> c]
outputs: [c.e, r.f]
experiment: {stop: 2 s, interval: 0.5 s}
)";

class StoredShippedModels : public StoredModels, public testing::WithParamInterface<std::string> {};

TEST_P(StoredShippedModels, RunBitByBitAsBefore) {
    const Model model = Model::load(test::source_folder() + "/models/" + GetParam() + ".yaml").value();
    const Model stored = restored(model);
    EXPECT_EQ(stored.name(), model.name());
    EXPECT_EQ(stored.description(), model.description());
    EXPECT_EQ(stored.outputs().value(), model.outputs().value());
    EXPECT_EQ(numbers(stored), numbers(model));
    EXPECT_EQ(stored.compilations(), 0U);
    const auto names = [](const Model& of) {
        std::vector<std::string> all;
        for (const Parameter& p : of.parameters()) all.push_back(p.name + " " + p.unit + " " + p.place.file);
        return all;
    };
    EXPECT_EQ(names(stored), names(model));
    // What was read and is written again are the same bytes: nothing was lost or invented.
    const std::string first = bytes("m.bgc");
    ASSERT_TRUE(stored.save(place("again.bgc")));
    EXPECT_EQ(bytes("again.bgc").size(), first.size());
    EXPECT_TRUE(bytes("again.bgc") == first);
}

// Of each kind of thing that a compiled model may hold.
INSTANTIATE_TEST_SUITE_P(Models, StoredShippedModels,
                         testing::Values("electromechanical/dc_motor", "nonlinear/pendulum",
                                         "electrical/rectifier_bridge", "electrical/freewheeling",
                                         "rotational/clutch_engaging", "translational/stick_slip",
                                         "translational/bouncing_ball", "electrical/wheatstone_bridge",
                                         "signals/sampled_control", "mechanics3d/slider_crank", "mechanics3d/robot_arm",
                                         "mechanics3d/bricard", "hydraulic/two_liquids", "thermal/melting_ice"),
                         [](const auto& info) {
                             std::string name = info.param;
                             return name.replace(name.find('/'), 1, "_");
                         });

// Exponents of units lie in the file as fractions.
TEST_F(StoredModels, KeepUnitsWithFractionalPowers) {
    const Model model = Model::parse(R"(model: orifice
parameters: {k: 2e-4 l/(s.Pa^0.5)}
types:
  Orifice:
    parameters: {k: {unit: m3/(s.Pa^0.5)}}
    ports: {p: {domain: hydraulic}}
    variables: {root: {unit: Pa^0.5, start: 400}}
    equations: [root = sqrt(p.e), p.f = k*root]
components:
  tank: {type: C, C: 1e-6 m3/Pa, initial: {e: 2 bar}}
  node: {type: 0}
  hole: {type: Orifice, k: k}
bonds: [tank -> node, node -> hole]
outputs: [hole.root, hole.p.f]
experiment: {stop: 1 s, interval: 0.1 s}
)")
                            .value();
    const Model stored = restored(model);
    EXPECT_EQ(numbers(stored), numbers(model));
    EXPECT_EQ(numbers(stored, {.values = {{"k", "3e-7 m3/(s*sqrt(Pa))"}}}),
              numbers(model, {.values = {{"k", "3e-7 m3/s/Pa^0.5"}}}));
    EXPECT_FALSE(stored.run({.values = {{"k", "3e-7 m3/(s.Pa)"}}}));
    for (const Model* of : {&model, &stored}) {
        const auto run = of->run().value();
        ASSERT_EQ(run.series.columns().size(), 2U);
        EXPECT_EQ(run.series.columns()[0].unit, "Pa^0.5");
        EXPECT_EQ(run.series.columns()[1].unit, "m3/s");
    }
}

TEST_F(StoredModels, NeedNoneOfTheirFiles) {
    fs::create_directories(place("parts"));
    write("parts/lib.yaml",
          "types:\n  Loss:\n    parameters: {R: {value: 3 ohm}}\n    ports: {p: {domain: electrical}}\n"
          "    components: {j: {type: 1}, r: {type: R, R: R}}\n    bonds: [p -> j, j -> r]\n");
    const std::string file = write("m.yaml",
                                   "model: m\nimport: [parts/lib.yaml]\ncomponents:\n  s: {type: Se, e: 6 V}\n"
                                   "  j: {type: 1}\n  loss: {type: Loss}\n  l: {type: I, I: 2 H}\n"
                                   "bonds: [s -> j, j -> loss.p, j -> l]\noutputs: [l.f]\nexperiment: {stop: 1 s}\n");
    const Model model = Model::load(file).value();
    const std::vector<double> before = numbers(model);
    const std::vector<double> doubled = numbers(model, {.values = {{"loss.R", "6 ohm"}}});
    ASSERT_TRUE(model.save(place("m.bgc")));
    fs::remove_all(place("parts"));
    fs::remove(file);
    const Model stored = Model::load(place("m.bgc")).value();
    EXPECT_EQ(numbers(stored), before);
    EXPECT_EQ(numbers(stored, {.values = {{"loss.R", "6 ohm"}}}), doubled);
}

TEST_F(StoredModels, CompileAgainForWhatIsNoInput) {
    const Model model = Model::parse(kCircuit).value();
    const Model stored = restored(model);
    for (const Values& values :
         {Values{{"R", 5.0}}, Values{{"U", "5 V"}, {"c.C", 0.25}}, Values{{"c.e", 0.0}}, Values{{"r.R", "2*R"}}}) {
        EXPECT_EQ(numbers(stored, {.values = values}), numbers(model, {.values = values}));
    }
    EXPECT_GT(stored.compilations(), 0U);
}

TEST_F(StoredModels, KeepInputs) {
    const Model model = Model::parse(kCircuit).value();
    const auto inputs = model.save(place("m.bgc"), {.values = {{"R", 4.0}}, .inputs = {"R", "U", "c.e"}});
    ASSERT_TRUE(inputs) << inputs.error().text();
    EXPECT_THAT(*inputs, ElementsAre("R", "U", "c.e"));
    const Model stored = Model::load(place("m.bgc")).value();
    const auto near = [&](const Values& given, Values all) {
        const auto a = stored.run({.values = given});
        const auto b = model.run({.values = std::move(all)});
        ASSERT_TRUE(a && b);
        for (std::size_t row = 0; row < a->series.rows(); ++row)
            EXPECT_NEAR(a->series["c.e"][row], b->series["c.e"][row], 1e-5 * 10.0);  // runs of a tolerance of 1e-6
    };
    near({}, {{"R", 4.0}});
    near({{"R", 1.0}}, {{"R", 1.0}});
    near({{"U", 3.0}, {"c.e", 0.0}}, {{"R", 4.0}, {"U", 3.0}, {"c.e", 0.0}});
    EXPECT_EQ(stored.compilations(), 0U);
    const auto beyond = stored.run({.values = {{"U", 21.0}}});
    ASSERT_FALSE(beyond);
    EXPECT_THAT(beyond.error().text(), HasSubstr("at most 20 V"));
    // Taken with other values when it is read, it is that model from then on.
    const Model other = Model::load(place("m.bgc"), {.values = {{"R", 1.0}}}).value();
    EXPECT_EQ(numbers(other), numbers(stored, {.values = {{"R", 1.0}}}));
    EXPECT_EQ(other.compilations(), 0U);
}

TEST_F(StoredModels, SayWhatCanBeNoInput) {
    const Model model = Model::parse(kCircuit).value();
    const auto unknown = model.save(place("m.bgc"), {.inputs = {"Rr"}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, Error::Kind::usage);
    EXPECT_THAT(unknown.error().text(), HasSubstr("did you mean 'R'?"));
    EXPECT_FALSE(fs::exists(place("m.bgc")));
    const Model linkage = Model::load(test::source_folder() + "/models/mechanics3d/slider_crank.yaml").value();
    const auto some = linkage.save(place("l.bgc"), {.inputs = {"m3", "l"}});
    ASSERT_TRUE(some) << some.error().text();
    EXPECT_THAT(*some, ElementsAre("m3"));  // a length of the loop decides what its constraints are
}

TEST_F(StoredModels, RunStepByStepAndInThreads) {
    const Model model = Model::load(test::source_folder() + "/models/rotational/clutch_engaging.yaml").value();
    const Model stored = restored(model);
    const std::vector<double> alone = numbers(model);
    std::vector<std::vector<double>> found(3);
    std::vector<std::thread> threads;
    for (auto& result : found) threads.emplace_back([&] { result = all_of(stored.run().value()); });
    for (std::thread& t : threads) t.join();
    EXPECT_THAT(found, testing::Each(alone));
    Simulation a = model.start().value();
    Simulation b = stored.start().value();
    for (int i = 1; i <= 4; ++i) ASSERT_TRUE(a.advance(0.3 * i) && b.advance(0.3 * i));
    EXPECT_EQ(all_of(a.finish()), all_of(b.finish()));
}

TEST_F(StoredModels, GiveTheSameLinearModels) {
    const Model model = Model::load(test::source_folder() + "/models/electromechanical/dc_motor.yaml").value();
    const Model stored = restored(model);
    const LinearModel a = model.linearize().value();
    const LinearModel b = stored.linearize().value();
    EXPECT_EQ(a.states, b.states);
    EXPECT_EQ(a.inputs, b.inputs);
    EXPECT_EQ(a.A, b.A);
    EXPECT_EQ(a.B, b.B);
}

TEST_F(StoredModels, PointIntoTheFileTheyWereWrittenIn) {
    const Model stored = restored(Model::parse(kCircuit, "circuit.yaml").value());
    const auto wrong = stored.run({.values = {{"R", "2 V"}}});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().text(), HasSubstr("value of R"));
    const auto beyond = stored.run({.values = {{"U", 30.0}}});
    ASSERT_FALSE(beyond);
    EXPECT_THAT(beyond.error().text(), HasSubstr("at most 20 V"));
    EXPECT_EQ(stored.parameters().at(1).place.file, "circuit.yaml");
    EXPECT_EQ(stored.parameters().at(1).place.line, 3);
}

TEST_F(StoredModels, OfStoredModelsAreTheSame) {
    const Model stored = restored(Model::parse(kCircuit).value(), {.values = {{"R", 3.0}}});
    ASSERT_TRUE(stored.save(place("second.bgc"), {.values = {{"U", 5.0}}}));
    const Model second = Model::load(place("second.bgc")).value();
    EXPECT_EQ(numbers(second), numbers(Model::parse(kCircuit).value(), {.values = {{"R", 3.0}, {"U", 5.0}}}));
}

TEST_F(StoredModels, DontReplaceTheFilesTheyAreMadeOf) {
    const std::string file = write("m.yaml", kCircuit);
    const auto saved = Model::load(file).value().save(file);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().kind, Error::Kind::usage);
    EXPECT_EQ(bytes("m.yaml"), kCircuit);
}

TEST_F(StoredModels, AreRefusedWhereTheyAreDamagedOrForeign) {
    ASSERT_TRUE(Model::parse(kCircuit).value().save(place("m.bgc")));
    const std::string whole = bytes("m.bgc");
    const auto refused = [&](const std::string& content, const std::string& why) {
        const auto model = Model::load(write("x.bgc", content));
        ASSERT_FALSE(model) << why;
        EXPECT_EQ(model.error().kind, Error::Kind::usage);
        EXPECT_THAT(model.error().text(), HasSubstr(why));
        EXPECT_THAT(model.error().text(), HasSubstr("x.bgc"));
    };
    const std::size_t head = whole.find('\n') + 1;
    const std::vector<double> right = numbers(Model::parse(kCircuit).value());
    int harmless = 0;
    for (std::size_t at = head; at < whole.size(); at += 7) {
        std::string other = whole;
        other[at] = static_cast<char>(other[at] ^ 0x10);
        // A few bits of a compressed file are of no meaning.
        if (const auto model = Model::load(write("x.bgc", other)); model) {
            ++harmless;
            EXPECT_EQ(numbers(*model), right);
        } else {
            refused(other, "damaged");
        }
        refused(whole.substr(0, at), "damaged");
    }
    EXPECT_LT(harmless, 5);
    refused(whole + "more", "damaged");
    for (const std::size_t at : {0, 5, 12}) {
        std::string other = whole;
        other[at] = '?';
        refused(other, "its beginning is damaged");
    }
    refused("", "no compiled model");
    std::string foreign = whole;
    foreign.replace(foreign.find("bondgraph 0."), 12, "bondgraph 9.");
    refused(foreign, "another version");
    foreign = whole;
    foreign.replace(head - 3, 1, foreign[head - 3] == '0' ? "1" : "0");
    refused(foreign, "another version");
}

}  // namespace
}  // namespace bondgraph::api
