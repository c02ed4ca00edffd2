#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace bondgraph::structure {

/// A real number for decisions of rank: its residue modulo the prime 2^61 − 1, and its value with a bound of the
/// rounding errors it has picked up.
///
/// A difference is zero when its residue is (moduli are taken as the simplest fraction that rounds to them, so 0.1·10
/// is 1), or when what is left is below the bound and the bound is far below the terms (so turning by cos and sin and
/// back is no change, and √2·√2 is 2). Where errors have grown too large to say so, the residue alone decides: it is
/// wrong about a generic number once in 10^18.
class ExactNumber {
   public:
    ExactNumber() = default;
    explicit ExactNumber(double value);

    [[nodiscard]] bool is_zero() const { return residue_ == 0; }
    [[nodiscard]] double value() const { return value_; }
    /// 1 or −1, without error.
    [[nodiscard]] bool is_unit() const { return error_ == 0.0 && std::abs(value_) == 1.0; }

    ExactNumber operator-() const;
    ExactNumber operator*(const ExactNumber& other) const;
    ExactNumber operator-(const ExactNumber& other) const;
    ExactNumber operator+(const ExactNumber& other) const { return *this - (-other); }
    /// Of a number that is not zero.
    [[nodiscard]] ExactNumber inverse() const;

   private:
    ExactNumber(std::uint64_t residue, double value, double error, bool fraction)
        : residue_(residue), value_(value), error_(error), fraction_(fraction) {}

    std::uint64_t residue_ = 0;  ///< 0 of zero only
    double value_ = 0.0;
    double error_ = 0.0;  ///< |value − true value| at most; infinite where nothing is known
    bool fraction_ = true;
};

}  // namespace bondgraph::structure
