// State machines of types: `states:`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Codes = std::vector<std::string>;

/// u runs through `ramp`; results are the machine's.
struct Machine {
    Machine(const std::string& states, const std::string& ramp, const std::string& more = "",
            const std::string& settings = "")
        : pipeline("types:\n  M:\n    inputs: [u]\n" + more + "    states:\n" + states + "components:\n  m: {type: M" +
                   settings + "}\n  s: {type: Constant, k: \"" + ramp + "\"}\nsignals: [s.y -> m.u]\n") {}

    double at(double time, const std::string& result) {
        const auto run = pipeline.run({.stop = 10.0, .tolerance = 1e-8, .interval = 0.25}, {result}).result;
        for (std::size_t row = run.time.size(); row-- > 0;) {
            if (run.time[row] == time) return run.at(row, 0);
        }
        return NAN;
    }

    Pipeline pipeline;
};

const std::string kOnOff = "      off: {exits: {on: u > 1}}\n      on: {exits: {off: u < 0.5}}\n";

TEST(StateMachines, PassThroughTheirExits) {
    Machine m(kOnOff, "abs(time - 5)/2");  // 2.5 … 0 … 2.5: on until 4 s, off until 7 s
    EXPECT_EQ(m.at(3.75, "m.state"), 2.0);
    EXPECT_EQ(m.at(4.25, "m.off"), 1.0);
    EXPECT_EQ(m.at(4.25, "m.on"), 0.0);
    EXPECT_EQ(m.at(6.75, "m.state"), 1.0);
    EXPECT_EQ(m.at(7.25, "m.state"), 2.0);
    EXPECT_NEAR(m.at(7.25, "m.entered"), 7.0, 1e-6);
    EXPECT_EQ(m.at(7.25, "m.off_to_on"), 1.0);
}

TEST(StateMachines, BeginInTheFirstState) {
    Machine m(kOnOff, "0.7");
    EXPECT_EQ(m.at(10.0, "m.state"), 1.0);
    EXPECT_EQ(m.at(10.0, "m.entered"), 0.0);
}

TEST(StateMachines, TakeTheFirstOfSeveralExits) {
    const std::string both = "      a: {exits: {b: u > 1, c: u > 1}}\n      b: {exits: {c: u > 99}}\n      c:\n";
    EXPECT_EQ(Machine(both, "time").at(5.0, "m.state"), 2.0);
    const std::string turned = "      a: {exits: {c: u > 1, b: u > 1}}\n      b: {exits: {c: u > 99}}\n      c:\n";
    EXPECT_EQ(Machine(turned, "time").at(5.0, "m.state"), 3.0);
}

TEST(StateMachines, LeaveAStateInTheInstantTheyEnterIt) {
    const std::string row = "      a: {exits: {b: u > 1}}\n      b: {exits: {c: u > 0.5}}\n      c:\n";
    Machine m(row, "time");
    EXPECT_EQ(m.at(1.25, "m.state"), 3.0);
    EXPECT_NEAR(m.at(1.25, "m.entered"), 1.0, 1e-6);
}

TEST(StateMachines, CountOnEntryAndWaitForTimes) {
    const std::string blink =
        "      dark: {exits: {light: time - entered > 0.9}}\n"
        "      light: {entry: {times: times + 1}, exits: {dark: time - entered > 0.6}}\n";
    Machine m(blink, "0", "    variables: {times: {type: integer}}\n");
    EXPECT_EQ(m.at(0.75, "m.times"), 0.0);
    EXPECT_EQ(m.at(1.0, "m.times"), 1.0);
    EXPECT_EQ(m.at(10.0, "m.times"), 7.0);  // at 0.9 s and every 1.5 s
    EXPECT_EQ(m.at(10.0, "m.state"), 2.0);
}

const std::string kCounter = "    variables: {n: {type: integer}}\n";
const std::string kCounting = "      off: {exits: {on: u > 1}}\n      on: {entry: {n: n + 1}, exits: {off: u < 0.5}}\n";

