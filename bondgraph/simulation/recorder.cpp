#include "bondgraph/simulation/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bondgraph::simulation {
namespace {

std::vector<double> output_times(const Settings& s) {
    const double interval = s.interval > 0 ? s.interval : (s.stop - s.start) / 500.0;
    std::vector<double> times;
    // Points k·interval, not a running sum: the last digits stay right.
    for (std::size_t k = 0;; ++k) {
        const double t = s.start + static_cast<double>(k) * interval;
        if (t >= s.stop - 1e-9 * interval) break;
        times.push_back(t);
    }
    times.push_back(s.stop);
    for (const double t : s.also_at) {
        if (t > s.start && t < s.stop) times.push_back(t);
    }
    std::sort(times.begin(), times.end());
    const double close = 1e-12 * (std::abs(s.stop) + std::abs(s.start));
    times.erase(std::unique(times.begin(), times.end(), [&](double a, double b) { return b - a <= close; }),
                times.end());
    return times;
}

}  // namespace

Recorder::Recorder(const Settings& settings, Result& result)
    : result_(result), times_(output_times(settings)), row_(result.signals.size()) {}

double Recorder::next() const {
    return next_ < times_.size() ? times_[next_] : std::numeric_limits<double>::infinity();
}

void Recorder::pass(double time) {
    while (next_ < times_.size() && times_[next_] <= time) ++next_;
}

void Recorder::compute(Mode& mode, const Point& p) {
    mode.evaluator->run(mode.outputs, mode.output_work, p.time, p.y, p.yp, row_);
    for (double& value : row_) value += 0.0;  // −0 is nobody's result
}

void Recorder::append(double time, std::optional<Failure>& failure) {
    if (!failure) {
        for (std::size_t k = 0; k < row_.size(); ++k) {
            if (std::isfinite(row_[k])) continue;
            const std::string& name = result_.signals[k].name;
            failure = Failure{.message = fmt::format("the result '{}' has no finite value", name),
                              .component = fmt::format("'{}'", name),
                              .equation = name,
                              .time = time};
            return;
        }
    }
    result_.time.push_back(time);
    result_.data.insert(result_.data.end(), row_.begin(), row_.end());
}

void Recorder::record(Mode& mode, const Point& point, std::optional<Failure>& failure) {
    compute(mode, point);
    append(point.time, failure);
}

}  // namespace bondgraph::simulation
