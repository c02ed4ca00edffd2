#include "bondgraph/structure/exact_number.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace bondgraph::structure {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
constexpr double kRound = std::numeric_limits<double>::epsilon() / 2.0;
constexpr double kWhole = 9007199254740992.0;  // 2^53: sums and products of integers up to here are exact
constexpr double kUnknown = std::numeric_limits<double>::infinity();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    const auto wide = static_cast<unsigned __int128>(a) * b;
    const std::uint64_t sum = (static_cast<std::uint64_t>(wide) & kPrime) + static_cast<std::uint64_t>(wide >> 61U);
    return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a >= b ? a - b : a + (kPrime - b); }

// Fermat: a^(p−2) is the inverse of a.
std::uint64_t inverted(std::uint64_t a) {
    if (a == 1) return 1;
    std::uint64_t result = 1;
    for (std::uint64_t power = kPrime - 2; power != 0; power >>= 1U) {
        if ((power & 1U) != 0) result = product(result, a);
        a = product(a, a);
    }
    return result;
}

// The simplest fraction within two roundings of a positive x, by its continued fraction; nothing where that is no
// simpler than any number has.
std::optional<std::pair<std::uint64_t, std::uint64_t>> simple_fraction(double x) {
    constexpr double kSimple = 70368744177664.0;  // 2^46 for numerator times denominator; a number's own is 2^52
    double p = 0.0, q = 1.0, p_next = 1.0, q_next = 0.0;
    double rest = x;
    for (int k = 0; k < 40; ++k) {
        const double whole = std::floor(rest);
        const double p_new = whole * p_next + p;
        const double q_new = whole * q_next + q;
        if (p_new * q_new > kSimple) return std::nullopt;
        p = std::exchange(p_next, p_new);
        q = std::exchange(q_next, q_new);
        if (std::abs(x - p_new / q_new) <= 4.0 * kRound * x)
            return std::pair{static_cast<std::uint64_t>(p_new), static_cast<std::uint64_t>(q_new)};
        rest = 1.0 / (rest - whole);
    }
    return std::nullopt;
}

// The number as it is stored.
std::uint64_t stored_residue(double magnitude) {
    int exponent = 0;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(magnitude, &exponent), 53));
    const int shift = ((exponent - 53) % 61 + 61) % 61;  // 2^61 is 1
    return product(mantissa, std::uint64_t{1} << static_cast<unsigned>(shift));
}

bool whole(double value, double error) { return error == 0.0 && std::abs(value) <= kWhole; }

}  // namespace

ExactNumber::ExactNumber(double value) : value_(value) {
    if (value == 0.0) return;
    if (!std::isfinite(value)) {  // as unknown as any number
        residue_ = 1;
        value_ = 1.0;
        error_ = kUnknown;
        fraction_ = false;
        return;
    }
    const auto fraction = simple_fraction(std::abs(value));
    fraction_ = fraction.has_value();
    residue_ = fraction ? product(fraction->first, inverted(fraction->second)) : stored_residue(std::abs(value));
    if (value < 0.0) residue_ = kPrime - residue_;
    error_ = value == std::round(value) && std::abs(value) <= kWhole ? 0.0 : 2.0 * kRound * std::abs(value);
}

ExactNumber ExactNumber::operator-() const {
    return is_zero() ? ExactNumber() : ExactNumber(kPrime - residue_, -value_, error_, fraction_);
}

ExactNumber ExactNumber::operator*(const ExactNumber& other) const {
    if (is_zero() || other.is_zero()) return {};
    const double value = value_ * other.value_;
    double error = std::abs(value_) * other.error_ + std::abs(other.value_) * error_ + error_ * other.error_ +
                   kRound * std::abs(value);
    if (error_ == 0.0 && other.error_ == 0.0 && std::abs(value) <= kWhole) error = 0.0;
    return {product(residue_, other.residue_), value, error, fraction_ && other.fraction_};
}

ExactNumber ExactNumber::operator-(const ExactNumber& other) const {
    if (other.is_zero()) return *this;
    const std::uint64_t residue = difference(residue_, other.residue_);
    if (residue == 0) return {};
    const bool fraction = fraction_ && other.fraction_;
    const double value = value_ - other.value_;
    if (whole(value_, error_) && whole(other.value_, other.error_) && std::abs(value) <= kWhole)
        return {residue, value, 0.0, fraction};
    constexpr double kTrusted = 1e-10;  // of the terms
    constexpr double kRounding = 4.0;   // bounds of single operations are sharp; several may point the same way
    const double size = std::max(std::abs(value_), std::abs(other.value_));
    const double error = error_ + other.error_ + kRound * std::abs(value);
    if (!(error <= kTrusted * size)) return {residue, value, kUnknown, fraction};
    if (!fraction && std::abs(value) <= kRounding * error) return {};
    return {residue, value, error, fraction};
}

ExactNumber ExactNumber::inverse() const {
    if (is_unit()) return *this;
    const double value = 1.0 / value_;
    const double relative = error_ / std::abs(value_);
    const double error = relative < 0.5 ? 2.0 * relative * std::abs(value) + kRound * std::abs(value) : kUnknown;
    return {inverted(residue_), value, error, fraction_};
}

}  // namespace bondgraph::structure
