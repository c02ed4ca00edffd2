#include "bondgraph/drawing/feedback.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/drawing/layout.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

using testing::ElementsAre;

// Two things with bonds, two blocks: the bond leads from 0 to 1, the signals back over 2; 3 only goes there.
TEST(Feedback, IsWhatSignalsBringBackToWhereItWasMeasured) {
    const std::vector<Influence> lines{{0, 1, false}, {1, 2, true}, {3, 2, true}, {2, 0, true}};
    EXPECT_THAT(feedback({true, true, false, false}, lines), ElementsAre(false, true, false, true));
}

TEST(Feedback, ALoopOfBlocksAloneIsNone) {
    EXPECT_THAT(feedback({false, false}, std::vector<Influence>{{0, 1, true}, {1, 0, true}}),
                ElementsAre(false, false));
}

// The source stands where it stood without a controller, and what is measured returns from right to left.
TEST(Feedback, BondsLeadToTheRightAndTheControllerBack) {
    const Picture picture = picture_of_text(R"(
components:
  room: {type: 0}
  heat: {type: Sf, f: 3*relay.y}
  air: {type: C, C: 1}
  sensor: {type: De}
  cold: {type: Gain, k: -1}
  more: {type: Gain, k: 2}
  relay: {type: Relay, closes_above: -18, opens_below: -22}
bonds: [heat -> room, room -> air, room -> sensor]
signals: [sensor.y -> cold.u, cold.y -> more.u, more.y -> relay.u]
)");
    const Layout layout = lay_out(picture);
    const auto x = [&](const char* name) { return layout.nodes[node_named(picture, name)].centre.x; };
    EXPECT_LT(x("heat"), x("room"));
    EXPECT_LT(x("room"), x("sensor"));
    EXPECT_LT(x("relay"), x("more"));
    EXPECT_LT(x("more"), x("cold"));
}

}  // namespace
}  // namespace bondgraph::drawing
