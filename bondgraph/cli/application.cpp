#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/version.hpp"

namespace bondgraph::cli {
namespace {

std::string footer() {
    std::string statuses;
    for (const ExitStatus& exit : exit_statuses())
        statuses += fmt::format("{}{} {}", statuses.empty() ? "" : "; ", exit.status, exit.meaning);
    return fmt::format("Exit status: {}.\n'bondgraph COMMAND --help' tells the options of a command.", statuses);
}

std::vector<std::string> command_names(const CLI::App& application) {
    std::vector<std::string> names;
    for (const CLI::App* command : application.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// CLI11 knows what was typed too much but not what was meant.
std::string unexpected_text(const CLI::App& application) {
    const auto chosen = application.get_subcommands();
    const CLI::App& command = chosen.empty() ? application : *chosen.front();
    const auto extra = command.remaining();
    if (extra.empty()) return "too many arguments";
    const std::string& first = extra.front();
    if (!first.starts_with('-')) {
        const bool pair = first.find('=') != std::string::npos && command.get_option_no_throw("--set") != nullptr;
        return fmt::format("unexpected argument '{0}'{1}", first,
                           pair ? fmt::format("; every pair needs its own '--set': --set {}", first) : "");
    }
    const std::string name = first.substr(0, first.find('='));
    return fmt::format("unknown option '{}'{}", name, did_you_mean(name, option_names(command)));
}

int usage(const CLI::App& application, const std::string& message) {
    const auto chosen = application.get_subcommands();
    const std::string which = chosen.empty() ? "" : " " + chosen.front()->get_name();
    say(fmt::format("error: {}\nTry 'bondgraph{} --help'.\n", message, which));
    return kWrongUsage;
}

int parse_and_run(int argument_count, const char* const* arguments) {
    CLI::App application;
    Commands commands{application, {}};
    declare(commands);
    if (argument_count < 2) {
        say(application.help());
        return kWrongUsage;
    }
    const std::string first = arguments[1];
    const auto names = command_names(application);
    if (!first.starts_with('-') && std::find(names.begin(), names.end(), first) == names.end()) {
        return usage(application, fmt::format("unknown command '{}'{}", first, did_you_mean(first, names)));
    }
    try {
        application.parse(argument_count, arguments);
    } catch (const CLI::CallForVersion&) {
        put(fmt::format("bondgraph {}\n", version()));
        return kDone;
    } catch (const CLI::CallForHelp&) {
        put(application.help());  // of the sub-command where one was given
        return kDone;
    } catch (const CLI::ExtrasError&) {
        return usage(application, unexpected_text(application));
    } catch (const CLI::ParseError& e) {
        return usage(application, e.what());
    }
    const CLI::App* chosen = application.get_subcommands().front();
    return commands.actions.at(chosen)();
}

}  // namespace

void declare(Commands& commands) {
    CLI::App& application = commands.application;
    application.name("bondgraph");
    application.description("From bond graphs to equations and simulations.");
    application.set_version_flag("--version", version(), "Show the version and end");
    application.set_help_flag("-h,--help", "Show this help and end");
    application.require_subcommand(1);
    application.footer(footer());
    for (const auto add :
         {add_run, add_compile, add_plot, add_check, add_causality, add_equations, add_draw, add_report, add_serve,
          add_linearize, add_test, add_compare, add_reduce, add_types, add_schema}) {
        add(commands);
    }
}

const std::vector<ExitStatus>& exit_statuses() {
    static const std::vector<ExitStatus> kStatuses{{kDone, "done"},
                                                   {kWrongUsage, "wrong usage"},
                                                   {kWrongModel, "the model is wrong"},
                                                   {kFailed, "the simulation failed"}};
    return kStatuses;
}

std::vector<std::string> whole_names(const std::vector<std::string>& pieces) {
    std::vector<std::string> names;
    const auto open = [](const std::string& name) {
        return std::count(name.begin(), name.end(), '[') > std::count(name.begin(), name.end(), ']');
    };
    for (const std::string& piece : pieces) {
        if (!names.empty() && open(names.back()))
            names.back() += "," + piece;
        else
            names.push_back(piece);
    }
    return names;
}

void add_set_option(CLI::App& command, std::vector<std::string>& settings) {
    command.add_option("--set", settings, "Give a parameter another value, as in --set R1.R=2kohm; may be repeated")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

CLI::Option* add_at_option(CLI::App& command, std::optional<std::string>& at) {
    return command
        .add_option("--at", at, "Of a model with switches, diodes, friction: in the mode a run has at this time")
        ->type_name("TIME");
}

void add_all_errors_option(CLI::App& command, bool& all_errors) {
    command.add_flag("--all-errors", all_errors, "Show every mistake of a model that has many");
}

CLI::Option* add_names_option(CLI::App& command, const std::string& option, std::vector<std::string>& names,
                              const std::string& description) {
    const auto trimmed = [](std::string name) { return CLI::detail::trim(name); };
    return command.add_option(option, names, description)->delimiter(',')->transform(trimmed)->type_name("NAMES");
}

int run_command_line(int argument_count, const char* const* arguments) {
    try {
        return parse_and_run(argument_count, arguments);
    } catch (const UsageError& e) {
        say(fmt::format("error: {}\n", e.what()));
        return kWrongUsage;
    } catch (const std::bad_alloc&) {
        say("error: the memory is not enough for this model\n");
    } catch (const std::exception& e) {
        say(fmt::format("internal error: {}\n", e.what()));
    }
    return kFailed;
}

}  // namespace bondgraph::cli
