#include "bondgraph/simulation/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "bondgraph/simulation/chebyshev.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

namespace {

constexpr int kSmoothest = 5;                 ///< of breaks that are followed: the integrator's highest order
constexpr double kResolved = 1e-2;            ///< of the tolerance
constexpr int kDeepestPiece = 10;             ///< halvings of a step
constexpr double kShortestDelay = 1e-9;       ///< of the run
constexpr std::size_t kMostPieces = 200'000;  ///< before those that are no longer asked for are forgotten

/// Coefficients of Chebyshev's polynomials from the values at Chebyshev's points, ascending in time.
template <std::size_t n>
std::array<double, n + 1> chebyshev_coefficients(const std::array<double, n + 1>& values) {
    std::array<double, n + 1> result{};
    for (std::size_t k = 0; k <= n; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i <= n; ++i) {
            const double weight = i == 0 || i == n ? 0.5 : 1.0;
            // Points ascend: the i-th is −cos(iπ/n).
            sum += weight * values[i] *
                   std::cos(boost::math::constants::pi<double>() * static_cast<double>(k * (n - i)) /
                            static_cast<double>(n));
        }
        result[k] = (k == 0 || k == n ? 1.0 : 2.0) / static_cast<double>(n) * sum;
    }
    return result;
}

}  // namespace

Delays::Delays(const compile::CompiledModel& first, const Settings& settings)
    : first_(first), settings_(settings), lines_(first.delays.size()), times_(2 * lines_.size()) {
    for (Line& line : lines_) line.ahead.push_back({settings.start, kSmoothest});
}

double Delays::at_piece(const Piece& piece, std::size_t delay, double at) const {
    const double x = piece.to > piece.from ? (2.0 * at - piece.from - piece.to) / (piece.to - piece.from) : 1.0;
    const double* c = piece.coefficients.data() + delay * (kDegree + 1);
    double b1 = 0.0;
    double b2 = 0.0;
    for (std::size_t k = kDegree; k > 0; --k) {
        const double b = c[k] + 2.0 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + x * b1 - b2;
}

// What has come in, on the side of a break that the run is on.
double Delays::value(std::size_t delay, double at) {
    const Line& line = lines_[delay];
    const double before = line.ahead.empty() ? std::numeric_limits<double>::infinity() : line.ahead.front().at;
    const bool fixed = !first_.delays.varying[delay];
    const double close = kShortestDelay * line.time;
    if (at < line.passed && (fixed || line.passed - at < close)) at = line.passed;
    at = std::min(at, before);
    if (at < settings_.start || line.passed < settings_.start || pieces_.empty()) return 0.0;
    const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                                        [](double time, const Piece& piece) { return time < piece.from; });
    auto piece = after == pieces_.begin() ? after : std::prev(after);
    if (piece->from >= before && piece != pieces_.begin()) --piece;
    if (at > pieces_.back().to) {
        // Rounding puts the end of a step a little beyond the delay from its beginning.
        if (at - pieces_.back().to > close) beyond_ = true;
        at = pieces_.back().to;
    }
    return at_piece(*piece, delay, std::max(at, piece->from));
}

void Delays::fill(const compile::CompiledModel& model, std::span<double> inputs, std::vector<double>& work) {
    if (model.delays.empty()) return;
    beyond_ = false;
    const double time = inputs[0];
    if (model.delays.any_varying()) model.delays.times.evaluate<double>(inputs, times_, work);
    const std::size_t first = model.first_held() + model.graph().first_delay();
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        const double ago = model.delays.varying[k] ? times_[2 * k] : lines_[k].time;
        inputs[first + k] = std::isfinite(ago) ? value(k, time - ago) : ago;
    }
}

std::vector<double> Delays::inputs_at(Evaluator& evaluator, const Point& point) const {
    const expression::Tape& tape = evaluator.model().delays.inputs;
    auto work = tape.make_workspace<double>();
    std::vector<double> values(lines_.size());
    evaluator.run(tape, work, point.time, point.y, point.yp, values);
    return values;
}

std::vector<double> Delays::times_at(Evaluator& evaluator, const Point& point) const {
    const expression::Tape& tape = evaluator.model().delays.times;
    auto work = tape.make_workspace<double>();
    std::vector<double> values(2 * lines_.size());
    evaluator.run(tape, work, point.time, point.y, point.yp, values);
    return values;
}

std::vector<double> Delays::values(Evaluator& evaluator, const Point& point) const {
    const auto inputs = evaluator.inputs(point.time, point.y, point.yp);
    const auto first =
        inputs.begin() + static_cast<std::ptrdiff_t>(evaluator.model().first_held() + first_.graph().first_delay());
    return {first, first + static_cast<std::ptrdiff_t>(lines_.size())};
}

