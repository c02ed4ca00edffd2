#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "bondgraph/api/stored.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

struct CompileOptions {
    std::string model;
    std::string output;
    std::vector<std::string> settings;
    std::vector<std::string> inputs;
    bool quiet = false;
};

int compile(Session& session, const CompileOptions& options) {
    const std::string name =
        options.output.empty() ? std::filesystem::path(options.model).stem().string() + ".bgc" : options.output;
    session.import_folders = import_folders();
    const std::vector<std::string> inputs = whole_names(options.inputs);
    const std::vector<std::string> none =
        api::compile_with_inputs(session, {.settings = options.settings, .adjustable = inputs});
    if (!options.quiet) say(render_all(session.graph->warnings, session.sources));
    OutputFile file(name, files_read(session));
    const std::string bytes = api::store(session);
    file.write(bytes);
    if (options.quiet) return kDone;
    if (!none.empty()) {
        say(fmt::format("note: no {}: {}; with another value of {}, the model is compiled again\n",
                        none.size() == 1 ? "input" : "inputs", fmt::join(none, ", "),
                        none.size() == 1 ? "it" : "one of them"));
    }
    if (!file.is_standard_output())
        say(fmt::format("{}: compiled, {} ({:.3g} kB)\n", session.graph->model_name, name,
                        static_cast<double>(bytes.size()) / 1000.0));
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
    command->add_flag("--quiet", options->quiet, "No messages but errors");
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return compile(session, *options); });
    };
}

}  // namespace bondgraph::cli
