#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {

void add_schema(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("schema", "JSON Schema of model files, for editors");
    commands.actions[command] = [] {
        put(api::model_schema());
        return kDone;
    };
}

}  // namespace bondgraph::cli