bool Delays::resolved(const Piece& piece) const {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        const double* c = piece.coefficients.data() + k * (kDegree + 1);
        const double rest = std::abs(c[kDegree]) + std::abs(c[kDegree - 1]);
        if (rest > kResolved * settings_.tolerance * lines_[k].largest) return false;
    }
    return true;
}

void Delays::record_piece(Evaluator& evaluator, double from, double to, const Inside& inside, int depth) {
    const std::size_t count = lines_.size();
    std::vector<std::array<double, kDegree + 1>> values(count);
    for (std::size_t i = 0; i <= kDegree; ++i) {
        Point p;
        inside(i == kDegree ? to : from + (to - from) * chebyshev_point(i, kDegree), p);
        const std::vector<double> at = inputs_at(evaluator, p);
        for (std::size_t k = 0; k < count; ++k) {
            values[k][i] = at[k];
            if (std::isfinite(at[k])) lines_[k].largest = std::max(lines_[k].largest, std::abs(at[k]));
        }
    }
    Piece piece{from, to, {}};
    for (std::size_t k = 0; k < count; ++k) {
        const auto c = chebyshev_coefficients<kDegree>(values[k]);
        piece.coefficients.insert(piece.coefficients.end(), c.begin(), c.end());
    }
    const double middle = 0.5 * (from + to);
    if (depth < kDeepestPiece && middle > from && middle < to && !resolved(piece)) {
        record_piece(evaluator, from, middle, inside, depth + 1);
        record_piece(evaluator, middle, to, inside, depth + 1);
        return;
    }
    pieces_.push_back(std::move(piece));
}

void Delays::record(Evaluator& evaluator, double from, double to, const Inside& inside) {
    if (empty() || !(to > from)) return;
    record_piece(evaluator, from, to, inside, 0);
    if (pieces_.size() > kMostPieces) forget();
}

void Delays::forget() {
    double longest = 0.0;
    for (std::size_t k = 0; k < lines_.size(); ++k)
        longest = std::max(longest, std::max(lines_[k].time, times_[2 * k + 1]));
    while (pieces_.size() > kMostPieces / 2 && pieces_.front().to < pieces_.back().to - longest) {
        forgotten_ = pieces_.front().to;
        pieces_.pop_front();
    }
}

Delays::Before Delays::before(Evaluator& evaluator, const Point& point) const {
    const auto inputs = evaluator.inputs(point.time, point.y, point.yp);
    return {&evaluator.model(), {inputs.begin(), inputs.end()}};
}

// Beyond noise: what steps and consistent values differ by.
bool Delays::apart(double a, double b, double size) const {
    constexpr double kNoise = 10.0;
    return std::abs(a - b) > kNoise * settings_.tolerance * size;
}

/// The order of the first derivative that may jump; nothing where none does for what the event has changed.
std::optional<int> Delays::order_of(std::size_t delay, Evaluator& evaluator, const Cause& cause, const Before& before,
                                    std::span<const double> now) const {
    const compile::CompiledModel& m = evaluator.model();
    if (&m != before.model) return 1;
    const std::uint32_t first = static_cast<std::uint32_t>(m.first_held() + m.graph().first_delay());
    std::optional<int> order;
    for (const std::uint32_t i : m.delays.origins[delay]) {
        const double was = before.inputs[i];
        const bool delayed = i >= first && i < first + lines_.size();
        if (delayed) {
            if (cause.out) order = *cause.out + 1;
        } else if (i == 0) {
            if (cause.time_jumps) return 1;
        } else if (i <= m.size()) {
            const bool state = m.unknowns[i - 1].differential;
            if (state && apart(now[i], was, std::max(std::abs(now[i]), std::abs(was)))) return 1;
        } else if (now[i] != was) {
            return 1;
        }
    }
    return order;
}

void Delays::note(std::size_t delay, double time, int order) {
    std::deque<Break>& ahead = lines_[delay].ahead;
    if (order > kSmoothest) return;
    if (!ahead.empty() && ahead.back().at >= time) {
        ahead.back().order = std::min(ahead.back().order, order);
    } else {
        ahead.push_back({time, order});
    }
}

