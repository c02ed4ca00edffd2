// Models rebuilt from examples of the Modelica Standard Library against results of another simulator: a few dozen
// figures each (reference/facts), taken from trajectories that are no part of the project. Where these lie beside it,
// the figures are compared with them, and the models with every one of their points.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "tests/support/pipeline.hpp"
#include "tests/support/places.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr double kTube = 2e-3;    ///< deviation allowed, of the range of a signal (that of the reference's own checks)
constexpr double kWindow = 3e-4;  ///< shift in time allowed where the reference jumps, of the span
constexpr double kZero = 1e-12;   ///< a reference that stays below is zero but for rounding, and its range says nothing

/// Column of a reference that is a result of ours, or its negative.
struct Column {
    std::string result;
    std::string reference;
    double sign = 1.0;
};

/// What a model file says of its reference: `# reference: NAME`, `# until: SECONDS` where the motion becomes chaotic
/// and no two simulations agree any longer, and behind each output `# COLUMN` or `# -COLUMN`.
struct Case {
    std::string reference;
    double until = std::numeric_limits<double>::infinity();
    std::vector<Column> columns;
};

/// One signal over time. Events stand there twice, before and after.
struct Series {
    std::vector<double> time;
    std::vector<double> value;
};

struct Deviation {
    double relative = 0.0;  ///< of the reference's range
    double time = 0.0;
    double found = 0.0;
    double expected = 0.0;
};

std::filesystem::path reference_folder() {
    return std::filesystem::path(test::source_folder()).parent_path() / "shared" / "reference" / "msl";
}

std::filesystem::path facts_file(const std::string& name) {
    return test::source_folder() + "/tests/models/reference/facts/" + name + ".csv";
}

std::string model_file(const std::string& name) {
    return test::source_folder() + "/tests/models/reference/" + name + ".yaml";
}

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    const std::filesystem::path folder = std::filesystem::path(model_file("any")).parent_path();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Case read_case(const std::string& file) {
    Case read;
    std::ifstream in(file);
    bool outputs = false;
    for (std::string line; std::getline(in, line);) {
        const std::string heading = "# reference: ";
        if (line.rfind(heading, 0) == 0) read.reference = line.substr(heading.size());
        const std::string limit = "# until: ";
        if (line.rfind(limit, 0) == 0) read.until = std::stod(line.substr(limit.size()));
        if (!line.empty() && line.front() != ' ') outputs = line == "outputs:";
        std::istringstream words(line);
        std::string dash, result, hash, column;
        if (!outputs || !(words >> dash >> result >> hash >> column)) continue;
        const bool negative = column.front() == '-';
        read.columns.push_back({result, column.substr(negative ? 1 : 0), negative ? -1.0 : 1.0});
    }
    return read;
}

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> found;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) {
        cell.erase(std::remove_if(cell.begin(), cell.end(), [](char c) { return c == '"' || c == '\r'; }), cell.end());
        found.push_back(cell);
    }
    return found;
}

struct Table {
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;
    std::vector<std::vector<double>> ranges;  ///< of facts: the least and the most of the whole trajectory

    std::size_t place(const Column& column) const {
        const auto at = std::find(names.begin(), names.end(), column.reference);
        if (at == names.end()) throw std::runtime_error("the reference has no column " + column.reference);
        return static_cast<std::size_t>(at - names.begin());
    }

    Series series(const Column& column) const {
        Series s{columns.front(), columns[place(column)]};
        for (double& v : s.value) v *= column.sign;
        return s;
    }

    /// What range_of() takes for the range of the column.
    Series extremes(const Column& column) const { return {{0.0, 1.0}, ranges[place(column)]}; }
};

Table read_table(const std::filesystem::path& file, double until) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    Table table;
    table.names = cells(line);
    table.columns.resize(table.names.size());
    while (std::getline(in, line)) {
        const auto row = cells(line);
        if (std::stod(row.at(0)) > until) break;
        for (std::size_t k = 0; k < table.columns.size(); ++k) table.columns[k].push_back(std::stod(row.at(k)));
    }
    return table;
}

