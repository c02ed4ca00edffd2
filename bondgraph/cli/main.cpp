#include "bondgraph/cli/commands.hpp"

int main(int argument_count, char** arguments) { return bondgraph::cli::run_command_line(argument_count, arguments); }
