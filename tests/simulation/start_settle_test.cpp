// Models that come to rest by themselves, and those that don't.

#include "bondgraph/simulation/start_settle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;

// What a model settles to from these values of its unknowns; nothing, and the values as they were, where it doesn't.
struct Settled {
    explicit Settled(const std::string& text, std::vector<double> from) : pipeline(text), ev(pipeline.compiled()) {
        Point p{.y = from, .yp = std::vector<double>(from.size(), 0.0)};
        p.held.assign(ev.model().held_count(), 0.0);
        ev.set_held(p.held);
        EXPECT_EQ(from.size(), ev.size());
        StartProblem problem(ev, p, from);
        found = settle(problem);
        for (std::uint32_t c = 0; c < problem.column_count(); ++c) {
            values.push_back(problem.value(c));
            names.push_back(problem.column_name(c));
        }
    }
    [[nodiscard]] double at(const std::string& name) const {
        const auto where = std::ranges::find(names, name);
        EXPECT_NE(where, names.end()) << name;
        return values[static_cast<std::size_t>(where - names.begin())];
    }
    Pipeline pipeline;
    Evaluator ev;
    bool found = false;
    std::vector<double> values;
    std::vector<std::string> names;
};

// x settles at 3, and y at what e^(2y) = x says, each with its own time; the equations alone have x = -1, too.
const std::string kTwo = R"yaml(
types:
  T:
    variables: {x: {start: 0.5}, y: {start: -4}}
    equations: ["der(x) = 1e3*(3 + 2*x - x^2)", "der(y) = 1e-3*(x - exp(2*y))"]
components: {
t : {
type:
    T
}
}
initial: steady
)yaml";

TEST(Settle, EndsWhereTheModelComesToRest) {
    const Settled s(kTwo, {0.5, -4.0});
    ASSERT_TRUE(s.found);
    EXPECT_NEAR(s.at("t.x"), 3.0, 1e-9);
    EXPECT_NEAR(s.at("t.y"), 0.5 * std::log(3.0), 1e-9);
    EXPECT_NEAR(s.at("der(t.x)"), 0.0, 1e-9);
}

TEST(Settle, FindsNothingWhereThereIsNoRest) {
    const Settled s(R"yaml(
types: {T: {variables: {x: {start: 1}}, equations: [der(x) = exp(x) + 1]}}
components: {t: {type: T}}
initial: steady
)yaml",
                    {1.0});
    EXPECT_FALSE(s.found);
    EXPECT_EQ(s.at("t.x"), 1.0);
}

// Other conditions are not for time to find.
TEST(Settle, LeavesOtherConditionsAlone) {
    const Settled s(R"yaml(
types:
  T:
    variables: {x: {start: 2}, y: {start: 0}}
    equations: [der(x) = y - x, der(y) = 1 - y]
components: {t: {type: T, initial: {x: 2}}}
initial: [der(t.y) = 0]
)yaml",
                    {2.0, 0.0});
    EXPECT_FALSE(s.found);
}

}  // namespace
}  // namespace bondgraph::simulation
