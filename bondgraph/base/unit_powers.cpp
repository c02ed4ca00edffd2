#include "bondgraph/base/unit_powers.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <utility>

namespace bondgraph {

namespace {

constexpr std::string_view kRootSign = "√";
constexpr std::string_view kRoot = "sqrt";

bool begins_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }
bool begins_with_decimals(std::string_view text) { return text.starts_with('.') && begins_with_digit(text.substr(1)); }
bool may_be_in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view("%_'\"").find(c) != std::string::npos ||
           static_cast<unsigned char>(c) >= 0x80U;
}

/// A fraction as written, before it is known to be an exponent.
struct Fraction {
    long long numerator = 0;
    long long denominator = 1;
};

/// Reads a product of powers from the left, one function for each rule of the grammar.
class PowersReader {
   public:
    explicit PowersReader(std::string_view text) : text_(text) {}

    std::optional<UnitPowers> read() {
        auto factors = product(0);
        if (!factors || !text_.empty()) return std::nullopt;
        return UnitPowers{*std::move(factors), unfit_};
    }

   private:
    using Factors = std::vector<UnitFactor>;

    bool take(std::string_view token) {
        if (!text_.starts_with(token)) return false;
        text_.remove_prefix(token.size());
        return true;
    }

    void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }

    /// What joins two factors: 1, or -1 before a divisor; nothing at the end of a product.
    std::optional<int> joint() {
        const bool space = text_.starts_with(' ');
        skip_spaces();
        if (text_.empty() || text_.front() == ')') return std::nullopt;
        const bool divided = take("/") || (space && take("per "));
        const bool multiplied = !divided && (take(".") || take("*"));
        skip_spaces();
        if (!divided && !multiplied && !space) return std::nullopt;
        return divided ? -1 : 1;
    }

    std::optional<Factors> product(int depth) {
        constexpr int kDeepest = 50;
        if (depth > kDeepest) return std::nullopt;
        Factors all;
        skip_spaces();
        // "1/s": a number is no factor but this one.
        const bool inverse = text_.starts_with("1/") || text_.starts_with("1 ");
        if (inverse) text_.remove_prefix(1);
        std::optional<int> sign = inverse ? joint() : 1;
        if (inverse && sign != -1) return std::nullopt;
        for (; sign; sign = joint()) {
            auto next = factor(depth);
            if (!next) return std::nullopt;
            raise(*next, *sign);
            all.insert(all.end(), std::make_move_iterator(next->begin()), std::make_move_iterator(next->end()));
        }
        return all;
    }

    std::optional<Factors> factor(int depth) {
        if (take(kRootSign)) {
            auto under = text_.starts_with('(') ? bracketed(depth) : word();
            // Whether √m³ is the root of m³ or the power of a root its sign alone doesn't tell: no power is read here.
            if (!under) return std::nullopt;
            return to_half(*std::move(under));
        }
        if (text_.starts_with(kRoot) && text_.substr(kRoot.size()).starts_with('(')) {
            text_.remove_prefix(kRoot.size());
            auto under = bracketed(depth);
            return under ? to_half(*std::move(under)) : under;
        }
        auto base = text_.starts_with('(') ? bracketed(depth) : word();
        if (!base || !has_power()) return base;
        const std::string_view before = text_;
        const auto exponent = power();
        if (!exponent) return std::nullopt;
        const std::string_view written = before.substr(0, before.size() - text_.size());
        const auto fitting = Exponent::of(exponent->numerator, exponent->denominator);
        if (!fitting || !raise(*base, *fitting)) note_unfit(written.substr(written.find_first_not_of("^*")));
        return base;
    }

    std::optional<Factors> bracketed(int depth) {
        if (!take("(")) return std::nullopt;
        auto inner = product(depth + 1);
        return inner && take(")") ? std::move(inner) : std::nullopt;
    }

    std::optional<Factors> word() {
        const auto length =
            static_cast<std::size_t>(std::find_if_not(text_.begin(), text_.end(), may_be_in_word) - text_.begin());
        const std::string_view unit = text_.substr(0, std::min(length, text_.find(kRootSign)));
        if (unit.empty()) return std::nullopt;
        text_.remove_prefix(unit.size());
        return Factors{{std::string(unit), 1}};
    }

    Factors to_half(Factors factors) {
        if (!raise(factors, *Exponent::of(1, 2))) note_unfit("1/2");
        return factors;
    }

    [[nodiscard]] bool has_power() const {
        if (text_.starts_with('^') || text_.starts_with("**")) return true;
        const bool sign = text_.starts_with('-') || text_.starts_with('+');
        return begins_with_digit(text_.substr(sign ? 1 : 0));
    }

    std::optional<Fraction> power() {
        const bool raised = take("^") || take("**");
        if (raised && take("(")) {
            auto fraction = decimal(true);
            if (fraction && take("/")) {
                const auto below = whole();
                if (!below || *below == 0) return std::nullopt;
                if (fraction->denominator != 1) return std::nullopt;  // 0.5/2
                fraction->denominator = *below;
            }
            return fraction && take(")") ? fraction : std::nullopt;
        }
        return decimal(raised);
    }

    /// "-2", and "0.5" where decimals are allowed: "m0.5" stands for neither m^0.5 nor m^0 times 5.
    std::optional<Fraction> decimal(bool decimals) {
        const bool negative = take("-");
        if (!negative) take("+");
        const auto number = whole();
        if (!number) return std::nullopt;
        Fraction result{*number, 1};
        const bool more = begins_with_decimals(text_);
        if (more && !decimals) return std::nullopt;
        if (more) {
            text_.remove_prefix(1);
            const std::size_t before = text_.size();
            const auto part = whole();
            if (!part) return std::nullopt;
            for (std::size_t i = text_.size(); i < before; ++i) result.denominator *= 10;
            result.numerator = result.numerator * result.denominator + *part;
        }
        if (negative) result.numerator = -result.numerator;
        return result;
    }

    std::optional<long long> whole() {
        constexpr std::ptrdiff_t kLongest = 6;  // longer ones are no exponents, and would overflow in fractions
        if (!begins_with_digit(text_)) return std::nullopt;
        long long number = 0;
        const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
        const std::ptrdiff_t length = stop - text_.data();
        if (error != std::errc{} || length > kLongest) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(length));
        return number;
    }

    /// Whether all exponents stay fit; those that would not be are left as they are.
    static bool raise(Factors& factors, Exponent exponent) {
        bool fit = true;
        for (UnitFactor& f : factors) {
            const auto raised = bondgraph::product(f.exponent, exponent);
            fit = fit && raised;
            f.exponent = raised.value_or(f.exponent);
        }
        return fit;
    }

    void note_unfit(std::string_view exponent) {
        if (unfit_.empty()) unfit_ = exponent;
    }

    std::string_view text_;
    std::string unfit_;
};

}  // namespace

bool has_broken_powers(std::string_view normal) {
    if (normal.find(kRootSign) != std::string_view::npos) return true;
    if (normal.find(std::string(kRoot) + "(") != std::string_view::npos) return true;
    for (std::size_t i = 0; i < normal.size(); ++i) {
        const std::string_view rest = normal.substr(i);
        const std::size_t sign = rest.starts_with('^') ? 1 : (rest.starts_with("**") ? 2 : 0);
        if (sign == 0) continue;
        const std::string_view exponent = rest.substr(sign);
        if (exponent.starts_with('(')) return true;
        const std::size_t end = exponent.find_first_not_of("+-0123456789");
        const std::string_view behind = end == std::string_view::npos ? std::string_view() : exponent.substr(end);
        if (begins_with_decimals(behind)) return true;
    }
    return false;
}

std::optional<UnitPowers> unit_powers(std::string_view normal) { return PowersReader(normal).read(); }

}  // namespace bondgraph