/// Facts have a first line that names their source, and the least and the most of every column before the rows.
Table read_facts(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line) || !line.starts_with("# ")) throw std::runtime_error("facts without a source");
    Table table;
    while (std::getline(in, line)) {
        auto row = cells(line);
        if (table.names.empty()) {
            table.names = row;
            table.columns.resize(row.size());
            table.ranges.resize(row.size());
            continue;
        }
        const bool extreme = row.front() == "least" || row.front() == "most";
        if (extreme) row.front() = "0";
        for (std::size_t k = 0; k < row.size(); ++k)
            (extreme ? table.ranges : table.columns).at(k).push_back(std::stod(row[k]));
    }
    return table;
}

double range_of(const Series& s) {
    const auto [least, most] = std::minmax_element(s.value.begin(), s.value.end());
    const double magnitude = std::max(std::abs(*least), std::abs(*most));
    if (magnitude < kZero) return 1.0;
    return *most - *least > 1e-9 * magnitude ? *most - *least : magnitude;
}

/// Rows of a series from `from` to `to`, both included, with what the simulation takes for the same time.
std::pair<std::size_t, std::size_t> rows(const Series& s, double from, double to) {
    const double eps = 2e-12 * (std::abs(s.time.front()) + std::abs(s.time.back()));
    const auto first = std::lower_bound(s.time.begin(), s.time.end(), from - eps);
    const auto last = std::upper_bound(s.time.begin(), s.time.end(), to + eps);
    return {static_cast<std::size_t>(first - s.time.begin()), static_cast<std::size_t>(last - s.time.begin())};
}

/// The row of `s` among first..last whose value is nearest to `value`.
std::size_t nearest(const Series& s, std::size_t first, std::size_t last, double value) {
    std::size_t best = first;
    for (std::size_t i = first; i < last; ++i) {
        if (std::abs(s.value[i] - value) < std::abs(s.value[best] - value)) best = i;
    }
    return best;
}

/// The times at which the reference jumps by more than the tube.
std::vector<double> jumps(const Series& reference, double tube) {
    std::vector<double> found;
    for (std::size_t i = 1; i < reference.time.size(); ++i) {
        const bool event = reference.time[i] == reference.time[i - 1];
        if (event && std::abs(reference.value[i] - reference.value[i - 1]) > tube) found.push_back(reference.time[i]);
    }
    return found;
}

/// The largest deviation of `found`, which has rows at all times of the reference. At an event, left is compared with
/// left and right with right, and not what the reference went through in between; about a jump of the reference, with
/// the nearest value inside the window.
Deviation deviation(const Series& found, const Series& reference, double range) {
    const double window = kWindow * (reference.time.back() - reference.time.front());
    const auto jumping = jumps(reference, kTube * range);
    Deviation worst;
    for (std::size_t i = 0; i < reference.time.size(); ++i) {
        const double t = reference.time[i];
        const double v = reference.value[i];
        const bool left = i + 1 < reference.time.size() && reference.time[i + 1] == t;
        const bool right = i > 0 && reference.time[i - 1] == t;
        if (left && right) continue;
        const auto jump = std::lower_bound(jumping.begin(), jumping.end(), t - window);
        const bool at_jump = jump != jumping.end() && *jump <= t + window;
        const auto [first, last] = at_jump ? rows(found, t - window, t + window) : rows(found, t, t);
        if (first == last) return {std::numeric_limits<double>::infinity(), t, 0.0, v};
        std::size_t row = nearest(found, first, last, v);
        if (!at_jump && left) row = first;
        if (!at_jump && right) row = last - 1;
        const double relative = std::abs(found.value[row] - v) / range;
        if (std::isnan(relative)) return {relative, t, found.value[row], v};
        if (relative > worst.relative) worst = {relative, t, found.value[row], v};
    }
    return worst;
}

Deviation deviation(const Series& found, const Series& reference) {
    return deviation(found, reference, range_of(reference));
}

TEST(ReferenceComparison, FindsADeviationWherever) {
    const Series flat{{0, 1, 2, 3}, {0, 1, 1, 0}};
    EXPECT_EQ(deviation(flat, flat).relative, 0.0);
    EXPECT_NEAR(deviation({{0, 1, 2, 3}, {0, 1, 0.9, 0}}, flat).relative, 0.1, 1e-12);
    EXPECT_TRUE(std::isinf(deviation({{0, 1, 3}, {0, 1, 0}}, flat).relative));
    EXPECT_FALSE(deviation({{0, 1, 2, 3}, {0, 1, std::nan(""), 0}}, flat).relative <= kTube);
}

