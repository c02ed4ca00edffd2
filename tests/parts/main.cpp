// What the library of parts is tested by beyond its test models: see docs/testing.md.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tests/parts/energy.hpp"
#include "tests/parts/mutations.hpp"

namespace {

template <class Options>
void add_common(CLI::App& command, Options& options) {
    command.add_option("places", options.places, "test models and folders of them")->required();
    command.add_option("--library", options.folders, "folder of the library, where that is not the one built in");
    command.add_option("--exceptions", options.exceptions, "file of what is left as it is")->check(CLI::ExistingFile);
    command.add_option("--seed", options.seed, "which random numbers")->capture_default_str();
    command.add_option("--seconds", options.seconds, "how long a run may take")->capture_default_str();
    command.add_flag("--verbose", options.verbose, "tell every run");
}

}  // namespace

int main(int count, char** arguments) {
    using namespace bondgraph::parts;
    CLI::App app{"Looks through the test models of the library of parts"};
    app.require_subcommand(1);
    EnergyOptions energy;
    CLI::App& balance = *app.add_subcommand("energy", "the energy balance of each test model with random values");
    add_common(balance, energy);
    balance.add_option("--draws", energy.draws, "how many sets of values each has")->capture_default_str();
    MutationOptions mutations;
    CLI::App& changes = *app.add_subcommand("mutations", "whether tests notice changed parameters of their types");
    add_common(changes, mutations);
    changes.add_option("--change", mutations.change, "by which share")->capture_default_str();
    changes.add_option("--sample", mutations.sample, "the share of parameters that is looked at")
        ->capture_default_str();
    CLI11_PARSE(app, count, arguments);
    try {
        return (balance.parsed() ? audit_energy(energy) : mutate_parameters(mutations)) ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
