#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/port_hamiltonian_report.hpp"
#include "bondgraph/cli/by_hand.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

struct EquationsOptions {
    std::string model;
    std::string format = "text";
    bool expand = false;
    bool symbols = false;
    bool by_element = false;
    bool port_hamiltonian = false;
    std::vector<std::string> derived;
    std::vector<std::string> placed;
    std::optional<std::string> at;
    std::vector<std::string> settings;
    bool all_errors = false;
};

api::EquationsOptions::Format equations_format(const std::string& name) {
    using Format = api::EquationsOptions::Format;
    return name == "json" ? Format::json : name == "latex" ? Format::latex : Format::text;
}

std::string energy_form(const api::Model& model, const EquationsOptions& options) {
    const api::PortHamiltonian form = value_of(model.port_hamiltonian());
    if (options.format == "json") return api::json_text(api::port_hamiltonian_json(form));
    return options.format == "latex" ? api::port_hamiltonian_latex(form) : api::port_hamiltonian_text(form, heading);
}

int show_equations(const EquationsOptions& options) {
    if (options.port_hamiltonian && (options.symbols || options.by_element || options.expand))
        throw UsageError(
            "--port-hamiltonian writes parameters as numbers: it does not go with --symbols, --by-element or "
            "--expand");
    const bool by_hand = !options.derived.empty();
    if (by_hand && (options.symbols || options.by_element || options.expand || options.port_hamiltonian))
        throw UsageError(
            "--derived judges equations in place of showing them: it does not go with --symbols, --by-element, "
            "--expand "
            "or --port-hamiltonian");
    if (by_hand && options.format == "latex") throw UsageError("what --derived tells is text or json");
    if (!by_hand && !options.placed.empty())
        throw UsageError("--placed says which causality equations of --derived are those of: it needs some");
    if (options.at && (by_hand || options.port_hamiltonian))
        throw UsageError(fmt::format("{} is of the mode at the start: it does not go with --at",
                                     by_hand ? "--derived" : "--port-hamiltonian"));
    const api::Model model = load_and_warn(options.model, options.settings);
    if (by_hand) return judge_equations(model, options.derived, options.placed, options.format == "json");
    if (options.port_hamiltonian) {
        put(energy_form(model, options));
        return kDone;
    }
    const api::Equations equations = value_of(model.equations({.values = {},
                                                               .format = equations_format(options.format),
                                                               .symbols = options.symbols,
                                                               .by_element = options.by_element,
                                                               .expand = options.expand,
                                                               .bold = bold_headings(),
                                                               .mode = mode_at(model, options.at)}));
    say(all_of(equations.warnings));
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
    command->add_flag("--port-hamiltonian", options->port_hamiltonian,
                      "The stored energy and the matrices J, R, G in place of the equations");
    add_at_option(*command, options->at);
    command
        ->add_option("--derived", options->derived,
                     "Judge a derivative of a state that you have derived; a text without '=' is a file of them")
        ->type_name("STATE=EXPRESSION")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    command
        ->add_option("--placed", options->placed,
                     "With --derived: strokes that you have placed, as of causality, where there was a choice")
        ->type_name("BOND=END")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return show_equations(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
