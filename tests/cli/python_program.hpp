// Runs Python programs on what the program wrote: readers that know nothing of this project.
#pragma once

#include <string>
#include <vector>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {

// Whether the interpreter of the system has these modules. Without them the tests that ask are skipped.
bool python_has(const std::vector<std::string>& modules);

// Runs a program of tests/cli/python in a folder.
Outcome run_python(const Folder& folder, const std::string& program, const std::vector<std::string>& arguments);

}  // namespace bondgraph::cli
