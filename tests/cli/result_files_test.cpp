// Results in the formats of other programs, opened by readers that are not ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bondgraph/io/results.hpp"
#include "tests/cli/command.hpp"
#include "tests/cli/python_program.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

// A voltage that jumps at 2 ms: two rows with the same time.
constexpr const char* kJumping = R"(model: jumping
components:
  source: {type: Se, e: "if time < 0.002 then 1 else 3"}
  loop: {type: 1}
  R1: {type: R, R: 1 kohm}
  C1: {type: C, C: 1 uF, initial: {e: 0 V}}
bonds: [source -> loop, loop -> R1, feed: loop -> C1]
experiment: {stop: 5 ms, interval: 1 ms}
outputs: [C1.e, source.e, feed.power, C1.q]
)";

struct Reader {
    const char* extension;
    const char* program;
    const char* module;
};

void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.extension; }

class ResultFiles : public testing::TestWithParam<Reader> {
   protected:
    void SetUp() override {
        if (!python_has({GetParam().module}))
            GTEST_SKIP() << "Python has no module " << GetParam().module << " (apt install python3-"
                         << GetParam().module << ")";
    }

    [[nodiscard]] std::string name() const { return std::string("r") + GetParam().extension; }

    [[nodiscard]] Json opened(const Folder& folder) const {
        const Outcome o = run_python(folder, GetParam().program, {name()});
        EXPECT_EQ(o.status, 0) << o.err;
        return Json::parse(o.out, nullptr, false);
    }
};

TEST_P(ResultFiles, HoldWhatTheCsvFileHoldsWithUnitsAndDescriptions) {
    const Folder folder;
    folder.write("m.yaml", kJumping);
    ASSERT_EQ(folder.run({"run", "m.yaml", "--quiet", "-o", "r.csv"}).status, 0);
    const Outcome o = folder.run({"run", "m.yaml", "-o", name()});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr(name() + " (7 rows, 5 columns)"));
    const Json columns = opened(folder);
    ASSERT_EQ(columns.size(), 5U);
    const std::vector<std::string> names{"time", "C1.e", "source.e", "feed.power", "C1.q"};
    const std::vector<std::string> units{"s", "V", "V", "W", "C"};
    const std::string csv = folder.read("r.csv");
    for (std::size_t k = 0; k < names.size(); ++k) {
        EXPECT_EQ(columns[k]["name"], names[k]);
        EXPECT_EQ(columns[k]["unit"], units[k]);
        EXPECT_EQ(columns[k]["values"].get<std::vector<double>>(), csv_column(csv, names[k]));
    }
    EXPECT_EQ(columns[3]["description"], "power of bond 'feed'");
    const auto time = columns[0]["values"].get<std::vector<double>>();
    const auto voltage = columns[2]["values"].get<std::vector<double>>();
    ASSERT_EQ(time[2], time[3]);  // before and after the jump
    EXPECT_EQ(voltage[2], 1.0);
    EXPECT_EQ(voltage[3], 3.0);
}

TEST_P(ResultFiles, OfTheSameRunAreTheSameBytes) {
    const Folder folder;
    folder.write("m.yaml", kJumping);
    ASSERT_EQ(folder.run({"run", "m.yaml", "--quiet", "-o", name()}).status, 0);
    const std::string first = folder.read(name());
    ASSERT_EQ(folder.run({"run", "m.yaml", "--quiet", "-o", name()}).status, 0);
    EXPECT_EQ(first, folder.read(name()));
}

TEST_P(ResultFiles, OfAFailedRunHoldTheRowsUpToThere) {
    const Folder folder;
    folder.write("m.yaml", kEscaping);
    const Outcome o = folder.run({"run", "m.yaml", "--quiet", "-o", name()});
    EXPECT_EQ(o.status, 3);
    EXPECT_THAT(o.err, HasSubstr("failed at t ="));
    const Json columns = opened(folder);
    ASSERT_EQ(columns.size(), 2U);
    const auto time = columns[0]["values"].get<std::vector<double>>();
    const auto x = columns[1]["values"].get<std::vector<double>>();
    ASSERT_GE(time.size(), 10U);
    EXPECT_LE(time.back(), 1.0 + 1e-6);
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(x[k], 1.0 / (1.0 - time[k]), 1e-3 * x[k]);
}

