#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace bondgraph {

/// "1 error", "3 errors"
inline std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Two numbers as texts of six digits, or of as many as it takes to tell them apart.
inline std::pair<std::string, std::string> told_apart(double a, double b) {
    std::pair<std::string, std::string> texts;
    for (int digits = 6; digits <= 17; ++digits) {
        texts = {fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
        if (texts.first != texts.second) break;
    }
    return texts;
}

/// What rounding has left out of sum = a + b, exactly (Knuth: The Art of Computer Programming 2, 4.2.2).
inline double rest_of_sum(double a, double b, double sum) {
    const double of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

}  // namespace bondgraph
