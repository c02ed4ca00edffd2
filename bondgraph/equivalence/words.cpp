#include "bondgraph/equivalence/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace bondgraph::equivalence {
namespace {

struct Noun {
    std::string_view type;
    std::string_view domain;
    std::string_view one;
    std::string_view more;
};

constexpr std::array kNouns{
    Noun{"R", "electrical", "resistor", "resistors"},
    Noun{"R", "translational", "damper", "dampers"},
    Noun{"R", "rotational", "rotational damper", "rotational dampers"},
    Noun{"R", "hydraulic", "flow resistance", "flow resistances"},
    Noun{"R", "", "resistance", "resistances"},
    Noun{"C", "electrical", "capacitor", "capacitors"},
    Noun{"C", "translational", "spring", "springs"},
    Noun{"C", "rotational", "torsion spring", "torsion springs"},
    Noun{"C", "hydraulic", "tank", "tanks"},
    Noun{"C", "thermal", "heat capacity", "heat capacities"},
    Noun{"C", "thermal_pseudo", "heat capacity", "heat capacities"},
    Noun{"C", "", "compliance", "compliances"},
    Noun{"I", "electrical", "inductor", "inductors"},
    Noun{"I", "translational", "mass", "masses"},
    Noun{"I", "rotational", "flywheel", "flywheels"},
    Noun{"I", "hydraulic", "fluid inertia", "fluid inertias"},
    Noun{"I", "", "inertia", "inertias"},
    Noun{"Se", "electrical", "voltage source", "voltage sources"},
    Noun{"Se", "translational", "force source", "force sources"},
    Noun{"Se", "rotational", "torque source", "torque sources"},
    Noun{"Se", "hydraulic", "pressure source", "pressure sources"},
    Noun{"Se", "", "effort source", "effort sources"},
    Noun{"Sf", "electrical", "current source", "current sources"},
    Noun{"Sf", "translational", "velocity source", "velocity sources"},
    Noun{"Sf", "rotational", "source of angular velocity", "sources of angular velocity"},
    Noun{"Sf", "hydraulic", "source of volume flow", "sources of volume flow"},
    Noun{"Sf", "", "flow source", "flow sources"},
    Noun{"TF", "", "transformer", "transformers"},
    Noun{"De", "", "effort detector", "effort detectors"},
    Noun{"Df", "", "flow detector", "flow detectors"},
    Noun{"Dp", "", "momentum detector", "momentum detectors"},
    Noun{"Dq", "", "displacement detector", "displacement detectors"},
    Noun{"GY", "", "gyrator", "gyrators"},
};

std::string domain_word(std::string domain, std::string_view fallback) {
    if (domain.empty()) return std::string(fallback);
    for (char& c : domain) c = c == '_' ? ' ' : c;
    return domain;
}

}  // namespace

std::string noun(const std::string& type, const std::string& domain, std::size_t count) {
    for (const Noun& n : kNouns) {
        if (n.type == type && (n.domain == domain || n.domain.empty())) return std::string(count == 1 ? n.one : n.more);
    }
    return fmt::format("component{} of type {}", count == 1 ? "" : "s", type);
}

std::string called(const Part& part) { return fmt::format("{} '{}'", noun(part.type, part.domain), part.name); }

std::string effort_word(const std::string& domain) {
    for (const model::Domain& d : model::domains()) {
        if (d.name == domain) return domain_word(std::string(d.effort), "effort");
    }
    return "effort";
}

std::string flow_word(const std::string& domain) {
    for (const model::Domain& d : model::domains()) {
        if (d.name == domain) return domain_word(std::string(d.flow), "flow");
    }
    return "flow";
}

std::string number_word(const Part& part, const NamedNumber& number) {
    const std::string& domain = part.domain;
    if (number.what == "start") return "start value";
    if (number.what == "e" && part.type == "Se") return effort_word(domain);
    if (number.what == "f" && part.type == "Sf") return flow_word(domain);
    if (number.what == "m") return "ratio";
    if (number.what == "r") return "gyration";
    if (number.what == "R") return domain == "translational" || domain == "rotational" ? "damping" : "resistance";
    if (number.what == "C") {
        if (domain == "translational" || domain == "rotational") return "stiffness";
        return domain == "electrical" ? "capacitance" : "capacity";
    }
    if (number.what == "I") {
        if (domain == "translational") return "mass";
        if (domain == "rotational") return "moment of inertia";
        return domain == "electrical" ? "inductance" : "inertia";
    }
    return fmt::format("parameter {}", number.what);
}

std::string mistake(double mine, double reference, bool ratio_of_sides) {
    if (mine == 0.0 || reference == 0.0 || !std::isfinite(mine) || !std::isfinite(reference)) return "";
    if (mine == -reference) return " It has the other sign.";
    const double ratio = std::abs(mine / reference);
    const auto is = [&](double factor) {
        return std::abs(ratio / factor - 1.0) < 1e-6 || std::abs(ratio * factor - 1.0) < 1e-6;
    };
    const bool reciprocal = std::abs(mine * reference - 1.0) < 1e-6;
    if (reciprocal && ratio_of_sides) return " It is the reciprocal.";
    constexpr double kTurn = 6.283185307179586;
    for (const double power : {1e3, 1e6, 1e9, 1e12}) {
        if (is(power)) return fmt::format(" It is off by a factor of {:g}: look at the prefix of its unit.", power);
    }
    if (is(10.0) || is(100.0) || is(1e4))
        return " It is off by a power of ten: look at its unit, or the decimal point.";
    if (is(kTurn)) return " It is off by a factor of 2π: turns and radians, or Hz and rad/s, are mixed.";
    if (is(60.0) || is(kTurn / 60.0)) return " It is off by what turns rpm, or minutes, into SI units.";
    if (is(3.6)) return " It is off by a factor of 3.6: km/h and m/s are mixed.";
    if (is(180.0 / (kTurn / 2.0))) return " It is off by what turns degrees into radians.";
    if (is(9.81) || is(9.80665)) return " It is off by g: weight and mass are mixed.";
    if (is(2.0)) return " It is off by a factor of 2.";
    if (reciprocal) return " It is the reciprocal.";
    return "";
}

std::string in_domain(const std::string& domain) {
    if (domain.empty() || domain == "generic") return "";
    return fmt::format(" in the {} domain", domain);
}

std::string plural(const std::string& word) {
    return word.ends_with('y') ? word.substr(0, word.size() - 1) + "ies" : word + "s";
}

std::string with_article(const std::string& text) {
    const bool vowel = !text.empty() && std::string_view("aeiou").find(text.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + text;
}

}  // namespace bondgraph::equivalence
