#include "bench/ladder.hpp"

#include <fmt/format.h>

#include <iterator>

namespace bondgraph::bench {

std::string to_yaml(const Ladder& ladder) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "model: rc_ladder_{}\n", ladder.sections);
    fmt::format_to(out, "description: RC ladder of {} sections on a constant voltage\n\n", ladder.sections);
    fmt::format_to(out, "components:\n  source: {{type: Se, e: {} V}}\n", ladder.voltage);
    for (std::size_t k = 1; k <= ladder.sections; ++k) {
        fmt::format_to(out, "  s{}: {{type: 1}}\n", k);
        fmt::format_to(out, "  r{}: {{type: R, R: {} ohm}}\n", k, ladder.resistance());
        fmt::format_to(out, "  n{}: {{type: 0}}\n", k);
        fmt::format_to(out, "  c{}: {{type: C, C: {} F, initial: {{q: 0 C}}}}\n", k, ladder.capacitance());
    }
    fmt::format_to(out, "\nbonds:\n  - source -> s1\n");
    for (std::size_t k = 1; k <= ladder.sections; ++k) {
        if (k > 1) fmt::format_to(out, "  - n{} -> s{}\n", k - 1, k);
        fmt::format_to(out, "  - s{} -> r{}\n", k, k);
        fmt::format_to(out, "  - s{} -> n{}\n", k, k);
        fmt::format_to(out, "  - n{} -> c{}\n", k, k);
    }
    fmt::format_to(out, "\nexperiment: {{stop: {} s, tolerance: {}, interval: {} s}}\n", ladder.stop, ladder.tolerance,
                   ladder.interval);
    return text;
}

}  // namespace bondgraph::bench
