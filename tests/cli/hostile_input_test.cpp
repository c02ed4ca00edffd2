// Files made to break the program: each ends with a message, within seconds of the processor and 2 GB
// of memory. The clock is no measure of that: the machine may have other work.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

#ifdef __SANITIZE_ADDRESS__
// The sanitizer slows everything down, reserves more address space than there is memory, and takes more of the stack.
constexpr int kMany = 5'000;  // what is quadratic in a line's length shows at the larger number below
constexpr const char* kBounds = "ulimit -s 64000; ulimit -t 200; exec timeout 1000";
#else
constexpr int kMany = 100'000;
constexpr const char* kBounds = "ulimit -v 2000000; ulimit -t 20; exec timeout 300";
#endif

/// The texts of 0 … count−1, one after the other.
std::string each(int count, const std::function<std::string(int)>& text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text(i);
    return all;
}

std::string times(int count, const std::string& text) {
    return each(count, [&](int) { return text; });
}

/// A source on a junction with a resistor, whose `R` is given; `more` stands before the bonds.
std::string small_model(const std::string& resistance = "1", const std::string& more = "") {
    return "model: m\ncomponents:\n  s: {type: Se, e: 1}\n  j: {type: 1}\n  R: {type: R, R: " + resistance + "}\n" +
           more + "bonds: [s -> j, j -> R]\n";
}

class HostileInput : public testing::Test {
   protected:
    /// A command on a model with this text, with bounds on time and memory.
    Outcome command(const std::string& arguments, const std::string& text) {
        folder_.write("m.yaml", text);
        const Outcome outcome = folder_.run_program(
            "/bin/sh", {"-c", std::string(kBounds) + " '" + test::program() + "' " + arguments + " m.yaml"});
        EXPECT_NE(outcome.status, 124) << "no end in time";
        return outcome;
    }

    Outcome check(const std::string& text) { return command("check", text); }

    /// What a wrong model is told first, without the file's name.
    std::string mistake_in(const std::string& text) {
        const Outcome outcome = check(text);
        EXPECT_EQ(outcome.status, 2) << outcome.err.substr(0, 1000);
        constexpr std::string_view kName = "m.yaml:";
        if (!outcome.err.starts_with(kName)) return outcome.err.substr(0, 300);
        return outcome.err.substr(kName.size(), outcome.err.find('\n') - kName.size());
    }

    Folder folder_;
};

TEST_F(HostileInput, BracketsWithoutEnd) {
    EXPECT_EQ(mistake_in("model: m\ncomponents: " + times(kMany, "[")),
              "2:63: error: nested deeper than 100 levels [BG-Y005]");
    EXPECT_EQ(mistake_in("model: m\ncomponents: " + times(kMany, "{a: ")),
              "2:409: error: nested deeper than 100 levels [BG-Y005]");
    EXPECT_EQ(mistake_in("model: m\ncomponents:\n" + times(kMany, "- ") + "a\n"),
              "3:199: error: nested deeper than 100 levels [BG-Y005]");
}

TEST_F(HostileInput, ParenthesesWithoutEnd) {
    for (const char* opening : {"(", "-", "sin(", "2^", "if 1 then "})
        EXPECT_THAT(mistake_in(small_model("'" + times(kMany, opening) + "'")),
                    HasSubstr("the expression is nested too deeply [BG-X001]"))
            << opening;
}

TEST_F(HostileInput, ALongSumIsNoNesting) { EXPECT_EQ(check(small_model("'" + times(kMany, "1+") + "1'")).status, 0); }

TEST_F(HostileInput, ALongSumOfUnknownUnits) {
    EXPECT_THAT(mistake_in(small_model("'1 q" + times(kMany, "+q") + "'")), HasSubstr("[BG-U001]"));
}

TEST_F(HostileInput, NumbersBeyondDoublePrecision) {
    EXPECT_THAT(mistake_in(small_model("1e400")), HasSubstr("error: the number '1e400' is too large [BG-X002]"));
    EXPECT_THAT(mistake_in(small_model("1e-400")), HasSubstr("error: the number '1e-400' is too small [BG-X002]"));
    EXPECT_THAT(mistake_in(small_model("1e200*1e200")), HasSubstr("has no finite value [BG-X003]"));
    const std::string digits = mistake_in(small_model(times(kMany, "9")));
    EXPECT_THAT(digits, HasSubstr("error: the number '999"));
    EXPECT_LT(digits.size(), 3000U);
}

TEST_F(HostileInput, AHugeSizeOfABond) {
    for (const char* size : {"1000000000", "1e300", "-1", "0", "1.5"})
        EXPECT_THAT(
            mistake_in(fmt::format("model: m\ncomponents:\n  s: {{type: Se, e: 1}}\n  j: {{type: 1, size: {}}}\n"
                                   "  R: {{type: R, R: 1}}\nbonds: [s -> j, j -> R]\n",
                                   size)),
            HasSubstr("a size is a whole number from 1 to 10000 [BG-M010]"))
            << size;
}

