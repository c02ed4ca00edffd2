#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bondgraph::cli {

/// What a sub-command does once its arguments are known; the result is the exit status.
using Action = std::function<int()>;

/// The sub-commands of an application and their actions.
struct Commands {
    CLI::App& application;
    std::map<const CLI::App*, Action> actions;
};

/// The whole command line: name, description, options of the program itself, and all commands.
void declare(Commands& commands);

/// What the program tells a caller by its exit status.
struct ExitStatus {
    int status;
    const char* meaning;
};
const std::vector<ExitStatus>& exit_statuses();

// Each adds one sub-command with its options.
void add_run(Commands& commands);
void add_compile(Commands& commands);
void add_plot(Commands& commands);
void add_check(Commands& commands);
void add_causality(Commands& commands);
void add_equations(Commands& commands);
void add_draw(Commands& commands);
void add_report(Commands& commands);
void add_linearize(Commands& commands);
void add_test(Commands& commands);
void add_compare(Commands& commands);
void add_serve(Commands& commands);
void add_reduce(Commands& commands);
void add_types(Commands& commands);
void add_schema(Commands& commands);

/// `--set PATH=VALUE`, any number of times.
void add_set_option(CLI::App& command, std::vector<std::string>& settings);

/// `--at`: the structure that a run has at that time.
CLI::Option* add_at_option(CLI::App& command, std::optional<std::string>& at);

/// `--all-errors`: however many there are.
void add_all_errors_option(CLI::App& command, bool& all_errors);

/// An option that takes names separated by commas, with blanks around them or without.
CLI::Option* add_names_option(CLI::App& command, const std::string& option, std::vector<std::string>& names,
                              const std::string& description);

/// The names in an option's list, which was split at every comma: that of `R[1,2]` belongs to the name.
std::vector<std::string> whole_names(const std::vector<std::string>& pieces);

/// The whole program: parses, runs one command, gives the exit status. Nothing is thrown.
int run_command_line(int argument_count, const char* const* arguments);

}  // namespace bondgraph::cli
