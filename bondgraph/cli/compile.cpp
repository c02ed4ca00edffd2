#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

struct CompileOptions {
    std::string model;
    std::string output;
    std::vector<std::string> settings;
    bool all_errors = false;
    std::vector<std::string> inputs;
    bool quiet = false;
};

int compile(const CompileOptions& options) {
    const std::string name =
        options.output.empty() ? std::filesystem::path(options.model).stem().string() + ".bgc" : options.output;
    const std::vector<std::string> inputs = whole_names(options.inputs);
    const api::Model model = load_model(options.model, options.settings);
    const api::StoredModel stored = value_of(model.store({.values = {}, .inputs = inputs}));
    if (!options.quiet) say(all_of(stored.warnings));
    api::OutputFile file(name, model.files());
    file.write(stored.bytes);
    if (options.quiet) return kDone;
    std::vector<std::string> none;
    for (const std::string& input : inputs) {
        if (std::ranges::find(stored.inputs, input) == stored.inputs.end()) none.push_back(input);
    }
    if (!none.empty()) {
        say(fmt::format("note: no {}: {}; with another value of {}, the model is compiled again\n",
                        none.size() == 1 ? "input" : "inputs", fmt::join(none, ", "),
                        none.size() == 1 ? "it" : "one of them"));
    }
    if (!file.is_standard_output())
        say(fmt::format("{}: compiled, {} ({:.3g} kB)\n", model.name(), name,
                        static_cast<double>(stored.bytes.size()) / 1000.0));
    return kDone;
}

}  // namespace

void add_compile(Commands& commands) {
    CLI::App* command =
        commands.application.add_subcommand("compile", "Compile a model into a file that starts at once");
    const auto options = std::make_shared<CompileOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command->add_option("-o,--output", options->output,
                        "The file to write; MODEL.bgc where not given, - is standard output");
    add_names_option(*command, "--inputs", options->inputs,
                     "Parameters that may get other values in runs without compiling again");
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
    command->add_flag("--quiet", options->quiet, "No messages but errors");
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return compile(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
