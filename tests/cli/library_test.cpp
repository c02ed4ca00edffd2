// What the program prints is what the library gives to others.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

std::string shipped_file(const std::string& name) { return test::source_folder() + "/models/" + name; }

class LibraryAndProgram : public testing::TestWithParam<const char*> {
   protected:
    std::string printed(std::vector<std::string> arguments) {
        arguments.push_back(shipped_file(GetParam()));
        return folder_.run(arguments).out;
    }

    Folder folder_;
};

TEST_P(LibraryAndProgram, DrawTheSame) {
    using Options = api::DrawOptions;
    const api::Model model = api::Model::load(shipped_file(GetParam())).value();
    EXPECT_EQ(printed({"draw", "-o", "-"}), model.draw()->text);
    EXPECT_EQ(printed({"draw", "-o", "-", "--expand", "--variables", "--theme", "grey"}),
              model.draw({.theme = Options::Theme::grey, .expand = true, .variables = true})->text);
    for (const auto& [name, format] : {std::pair{"g.dot", Options::Format::dot}, {"g.tex", Options::Format::tex}}) {
        printed({"draw", "-o", name});
        EXPECT_EQ(folder_.read(name), model.draw({.format = format})->text);
    }
}

TEST_P(LibraryAndProgram, TellTheSameEquations) {
    const api::Model model = api::Model::load(shipped_file(GetParam())).value();
    EXPECT_EQ(printed({"equations"}), model.equations()->text);
}

TEST_P(LibraryAndProgram, PlotTheSame) {
    const api::Model model = api::Model::load(shipped_file(GetParam())).value();
    printed({"run", "--quiet", "-o", "r.csv", "--plot", "p.svg", "--sankey", "s.svg", "--stop", "20ms"});
    const auto run = model.run({.stop = "20 ms", .energy_account = true, .plots = true});
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(folder_.read("p.svg"), api::picture(*run->plot).value());
    EXPECT_EQ(folder_.read("s.svg"), api::picture(api::sankey(*run->account, model.name())));
    EXPECT_EQ(folder_.read("r.csv"), api::result_file(run->series, api::ResultFormat::csv, model.name()).value());
}

INSTANTIATE_TEST_SUITE_P(Models, LibraryAndProgram,
                         testing::Values("electromechanical/dc_motor.yaml", "electrical/rectifier_bridge.yaml",
                                         "mechanics3d/double_pendulum.yaml", "translational/half_car.yaml"));

}  // namespace
}  // namespace bondgraph::cli
