#include "bondgraph/simulation/doubt.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace bondgraph::simulation {
namespace {

constexpr double kReason = 1e-3;
constexpr double kMostDifference = 0.03;
constexpr double kShareOfRows = 0.98;
constexpr std::size_t kFewestRows = 3;
constexpr double kLeastOfMagnitude = 1e-2;
constexpr double kLeastOfUnit = 1e-3;
/// Of the largest value of all signals, whatever its unit: rounding.
constexpr double kRoundingOfAll = 1e-15;
/// A tenth of a smaller tolerance is no longer above rounding.
constexpr double kLeastTolerance = 1e-11;
constexpr std::size_t kMostValues = 50'000'000;
constexpr std::size_t kMoreSteps = 100;

struct Extent {
    double low = 0.0;
    double high = 0.0;

    [[nodiscard]] double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

std::vector<Extent> extents(const Result& result) {
    std::vector<Extent> extent(result.signals.size());
    for (std::size_t column = 0; column < extent.size(); ++column) {
        Extent& e = extent[column];
        e.low = e.high = result.at(0, column);
        for (std::size_t row = 1; row < result.time.size(); ++row) {
            e.low = std::min(e.low, result.at(row, column));
            e.high = std::max(e.high, result.at(row, column));
        }
    }
    return extent;
}

/// What the differences of each signal are compared with; 0 where nothing is worth comparing.
std::vector<double> comparable_sizes(const Result& result) {
    const std::vector<Extent> extent = extents(result);
    std::map<std::string, double> of_unit;
    double largest = 0.0;
    for (std::size_t k = 0; k < extent.size(); ++k) {
        double& most = of_unit[result.signals[k].unit];
        most = std::max(most, extent[k].magnitude());
        largest = std::max(largest, most);
    }
    std::vector<double> scale(extent.size());
    for (std::size_t k = 0; k < extent.size(); ++k) {
        scale[k] = std::max({extent[k].high - extent[k].low, kLeastOfMagnitude * extent[k].magnitude(),
                             kLeastOfUnit * of_unit[result.signals[k].unit]});
        if (!(scale[k] > kRoundingOfAll * largest)) scale[k] = 0.0;
    }
    return scale;
}

struct RowPair {
    std::size_t row;
    std::size_t closer;
};

/// The rows of the same times. Output is due at fixed times, but events may add rows.
std::vector<RowPair> common_rows(const Result& a, const Result& b) {
    std::vector<RowPair> pairs;
    for (std::size_t i = 0, j = 0; i < a.time.size() && j < b.time.size();) {
        if (a.time[i] < b.time[j]) {
            ++i;
        } else if (b.time[j] < a.time[i]) {
            ++j;
        } else {
            pairs.push_back({i++, j++});
        }
    }
    return pairs;
}

}  // namespace

bool suspicious(const Run& run) {
    const ErrorRecord& e = run.summary.errors;
    return e.local > kReason || e.energy > kReason;
}

std::optional<Doubt> difference(const Result& result, const Result& closer) {
    const std::vector<RowPair> rows = common_rows(result, closer);
    if (rows.size() < kFewestRows) return std::nullopt;
    const std::vector<double> scale = comparable_sizes(result);
    const auto most = static_cast<std::ptrdiff_t>(std::ceil(kShareOfRows * static_cast<double>(rows.size()))) - 1;
    Doubt worst{.until = result.time[rows.back().row]};
    std::vector<double> apart(rows.size());
    for (std::size_t k = 0; k < scale.size(); ++k) {
        if (scale[k] == 0.0) continue;
        std::transform(rows.begin(), rows.end(), apart.begin(),
                       [&](const RowPair& p) { return std::abs(result.at(p.row, k) - closer.at(p.closer, k)); });
        std::nth_element(apart.begin(), apart.begin() + most, apart.end());
        const double share = apart[static_cast<std::size_t>(most)] / scale[k];
        if (share <= worst.share) continue;
        worst.share = share;
        worst.signal = result.signals[k].name;
    }
    return worst;
}

std::optional<Doubt> look_again(const compile::CompiledModel& model, const Settings& settings, const Run& run,
                                const Progress& progress) {
    if (run.summary.failure || !suspicious(run) || settings.tolerance < kLeastTolerance ||
        run.result.data.size() > kMostValues)
        return std::nullopt;
    Settings closer = settings;
    closer.tolerance = 0.1 * settings.tolerance;
    closer.max_steps = std::min(settings.max_steps, 2 * static_cast<std::size_t>(run.summary.steps) + kMoreSteps);
    closer.energy = closer.energy_by_element = false;
    closer.audit_window.reset();
    closer.on_event = nullptr;  // the events of the run have been told
    try {
        const Run other = simulate(model, closer, run.result.signals, progress);
        std::optional<Doubt> doubt = difference(run.result, other.result);
        if (!doubt || doubt->share <= kMostDifference) return std::nullopt;
        doubt->tolerance = closer.tolerance;
        return doubt;
    } catch (const ModelError&) {  // what was well once is not found wanting at another tolerance
        return std::nullopt;
    }
}

}  // namespace bondgraph::simulation
