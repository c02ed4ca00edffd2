#include "bondgraph/analysis/responses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>

namespace bondgraph::analysis {
namespace {

using Complex = std::complex<double>;

constexpr double kDegrees = 180.0 / std::numbers::pi;

template <class Action>
void for_all_roots(const std::vector<TransferFunction>& functions, const Action& action) {
    for (const TransferFunction& h : functions) {
        for (const Roots* roots : {&h.poles, &h.zeros}) std::for_each(roots->begin(), roots->end(), action);
    }
}

/// Roots on the imaginary axis, to rounding, count as on its left: those of lossless one-ports then alternate.
bool in_right_half(const Complex& root) {
    constexpr double kRounding = 1e-9;
    return root.real() > kRounding * std::abs(root);
}

// The phase of jω − root, in degrees. Factors of roots in the right half plane are turned round (root − jω), whose sign
// goes to the gain.
double phase_of(const Complex& root, double w) {
    if (in_right_half(root)) return kDegrees * std::atan2(root.imag() - w, root.real());
    return kDegrees * std::atan2(w - root.imag(), std::abs(root.real()));
}

}  // namespace

std::vector<double> bode_frequencies(const std::vector<TransferFunction>& functions) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0.0;
    for_all_roots(functions, [&](const Complex& r) {
        if (std::abs(r) == 0.0) return;
        least = std::min(least, std::abs(r));
        greatest = std::max(greatest, std::abs(r));
    });
    if (!(least <= greatest)) least = greatest = 1.0;
    constexpr double kPointsPerDecade = 100.0;
    constexpr double kFlank = 1.2;
    // A root at 9.99999999 is one at 10.
    const double first = std::floor(std::log10(least) + 1e-9) - 1.0;
    const double last = std::ceil(std::log10(greatest) - 1e-9) + 1.0;
    std::vector<double> result;
    const auto points = static_cast<std::size_t>(std::lround(kPointsPerDecade * (last - first)));
    for (std::size_t k = 0; k <= points; ++k)
        result.push_back(std::pow(10.0, first + (last - first) * static_cast<double>(k) / static_cast<double>(points)));
    const double low = result.front();
    const double high = result.back();
    for_all_roots(functions, [&](const Complex& r) {
        constexpr double kLightlyDamped = 0.2;
        if (r.imag() <= 0.0 || std::abs(r.real()) > kLightlyDamped * r.imag()) return;
        // Just beside the peak of an undamped one, which has no height.
        constexpr double kRounding = 1e-9;
        const double beside = std::abs(r.real()) > kRounding * r.imag() ? std::abs(r.real()) : 1e-4 * r.imag();
        const auto add = [&](double offset) {
            for (const double w : {r.imag() - offset, r.imag() + offset}) {
                if (w > low && w < high) result.push_back(w);
            }
        };
        // Evenly across the peak, then by a factor along its flanks (3 dB) until the grid is as fine.
        add(0.25e-3 * beside);
        result.push_back(std::sqrt(r.imag() * r.imag() - r.real() * r.real()));  // the peak of this pair alone
        double offset = 0.0;
        while (offset < 3.0 * beside) add(offset += 0.25 * beside);
        const double grid = (std::pow(10.0, 1.0 / kPointsPerDecade) - 1.0) * r.imag();
        while (offset * (kFlank - 1.0) < grid) add(offset *= kFlank);
    });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

BodePoint bode_point(const TransferFunction& h, double w) {
    BodePoint point{20.0 * std::log10(std::abs(h.gain)), 0.0};
    bool negative = h.gain < 0.0;
    const auto add = [&](const Roots& roots, double sign) {
        for (const Complex& r : roots) {
            point.magnitude_db += sign * 20.0 * std::log10(std::abs(Complex(0.0, w) - r));
            point.phase_deg += sign * phase_of(r, w);
            if (in_right_half(r)) negative = !negative;
        }
    };
    add(h.zeros, 1.0);
    add(h.poles, -1.0);
    if (negative) point.phase_deg -= 180.0;
    return point;
}

double step_duration(const std::vector<TransferFunction>& functions) {
    constexpr double kTimeConstants = 6.0;
    constexpr double kPeriods = 8.0;
    constexpr double kMostPeriods = 40.0;  // of a lightly damped one: more can't be told apart
    constexpr double kGrowth = 4.0;
    double duration = 0.0;
    double growth = std::numeric_limits<double>::infinity();
    for (const TransferFunction& h : functions) {
        for (const Complex& p : h.poles) {
            if (p == 0.0) continue;
            const double period = p.imag() != 0.0 ? 2.0 * std::numbers::pi / std::abs(p) : HUGE_VAL;
            const double rate = std::abs(p.real());
            if (rate * kMostPeriods * period < kTimeConstants) {
                duration = std::max(duration, (rate > 0.0 ? kMostPeriods : kPeriods) * period);
            } else if (p.real() > 0.0) {
                growth = std::min(growth, kGrowth / rate);
            } else {
                duration = std::max(duration, kTimeConstants / rate);
            }
        }
    }
    // What grows hides all else soon.
    if (std::isfinite(growth)) return growth;
    return duration > 0.0 ? duration : 1.0;
}

std::vector<double> step_response(const SingleChannel& channel, double duration, std::size_t count) {
    const SingleChannel s = balanced(reduced(channel));
    const auto n = s.A.rows();
    // d/dt [x; 1] = [A b; 0 0] [x; 1] while the input is 1.
    Eigen::MatrixXd generator = Eigen::MatrixXd::Zero(n + 1, n + 1);
    generator.topLeftCorner(n, n) = s.A;
    generator.topRightCorner(n, 1) = s.b;
    const double interval = count > 1 ? duration / static_cast<double>(count - 1) : 0.0;
    const Eigen::MatrixXd advance = (generator * interval).exp();
    Eigen::VectorXd state = Eigen::VectorXd::Zero(n + 1);
    state(n) = 1.0;
    std::vector<double> response;
    for (std::size_t k = 0; k < count; ++k) {
        response.push_back(s.c.dot(state.head(n)) + s.d);
        state = advance * state;
    }
    return response;
}

}  // namespace bondgraph::analysis
