#pragma once

#include <string>
#include <string_view>
#include <vector>

// Mechanisms with a crank and an assembly 'j' of joints and rods, for tests.

namespace bondgraph::test {

using Names = std::vector<std::string>;

/// Results by time.
std::vector<std::vector<double>> rows_of(std::string_view text, double stop, const Names& names, double interval,
                                         double tolerance = 1e-9);

/// A crank of 0.1 m about z and a place on the ground, `bed`, from where the rest leads.
std::string crank(const std::string& more, const std::string& connect);
/// As `crank`, with the ground in the plane of the crank.
std::string in_plane(std::string text);

/// A rocker or slider driven over rods; the body on it, and on the rod where it has a frame. A guess of the driven
/// joint.
std::string with_usr();
std::string with_usp(double guess = 0.2);
std::string with_ssr(double mass, double guess = 0.2);
std::string with_ssp(double mass, double guess = 0.2);
std::string with_rrr(const std::string& more, const std::string& guess);
std::string with_rrp(double guess = 0.2);

extern const char* const kRocker;
extern const char* const kRod;

}  // namespace bondgraph::test
