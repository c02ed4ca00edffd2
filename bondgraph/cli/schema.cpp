#include "bondgraph/io/schema.hpp"

#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {

void add_schema(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("schema", "JSON Schema of model files, for editors");
    commands.actions[command] = [](const Environment& environment) {
        put(io::model_schema(environment.catalogue));
        return kDone;
    };
}

}  // namespace bondgraph::cli
