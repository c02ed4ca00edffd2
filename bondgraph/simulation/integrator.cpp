#include "bondgraph/simulation/integrator.hpp"

#include <fmt/format.h>
#include <ida/ida.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/error_norm.hpp"
#include "bondgraph/simulation/loop_coordinates.hpp"
#include "bondgraph/simulation/singular.hpp"

namespace bondgraph::simulation {
namespace {

/// After so many steps, and then after twice as many each time up to the most, rounding is looked at again.
constexpr long kFirstLook = 100;
constexpr long kLongestLook = 1600;
/// Steps below this share of the time, and how many of them in a row end a run.
constexpr double kSmallestStep = 1e-12;
constexpr int kMostCreeping = 200;
/// After so many steps in a row that need as good as a Jacobian each, while they get no longer and the rest of the run
/// would take more than so many of them, no end can be waited for.
constexpr long kWatchedPace = 4000;
constexpr double kLeastJacobians = 0.7;
constexpr double kMostToCome = 1e9;
/// Of so many steps, so many may find that Newton's iteration needs a new Jacobian.
constexpr int kWatchedSteps = 32;
constexpr int kMostUnserved = 4;

void need(int status, const char* what) {
    if (status < 0) throw std::runtime_error(fmt::format("{} failed with {}", what, status));
}

}  // namespace

Integrator::Integrator(Evaluator& evaluator, const Settings& settings, const Point& start, const Quadrature& quadrature)
    : ev_(evaluator),
      kinds_of_(evaluator.findings().of<UnknownKinds>()),
      settings_(settings),
      all_powers_{&quadrature.all, {}},
      books_{&quadrature.books, {}},
      y_(evaluator.size(), context_),
      yp_(evaluator.size(), context_),
      id_(evaluator.size(), context_),
      inner_y_(evaluator.size(), context_),
      inner_yp_(evaluator.size(), context_),
      magnitude_(evaluator.size(), 0.0),
      shown_(evaluator.size(), 0.0),
      guessed_(evaluator.size(), false),
      in_loops_(evaluator.model().reduced && evaluator.model().reduced->loops) {
    std::copy(start.y.begin(), start.y.end(), y_.data());
    std::copy(start.yp.begin(), start.yp.end(), yp_.data());
    time_ = start.time;
    kinds_ = kinds_of_.kinds;
    set_magnitudes(start);
    is_mechanism_ = kinds_of_.mechanism;
    passed_.resize(ev_.size());
    for (std::size_t i = 0; i < ev_.size(); ++i) id_.data()[i] = kinds_of_.judged[i] ? 1.0 : 0.0;
    looped_ = ev_.loops().unknowns();
    exact_y_ = start.y;
    follow_loops();
    if (is_mechanism_) judge_errors_by(y_.get(), {error_norm, this});
    ida_ = IDACreate(context_.get());
    need(IDAInit(ida_, residual, start.time, y_.get(), yp_.get()), "IDAInit");
    IDASetUserData(ida_, this);
    IDASetErrHandlerFn(
        ida_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    need(IDAWFtolerances(ida_, weights), "IDAWFtolerances");
    IDASetId(ida_, id_.get());
    // Algebraic unknowns are solved for exactly wherever they are looked at; in the error test, what Newton's iteration
    // leaves of them is noise that can hold the order at 1.
    if (ev_.model().state_count < ev_.size() || is_mechanism_) IDASetSuppressAlg(ida_, SUNTRUE);
    IDASetMaxNumSteps(ida_, -1);
    IDASetMaxErrTestFails(ida_, 20);
    IDASetMaxConvFails(ida_, 20);
    next_look_ = look_after_ = kFirstLook;
    pace_.time = time_;
    set_linear_solver();
    if (is_mechanism_ && (rows_.empty() || rates_)) filter_.emplace(ev_, rows_);
    set_convergence_test();
    integral_.assign(quadrature.all.output_count(), 0.0);
    rate_.resize(integral_.size());
    if (integral_.empty()) return;
    all_powers_ = powers_of(quadrature.all);
    books_ = powers_of(quadrature.books);
}

Integrator::~Integrator() {
    IDAFree(&ida_);
    SUNMatDestroy(stand_in_);
}

// IDA's first step is a thousandth of the distance it is told, or less. As a round share of the run it, and the steps
// that double from there, would fall on the same phase of everything that has a period: it is made a little longer.
// Where it is longer than allowed it is halved, not cut: where steps end up between two doublings is then as before.
double Integrator::first_distance(double stop, double limit) const {
    constexpr double kOdd = 1.00314159265359;
    constexpr double kShare = 1e-3;
    double distance = kOdd * (stop - time_);
    while (kShare * distance > limit - time_ && limit > time_) distance *= 0.5;
    return distance;
}

Integrator::Outcome Integrator::step(double stop, double limit) {
    long steps = 0;
    IDAGetNumSteps(ida_, &steps);
    double planned = 0.0;
    IDAGetCurrentStep(ida_, &planned);
    const bool limited = limit < stop && steps > 0 && time_ + planned > limit;
    need(IDASetStopTime(ida_, limited ? limit : stop), "IDASetStopTime");
    if (static_cast<std::size_t>(steps + before_.steps) >= settings_.max_steps) {
        status_ = IDA_TOO_MUCH_WORK;
        return Outcome::failed;
    }
    const double before = time_;
    attempted_ = false;
    status_ = IDASolve(ida_, time_ + first_distance(stop, limit), &time_, y_.get(), yp_.get(), IDA_ONE_STEP);
    if (status_ < 0) return Outcome::failed;
    if (++steps_ == next_look_) {
        Point here{.time = time_, .y = {y_.data(), y_.data() + y_.size()}, .yp = {yp_.data(), yp_.data() + yp_.size()}};
        look_at_rounding(here);
        look_after_ = std::min(2 * look_after_, kLongestLook);
        next_look_ += look_after_;
    }
    // Steps that no longer move the time are a singularity that the error test creeps up to.
    watch_jacobians();
    creeping_ = time_ - before < kSmallestStep * std::abs(time_) ? creeping_ + 1 : 0;
    watch_pace();
    if (creeping_ > kMostCreeping || stalled_) {
        status_ = IDA_ERR_FAIL;
        return Outcome::failed;
    }
    return status_ == IDA_TSTOP_RETURN ? Outcome::stopped : Outcome::stepped;
}

// Jacobians that no longer serve although they are of a step or two before are a sign of a mass matrix that turns with
// the bodies.
void Integrator::watch_jacobians() {
    if (rates_ || rows_.empty()) return;
    if (unserved_ > kMostUnserved) {
        rates_.emplace(ev_, rows_);
        filter_.emplace(ev_, rows_);
    }
    if (++watched_steps_ % kWatchedSteps == 0) unserved_ = 0;
}

// Where rounding leaves more of the forces than the tolerance asks for, Newton's iteration converges by chance only,
// and the step stays as short as it makes it.
void Integrator::watch_pace() {
    if (steps_ % kWatchedPace != 0) return;
    Summary counts;
    statistics(counts);
    const Pace now{time_, time_ - pace_.time, counts.jacobian_evaluations};
    const auto jacobians = static_cast<double>(now.jacobians - pace_.jacobians);
    const double to_come = (settings_.stop - time_) / std::max(now.way, 1e-300) * static_cast<double>(kWatchedPace);
    stalled_ = pace_.way > 0.0 && now.way < 2.0 * pace_.way && to_come > kMostToCome &&
               jacobians > kLeastJacobians * static_cast<double>(kWatchedPace);
    pace_ = now;
}

bool Integrator::may_recover() const {
    return creeping_ <= kMostCreeping && !stalled_ &&
           (status_ == IDA_CONV_FAIL || status_ == IDA_ERR_FAIL || status_ == IDA_LSETUP_FAIL ||
            status_ == IDA_LSOLVE_FAIL || status_ == IDA_REP_RES_ERR || status_ == IDA_FIRST_RES_FAIL);
}

void Integrator::current(Point& point) const {
    point.time = time_;
    std::copy_n(y_.data(), point.y.size(), point.y.begin());
    std::copy_n(yp_.data(), point.yp.size(), point.yp.begin());
    ev_.solve_loops(time_, point.y, point.yp);
}

void Integrator::interpolate(double time, std::span<double> y, std::span<double> yp) {
    // IDA writes where the values are wanted.
    double* const own_y = inner_y_.data();
    double* const own_yp = inner_yp_.data();
    N_VSetArrayPointer(y.data(), inner_y_.get());
    N_VSetArrayPointer(yp.data(), inner_yp_.get());
    if (IDAGetDky(ida_, time, 0, inner_y_.get()) != IDA_SUCCESS ||
        IDAGetDky(ida_, time, 1, inner_yp_.get()) != IDA_SUCCESS) {
        std::copy(y_.data(), y_.data() + y.size(), y.begin());
        std::copy(yp_.data(), yp_.data() + yp.size(), yp.begin());
    }
    N_VSetArrayPointer(own_y, inner_y_.get());
    N_VSetArrayPointer(own_yp, inner_yp_.get());
    ev_.solve_loops(time, y, yp);
}

void Integrator::restart(const Point& point) {
    set_magnitudes(point);
    begin_at(point);
    IDASetInitStep(ida_, 0.0);
}

// Nothing has begun to move since: magnitudes are known. Estimated beside a singular position, they would be what
// rates without bound make of them, and any error would pass the test.
void Integrator::recover(const Point& point, bool cautious) {
    look_at_rounding(point, true);
    begin_at(point);
    IDASetInitStep(ida_, cautious ? 1e-9 * (settings_.stop - settings_.start) : 0.0);
}

void Integrator::begin_at(const Point& point) {
    Summary so_far;
    statistics(so_far);
    before_ = so_far;
    std::copy(point.y.begin(), point.y.end(), y_.data());
    std::copy(point.yp.begin(), point.yp.end(), yp_.data());
    time_ = point.time;
    std::copy(point.y.begin(), point.y.end(), exact_y_.begin());
    follow_loops();
    need(IDAReInit(ida_, point.time, y_.get(), yp_.get()), "IDAReInit");
    evaluated_at_ = std::numeric_limits<double>::quiet_NaN();  // the point may be another one at the same time
    creeping_ = 0;
    stalled_ = false;
    pace_ = {point.time, 0.0, before_.jacobian_evaluations};
    steps_ = 0;
    next_look_ = look_after_ = kFirstLook;
    watched_steps_ = 0;
    unserved_ = 0;
}

// The coordinates of loops are in the error test, and the first step extrapolates them: with rates of 0 it would be as
// short as what they move by may be wrong by, and forces, rates of rates, converge to nothing in so short a step.
void Integrator::follow_loops() {
    constexpr double kShift = 1e-7;  // half of the digits are enough: the step is short
    if (looped_.empty() || !in_loops_) return;
    double ahead = kShift * (settings_.stop - settings_.start);
    for (std::size_t i = 0; i < ev_.model().state_count; ++i) {
        const double rate = std::abs(yp_.data()[i]);
        if (shown_[i] > 0.0 && ahead * rate > kShift * shown_[i]) ahead = kShift * shown_[i] / rate;
    }
    const std::vector<double> here(y_.data(), y_.data() + y_.size());
    std::vector<double> there = here;
    for (std::size_t i = 0; i < ev_.model().state_count; ++i) there[i] += ahead * yp_.data()[i];
    if (!ev_.solve_loops(time_ + ahead, there, yp_.span())) return;
    for (const std::uint32_t i : looped_) {
        if (id_.data()[i] > 0.0) yp_.data()[i] = (there[i] - here[i]) / ahead;
    }
}

void Integrator::retake(const Point& point, double first) {
    restart(point);
    IDASetInitStep(ida_, first);
}

// Taylor's polynomial around the middle: IDA's interpolating polynomial has as many derivatives as its order.
void Integrator::enclose(double from, double to, std::span<const std::uint32_t> which,
                         std::span<expression::Enclosure> inputs) {
    if (which.empty()) return;
    int order = 0;
    IDAGetLastOrder(ida_, &order);
    const double middle = from + 0.5 * (to - from);
    const double half = 0.5 * (to - from);
    constexpr std::size_t kOrders = 6;
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(order) + 1, kOrders);
    taylor_.assign(kOrders * which.size(), 0.0);  // k-th derivatives, side by side
    const std::size_t n = ev_.size();
    for (std::size_t k = 0; k < count; ++k) {
        if (IDAGetDky(ida_, middle, static_cast<int>(k), inner_y_.get()) != IDA_SUCCESS) break;
        for (std::size_t w = 0; w < which.size(); ++w) taylor_[w * kOrders + k] = inner_y_.data()[(which[w] - 1) % n];
    }
    for (std::size_t w = 0; w < which.size(); ++w) {
        const std::size_t first = which[w] > n ? 1 : 0;  // of a rate
        const double* d = &taylor_[w * kOrders];
        const auto bounds = [&](std::size_t derivative) {
            double far = 0.0;
            double power = 1.0;
            for (std::size_t k = derivative + 1; k < kOrders; ++k) {
                power *= half / static_cast<double>(k - derivative);
                far += std::abs(d[k]) * power;
            }
            const double centre = derivative < kOrders ? d[derivative] : 0.0;
            const double rounding = 1e-15 * (std::abs(centre) + far);
            return expression::Interval{centre - far - rounding, centre + far + rounding};
        };
        inputs[which[w]] = {bounds(first), bounds(first + 1), bounds(first + 2), d[first]};
    }
}

double Integrator::defect(double time, std::span<const double> y, std::span<const double> yp) {
    defect_.resize(ev_.size());
    if (!ev_.residual(time, y, yp, defect_)) return 0.0;
    if (rates_) rates_->correct(defect_);  // by the mass matrix of the step's end
    newton_->solve(defect_);
    // The mean that the error test takes: what one of many states may be off by alone is beyond its own tolerance.
    double sum = 0.0;
    for (std::size_t i = 0; i < ev_.model().state_count; ++i) {
        const double share = defect_[i] * weight(i, y[i]);
        sum += share * share;
    }
    return std::sqrt(sum / static_cast<double>(ev_.size()));
}

// What the step has corrected of its prediction is the local error of a BDF method times about one more than its order.
std::span<const double> Integrator::local_errors() {
    int order = 0;
    IDAGetLastOrder(ida_, &order);
    IDAGetEstLocalErrors(ida_, inner_y_.get());
    for (double& e : inner_y_.span().first(ev_.model().state_count)) e /= order + 1;
    return inner_y_.span();
}

void Integrator::take_over(const Integrator& other) {
    before_ = {};
    other.statistics(before_);
    integral_ = other.integral_;
    magnitude_ = other.magnitude_;
    shown_ = other.shown_;
    guessed_ = other.guessed_;
}

void Integrator::statistics(Summary& s) const {
    long steps = 0, residuals = 0, jacobians = 0, errors = 0, convergence = 0;
    IDAGetNumSteps(ida_, &steps);
    IDAGetNumResEvals(ida_, &residuals);
    IDAGetNumJacEvals(ida_, &jacobians);
    IDAGetNumErrTestFails(ida_, &errors);
    IDAGetNumNonlinSolvConvFails(ida_, &convergence);
    IDAGetLastOrder(ida_, &s.last_order);
    s.steps += before_.steps + steps;
    s.residual_evaluations += before_.residual_evaluations + residuals;
    s.jacobian_evaluations += before_.jacobian_evaluations + jacobians;
    s.error_test_failures += before_.error_test_failures + errors;
    s.convergence_failures += before_.convergence_failures + convergence;
}

Failure Integrator::failure() {
    Failure f;
    f.time = time_;
    Summary counts;
    statistics(counts);
    f.step = counts.steps;
    const auto& m = ev_.model();
    const auto blame = [&](std::size_t i) {
        const auto& e = m.graph().elements[m.rows[i].element.index()];
        f.component = fmt::format("'{}' ({})", e.name, e.type->name);
        f.equation = m.unknowns[i].differential ? fmt::format("der({})", m.name(m.rows[i].variable))
                                                : m.name(m.rows[i].variable);
        f.position = m.rows[i].position;
    };
    if (auto unsolved = failed_loop()) {
        unsolved->time = f.time;
        unsolved->step = f.step;
        return *unsolved;
    }
    if (!bad_y_.empty() &&
        std::abs(bad_time_ - time_) <= 1e-3 * (std::abs(time_) + (settings_.stop - settings_.start)) * 1e-2 + 1e-300) {
        const NotFinite why = explain_not_finite(ev_, bad_time_, bad_y_, bad_yp_);
        // Without an expression to blame the state itself has grown out of range, which is told below.
        if (!why.expression.empty()) {
            f.component = why.component;
            f.equation = why.expression;
            f.position = why.position;
            f.message = fmt::format("{} gives no finite value", why.component);
            return f;
        }
    }
    // The unknown with the largest error in the last attempt.
    Vector error(ev_.size(), context_);
    Vector weight(ev_.size(), context_);
    IDAGetEstLocalErrors(ida_, error.get());
    IDAGetErrWeights(ida_, weight.get());
    std::size_t worst = 0;
    double largest = -1.0;
    for (std::size_t i = 0; i < ev_.size(); ++i) {
        const double e = std::abs(error.data()[i] * weight.data()[i]);
        if (e > largest || !std::isfinite(e)) {
            largest = e;
            worst = i;
        }
    }
    blame(worst);
    const double value = y_.data()[worst];
    const bool growing = std::abs(value) >= 0.99 * magnitude_[worst] && std::abs(value) > 0;
    if (status_ == IDA_TOO_MUCH_WORK) {
        f.message = fmt::format("the limit of {} steps is reached", settings_.max_steps);
    } else if (status_ == IDA_CONV_FAIL || status_ == IDA_LSETUP_FAIL || status_ == IDA_LSOLVE_FAIL) {
        f.message = fmt::format("the equations could not be solved any more; {} = {:.6g}",
                                m.name(m.unknowns[worst].variable), value);
    } else if (stalled_) {
        f.message = fmt::format(
            "steps stay as short as {:.2g} s, and their equations hardly converge; {} = {:.6g}. Forces may be known "
            "less "
            "exactly here than the tolerance asks for: try a larger one",
            pace_.way / static_cast<double>(kWatchedPace), m.name(m.unknowns[worst].variable), value);
    } else {
        f.message = fmt::format("no step is small enough any more; {} = {:.6g}{}", m.name(m.unknowns[worst].variable),
                                value, growing ? " grows without bound" : " changes too fast");
    }
    std::vector<double> rates(ev_.size(), 0.0);
    const std::span<const double> y(y_.data(), ev_.size());
    for (const DiagnosticNote& note : singular_positions(ev_, time_, y, rates)) f.message += "; " + note.text;
    return f;
}

}  // namespace bondgraph::simulation