// What is done on entry is done, whether a state is entered at the start or a little later.
TEST(StateMachines, EnterAtTheStartAsLater) {
    Machine at_once(kCounting, "2", kCounter);
    EXPECT_EQ(at_once.at(0.0, "m.n"), 1.0);
    EXPECT_EQ(at_once.at(10.0, "m.n"), 1.0);
    EXPECT_EQ(at_once.at(10.0, "m.state"), 2.0);
    EXPECT_EQ(at_once.at(10.0, "m.entered"), 0.0);
    Machine later(kCounting, "0.9 + time", kCounter);
    EXPECT_EQ(later.at(0.0, "m.n"), 0.0);
    EXPECT_EQ(later.at(10.0, "m.n"), 1.0);
    Machine never(kCounting, "0.9", kCounter);
    EXPECT_EQ(never.at(10.0, "m.n"), 0.0);
}

// Through two states at once: each is entered, and what one sets the next one sees.
TEST(StateMachines, EnterEachStateTheyPassAtTheStart) {
    const std::string row =
        "      a: {exits: {b: u > 1}}\n"
        "      b: {entry: {n: n + 3}, exits: {c: n > 2}}\n"
        "      c: {entry: {n: 10*n}}\n";
    Machine m(row, "2", kCounter);
    EXPECT_EQ(m.at(0.0, "m.state"), 3.0);
    EXPECT_EQ(m.at(10.0, "m.n"), 30.0);
    Machine later(row, "time", kCounter);
    EXPECT_EQ(later.at(10.0, "m.n"), 30.0);
}

// Of the state that is given at the start nothing is entered; what leads on from there is.
TEST(StateMachines, BeginInTheStateThatIsGiven) {
    Machine stays(kCounting, "2", kCounter, ", initial: {state: 2}");
    EXPECT_EQ(stays.at(10.0, "m.state"), 2.0);
    EXPECT_EQ(stays.at(10.0, "m.n"), 0.0);
    Machine leaves(kCounting, "0", kCounter, ", initial: {state: 2}");
    EXPECT_EQ(leaves.at(0.0, "m.state"), 1.0);
}

TEST(StateMachines, HaveNoOtherStates) {
    for (const char* number : {"0", "3", "7", "-1"}) {
        const std::string text = "types:\n  M:\n    inputs: [u]\n" + kCounter + "    states:\n" + kCounting +
                                 "components:\n  m: {type: M, u: 1, initial: {state: " + number + "}}\n";
        EXPECT_EQ(test::errors_in(text), Codes{"BG-M089"}) << number;
        EXPECT_EQ(test::message_in(text), std::string("'m' has no state ") + number);
    }
}

// Behind a machine stands machine(n, x), which equations may have as well.
TEST(StateMachines, ByHand) {
    const auto text = [](const std::string& count, const std::string& start) {
        return "types:\n  M:\n    inputs: [u]\n    variables: {k: {type: integer, start: " + start +
               "}, n: {type: integer}}\n    equations: [\"k = machine(" + count +
               ", if pre(k) == 1 and u > 1 then 2 else pre(k))\"]\n    when: {if: k == 2, set: {n: n + 1}}\n"
               "components:\n  m: {type: M, u: 2}\n";
    };
    Pipeline p(text("2", "1"));
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-8, .interval = 1.0}, {"m.k", "m.n"}).result;
    EXPECT_EQ(run.at(run.time.size() - 1, 0), 2.0);
    EXPECT_EQ(run.at(run.time.size() - 1, 1), 1.0);
    EXPECT_EQ(test::errors_in(text("2", "3")), Codes{"BG-M089"});
    EXPECT_EQ(test::errors_in(text("1.5", "1")), Codes{"BG-X001"});
}

