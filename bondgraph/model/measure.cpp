#include "bondgraph/model/measure.hpp"

#include <fmt/format.h>

namespace bondgraph::model {

namespace {
constexpr Dimension kRate{.second = -1};
}  // namespace

Measure Measure::of(Dimension d, DomainIndex domain) {
    static const DomainIndex rotational = *find_domain("rotational");
    return {Kind::known, d, d == kRate && domain == rotational ? Turns::angle : Turns::unsaid};
}

bool mixes_turns(const Measure& a, const Measure& b) {
    const bool alike = !a.known() || !b.known() || a.dimension == b.dimension;
    return alike && a.turns != b.turns && a.turns != Turns::unsaid && b.turns != Turns::unsaid;
}

bool differ(const Measure& a, const Measure& b) {
    return mixes_turns(a, b) || (a.known() && b.known() && a.dimension != b.dimension);
}

std::string unit_name(const Measure& m) {
    const bool rate = m.dimension == kRate || !m.known();
    if (rate && m.turns == Turns::angle) return "rad/s";
    if (rate && m.turns == Turns::periods) return "Hz";
    return unit_name(m.dimension);
}

std::vector<DiagnosticNote> turns_notes(std::string_view text, const Measure& given, const Measure& wanted) {
    if (!mixes_turns(given, wanted)) return {};
    const DiagnosticNote because{"because", "Hz counts periods and says nothing of an angle: 1 Hz is 2 pi rad/s"};
    if (given.known() && given.dimension != kRate)
        return {because, {"try", "write its unit with rad/s or rev/s in place of Hz"}};
    if (given.turns == Turns::angle)
        return {because, {"try", "divide by 2*pi, in an expression of parameters, or write the frequency in Hz"}};
    const auto end = text.find_first_of(" Hh");
    const bool literal = !text.empty() && text.front() >= '0' && text.front() <= '9' && end != std::string_view::npos;
    if (!literal) return {because, {"try", "multiply by 2*pi for turns per second, or give it in rad/s or rev/s"}};
    const std::string_view number = text.substr(0, end);
    return {because, {"try", fmt::format("write {} rev/s for turns per second, or {} rad/s", number, number)}};
}

}  // namespace bondgraph::model
