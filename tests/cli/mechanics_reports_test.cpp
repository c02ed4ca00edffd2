// What the commands say of mechanisms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kHinge = R"(model: hinge
components:
  world: {type: World}
  hinge: {type: Revolute, initial: {phi: 0, w: 0}}
  body: {type: Body, m: 1, I_33: 1}
connect:
  - [world.frame_b, hinge.frame_a]
  - [hinge.frame_b, body.frame_a]
experiment: {stop: 1 s, interval: 1 s}
)";

std::string hinge_with(const char* outputs) {
    std::string text = kHinge;
    text += outputs;
    return text;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Mechanisms, FramesJoinedToEachOtherAreOneRowOfTheStrokes) {
    const Folder folder;
    const Outcome o = folder.run({"causality", folder.write("m.yaml", kHinge)});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(count(o.out, "'hinge' moves 'body', which answers with its force"), 1U) << o.out;
}

TEST(Mechanisms, AMatrixNamedWithoutIndexHasRowsAndColumns) {
    const Folder folder;
    folder.write("m.yaml", hinge_with("outputs: [body.frame_a.R]\n"));
    const Outcome o = folder.run({"run", "m.yaml", "--quiet", "-o", "-"});
    EXPECT_EQ(o.status, 0) << o.err;
    std::string head = "time";
    for (int row = 1; row <= 3; ++row) {
        for (int column = 1; column <= 3; ++column)
            head += ",\"body.frame_a.R[" + std::to_string(row) + "," + std::to_string(column) + "]\"";
    }
    EXPECT_EQ(o.out.substr(0, o.out.find('\n')), head);
}

TEST(Mechanisms, ColumnsOfAMatrixArePlottedFromTheFile) {
    const Folder folder;
    folder.write("m.yaml", hinge_with("outputs: [body.frame_a.R]\n"));
    EXPECT_EQ(folder.run({"run", "m.yaml", "--quiet", "-o", "m.csv"}).status, 0);
    const Outcome o = folder.run({"plot", "m.csv", "--y", "body.frame_a.R[1,2]", "-o", "m.svg"});
    EXPECT_EQ(o.status, 0) << o.err;
}

TEST(Mechanisms, APositionOfACarriedBodyIsThatOfItsFrame) {
    const Folder folder;
    folder.write("m.yaml", hinge_with("outputs: [body.x]\n"));
    const Outcome o = folder.run({"run", "m.yaml", "--quiet", "-o", "-"});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("the model has no result 'body.x'; did you mean 'body.frame_a.x'?"));
}

}  // namespace
}  // namespace bondgraph::cli