TEST_P(ResultFiles, OfManyRowsAreComplete) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    ASSERT_EQ(folder.run({"run", "m.yaml", "--quiet", "--interval", "1e-7", "-o", name()}).status, 0);
    const Json columns = opened(folder);
    const auto time = columns[0]["values"].get<std::vector<double>>();
    const auto voltage = columns[1]["values"].get<std::vector<double>>();
    ASSERT_EQ(time.size(), 50001U);
    for (std::size_t k = 0; k < time.size(); k += 997)
        EXPECT_NEAR(voltage[k], 10.0 * (1.0 - std::exp(-time[k] / 1e-3)), 1e-6);
}

TEST_P(ResultFiles, CanBePlotted) {
    const Folder folder;
    folder.write("m.yaml", kJumping);
    ASSERT_EQ(folder.run({"run", "m.yaml", "--quiet", "-o", name()}).status, 0);
    const Outcome o = folder.run({"plot", name(), "--y", "C1.e,C1.q", "-o", "p.svg", "--title", "Two axes"});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string svg = folder.read("p.svg");
    for (const char* text : {"Two axes", "C1.e [V]", "C1.q [C]", "time [s]"}) EXPECT_THAT(svg, HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(OpenedByPython, ResultFiles,
                         testing::Values(Reader{".mat", "read_mat.py", "scipy"},
                                         Reader{".h5", "read_hdf5.py", "h5py"}));

TEST(ResultFile, ThatCannotHoldAllSaysSo) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    std::filesystem::create_symlink("/dev/full", folder.path() / "x.mat");
    std::filesystem::create_symlink("/dev/full", folder.path() / "x.h5");
    for (const char* name : {"x.mat", "x.h5"}) {
        const Outcome o = folder.run({"run", "m.yaml", "--quiet", "-o", name});
        EXPECT_EQ(o.status, 1);
        EXPECT_THAT(o.err, StartsWith(std::string("error: can't write '") + name + "': "));
    }
}

class PlotOfResults : public testing::Test {
   protected:
    PlotOfResults() {
        folder_.write("m.yaml", kJumping);
        EXPECT_EQ(folder_.run({"run", "m.yaml", "--quiet", "-o", "r.csv"}).status, 0);
    }
    [[nodiscard]] Outcome plot(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "plot");
        return folder_.run(arguments);
    }
    Folder folder_;
};

