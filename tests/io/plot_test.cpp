#include "bondgraph/io/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace bondgraph::io {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Columns: a ramp, its square, a constant, nothing that can be drawn.
class Plot : public testing::Test {
   protected:
    Plot() {
        for (int k = 0; k <= 10; ++k) {
            time_.push_back(0.1 * k);
            data_.insert(data_.end(), {1.0 * k, 1.0 * k * k, 5.0, std::numeric_limits<double>::quiet_NaN()});
        }
    }

    [[nodiscard]] TimeSeries series() const { return {names_, time_, data_, 4}; }

    std::vector<std::string> names_{"ramp", "square", "flat", "nothing"};
    std::vector<double> time_;
    std::vector<double> data_;
};

TEST_F(Plot, HasATitleAnAxisAndALegend) {
    const std::vector<Panel> panels{{"Speed of it", {{0, "a.ramp_1", "V"}, {1, "b.square", "V"}}}};
    const std::string svg = draw_plot(series(), panels);
    EXPECT_THAT(svg, HasSubstr("<svg"));
    for (const char* text : {"Speed of it", "a.ramp_1", "b.square", "[V]", "time [s]"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST_F(Plot, IsAsHighAsItHasPanels) {
    const Panel panel{"p", {{0, "a", "V"}}};
    EXPECT_THAT(draw_plot(series(), std::vector{panel}), HasSubstr("width=\"900\" height=\"300\""));
    EXPECT_THAT(draw_plot(series(), std::vector{panel, panel, panel}), HasSubstr("width=\"900\" height=\"900\""));
}

TEST_F(Plot, TwoUnitsGetAnAxisEach) {
    const std::vector<Panel> panels{{"p", {{0, "a", "V"}, {1, "b", "A"}}}};
    const std::string script = plot_script(series(), panels);
    EXPECT_THAT(script, HasSubstr("set ylabel 'a [V]'\nset y2label 'b [A]'"));
    EXPECT_THAT(script, HasSubstr("axes x1y2"));
    const std::string svg = draw_plot(series(), panels);
    EXPECT_THAT(svg, HasSubstr("a [V]"));
    EXPECT_THAT(svg, HasSubstr("b [A]"));
}

TEST_F(Plot, AnAxisOfSeveralCurvesHasTheirUnitOnly) {
    const std::vector<Panel> panels{{"p", {{0, "a", "V"}, {1, "b", "V"}}}};
    EXPECT_THAT(plot_script(series(), panels), HasSubstr("set ylabel '[V]'\n"));
}

TEST_F(Plot, AnotherColumnMayTakeThePlaceOfTime) {
    const std::vector<Panel> panels{{"p", {{1, "b", "A"}}}};
    const std::string script = plot_script(series(), panels, {.x = Curve{0, "a", "V"}});
    EXPECT_THAT(script, HasSubstr("set xlabel 'a [V]'\n"));
    EXPECT_THAT(script, HasSubstr("\n3 9\n"));  // the square over the ramp
    EXPECT_THAT(script, Not(HasSubstr("time")));
}

TEST_F(Plot, IsAPictureOfPixelsOnRequest) {
    const std::vector<Panel> panels{{"p", {{0, "a", "V"}}}};
    EXPECT_THAT(draw_plot(series(), panels, "gnuplot", {.format = PlotFormat::png}), StartsWith("\x89PNG\r\n"));
}

TEST(PlotFormat, FollowsTheExtension) {
    EXPECT_EQ(plot_format("a/b.svg"), PlotFormat::svg);
    EXPECT_EQ(plot_format("b.png"), PlotFormat::png);
    EXPECT_EQ(plot_format("-"), PlotFormat::svg);
    EXPECT_THROW(plot_format("b.pdf"), std::invalid_argument);
}

TEST(PanelsByUnit, GiveEachOfThreeUnitsAPanel) {
    const std::vector<Curve> curves{{0, "a", "V"}, {1, "b", "A"}, {2, "c", "V"}};
    EXPECT_EQ(panels_by_unit("t", curves).size(), 1U);
    const auto panels = panels_by_unit("t", {{0, "a", "V"}, {1, "b", "A"}, {2, "c", "V"}, {3, "d", "W"}});
    ASSERT_EQ(panels.size(), 3U);
    EXPECT_EQ(panels[0].title, "t");
    EXPECT_EQ(panels[0].curves.size(), 2U);
    EXPECT_EQ(panels[2].curves.front().label, "d");
}

TEST_F(Plot, OfThreeUnitsTheLegendTells) {
    const std::vector<Panel> panels{{"p", {{0, "a", "V"}, {1, "b", "A"}, {2, "c", "W"}}}};
    EXPECT_THAT(plot_script(series(), panels), Not(HasSubstr("axes x1y2")));
    EXPECT_THAT(draw_plot(series(), panels), HasSubstr("c [W]"));
}

TEST_F(Plot, NamesAreDrawnAsTheyAre) {
    const std::string odd = "It's {a}_b^2 `echo x` $HOME \\n \"q\" @sys";
    const std::string svg = draw_plot(series(), std::vector<Panel>{{odd, {{0, "x_{1}", ""}}}});
    EXPECT_THAT(svg, HasSubstr("{a}_b^2 `echo x` $HOME \\n "));
    EXPECT_THAT(svg, HasSubstr("x_{1}"));
}

TEST_F(Plot, ALineEndInATitleStartsNoCommand) {
    const std::string script = plot_script(series(), std::vector<Panel>{{"a'\nsystem 'b", {{0, "c\r\nd", ""}}}});
    EXPECT_THAT(script, HasSubstr("set title 'a'' system ''b'\n"));
    EXPECT_THAT(script, HasSubstr("title 'c  d'"));
}

TEST_F(Plot, FlatAndEmptyCurvesAreNoFailure) {
    EXPECT_THAT(draw_plot(series(), std::vector<Panel>{{"flat", {{2, "f", "V"}}}}), HasSubstr("</svg>"));
    EXPECT_THAT(draw_plot(series(), std::vector<Panel>{{"nothing", {{3, "n", "V"}}}}), HasSubstr("</svg>"));
    const TimeSeries one{names_, std::span(time_).first(1), data_, 4};
    EXPECT_THAT(draw_plot(one, std::vector<Panel>{{"one", {{0, "r", "V"}}}}), HasSubstr("</svg>"));
}

// The plotter gives up, or draws an empty panel.
TEST_F(Plot, NumbersTooLargeToDrawAreNamed) {
    data_[4] = -1e308;
    const auto message = [&](const PlotOptions& options, std::size_t column) {
        try {
            draw_plot(series(), std::vector<Panel>{{"p", {{column, "b.f", "V"}}}}, "gnuplot", options);
            return std::string();
        } catch (const std::runtime_error& e) {
            return std::string(e.what());
        }
    };
    const std::string expected =
        "'b.f' reaches -1e+308, and plots show numbers up to 1e+300: leave it out of the plot, or draw a stretch of "
        "time "
        "where it is smaller";
    EXPECT_EQ(message({}, 0), expected);
    EXPECT_EQ(message({}, 1), "");
    EXPECT_THAT(message({.x = Curve{0, "a.x", ""}}, 1), StartsWith("'a.x' reaches -1e+308"));
    data_[4] = 1e300;
    EXPECT_EQ(message({}, 0), "");
    data_[4] = std::numeric_limits<double>::infinity();  // a gap
    EXPECT_EQ(message({}, 0), "");
    time_.back() = 1e305;
    EXPECT_THAT(message({}, 0), StartsWith("'time [s]' reaches 1e+305"));
}

TEST_F(Plot, AFlatLineSaysWhatItHides) {
    for (std::size_t k = 0; k <= 10; ++k) data_[4 * k] = 5.0 + 1e-11 * static_cast<double>(k);
    const std::vector<Panel> panels{{"p", {{0, "a", "V"}, {2, "b", "A"}}}, {"q", {{2, "b", "A"}}}};
    const std::string script = plot_script(series(), panels);
    const std::size_t note = script.find("'values differ by 1e-10 only' at graph 0.01");
    EXPECT_NE(note, std::string::npos) << script;
    EXPECT_EQ(script.find("values differ", note + 2), std::string::npos);  // b is constant
    EXPECT_LT(note, script.rfind("unset label"));
    data_[2] += 1e-15;  // rounding
    EXPECT_EQ(plot_script(series(), panels).find("values differ", note + 2), std::string::npos);
    EXPECT_THAT(draw_plot(series(), panels), HasSubstr("values differ by 1e-10 only"));
}

TEST_F(Plot, APanelWithoutCurvesIsAnEmptyFrame) {
    EXPECT_THAT(draw_plot(series(), std::vector{Panel{"bare", {}}}), HasSubstr("bare"));
}

// What is longer than the axis is high would be cut off at both ends.
TEST_F(Plot, ALongNameIsLeftToTheLegend) {
    const std::string name = "vehicle.suspension.front.left.damper.piston.f";
    const std::string script = plot_script(series(), std::vector{Panel{"p", {{0, name, "m/s"}}}});
    EXPECT_THAT(script, HasSubstr("set ylabel '[m/s]'"));
    EXPECT_THAT(script, HasSubstr("title '" + name + "'"));
}

TEST_F(Plot, TheHorizontalAxisMayBeLogarithmicAndNamed) {
    const std::vector<Panel> panels{{"p", {{0, "a", "dB"}}}};
    EXPECT_THAT(plot_script(series(), panels), Not(HasSubstr("logscale")));
    const std::string script = plot_script(series(), panels, {.time_label = "frequency [Hz]", .logarithmic = true});
    EXPECT_THAT(script, HasSubstr("set logscale x\n"));
    EXPECT_THAT(script, HasSubstr("set xlabel 'frequency [Hz]'\n"));
    const TimeSeries positive{names_, std::span(time_).subspan(1), std::span(data_).subspan(4), 4};
    EXPECT_THAT(draw_plot(positive, panels, "gnuplot", {.time_label = "frequency [Hz]", .logarithmic = true}),
                HasSubstr("frequency [Hz]"));
}

TEST_F(Plot, APanelMaySayHowItsAxisIsNumbered) {
    EXPECT_THAT(plot_script(series(), std::vector<Panel>{{"p", {{0, "a", "deg"}}, 45.0}}), HasSubstr("set ytics 45\n"));
    // Others choose for themselves again.
    EXPECT_THAT(plot_script(series(), std::vector<Panel>{{"p", {{0, "a", ""}}}}), HasSubstr("set ytics autofreq\n"));
}

TEST_F(Plot, AMissingPlotterSaysHowToGetIt) {
    try {
        draw_plot(series(), std::vector<Panel>{{"p", {{0, "a", ""}}}}, "no-such-plotter");
        FAIL();
    } catch (const PlotterMissing& e) {
        EXPECT_STREQ(e.what(), "plots need the program gnuplot (apt install gnuplot-nox)");
    }
}

TEST_F(Plot, APlotterThatFailsIsQuoted) {
    EXPECT_THROW(draw_plot(series(), std::vector<Panel>{{"p", {{0, "a", ""}}}}, "false"), std::runtime_error);
}

TEST_F(Plot, ShortSeriesAreDrawnWhole) { EXPECT_EQ(visible_rows(series(), 0, 11).size(), 11U); }

TEST(VisibleRows, KeepEndsAndExtremesOfEveryStretch) {
    const std::vector<std::string> names{"a"};
    std::vector<double> time(100000);
    std::vector<double> data(100000);
    for (std::size_t k = 0; k < data.size(); ++k) {
        time[k] = static_cast<double>(k);
        data[k] = std::sin(1e-3 * static_cast<double>(k));
    }
    data[54321] = 50.0;  // a spike of one row
    data[77777] = -50.0;
    const auto rows = visible_rows({names, time, data, 1}, 0, 400);
    EXPECT_LE(rows.size(), 400U);
    EXPECT_GE(rows.size(), 200U);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    EXPECT_THAT(rows,
                testing::IsSupersetOf({std::size_t{0}, std::size_t{54321}, std::size_t{77777}, std::size_t{99999}}));
}

}  // namespace
}  // namespace bondgraph::io
