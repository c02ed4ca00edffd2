#include <fmt/format.h>

#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/type_pages.hpp"

namespace bondgraph::cli {
namespace {

struct TypesOptions {
    std::string name;
    bool all = false;
};

int types(const Environment& environment, const TypesOptions& options) {
    const model::Catalogue& catalogue = environment.catalogue;
    if (options.all && !options.name.empty()) throw UsageError("types takes either a TYPE or --all");
    if (options.all) {
        put(all_type_pages(catalogue));
    } else if (options.name.empty()) {
        put(type_list(catalogue));
    } else if (const model::ComponentType* type = catalogue.find(options.name)) {
        put(type_page(*type, catalogue));
    } else {
        throw UsageError(
            fmt::format("there is no type '{}'{}", options.name, did_you_mean(options.name, catalogue.names())));
    }
    return kDone;
}

}  // namespace

void add_types(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("types", "List the component types, or document one");
    const auto options = std::make_shared<TypesOptions>();
    command->add_option("TYPE", options->name, "The name of a type");
    command->add_flag("--all", options->all, "The pages of all types, as Markdown");
    commands.actions[command] = [options](const Environment& environment) { return types(environment, *options); };
}

}  // namespace bondgraph::cli
