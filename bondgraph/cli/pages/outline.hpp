// What the command line consists of, taken from what the program declares: man pages and the completion of shells are
// written from it.
#pragma once

#include <string>
#include <vector>

namespace bondgraph::cli {

/// An option, or what a command takes without one.
struct Argument {
    std::vector<std::string> names;  ///< of an option, with dashes: "-o", "--output"
    std::string value;               ///< what stands for its value: "FILE"; empty for a flag
    std::string description;
    bool required = false;
    bool repeated = false;
    std::vector<std::string> words;    ///< all values, where these are known
    bool file = false;                 ///< the value is a file …
    std::vector<std::string> endings;  ///< … whose name ends in one of these, or in anything
};

struct Command {
    std::string name;  ///< empty for the program itself
    std::string description;
    std::vector<Argument> options;
    std::vector<Argument> positionals;
};

struct Outline {
    std::string name;
    std::string version;
    Command program;
    std::vector<Command> commands;
};

/// That of the program this is compiled into.
Outline program_outline();

/// "-o, --output", with anything between the names.
std::string joined(const std::vector<std::string>& texts, const std::string& between);

}  // namespace bondgraph::cli
