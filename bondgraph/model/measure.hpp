#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/model/domain.hpp"

namespace bondgraph::model {

/// What is known of a value's dimension: nothing (a parameter given without unit), that it is a pure number
/// (a literal inside an expression; it may stand beside any dimension), or the dimension.
struct Measure {
    enum class Kind : std::uint8_t { any, number, known };
    Kind kind = Kind::any;
    Dimension dimension;
    /// Of a rate, and of what has one in its unit (V/Hz, V.s/rad): what it counts, as far as that is said. A rate times
    /// something without unit still counts the same, whatever its dimension.
    Turns turns = Turns::unsaid;

    static Measure of(Dimension d) { return {Kind::known, d}; }
    static Measure of(const Unit& u) { return {Kind::known, u.dimension, u.turns}; }
    /// Of what is measured in a domain: in rotation a rate is an angular velocity.
    static Measure of(Dimension d, DomainIndex domain);
    static Measure number() { return {Kind::number, {}}; }
    [[nodiscard]] bool known() const { return kind == Kind::known; }
};

/// Whether one can't stand in for the other, as far as they are known: other dimensions, or Hz beside rad/s.
bool differ(const Measure& a, const Measure& b);
/// Whether only that is the matter: one counts periods, the other is an angle per time.
bool mixes_turns(const Measure& a, const Measure& b);
/// "Hz" and "rad/s" where that is said, the unit of the dimension otherwise.
std::string unit_name(const Measure& m);
/// Why a value written as `text` ("50 Hz", "w0") can't stand where `wanted` is, and what to write instead; nothing for
/// dimensions that differ, which speak for themselves.
std::vector<DiagnosticNote> turns_notes(std::string_view text, const Measure& given, const Measure& wanted);

}  // namespace bondgraph::model