// What an heir says under `states:` takes the place of what its base says there; the rest stays.
TEST(StateMachines, OfAnHeirTakeThePlaceOfThoseOfItsBase) {
    const auto text = [](const std::string& type) {
        return "types:\n  Base:\n    inputs: [u]\n    outputs: [y]\n" + kCounter + "    states:\n" + kCounting +
               "    equations: [\"y = if on then 5 else 3\"]\n  Heir:\n    extends: Base\n    states:\n"
               "      on: {exits: {off: u > 2}}\n      off: {entry: {n: n + 10}, exits: {on: u < 2}}\n"
               "  Same: {extends: Base}\n  Further: {extends: Heir}\n"
               "components:\n  m: {type: " +
               type + "}\n  s: {type: Constant, k: time}\nsignals: [s.y -> m.u]\n";
    };
    const auto last = [&](const std::string& type, const std::string& result) {
        Pipeline p(text(type));
        return p.run({.stop = 4.0, .tolerance = 1e-8, .interval = 1.0}, {result}).result;
    };
    for (const char* type : {"Base", "Same"}) {
        EXPECT_EQ(last(type, "m.n").at(0, 0), 0.0) << type;
        EXPECT_EQ(last(type, "m.y").at(0, 0), 3.0) << type;
        const auto n = last(type, "m.n");
        EXPECT_EQ(n.at(n.time.size() - 1, 0), 1.0) << type;
    }
    for (const char* type : {"Heir", "Further"}) {
        EXPECT_EQ(last(type, "m.y").at(0, 0), 5.0) << type;
        const auto n = last(type, "m.n");
        EXPECT_EQ(n.at(n.time.size() - 1, 0), 10.0) << type;
    }
}

// The same by an equation of one's own.
TEST(StateMachines, AsWrittenOut) {
    Machine m(kOnOff, "1 + sin(3*time)");
    Pipeline plain(
        "types:\n  M:\n    inputs: [u]\n    variables: {on: {type: boolean}}\n"
        "    equations: [on = if pre(on) then not (u < 0.5) else u > 1]\n"
        "components:\n  m: {type: M}\n  s: {type: Constant, k: 1 + sin(3*time)}\nsignals: [s.y -> m.u]\n");
    const auto run = plain.run({.stop = 10.0, .tolerance = 1e-8, .interval = 0.25}, {"m.on"}).result;
    for (std::size_t row = 0; row < run.time.size(); ++row) {
        if (std::fmod(run.time[row], 0.25) == 0.0) {
            EXPECT_EQ(run.at(row, 0), m.at(run.time[row], "m.on")) << run.time[row];
        }
    }
}

TEST(StateMachines, Mistakes) {
    const auto codes = [](const std::string& states) {
        return test::errors_in("types:\n  M:\n    inputs: [u]\n    states:\n" + states +
                               "components:\n  m: {type: M, u: 1}\n");
    };
    EXPECT_EQ(codes("      off: {exits: {onn: u > 1}}\n      on: {exits: {off: u < 0.5}}\n"),
              (Codes{"BG-M089", "BG-M089"}));
    EXPECT_EQ(codes("      off: {exits: {off: u > 1}}\n"), Codes{"BG-M089"});
    EXPECT_EQ(codes("      off: {exits: {on: u > 1}}\n      on:\n      lost: {exits: {on: u > 1}}\n"),
              Codes{"BG-M089"});
    EXPECT_EQ(codes("      off: {exits: {on: v > 1}}\n      on:\n"), Codes{"BG-X001"});
}

// A mistake in a condition is told where the condition stands.
TEST(StateMachines, MistakesHaveTheirPlaces) {
    std::vector<Diagnostic> found;
    try {
        Pipeline p(
            "model: m\ntypes:\n  M:\n    inputs: [u]\n    states:\n      off: {exits: {on: u + v > 1}}\n      on:\n"
            "components:\n  m: {type: M, u: 1}\n");
        p.graph();
    } catch (const ModelError& e) {
        found = e.diagnostics();
    }
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].position.line, 6U);
    EXPECT_EQ(found[0].position.column, 29U);
}

}  // namespace
}  // namespace bondgraph