TEST_F(HostileInput, MultibondsOfTheLargestSizeAreNoFullMatrices) {
    constexpr const char* kModel =
        "model: m\ncomponents:\n  s: {{type: Se, e: 1, size: 10000}}\n  t: {{type: {}}}\n  j: {{type: 1}}\n"
        "  m: {{type: I, I: 2{}}}\n  x: {{type: {}}}\nbonds: [s -> t.p1, t.p2 -> j, j -> m, j -> x]\n{}";
    for (const auto& [two_port, one_port] : std::vector<std::pair<const char*, const char*>>{
             {"TF, m: 2", "R, R: 3"}, {"GY, r: 2", "R, G: 3"}, {"SGY", "C, C: 3"}, {"TF, m: 2", "C, K: 3"}}) {
        const Outcome outcome = check(fmt::format(kModel, two_port, "", one_port, ""));
        EXPECT_EQ(outcome.status, 0) << two_port << " with " << one_port << ": " << outcome.err.substr(0, 1000);
    }
    const Outcome run =
        command("run --quiet --stop 1s --interval 0.1s --output m.csv",
                fmt::format(kModel, "TF, m: 2", ", initial: {p: 0.5}", "R, R: 3", "outputs: [m.p, m.f, x.power]\n"));
    EXPECT_EQ(run.status, 0) << run.err.substr(0, 1000);
}

TEST_F(HostileInput, ManyUnknownKeys) {
    const Outcome outcome = check(small_model() + each(kMany, [](int i) { return fmt::format("key{}: 1\n", i); }));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("m.yaml:7:1: error: unknown key 'key0' in the model [BG-M036]"));
    EXPECT_THAT(outcome.err, HasSubstr(fmt::format("{} errors in m.yaml.\n", kMany)));
}

TEST_F(HostileInput, ManyUnknownKeysOnOneLine) {
    const std::string keys = each(kMany, [](int i) { return fmt::format(", key{}: 1", i); });
    const Outcome outcome = check(small_model("1" + keys));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("m.yaml:5:22: error: unknown parameter 'key0' of R"));
    EXPECT_THAT(outcome.err, HasSubstr(fmt::format("{} errors in m.yaml.\n", kMany)));
}

TEST_F(HostileInput, ManyUnknownComponentsAndResults) {
    const std::string bonds = each(kMany, [](int i) { return fmt::format("  - j -> R{}\n", i); });
    EXPECT_THAT(mistake_in("model: m\ncomponents: {j: {type: 1}}\nbonds:\n" + bonds),
                StartsWith("4:10: error: unknown component 'R0'"));
    const std::string outputs = each(kMany, [](int i) { return fmt::format(" x{},", i); });
    EXPECT_THAT(mistake_in(small_model() + "outputs: [" + outputs + "]\n"),
                StartsWith("7:12: error: the model has no result 'x0'"));
}

TEST_F(HostileInput, ManyComponentsOnOneJunction) {
    const std::string components = each(kMany, [](int i) { return fmt::format("  R{}: {{type: R, R: 1}}\n", i); });
    const std::string bonds = each(kMany, [](int i) { return fmt::format("  - j -> R{}\n", i); });
    const Outcome outcome = check("model: m\ncomponents:\n  s: {type: Se, e: 1}\n  j: {type: 0}\n" + components +
                                  "bonds:\n  - s -> j\n" + bonds);
    EXPECT_EQ(outcome.status, 0) << outcome.err.substr(0, 1000);
}

