#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kDrive = R"(model: drive
components:
  source: {type: Se, e: 12 V}
  j1: {type: 1}
  Ra: {type: R, R: 0.5 ohm}
  La: {type: I, I: 2 mH}  # small
  emf: {type: GY, r: 0.05 N.m/A}
  j2: {type: 1}
  J: {type: I, I: 1e-3 kg.m2}
bonds: [source -> j1, j1 -> Ra, j1 -> La, j1 -> emf.p1, emf.p2 -> j2, j2 -> J]
experiment: {stop: 2 s}
outputs: [La.f, J.f]
)";

TEST(ReduceCommand, ListsActivitiesAndWritesAModelThatRuns) {
    const Folder folder;
    const Outcome o = folder.run({"reduce", folder.write("drive.yaml", kDrive), "-o", "small.yaml"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("Activity of drive from 0 s to 2 s, in joule\n"
                                 "  element  type"));
    EXPECT_THAT(o.out, HasSubstr("Left out\n  La  sets the effort of 'j1' there to 0"));
    EXPECT_THAT(o.out, HasSubstr("no outputs any more: La.f\n"));
    EXPECT_THAT(o.out, HasSubstr("no states any more: La.p\n"));
    EXPECT_THAT(o.err, HasSubstr("written     small.yaml"));
    const std::string text = folder.read("small.yaml");
    EXPECT_THAT(text, Not(HasSubstr("La")));
    EXPECT_EQ(folder.run({"run", "small.yaml", "--quiet", "-o", "-"}).status, 0);
    const Outcome again = folder.run({"reduce", "drive.yaml", "-o", "-"});
    EXPECT_EQ(again.out, text);
}

TEST(ReduceCommand, JsonIsForPrograms) {
    const Folder folder;
    const Outcome o = folder.run({"reduce", folder.write("drive.yaml", kDrive), "--format", "json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("\"components\": [\"La\"]"));
    EXPECT_THAT(o.out, HasSubstr("\"sets_to_zero\": \"effort\""));
    EXPECT_THAT(o.out, HasSubstr("\"outputs_gone\": [\"La.f\"]"));
}

TEST(ReduceCommand, WhereNothingCanGoNoFileIsWritten) {
    const Folder folder;
    const std::string model = folder.write("drive.yaml", kDrive);
    const Outcome o = folder.run({"reduce", model, "--keep", "1", "-o", "small.yaml"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, HasSubstr("Nothing can be left out.\n"));
    EXPECT_THAT(o.err, HasSubstr("error: 'small.yaml' is not written: nothing can be left out"));
    EXPECT_FALSE(folder.has("small.yaml"));
    EXPECT_THAT(folder.run({"reduce", model, "--keep", "2"}).err,
                HasSubstr("error: '--keep 2' is no share of the activity: write a number above 0 and at most 1, as in "
                          "'--keep 0.98', or a percentage, '--keep 98%'"));
    for (const char* share : {"98", "0", "-1", "101%", "0%", "98%%", "98 percent", "much", "", "nan", "0,98"})
        EXPECT_THAT(folder.run({"reduce", model, "--keep", share}).err, HasSubstr("is no share of the activity"))
            << share;
    EXPECT_THAT(folder.run({"reduce", model, "-o", "drive.yaml"}).err, HasSubstr("drive.yaml"));
    EXPECT_EQ(folder.read("drive.yaml"), kDrive);
}

TEST(ReduceCommand, SettingsOfWhatIsGoneAreNoneOfTheReducedModel) {
    const Folder folder;
    const Outcome o = folder.run({"reduce", folder.write("drive.yaml", kDrive), "--set", "La.I=1 mH"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("Left out\n  La"));
    EXPECT_THAT(o.err, IsEmpty());
}

TEST(PortHamiltonianOption, ShowsTheFormAsTextLatexOrJson) {
    const Folder folder;
    const std::string model = folder.write("drive.yaml", kDrive);
    const Outcome o = folder.run({"equations", model, "--port-hamiltonian"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("Port-Hamiltonian form: dx/dt = (J - R) dH/dx + G u, y = G' dH/dx\n"));
    EXPECT_THAT(o.out, HasSubstr("  J     La.p    J.p\n  La.p     0  -0.05\n  J.p   0.05      0\n"));
    EXPECT_THAT(o.out, HasSubstr("is positive semi-definite"));
    const Outcome latex = folder.run({"equations", model, "--port-hamiltonian", "--format", "latex"});
    EXPECT_THAT(latex.out, HasSubstr("(\\mathbf{J} - \\mathbf{R})\\,\\frac{\\partial H}{\\partial\\mathbf{x}}"));
    const Outcome json = folder.run({"equations", model, "--port-hamiltonian", "--format", "json"});
    EXPECT_THAT(json.out, HasSubstr("\"J\": [[0.0, -0.05], [0.05, 0.0]]"));
    EXPECT_THAT(json.out, HasSubstr("\"passive\": true"));
    const Outcome both = folder.run({"equations", model, "--port-hamiltonian", "--symbols"});
    EXPECT_EQ(both.status, 1);
    EXPECT_THAT(both.err, HasSubstr("it does not go with --symbols, --by-element or --expand"));
}

TEST(PortHamiltonianOption, SaysWhyAModelHasNone) {
    const Folder folder;
    const std::string model = folder.write("cubic.yaml", R"(model: cubic
components:
  j: {type: 1}
  m: {type: I, I: 1, initial: {f: 1}}
  d: {type: R, law: e = f^3 + 0.2}
bonds: [j -> m, j -> d]
)");
    const Outcome o = folder.run({"equations", model, "--port-hamiltonian"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_THAT(o.err,
                HasSubstr("error: the model has no port-Hamiltonian form: the law of 'd' gives an effort or flow "
                          "where nothing flows or pulls"));
}

TEST(ReduceCommand, KeepsAPercentage) {
    const Folder folder;
    const std::string model = folder.write("drive.yaml", kDrive);
    const std::string wanted = folder.run({"reduce", model, "--keep", "0.9", "--format", "json"}).out;
    EXPECT_THAT(wanted, HasSubstr("\"keep\": 0.9"));
    for (const char* share : {"90%", "90 %", "90.0%"})
        EXPECT_EQ(folder.run({"reduce", model, "--keep", share, "--format", "json"}).out, wanted) << share;
    EXPECT_EQ(folder.run({"reduce", model, "--keep", "100%"}).status, 0);
}

}  // namespace
}  // namespace bondgraph::cli
