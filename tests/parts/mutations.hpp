#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bondgraph::parts {

struct MutationOptions {
    std::vector<std::string> places;   ///< test models and folders of them
    std::vector<std::string> folders;  ///< in which imports are looked for
    std::string exceptions;            ///< file of what may survive, with reasons
    double change = 0.1;               ///< by which share of its value a parameter is changed
    double sample = 1.0;               ///< which share of the parameters is looked at
    std::uint64_t seed = 1;            ///< which of them
    double seconds = 20.0;             ///< a test that takes longer counts as failed
    bool verbose = false;
};

/// Changes every numeric parameter of every tested type, one number at a time, and looks whether an entry of `expect:`
/// fails then. Prints the parameters that no test notices. Whether all of them are exceptions, and all exceptions of
/// what was looked at are needed.
bool mutate_parameters(const MutationOptions& options);

}  // namespace bondgraph::parts
