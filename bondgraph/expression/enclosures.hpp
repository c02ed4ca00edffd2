#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bondgraph/expression/tape.hpp"

namespace bondgraph::expression {

/// All real numbers between two bounds; rounding is on the outside.
struct Interval {
    double low = 0.0;
    double high = 0.0;

    static constexpr Interval all() {
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
    [[nodiscard]] bool contains(double x) const { return low <= x && x <= high; }
    [[nodiscard]] bool is_zero() const { return low == 0.0 && high == 0.0; }
    [[nodiscard]] double width() const { return high - low; }
    /// The largest absolute value.
    [[nodiscard]] double largest() const { return std::max(-low, high); }
    /// Whether all of it lies on one side of zero.
    [[nodiscard]] bool one_sign() const { return low > 0.0 || high < 0.0; }
};

/// What is proven of a function of one argument over an interval of it: where its values lie, its first and its second
/// derivative, and its value in the middle (not proven). A function with a kink has a slope on each side and all of
/// them between; its bend is unbounded. One with a jump has unbounded slopes.
struct Enclosure {
    Interval value;
    Interval slope;
    Interval bend;
    double middle = 0.0;

    [[nodiscard]] bool undefined() const { return value.low != value.low; }

    static Enclosure constant(double x) { return {{x, x}, {}, {}, x}; }
    /// The argument itself.
    static Enclosure argument(double from, double to) {
        return {{from, to}, {1.0, 1.0}, {0.0, 0.0}, from + 0.5 * (to - from)};
    }
};

/// Runs a tape on enclosures: of the results over an interval, given those of the inputs (Moore, Kearfott, Cloud:
/// Introduction to Interval Analysis, chapters 5 and 6). Values are narrowed at every operation by the mean value form,
/// so that they are as wide as the function's own range but for a share that falls with the square of the width.
/// What is not defined somewhere (the square root of a negative number) is unbounded; what is defined nowhere over the
/// interval has bounds that are not numbers, and counts as constant. All bounds are of where every part is defined.
class Enclosures {
   public:
    explicit Enclosures(const Tape& tape);

    /// What the inputs are over the interval, one each; constants at first.
    [[nodiscard]] std::span<Enclosure> inputs() { return std::span(registers_).first(tape_->input_count()); }
    /// Whether bends are asked for. Without them it takes half the time.
    enum class Bends : std::uint8_t { known, unknown };
    /// `width`: of the interval. Bends that are unknown have no meaning.
    void evaluate(double width, std::span<Enclosure> outputs, Bends bends = Bends::known);

   private:
    template <bool bends>
    void run(double width, std::span<Enclosure> outputs);

    const Tape* tape_;
    std::vector<Enclosure> registers_;
};

}  // namespace bondgraph::expression
