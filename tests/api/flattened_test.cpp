#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/support/places.hpp"

// The stages of flattening through the library.
namespace bondgraph::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCells = R"(
model: cells
parameters: {R: 2 ohm}
components:
  u: {type: Se, e: 3 V}
  j[2]: {type: 1}
  n: {type: 0}
  r[2]: {type: R, R: R*i}
  c: {type: C, C: 1 F}
bonds:
  - u -> j[1]
  - j[i] -> r[i]
  - j[1] -> n
  - n -> c
  - n -> j[2]
)";

std::string flattened(const Model& model, FlatteningStage stage, const Values& values = {}) {
    const auto text = model.flattened(stage, values);
    return text ? *text : text.error().text();
}

std::size_t lines_under(const std::string& text, const std::string& heading) {
    std::istringstream lines(text);
    std::size_t count = 0;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(' ')) inside = line == heading;
        if (inside && line.starts_with(' ')) ++count;
    }
    return count;
}

TEST(Flattened, ValuesThatAreSetStandInIt) {
    const Model model = Model::parse(kCells).value();
    EXPECT_THAT(flattened(model, FlatteningStage::evaluated), HasSubstr("r[2]: R (R = 4 ohm)"));
    EXPECT_THAT(flattened(model, FlatteningStage::evaluated, {{"R", "5 ohm"}}), HasSubstr("r[2]: R (R = 10 ohm)"));
    EXPECT_THAT(flattened(model, FlatteningStage::instances), Not(HasSubstr("->")));
    EXPECT_FALSE(model.flattened(FlatteningStage::sized, {{"S", 5.0}}));
}

TEST(Flattened, OfAStoredModelIsThatOfItsText) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "flattened_test.bgc";
    const Model model = Model::parse(kCells).value();
    ASSERT_TRUE(model.save(file.string()));
    const Model stored = Model::load(file.string()).value();
    for (const auto stage : {FlatteningStage::connected, FlatteningStage::evaluated})
        EXPECT_EQ(flattened(stored, stage), flattened(model, stage));
    std::filesystem::remove(file);
}

TEST(Flattened, HasAsManyBondsAsTheBondGraph) {
    for (const char* name : {"electrical/three_phase_line.yaml", "electromechanical/drives_on_a_bus.yaml",
                             "mechanics3d/pendulum_with_a_joint.yaml", "multibond/composed_rl.yaml"}) {
        const auto model = Model::load(test::source_folder() + "/models/" + name);
        ASSERT_TRUE(model) << name;
        const std::size_t bonds = model->structure().value().bonds;
        for (const auto stage : {FlatteningStage::connected, FlatteningStage::sized, FlatteningStage::evaluated})
            EXPECT_EQ(lines_under(flattened(*model, stage), "bonds"), bonds) << name;
    }
}

}  // namespace
}  // namespace bondgraph::api
