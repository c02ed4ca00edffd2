#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/analysis/rounded_value.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::analysis {

/// A product of powers of symbols, exponents of any sign: (symbol, exponent ≠ 0), ascending by symbol.
using Monomial = std::vector<std::pair<std::uint32_t, int>>;

/// Symbol 0 is the complex frequency s; symbol i + 1 stands for parameter i of a list that goes with it.
inline constexpr std::uint32_t kFrequency = 0;

/// A polynomial in symbols that may also divide by them: Σ number · monomial. Terms whose numbers cancel to rounding
/// are gone.
class Laurent {
   public:
    Laurent() = default;
    Laurent(double number);  // implicit: gains are written 1 + x
    static Laurent symbol(std::uint32_t index, int exponent = 1);

    [[nodiscard]] const std::map<Monomial, double>& terms() const { return terms_; }
    [[nodiscard]] bool is_zero() const { return terms_.empty(); }
    [[nodiscard]] bool is_number(double number) const;
    /// One term: it can be divided by.
    [[nodiscard]] bool is_single() const { return terms_.size() == 1; }
    /// 1/this; of a single term only.
    [[nodiscard]] Laurent inverse() const;

    Laurent& operator+=(const Laurent& other);
    friend Laurent operator+(Laurent a, const Laurent& b) { return a += b; }
    friend Laurent operator-(const Laurent& a);
    friend Laurent operator-(Laurent a, const Laurent& b) { return a += -b; }
    friend Laurent operator*(const Laurent& a, const Laurent& b);

    /// `values` of the symbols from 1 on.
    [[nodiscard]] std::complex<double> value(std::complex<double> s, std::span<const double> values) const;
    /// The same with the exponents that products of many small parameters need, and Σ |term|.
    struct Sum {
        std::complex<long double> value;
        long double size = 0.0L;
    };
    [[nodiscard]] Sum sum(std::complex<double> s, std::span<const double> values) const;

   private:
    void add(const Monomial& monomial, double number);

    std::map<Monomial, double> terms_;
};

/// A quotient of two, without negative powers and without a monomial as common factor; the denominator's leading number
/// is positive. Common factors of more than one term may remain.
struct LaurentRatio {
    Laurent numerator;
    Laurent denominator{1.0};
};
LaurentRatio cleared(const Laurent& numerator, const Laurent& denominator);
std::complex<double> value(const LaurentRatio& ratio, std::complex<double> s, std::span<const double> values);

RoundedValue rounded_value(const LaurentRatio& ratio, std::complex<double> s, std::span<const double> values);

/// Texts with `names` for the symbols from 1 on (LaTeX in that style): "-1/(R*C*s)", "L*C*s^2 + (R*C + T)*s + 1", sums
/// by falling powers of s.
std::string text(const Laurent& value, std::span<const std::string> names,
                 expression::PrintStyle style = expression::PrintStyle::text);
std::string text(const LaurentRatio& ratio, std::span<const std::string> names,
                 expression::PrintStyle style = expression::PrintStyle::text);

}  // namespace bondgraph::analysis