void Delays::broke(Evaluator& evaluator, const Point& point, const Cause& cause, const Before& before) {
    if (empty()) return;
    const std::vector<double> goes_in = inputs_at(evaluator, point);
    const auto now = evaluator.inputs(point.time, point.y, point.yp);
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        const double last = pieces_.empty() ? 0.0 : at_piece(pieces_.back(), k, pieces_.back().to);
        lines_[k].largest = std::max({lines_[k].largest, std::abs(goes_in[k]), std::abs(last)});
        if (apart(goes_in[k], last, lines_[k].largest)) {
            note(k, point.time, 0);
        } else if (const auto order = order_of(k, evaluator, cause, before, now)) {
            note(k, point.time, *order);
        }
    }
}

void Delays::begin(Evaluator& evaluator, const Point& point) {
    if (!empty()) broke(evaluator, point, {}, {});
}

double Delays::next_due() const {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        if (first_.delays.varying[k] || lines_[k].ahead.empty()) continue;
        next = std::min(next, lines_[k].ahead.front().at + lines_[k].time);
    }
    return next;
}

std::optional<int> Delays::pass(double time) {
    std::optional<int> lowest;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        Line& line = lines_[k];
        while (!first_.delays.varying[k] && !line.ahead.empty() && line.ahead.front().at + line.time <= time) {
            lowest = std::min(lowest.value_or(kSmoothest), line.ahead.front().order);
            line.passed = line.ahead.front().at;
            line.ahead.pop_front();
        }
    }
    return lowest;
}

std::optional<Delays::Passing> Delays::passing(Evaluator& evaluator, double from, double to, const Inside& inside) {
    if (empty() || !first_.delays.any_varying()) return std::nullopt;
    const auto seen_at = [&](double time) {
        Point p;
        inside(time, p);
        std::vector<double> seen = times_at(evaluator, p);
        for (double& s : seen) s = time - s;
        return seen;
    };
    const std::vector<double> last = seen_at(to);
    std::optional<Passing> first;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        if (!first_.delays.varying[k] || lines_[k].ahead.empty()) continue;
        const double at = lines_[k].ahead.front().at;
        if (!(last[2 * k] > at)) continue;
        const auto past = [&](double time) { return seen_at(time)[2 * k] - at; };
        double when = to;
        if (past(from) < 0.0) {
            std::uintmax_t most = 100;
            const auto [low, high] =
                boost::math::tools::toms748_solve(past, from, to, boost::math::tools::eps_tolerance<double>(50), most);
            when = high;
        } else {
            when = from;
        }
        if (!first || when < first->time) first = Passing{when, k};
    }
    return first;
}

int Delays::pass(const Passing& passing) {
    Line& line = lines_[passing.delay];
    const int order = line.ahead.front().order;
    line.passed = line.ahead.front().at;
    line.ahead.pop_front();
    return order;
}

// A delay that shrinks by c seconds per second sees the beginning of a step after T/(1 + c).
double Delays::limit(double from) const {
    constexpr double kMargin = 0.9;
    double end = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        const Line& line = lines_[k];
        if (!first_.delays.varying[k]) {
            end = std::min(end, from + line.time);
            continue;
        }
        end = std::min(end, from + kMargin * line.time / (1.0 + line.shrinks));
    }
    return end;
}

Failure Delays::failure(std::size_t delay, std::string message, double time) const {
    const model::Element& e = first_.graph().elements[first_.graph().delays[delay].element.index()];
    Failure result{.message = std::move(message), .component = e.name, .time = time};
    result.position = e.position;
    return result;
}

std::optional<Failure> Delays::look(Evaluator& evaluator, const Point& point) {
    if (empty()) return std::nullopt;
    times_ = times_at(evaluator, point);
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        Line& line = lines_[k];
        const double time = times_[2 * k];
        const double longest = times_[2 * k + 1];
        const std::string& name = first_.graph().elements[first_.graph().delays[k].element.index()].name;
        const double shortest = kShortestDelay * (settings_.stop - settings_.start);
        if (!(time >= shortest) || !(time > 0.0)) {
            return failure(
                k,
                fmt::format("the delay of '{}' is {:g} s: no step may be longer, and the run would take more "
                            "than {:.0e} of them",
                            name, time, 1.0 / kShortestDelay),
                point.time);
        }
        if (time > longest * (1.0 + 1e-9))
            return failure(
                k, fmt::format("the delay of '{}' is {:g} s, longer than its T_max of {:g} s", name, time, longest),
                point.time);
        if (point.time - time < forgotten_)
            return failure(k,
                           fmt::format("'{}' is asked for what was {:g} s ago, which has been forgotten", name, time),
                           point.time);
        const double passed = point.time - line.looked_at;
        if (passed > 0.0 && line.time > 0.0) line.shrinks = std::max(0.0, (line.time - time) / passed);
        line.time = time;
        line.looked_at = point.time;
    }
    return std::nullopt;
}

}  // namespace bondgraph::simulation
