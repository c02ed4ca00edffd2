#include <fmt/format.h>

#include "bondgraph/api/equations_report.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

struct EquationsOptions {
    std::string model;
    std::string format = "text";
    bool expand = false;
    bool symbols = false;
    bool by_element = false;
    std::vector<std::string> settings;
};

api::EquationsOptions::Format equations_format(const std::string& name) {
    using Format = api::EquationsOptions::Format;
    return name == "json" ? Format::json : name == "latex" ? Format::latex : Format::text;
}

int show_equations(Session& session, const EquationsOptions& options) {
    prepare(session, options.settings, Stage::compiled);
    const api::EquationsOptions shown{.format = equations_format(options.format),
                                      .symbols = options.symbols,
                                      .by_element = options.by_element,
                                      .expand = options.expand};
    const api::Equations equations = [&] {
        try {
            return api::equations_report(session, shown, heading);
        } catch (const UsageError& e) {
            throw UsageError(fmt::format("--symbols: {}", e.what()));
        }
    }();
    for (const api::Message& warning : equations.warnings) say(warning.shown);
    put(equations.text);
    return kDone;
}

}  // namespace

void add_equations(Commands& commands) {
    CLI::App* command =
        commands.application.add_subcommand("equations", "Show the sorted equations and the state-space form");
    const auto options = std::make_shared<EquationsOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command->add_option("--format", options->format, "text, latex or json")
        ->check(CLI::IsMember({"text", "latex", "json"}));
    command->add_flag("--symbols", options->symbols, "Parameters by their names, matrices in symbols too");
    command->add_flag("--by-element", options->by_element, "Group the equations by elements");
    command->add_flag("--expand", options->expand, "Show the equations inside joints, bodies and other wrapped parts");
    add_set_option(*command, options->settings);
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return show_equations(session, *options); });
    };
}

}  // namespace bondgraph::cli