TEST_F(HostileInput, AListOfAMillionNumbers) {
    EXPECT_EQ(check("parameters: {L: [" + times(999'999, "1, ") + "1]}\n" + small_model()).status, 0);
}

TEST_F(HostileInput, ALongChainOfParameters) {
    const std::string chain =
        each(kMany, [](int i) { return fmt::format("  p{}: p{} + 1\n", i, i + 1); }) + fmt::format("  p{}: 1\n", kMany);
    const Outcome outcome = check("parameters:\n" + chain + small_model());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("' is needed by more than 1000 values in a chain [BG-M060]\n"));
    EXPECT_THAT(outcome.err,
                HasSubstr("  because: each value of the chain has to wait for the next\n"
                          "  try:     write a chain this long as one list, or as a formula of its index\n"));
}

TEST_F(HostileInput, AThousandParametersMayWaitForOne) {
    const auto chain = [](int n) {
        return "parameters:\n" + each(n, [](int i) { return fmt::format("  p{}: p{} + 1\n", i, i + 1); }) +
               fmt::format("  p{}: 1\n", n);
    };
    EXPECT_EQ(check(chain(1000) + small_model()).status, 0);
    EXPECT_EQ(check(chain(1001) + small_model()).status, 2);
}

TEST_F(HostileInput, TypesNestedTooDeepAreNoCircle) {
    const auto nested = [](int n) {
        return "types:\n" +
               each(n, [](int i) { return fmt::format("  T{}: {{components: {{a: {{type: T{}}}}}}}\n", i, i + 1); }) +
               fmt::format("  T{}: {{variables: [x], equations: [x = 1]}}\n", n) +
               "model: m\ncomponents: {x: {type: T0}}\nbonds: []\n";
    };
    EXPECT_EQ(check(nested(49)).status, 0) << check(nested(49)).err;
    EXPECT_THAT(check(nested(50)).err,
                HasSubstr(" error: types are nested more than 50 levels deep: type 'T50' is inside all of them "
                          "[BG-M064]\n"));
}

TEST_F(HostileInput, TypesThatDoubleAtEachLevel) {
    const std::string types = each(40, [](int i) {
        return fmt::format("  T{}: {{components: {{a: {{type: T{}}}, b: {{type: T{}}}}}}}\n", i, i + 1, i + 1);
    });
    const Outcome outcome = check("types:\n" + types + "  T40: {ports: {p: {}}, equations: [p.e = p.f]}\n" +
                                  "model: m\ncomponents: {x: {type: T0}}\nbonds: []\n");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                HasSubstr(" error: the model has more than 500000 instances of types of its own [BG-M059]\n"));
    EXPECT_THAT(outcome.err, HasSubstr("  because: each instance of a type brings along those its components are made "
                                       "of\n1 error in m.yaml.\n"));
}

TEST_F(HostileInput, AliasesThatMultiply) {
    const std::string laughs = each(30, [](int i) {
        const std::string item = i == 0 ? "x" : fmt::format("*a{}", i - 1);
        return fmt::format("a{}: &a{} [{}, {}, {}]\n", i, i, item, item, item);
    });
    EXPECT_THAT(mistake_in("model: m\n" + laughs), HasSubstr("aliases repeat more than 1000000 values in all"));
}

TEST_F(HostileInput, NamesOfAMegabyte) {
    const std::string name(1'000'000, 'x');
    for (const std::string& text :
         {small_model("1 " + name), small_model("1, type2: " + name), small_model(name),
          small_model("1", "  k: {type: " + name + "}\n"), small_model() + "outputs: [" + name + "]\n"}) {
        const Outcome outcome = check(text);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_LT(outcome.err.size(), 10'000U) << "the name has been printed whole";
    }
}

TEST_F(HostileInput, BytesThatAreNoText) {
    EXPECT_EQ(mistake_in(std::string("model: m\n\0", 10)), "2:1: error: control character 0x00 in the file [BG-Y008]");
    EXPECT_EQ(mistake_in("model: m\xff\n"), "1:9: error: the file is not UTF-8: byte 0xFF [BG-Y008]");
    EXPECT_EQ(mistake_in(std::string(1'000'000, '\0')), "1:1: error: control character 0x00 in the file [BG-Y008]");
}

TEST_F(HostileInput, AFileOf100MB) {
    folder_.write("m.yaml", small_model());
    fs::resize_file(folder_.path() / "m.yaml", 100'000'000);
    const Outcome outcome = folder_.run({"check", "m.yaml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, StartsWith("error: can't read 'm.yaml': it has more than 32 MB [BG-M022]"));
}

TEST_F(HostileInput, ImportsOfWhatIsNoFile) {
    ASSERT_EQ(mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", folder_.path() / "zeros");
    fs::create_symlink("round", folder_.path() / "round");
    const std::string device = "it is a device or a pipe, not a file [BG-M022]";
    const std::vector<std::pair<std::string, std::string>> imports{
        {"/dev/zero", device},
        {"/dev/urandom", device},
        {"pipe", device},
        {"zeros", device},
        {"/tmp", "it is a folder, not a file [BG-M022]"},
        {"round", "Too many levels of symbolic links [BG-M022]"},
        {"none", "No such file or directory [BG-M022]"},
    };
    for (const auto& [name, reason] : imports)
        EXPECT_THAT(mistake_in("import: " + name + "\n" + small_model()),
                    testing::AllOf(StartsWith("1:9: error: can't read '"), HasSubstr("': " + reason)))
            << name;
}

TEST_F(HostileInput, AnImportWhoseNameGoesOnAfterANull) {
    folder_.write("lib.yaml", "types: {}\n");
    EXPECT_EQ(mistake_in("import: \"lib.yaml\\0.txt\"\n" + small_model()),
              "1:9: error: 'import' takes the name of a file, not a text with a null character [BG-M037]");
}

TEST_F(HostileInput, AnImportThatIsNoModel) {
    const Outcome outcome = check("import: /etc/passwd\n" + small_model());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, StartsWith("/etc/passwd:1:"));
}

// Every way for a name of the model to become the name of a file would show here.
TEST_F(HostileInput, NamesThatLookLikePathsLeadNowhere) {
    folder_.write("inner/m.yaml",
                  "model: ../away\ncomponents:\n  s: {type: Se, e: 1}\n  R: {type: R, R: 1}\nbonds: [s -> R]\n"
                  "plots: [{title: ../title, y: [R.e]}]\n");
    EXPECT_EQ(folder_.run({"run", "inner/m.yaml", "--quiet", "--stop", "1", "--plot", "inner/out.svg"}).status, 0);
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
        if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
    EXPECT_THAT(files, testing::UnorderedElementsAre("m.yaml", "m.csv", "out.svg"));
}

}  // namespace
}  // namespace bondgraph::cli
