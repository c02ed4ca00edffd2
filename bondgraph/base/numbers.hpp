#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace bondgraph {

/// Two numbers as texts of six digits, or of as many as it takes to tell them apart.
inline std::pair<std::string, std::string> told_apart(double a, double b) {
    std::pair<std::string, std::string> texts;
    for (int digits = 6; digits <= 17; ++digits) {
        texts = {fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
        if (texts.first != texts.second) break;
    }
    return texts;
}

}  // namespace bondgraph
