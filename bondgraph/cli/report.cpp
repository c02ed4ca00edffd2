#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/interruption.hpp"
#include "bondgraph/cli/models.hpp"
#include "bondgraph/cli/run_report.hpp"

namespace bondgraph::cli {
namespace {

struct ReportArguments {
    std::string model;
    std::string output;
    std::optional<std::string> stop;
    std::optional<std::string> tolerance;
    std::optional<std::string> interval;
    std::vector<std::string> sensitivities;
    std::vector<std::string> settings;
    bool all_errors = false;
};

int write_page(const ReportArguments& arguments) {
    const std::string name =
        arguments.output.empty() ? std::filesystem::path(arguments.model).stem().string() + ".html" : arguments.output;
    std::string extension = std::filesystem::path(name).extension().string();
    for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name != "-" && extension != ".html" && extension != ".htm")
        throw UsageError(fmt::format("a report is a page for browsers: '{}' has to end with .html", name));
    const api::Model model = load_and_warn(arguments.model, arguments.settings);
    const api::RunOptions times{
        .stop = typed(arguments.stop), .interval = typed(arguments.interval), .tolerance = typed(arguments.tolerance)};
    value_of(model.experiment(times));  // mistakes of options come before anything is written
    for (const std::string& result : arguments.sensitivities) value_of(model.results(result));
    api::OutputFile file(name, model.files());
    const Interruption interruption;
    const api::Report report = value_of(api::report(model, {.values = {},
                                                            .stop = times.stop,
                                                            .interval = times.interval,
                                                            .tolerance = times.tolerance,
                                                            .sensitivities = arguments.sensitivities,
                                                            .cancel = &Interruption::asked()}));
    // What options of this call have spoilt leaves an earlier page alone.
    const bool of_options = arguments.stop || arguments.interval || arguments.tolerance;
    const bool no_run = report.failure && report.failure->kind != api::Error::Kind::run && report.rows == 0;
    if (no_run && (of_options || report.failure->kind == api::Error::Kind::usage)) throw Refused{*report.failure};
    if (report.no_sensitivities && report.no_sensitivities->kind == api::Error::Kind::usage)
        throw Refused{*report.no_sensitivities};
    file.write(report.page);
    if (!file.is_standard_output()) {
        say(fmt::format("{}\n  written     {} ({})\n", model.name(), file.name(), counted(report.rows, "row")));
    }
    say(all_of(report.warnings));
    // What is wrong is on the page, and said as `run` does.
    if (report.conflict) throw Refused{*report.conflict};
    if (!report.failure) return kDone;
    if (report.failure->kind == api::Error::Kind::run || report.failure->kind == api::Error::Kind::cancelled) {
        say(failure_text(*report.failure, report.rows > 0));
        return kFailed;
    }
    throw Refused{*report.failure};
}

}  // namespace

void add_report(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand(
        "report", "Write a page for browsers: graph, equations, run, energy and motion together");
    const auto arguments = std::make_shared<ReportArguments>();
    command->add_option("MODEL", arguments->model, "The model file")->required();
    command->add_option("-o,--output", arguments->output, "FILE.html, or - for standard output (default: MODEL.html)")
        ->type_name("FILE");
    command->add_option("--stop", arguments->stop, "End of the simulation, as in 2s")->type_name("TIME");
    command->add_option("--tolerance", arguments->tolerance, "Relative tolerance, as in 1e-8")->type_name("NUMBER");
    command->add_option("--interval", arguments->interval, "Time between rows, as in 5ms")->type_name("TIME");
    command
        ->add_option("--sensitivity", arguments->sensitivities,
                     "Show how this result depends on each parameter (may be given several times)")
        ->type_name("RESULT")
        ->allow_extra_args(false);
    add_set_option(*command, arguments->settings);
    add_all_errors_option(*command, arguments->all_errors);
    commands.actions[command] = [arguments] {
        return report_mistakes(
            arguments->model, [&] { return write_page(*arguments); }, arguments->all_errors);
    };
}

}  // namespace bondgraph::cli
