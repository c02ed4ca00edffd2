#include <fmt/format.h>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

struct TypesOptions {
    std::string name;
    bool all = false;
    bool parts = false;
};

int types(const TypesOptions& options) {
    if (int{options.all} + int{options.parts} + int{!options.name.empty()} > 1)
        throw UsageError("types takes one of TYPE, --all and --parts");
    if (options.parts) {
        put(api::all_part_pages());
    } else if (options.all) {
        put(api::all_type_pages());
    } else if (options.name.empty()) {
        put(api::type_list(bold_headings()));
    } else {
        const auto page = api::type_page(options.name, bold_headings());
        if (!page) throw UsageError(page.error().messages.front().text);
        put(*page);
    }
    return kDone;
}

}  // namespace

void add_types(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("types", "List the component types, or document one");
    const auto options = std::make_shared<TypesOptions>();
    command->add_option("TYPE", options->name, "The name of a type");
    command->add_flag("--all", options->all, "The pages of all types, as Markdown");
    command->add_flag("--parts", options->parts, "The pages of the library of parts, as Markdown");
    commands.actions[command] = [options] { return types(*options); };
}

}  // namespace bondgraph::cli