TEST(ReferenceComparison, TakesRoundingAboutZeroForZero) {
    const Series noise{{0, 1, 2}, {0, 3e-17, -2e-17}};
    EXPECT_LE(deviation({{0, 1, 2}, {0, 0, 0}}, noise).relative, kTube);
    EXPECT_NEAR(deviation({{0, 1, 2}, {0, 0, 0.1}}, noise).relative, 0.1, 1e-12);
}

TEST(ReferenceComparison, AllowsForTheInstantOfAJumpButNotForItsHeight) {
    const Series step{{0, 1, 1, 2}, {0, 0, 1, 1}};
    EXPECT_EQ(deviation({{0, 1, 1.0001, 1.0001, 2}, {0, 0, 0, 1, 1}}, step).relative, 0.0);
    EXPECT_EQ(deviation({{0, 1, 1.1, 1.1, 2}, {0, 0, 0, 1, 1}}, step).relative, 1.0);
    EXPECT_NEAR(deviation({{0, 1, 1, 2}, {0, 0, 0.9, 1}}, step).relative, 0.1, 1e-12);
}

class ReferenceModel : public testing::TestWithParam<std::string> {};

/// The results of a model at these times and at those of its output.
std::vector<Series> results_of(const std::string& name, const Case& c, const std::vector<double>& times) {
    Pipeline p(test::load_file(model_file(name)));
    simulation::Settings settings = p.settings();
    settings.also_at = times;
    std::vector<std::string> names;
    for (const Column& column : c.columns) names.push_back(column.result);
    const simulation::Run run = p.run(settings, names);
    if (run.summary.failure) throw std::runtime_error(run.summary.failure->message);
    std::vector<Series> results(names.size(), Series{run.result.time, {}});
    for (std::size_t k = 0; k < names.size(); ++k) {
        for (std::size_t r = 0; r < run.result.time.size(); ++r) results[k].value.push_back(run.result.at(r, k));
    }
    return results;
}

void expect_in_tube(const Column& column, const Deviation& worst) {
    std::cout << "  " << std::left << std::setw(18) << column.result << std::setw(30) << column.reference
              << std::setprecision(2) << std::scientific << worst.relative << std::defaultfloat << " at "
              << std::setprecision(6) << worst.time << " s\n";
    EXPECT_LE(worst.relative, kTube) << column.result << " is " << std::setprecision(10) << worst.found
                                     << " instead of " << worst.expected << " at " << worst.time << " s";
}

TEST_P(ReferenceModel, StaysInATubeAboutTheReference) {
    const Case c = read_case(model_file(GetParam()));
    ASSERT_FALSE(c.columns.empty());
    const Table facts = read_facts(facts_file(GetParam()));
    ASSERT_GE(facts.columns.front().size(), 3U);
    const bool complete = std::filesystem::exists(reference_folder());
    Table table;
    if (complete) table = read_table(reference_folder() / (c.reference + ".csv"), c.until);
    const auto found = results_of(GetParam(), c, complete ? table.columns.front() : facts.columns.front());
    for (std::size_t k = 0; k < found.size(); ++k) {
        const Column& column = c.columns[k];
        const double range = range_of(facts.extremes(column));
        expect_in_tube(column, deviation(found[k], facts.series(column), range));
        if (!complete) continue;
        expect_in_tube(column, deviation(found[k], table.series(column)));
        // The facts are those of the trajectory.
        EXPECT_LE(deviation(table.series(column), facts.series(column), range).relative, 1e-8) << column.reference;
        EXPECT_NEAR(range, range_of(table.series(column)), 1e-8 * range) << column.reference;
    }
}

INSTANTIATE_TEST_SUITE_P(Msl, ReferenceModel, testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });

TEST(ReferenceModels, AreThere) { EXPECT_GE(model_names().size(), 60u); }

}  // namespace
}  // namespace bondgraph
