#pragma once

#include <cstddef>
#include <string>

#include "bondgraph/equivalence/normal_form.hpp"

namespace bondgraph::equivalence {

// What students call elements and variables in each domain.

/// "resistor", "damper", "voltage source", "transformer"; `count` other than 1: "resistors".
std::string noun(const std::string& type, const std::string& domain, std::size_t count = 1);
/// "resistor 'R1'"
std::string called(const Part& part);
/// "voltage", "velocity", "effort": of a domain.
std::string effort_word(const std::string& domain);
std::string flow_word(const std::string& domain);
/// "resistance", "stiffness or compliance", "mass": what a number of a part is.
std::string number_word(const Part& part, const NamedNumber& number);
/// What two numbers that ought to be equal have to do with each other, as a sentence; nothing where that is not plain.
/// Of ratios of two sides the reciprocal is more likely than a power of ten.
std::string mistake(double mine, double reference, bool ratio_of_sides);
/// " in the electrical domain", or nothing where the domain is not known.
std::string in_domain(const std::string& domain);
/// "a resistor", "an inductor"
std::string with_article(const std::string& text);

/// "velocities", "forces"
std::string plural(const std::string& word);

}  // namespace bondgraph::equivalence
