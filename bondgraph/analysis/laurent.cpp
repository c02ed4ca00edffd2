#include "bondgraph/analysis/laurent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bondgraph::analysis {

using expression::PrintStyle;

namespace {

Monomial product(const Monomial& a, const Monomial& b) {
    Monomial result;
    auto x = a.begin();
    auto y = b.begin();
    while (x != a.end() || y != b.end()) {
        if (y == b.end() || (x != a.end() && x->first < y->first)) {
            result.push_back(*x++);
        } else if (x == a.end() || y->first < x->first) {
            result.push_back(*y++);
        } else {
            if (x->second + y->second != 0) result.emplace_back(x->first, x->second + y->second);
            ++x;
            ++y;
        }
    }
    return result;
}

int power_of(const Monomial& m, std::uint32_t symbol) {
    for (const auto& [s, exponent] : m) {
        if (s == symbol) return exponent;
    }
    return 0;
}

}  // namespace

Laurent::Laurent(double number) { add({}, number); }

Laurent Laurent::symbol(std::uint32_t index, int exponent) {
    Laurent result;
    result.add({{index, exponent}}, 1.0);
    return result;
}

void Laurent::add(const Monomial& monomial, double number) {
    if (number == 0.0) return;
    const auto [at, fresh] = terms_.emplace(monomial, number);
    if (fresh) return;
    const double sum = at->second + number;
    // Numbers are products and sums of a few parameters: what is left of a cancellation is rounding.
    constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
    if (std::abs(sum) <= kRounding * (std::abs(at->second) + std::abs(number)))
        terms_.erase(at);
    else
        at->second = sum;
}

bool Laurent::is_number(double number) const {
    if (number == 0.0) return is_zero();
    return is_single() && terms_.begin()->first.empty() && terms_.begin()->second == number;
}

Laurent Laurent::inverse() const {
    Monomial monomial = terms_.begin()->first;
    for (auto& [symbol, exponent] : monomial) exponent = -exponent;
    Laurent result;
    result.add(monomial, 1.0 / terms_.begin()->second);
    return result;
}

Laurent& Laurent::operator+=(const Laurent& other) {
    for (const auto& [monomial, number] : other.terms_) add(monomial, number);
    return *this;
}

Laurent operator-(const Laurent& a) {
    Laurent result = a;
    for (auto& [monomial, number] : result.terms_) number = -number;
    return result;
}

Laurent operator*(const Laurent& a, const Laurent& b) {
    Laurent result;
    for (const auto& [m, x] : a.terms_) {
        for (const auto& [n, y] : b.terms_) result.add(product(m, n), x * y);
    }
    return result;
}

std::complex<double> Laurent::value(std::complex<double> s, std::span<const double> values) const {
    return std::complex<double>(sum(s, values).value);
}

Laurent::Sum Laurent::sum(std::complex<double> s, std::span<const double> values) const {
    using Long = std::complex<long double>;
    Sum sum;
    for (const auto& [monomial, number] : terms_) {
        Long term = number;
        for (const auto& [symbol, exponent] : monomial)
            term *= symbol == kFrequency ? std::pow(Long(s), exponent)
                                         : Long(std::pow(static_cast<long double>(values[symbol - 1]), exponent));
        sum.value += term;
        sum.size += std::abs(term);
    }
    return sum;
}

LaurentRatio cleared(const Laurent& numerator, const Laurent& denominator) {
    std::map<std::uint32_t, int> least;
    for (const Laurent* part : {&numerator, &denominator}) {
        for (const auto& [monomial, number] : part->terms()) {
            for (const auto& [symbol, exponent] : monomial) least.emplace(symbol, exponent);
        }
    }
    Laurent factor = 1.0;
    for (auto& [symbol, exponent] : least) {
        for (const Laurent* part : {&numerator, &denominator}) {
            for (const auto& [monomial, number] : part->terms())
                exponent = std::min(exponent, power_of(monomial, symbol));
        }
        if (exponent != 0) factor = factor * Laurent::symbol(symbol, -exponent);
    }
    LaurentRatio ratio{numerator * factor, denominator * factor};
    // The term that is written first.
    const auto leading = std::max_element(
        ratio.denominator.terms().begin(), ratio.denominator.terms().end(),
        [](const auto& a, const auto& b) { return power_of(a.first, kFrequency) < power_of(b.first, kFrequency); });
    if (leading != ratio.denominator.terms().end() && leading->second < 0.0)
        ratio = {-ratio.numerator, -ratio.denominator};
    if (ratio.denominator.is_single() && leading->first.empty())
        ratio = {ratio.numerator * ratio.denominator.inverse(), 1.0};
    return ratio;
}

std::complex<double> value(const LaurentRatio& ratio, std::complex<double> s, std::span<const double> values) {
    return std::complex<double>(ratio.numerator.sum(s, values).value / ratio.denominator.sum(s, values).value);
}

