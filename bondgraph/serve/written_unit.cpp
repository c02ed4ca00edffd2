#include "bondgraph/serve/written_unit.hpp"

#include <charconv>
#include <cmath>

namespace bondgraph::serve {
namespace {

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The value that a text begins with: what ends it is the end of a line, a comment, or what parts values in braces and
/// brackets. Quotes stand around all of it or nowhere.
std::string_view value_at(std::string_view text) {
    if (text.starts_with('"') || text.starts_with('\'')) {
        const std::size_t end = text.find(text.front(), 1);
        return end == std::string_view::npos ? std::string_view() : without_blanks(text.substr(1, end - 1));
    }
    std::size_t end = 0;
    while (end < text.size() && text[end] != ',' && text[end] != '}' && text[end] != ']' &&
           !(text[end] == '#' && end > 0 && text[end - 1] == ' '))
        ++end;
    return without_blanks(text.substr(0, end));
}

bool near(double a, double b) {
    constexpr double kRounding = 1e-9;
    return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

}  // namespace

TextLines::TextLines(std::string_view text) {
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines_.push_back(text.substr(at, end - at));
        at = end + 1;
    }
}

std::string_view TextLines::from(int line, int column) const {
    if (line < 1 || column < 1 || static_cast<std::size_t>(line) > lines_.size()) return {};
    const std::string_view whole = lines_[static_cast<std::size_t>(line) - 1];
    constexpr unsigned kMask = 0xc0U;
    constexpr unsigned kInside = 0x80U;  // bytes of a letter behind its first one
    std::size_t at = 0;
    for (int letters = 1; at < whole.size(); ++at) {
        if ((static_cast<unsigned char>(whole[at]) & kMask) == kInside) continue;
        if (letters++ == column) break;
    }
    return whole.substr(at);
}

std::optional<WrittenUnit> written_unit(std::string_view text, double si, const UnitSystem& units) {
    std::string_view value = value_at(text);
    if (value.starts_with('+')) value.remove_prefix(1);
    double number = 0.0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failure != std::errc() || !std::isfinite(number)) return std::nullopt;
    value.remove_prefix(static_cast<std::size_t>(end - value.data()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    WrittenUnit written{.name = std::string(value)};
    if (!value.empty()) {
        const auto unit = units.parse(value);
        if (!unit) return std::nullopt;
        written.scale = unit->scale;
        written.offset = unit->offset;
    }
    if (near(number * written.scale + written.offset, si)) return written;
    // Periods where angles are meant, and the like: the value tells.
    if (written.offset != 0.0 || number == 0.0 || si == 0.0) return std::nullopt;
    written.scale = si / number;
    return written;
}

}  // namespace bondgraph::serve
