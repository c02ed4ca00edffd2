// Equations as the library tells them, of models whose equations can be written down by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/api/falling_ball.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Format = EquationsOptions::Format;

TEST(ApiEquations, OfADischargeAreThoseOfItsLaws) {
    const auto equations = parsed(kDecay).equations();
    ASSERT_TRUE(equations) << equations.error().text();
    EXPECT_THAT(equations->warnings, IsEmpty());
    EXPECT_EQ(equations->text, R"(Sorted equations
  C.e  =  C.q/0.5
  R.f  =  C.e/2
State equations
  der(C.q)  =  -R.f
State space (linear model): dx/dt = A x + B u, y = C x + D u
  A    C.q
  C.q   -1
  C    C.q
  C.q    1
)");
}

TEST(ApiEquations, InSymbolsNameTheParameters) {
    const auto equations = parsed(kCharging).equations({.symbols = true});
    ASSERT_TRUE(equations) << equations.error().text();
    EXPECT_THAT(equations->text, HasSubstr("C1.e  =  C1.q/C1\n"));
    EXPECT_THAT(equations->text, HasSubstr("R1.f  =  R1.e/R1\n"));
    EXPECT_THAT(equations->text, HasSubstr("C1.q  -1/(R1*C1)\n"));  // A
    EXPECT_THAT(equations->text, HasSubstr("C1.q      1/R1\n"));    // B
}

TEST(ApiEquations, ByElementStandUnderTheirElements) {
    const auto equations = parsed(kDecay).equations({.by_element = true});
    ASSERT_TRUE(equations) << equations.error().text();
    EXPECT_THAT(equations->text, HasSubstr("R (R)\n  R.f  =  C.e/2\n"));
    EXPECT_THAT(equations->text, Not(HasSubstr("Sorted equations")));
}

TEST(ApiEquations, InLatexAndJson) {
    const Model model = parsed(kDecay);
    EXPECT_THAT(model.equations({.format = Format::latex})->text,
                HasSubstr("\\frac{\\mathrm{d}q_{\\mathrm{C}}}{\\mathrm{d}t} &= -f_{\\mathrm{R}}\n"));
    const auto json = model.equations({.format = Format::json});
    EXPECT_THAT(json->text,
                HasSubstr("\"states\": [{\"state\": \"C.q\", \"derivative\": \"-R.f\", \"element\": \"C\"}]"));
    EXPECT_THAT(json->text, HasSubstr("\"A\": [[-1.0]]"));
}

TEST(ApiEquations, HoldWhatHappensAtEvents) {
    const auto equations = parsed(kBall).equations();
    ASSERT_TRUE(equations) << equations.error().text();
    EXPECT_THAT(equations->text, HasSubstr("As a condition becomes true\n"));
    EXPECT_THAT(equations->text, HasSubstr("reinit ball.f"));
}

TEST(ApiEquations, OfAJointAreShownWhereTheyAreAskedFor) {
    const std::string file = test::source_folder() + "/models/mechanics3d/robot_arm.yaml";
    const Model arm = Model::load(file).value();
    const auto outside = arm.equations();
    const auto inside = arm.equations({.expand = true});
    ASSERT_TRUE(outside && inside);
    EXPECT_GT(inside->text.size(), 2 * outside->text.size());
}

TEST(ApiEquations, ThatNeedNumbersAreNoneInSymbols) {
    const std::string file = test::source_folder() + "/models/mechanics3d/robot_arm.yaml";
    const auto equations = Model::load(file)->equations({.symbols = true});
    ASSERT_FALSE(equations);
    EXPECT_EQ(equations.error().kind, Error::Kind::usage);
    EXPECT_THAT(equations.error().text(), HasSubstr("error: the equations of this model need numbers: '"));
}

TEST(ApiEquations, TakeValuesAndLeaveTheModelAsItWas) {
    const Model model = parsed(kDecay);
    const double before = last(*model.run(), "C.q");
    EXPECT_THAT(model.equations({.values = {{"R.R", 5.0}}})->text, HasSubstr("R.f  =  C.e/5\n"));
    EXPECT_THAT(model.equations({.values = {{"R.R", "8 + 1"}}, .symbols = true})->text, HasSubstr("R  =  9 "));
    EXPECT_THAT(model.equations()->text, HasSubstr("R.f  =  C.e/2\n"));
    EXPECT_EQ(last(*model.run(), "C.q"), before);
    const auto wrong = model.equations({.values = {{"R.R", "2 kg"}}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, Error::Kind::model);
    EXPECT_EQ(wrong.error().messages[0].place.file, "value of R.R");
}

}  // namespace
}  // namespace bondgraph::api