RoundedValue rounded_value(const LaurentRatio& ratio, std::complex<double> s, std::span<const double> values) {
    constexpr long double kRounding = 64.0L * std::numeric_limits<double>::epsilon();
    const Laurent::Sum above = ratio.numerator.sum(s, values);
    const Laurent::Sum below = ratio.denominator.sum(s, values);
    const long double divisor = std::abs(below.value);
    if (divisor <= kRounding * below.size && std::abs(above.value) <= kRounding * above.size)
        return {0.0, std::numeric_limits<double>::infinity()};
    const std::complex<long double> quotient = above.value / below.value;
    const long double moved = kRounding * (above.size + std::abs(quotient) * below.size) / divisor;
    return {std::complex<double>(quotient), static_cast<double>(moved)};
}

namespace {

class Printing {
   public:
    Printing(std::span<const std::string> names, PrintStyle style) : names_(names), style_(style) {}

    [[nodiscard]] std::string sum(const Laurent& value) const {
        if (value.is_zero()) return "0";
        std::map<int, std::vector<const Term*>, std::greater<>> by_power;
        for (const Term& t : value.terms()) by_power[power_of(t.first, kFrequency)].push_back(&t);
        std::string text;
        for (const auto& [power, terms] : by_power) {
            if (terms.size() == 1 || power == 0) {
                for (const Term* t : terms) append(text, single(t->first, std::abs(t->second)), t->second < 0.0);
                continue;
            }
            // Several terms of one power of s: its coefficient in parentheses.
            std::string coefficient;
            for (const Term* t : terms)
                append(coefficient, single(without_frequency(t->first), std::abs(t->second)), t->second < 0.0);
            const std::string s = power_text("s", std::abs(power));
            append(text, power > 0 ? enclosed(coefficient) + times() + s : quotient(coefficient, true, s), false);
        }
        return text;
    }

    [[nodiscard]] std::string ratio(const LaurentRatio& r) const {
        if (r.denominator.is_number(1.0)) return sum(r.numerator);
        if (r.numerator.is_zero()) return "0";
        const bool several = r.numerator.terms().size() > 1;
        const std::string below = sum(r.denominator);
        if (style_ == PrintStyle::latex) return fmt::format("\\frac{{{}}}{{{}}}", sum(r.numerator), below);
        const auto& only = *r.denominator.terms().begin();
        const bool atom =
            r.denominator.is_single() && (only.first.empty() || (only.second == 1.0 && only.first.size() == 1));
        return fmt::format("{}/{}", several ? enclosed(sum(r.numerator)) : sum(r.numerator),
                           atom ? below : enclosed(below));
    }

   private:
    using Term = std::pair<const Monomial, double>;

    static void append(std::string& text, const std::string& term, bool negative) {
        if (text.empty())
            text = negative ? "-" + term : term;
        else
            text += (negative ? " - " : " + ") + term;
    }

    static Monomial without_frequency(const Monomial& m) {
        Monomial rest;
        std::copy_if(m.begin(), m.end(), std::back_inserter(rest), [](const auto& p) { return p.first != kFrequency; });
        return rest;
    }

    [[nodiscard]] std::string number(double value) const {
        return expression::to_text(expression::Expr(value), {}, style_);
    }
    [[nodiscard]] const char* times() const { return style_ == PrintStyle::latex ? "\\," : "*"; }
    [[nodiscard]] std::string enclosed(const std::string& text) const {
        return style_ == PrintStyle::latex ? "\\left(" + text + "\\right)" : "(" + text + ")";
    }
    [[nodiscard]] std::string power_text(const std::string& base, int exponent) const {
        if (exponent == 1) return base;
        return fmt::format(fmt::runtime(style_ == PrintStyle::latex ? "{{{}}}^{{{}}}" : "{}^{}"), base, exponent);
    }
    [[nodiscard]] std::string quotient(const std::string& above, bool enclose_above, const std::string& below,
                                       bool enclose_below = false) const {
        if (style_ == PrintStyle::latex) return fmt::format("\\frac{{{}}}{{{}}}", above, below);
        return fmt::format("{}/{}", enclose_above ? enclosed(above) : above, enclose_below ? enclosed(below) : below);
    }

    // A positive number times a monomial; s comes last.
    [[nodiscard]] std::string single(const Monomial& m, double factor) const {
        std::vector<std::string> above;
        std::vector<std::string> below;
        Monomial order = without_frequency(m);
        if (const int power = power_of(m, kFrequency); power != 0) order.emplace_back(kFrequency, power);
        for (const auto& [symbol, exponent] : order) {
            const std::string name = symbol == kFrequency ? "s" : names_[symbol - 1];
            (exponent > 0 ? above : below).push_back(power_text(name, std::abs(exponent)));
        }
        if (factor != 1.0 || above.empty()) above.insert(above.begin(), number(factor));
        const auto joined = [&](const std::vector<std::string>& factors) {
            return fmt::format("{}", fmt::join(factors, times()));
        };
        if (below.empty()) return joined(above);
        return quotient(joined(above), false, joined(below), below.size() > 1);
    }

    std::span<const std::string> names_;
    PrintStyle style_;
};

}  // namespace

std::string text(const Laurent& value, std::span<const std::string> names, PrintStyle style) {
    return Printing(names, style).sum(value);
}

std::string text(const LaurentRatio& ratio, std::span<const std::string> names, PrintStyle style) {
    return Printing(names, style).ratio(ratio);
}

}  // namespace bondgraph::analysis
