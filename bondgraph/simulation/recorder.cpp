#include "bondgraph/simulation/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {
namespace {

std::vector<double> output_times(const Settings& s) {
    const double interval = s.interval > 0 ? s.interval : (s.stop - s.start) / 500.0;
    const double close_to_stop = 1e-9 * std::min(interval, s.stop - s.start);
    std::vector<double> times;
    // Points k·interval, not a running sum: the last digits stay right.
    for (std::size_t k = 0;; ++k) {
        const double t = s.start + static_cast<double>(k) * interval;
        if (t >= s.stop - close_to_stop) break;
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

[[noreturn]] void refuse_start(const Failure& failure, const NotFinite& why) {
    const std::string what = why.expression.empty() ? failure.equation : why.expression;
    Diagnostics d;
    d.error("BG-I002", why.position, fmt::format("{} at the start (time {:g})", failure.message, failure.time),
            {{"where", why.component.empty() ? what : fmt::format("{} of {}", what, why.component)},
             {"because", why.because},
             {"try", why.remedy}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

}  // namespace

Recorder::Recorder(const Settings& settings, Result& result)
    : result_(result), times_(output_times(settings)), row_(result.signals.size()) {
    for (std::size_t k = 0; k < result.signals.size(); ++k) {
        if (result.signals[k].impulse) impulsive_.push_back(k);
    }
    impulses_.assign(impulsive_.size(), 0.0);
}

void Recorder::take_impulses(const model::BondGraph& graph, const std::vector<double>& impulses) {
    if (impulsive_.empty() || impulses.empty()) return;
    expression::InputLayout layout;
    layout.size = static_cast<std::uint32_t>(impulses.size());
    for (std::uint32_t v = 0; v < layout.size; ++v) layout.variable.push_back(v);
    std::vector<expression::Expr> sums;
    for (const std::size_t k : impulsive_) sums.push_back(result_.signals[k].value);
    const expression::Tape tape(*graph.expressions, sums, layout);
    std::vector<double> work = tape.make_workspace<double>();
    tape.evaluate<double>(impulses, impulses_, work);
}

double Recorder::next() const {
    return next_ < times_.size() ? times_[next_] : std::numeric_limits<double>::infinity();
}

double Recorder::ask(double time) {
    const auto due = times_.begin() + static_cast<std::ptrdiff_t>(next_);
    const double close = 1e-12 * (std::abs(times_.front()) + std::abs(times_.back()));
    auto at = std::lower_bound(due, times_.end(), time - close);
    if (at != times_.end() && *at <= time + close) return *at;
    if (time > times_[next_ - 1] + close) times_.insert(at, time);
    return time;
}

std::span<const double> Recorder::between(double from, double to) const {
    std::size_t first = next_;  // of a step, which seldom holds more than a few
    while (first < times_.size() && times_[first] <= from) ++first;
    std::size_t last = first;
    while (last < times_.size() && times_[last] < to) ++last;
    return std::span<const double>(times_).subspan(first, last - first);
}

void Recorder::pass(double time) {
    while (next_ < times_.size() && times_[next_] <= time) ++next_;
}

void Recorder::go_back(Place place) {
    next_ = place.next;
    impulses_ = std::move(place.impulses);
    result_.time.resize(place.rows);
    result_.data.resize(place.rows * result_.signals.size());
}

void Recorder::compute(Mode& mode, const Point& p) {
    mode.evaluator->run(mode.outputs->tape, mode.output_work, p.time, p.y, p.yp, row_);
    for (std::size_t k = 0; k < impulsive_.size(); ++k) row_[impulsive_[k]] = impulses_[k];
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
    const bool good = !failure;
    append(point.time, failure);
    if (!good || !failure) return;
    const NotFinite why = explain_not_finite(*mode.evaluator, mode.outputs->tape, point);
    if (result_.time.empty()) refuse_start(*failure, why);
    failure->position = why.position;
    if (!why.component.empty()) failure->component = why.component;
    if (!why.expression.empty()) failure->equation = why.expression;
}

}  // namespace bondgraph::simulation