TEST_F(PlotOfResults, DrawsIntoAFileNamedAfterTheResult) {
    const Outcome o = plot({"r.csv", "--y", "C1.e"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err + o.out, IsEmpty());
    EXPECT_THAT(folder_.read("r.svg"), HasSubstr("C1.e"));
}

TEST_F(PlotOfResults, DrawsOneColumnOverAnother) {
    const Outcome o = plot({"r.csv", "--y", "C1.e", "--x", "C1.q", "-o", "-"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr(">C1.q<"));
    EXPECT_THAT(o.out, testing::Not(HasSubstr("time")));
}

TEST_F(PlotOfResults, IsPixelsByTheExtension) {
    ASSERT_EQ(plot({"r.csv", "--y", "C1.e", "-o", "p.png"}).status, 0);
    EXPECT_THAT(folder_.read("p.png"), StartsWith("\x89PNG"));
}

TEST_F(PlotOfResults, ARunDrawsPixelsToo) {
    ASSERT_EQ(folder_.run({"run", "m.yaml", "--quiet", "--plot", "p.png"}).status, 0);
    EXPECT_THAT(folder_.read("p.png"), StartsWith("\x89PNG"));
}

TEST_F(PlotOfResults, NamesMayHaveBlanksAroundTheirCommas) {
    const Outcome o = plot({"r.csv", "--y", " C1.e , C1.q"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(folder_.read("r.svg"), testing::AllOf(HasSubstr("C1.e"), HasSubstr("C1.q")));
}

TEST_F(PlotOfResults, AllUnknownNamesAreToldWithTheNearest) {
    const Outcome o = plot({"r.csv", "--y", "C1.w,C1.e,nonsense", "--x", "C1.p"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err,
              "error: 'r.csv' has no column 'C1.w'; did you mean 'C1.e'?\n"
              "error: 'r.csv' has no column 'nonsense'; it has time, C1.e, source.e, feed.power, C1.q\n"
              "error: 'r.csv' has no column 'C1.p'; did you mean 'C1.e'?\n");
    EXPECT_FALSE(folder_.has("r.svg"));
}

struct WrongPlot {
    std::vector<std::string> arguments;
    const char* message;
};

class WrongPlots : public testing::TestWithParam<WrongPlot> {};

TEST_P(WrongPlots, SayWhatIsWrong) {
    const Folder folder;
    folder.write("r.csv", "time,a\n0,1\n1,2\n");
    folder.write("ragged.csv", "time,a\n0,1\n1\n");
    folder.write("words.csv", "time,a\n0,1\n1,two\n");
    folder.write("empty.csv", "");
    folder.write("head.csv", "time,a\n");
    folder.write("junk.mat", "junk");
    folder.write("junk.h5", "junk");
    std::vector<std::string> arguments{"plot"};
    arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
    arguments.insert(arguments.end(), {"--y", "a"});
    const Outcome o = folder.run(arguments);
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Plot, WrongPlots,
    testing::Values(
        WrongPlot{{"none.mat"}, "error: can't read 'none.mat': No such file or directory\n"},
        WrongPlot{{"junk.mat"}, "error: can't read 'junk.mat': it is no MAT file\n"},
        WrongPlot{{"junk.h5"}, "error: can't read 'junk.h5': it is no HDF5 file\n"},
        WrongPlot{{"m.yaml"}, "error: can't read 'm.yaml': results are .csv, .mat or .h5, not '.yaml'\n"},
        WrongPlot{{"empty.csv"}, "error: can't read 'empty.csv': it is empty\n"},
        WrongPlot{{"head.csv"}, "error: 'head.csv' has no rows\n"},
        WrongPlot{{"ragged.csv"},
                  "error: can't read 'ragged.csv': line 3 has 1 fields, but the first line has 2 names\n"},
        WrongPlot{{"words.csv"}, "error: can't read 'words.csv': line 3: 'two' under 'a' is no number\n"},
        WrongPlot{{"r.csv", "-o", "x.pdf"}, "error: can't write 'x.pdf': plots are .svg or .png, not '.pdf'\n"},
        WrongPlot{{"r.csv", "--from", "5 V"}, "error: --from takes a time, as in 20 ms, not '5 V'\n"},
        WrongPlot{{"r.csv", "--from", "0.8 s", "--to", "200 ms"}, "error: --from 0.8 s lies after --to 0.2 s\n"},
        WrongPlot{{"r.csv", "--from", "2 s"}, "error: 'r.csv' has no rows there: its time goes from 0 to 1\n"}));

// The layout as its other writers use it.
class ForeignTrajectory : public testing::TestWithParam<const char*> {};

TEST_P(ForeignTrajectory, IsReadWithItsAliasesConstantsAndUnits) {
    if (!python_has({"scipy"})) GTEST_SKIP() << "Python has no module scipy (apt install python3-scipy)";
    const Folder folder;
    ASSERT_EQ(run_python(folder, "write_mat.py", {"d.mat", GetParam()}).status, 0);
    const Outcome o = folder.run({"plot", "d.mat", "--y", "body.v,minus,body.m", "--to", "1s", "-o", "-"});
    ASSERT_EQ(o.status, 0) << o.err;
    for (const char* text : {"[m/s]", "body.m [kg]", "Time [s]"}) EXPECT_THAT(o.out, HasSubstr(text));
    const io::Results results = io::read_results(folder.path() / "d.mat");
    ASSERT_EQ(results.columns.size(), 4U);
    EXPECT_EQ(results.columns[0].values, (std::vector<double>{0.0, 0.5, 1.0, 1.0, 1.5}));
    EXPECT_EQ(results.columns[1].unit, "m/s");
    EXPECT_EQ(results.columns[1].description, "speed");
    EXPECT_EQ(results.columns[2].values, (std::vector<double>{0.0, -2.0, -4.0, 4.0, 2.0}));
    EXPECT_EQ(results.columns[3].at(4), 7.5);
    const Outcome unknown = folder.run({"plot", "d.mat", "--y", "body.w"});
    EXPECT_EQ(unknown.err, "error: 'd.mat' has no column 'body.w'; did you mean 'body.v'?\n");
}

INSTANTIATE_TEST_SUITE_P(Layouts, ForeignTrajectory, testing::Values("binTrans", "binNormal"));

}  // namespace
}  // namespace bondgraph::cli
