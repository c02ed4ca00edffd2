#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bondgraph::parts {

struct EnergyOptions {
    std::vector<std::string> places;   ///< test models and folders of them
    std::vector<std::string> folders;  ///< in which imports are looked for
    std::string exceptions;            ///< file of what stays as it is
    std::uint64_t seed = 1;
    int draws = 1;          ///< how many random models are made of each test model
    double seconds = 10.0;  ///< a run that takes longer is shortened
    bool verbose = false;   ///< every draw is told, with the command that repeats it
};

/// Runs every test model with random values of all parameters and start values, and looks whether its energy is
/// accounted for. Prints those of which it isn't, and what was refused, and why.
/// Whether it is of all, and few were refused.
bool audit_energy(const EnergyOptions& options);

}  // namespace bondgraph::parts
