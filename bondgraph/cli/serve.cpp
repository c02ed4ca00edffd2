#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/interruption.hpp"
#include "bondgraph/cli/models.hpp"
#include "bondgraph/serve/server.hpp"
#include "bondgraph/serve/worker.hpp"

namespace bondgraph::cli {
namespace {

namespace fs = std::filesystem;

struct ServeArguments {
    std::string place = ".";
    unsigned port = 0;
    double limit = 30.0;
    std::size_t workers = 0;
    bool read_only = false;
    bool worker = false;
};

std::size_t usual_workers() {
    constexpr unsigned kMost = 4;
    return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

/// The program itself, whatever name it was called by.
std::string this_program() {
    std::error_code failure;
    const fs::path program = fs::read_symlink("/proc/self/exe", failure);
    if (failure) throw UsageError(fmt::format("can't find this program to call it again: {}", failure.message()));
    return program.string();
}

int serve_folder(const ServeArguments& arguments) {
    if (!serve::Server::available()) throw UsageError("this build has no bench: it was made without npm");
    std::error_code failure;
    const fs::path place(arguments.place);
    if (!fs::exists(place, failure))
        throw UsageError(fmt::format("can't read '{}': No such file or directory", arguments.place));
    const bool one = fs::is_regular_file(place, failure);
    const fs::path folder = fs::canonical(one && place.has_parent_path() ? place.parent_path() : one ? "." : place);
    const std::size_t workers = arguments.workers == 0 ? usual_workers() : arguments.workers;
    const Interruption interruption;
    try {
        const serve::Server server({.folder = folder.string(),
                                    .file = one ? place.filename().string() : "",
                                    .worker_command = {this_program(), "serve", "--worker", folder.string()},
                                    .port = static_cast<unsigned short>(arguments.port),
                                    .read_only = arguments.read_only,
                                    .workers = workers,
                                    .limit = std::chrono::milliseconds(static_cast<long>(arguments.limit * 1000.0))});
        put(fmt::format("{}\n", server.address()));
        say(fmt::format("  serves      {} ({}), to this machine only\n  ends        by Ctrl-C\n", folder.string(),
                        counted(server.models(), "model")));
        constexpr std::chrono::milliseconds kGlance(50);
        while (!Interruption::asked()) std::this_thread::sleep_for(kGlance);
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& e) {
        throw UsageError(fmt::format("can't serve '{}': {}", arguments.place, e.what()));
    }
    say("ended\n");
    return kDone;
}

}  // namespace

void add_serve(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand(
        "serve", "Open the bench in a browser: edit models, drag parameters, see what follows");
    const auto arguments = std::make_shared<ServeArguments>();
    constexpr unsigned kLastPort = 65535;
    constexpr double kLongest = 86400.0;
    constexpr std::size_t kMostWorkers = 64;
    command->add_option("PLACE", arguments->place, "A folder of models, or one of them (default: this folder)");
    command->add_option("--port", arguments->port, "The port (default: one that is free)")
        ->type_name("NUMBER")
        ->check(CLI::Range(1U, kLastPort).description(""));
    command->add_option("--limit", arguments->limit, "The longest time a model may take, in seconds (default: 30)")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, kLongest).description(""));
    command
        ->add_option("--workers", arguments->workers, "Models that are run at once (default: one per core, at most 4)")
        ->type_name("NUMBER")
        ->check(CLI::Range(std::size_t{1}, kMostWorkers).description(""));
    command->add_flag("--read-only", arguments->read_only, "Nothing can be saved");
    // Between the server and its processes only.
    command->add_flag("--worker", arguments->worker)->group("");
    commands.actions[command] = [arguments] {
        if (arguments->worker) return serve::work({.root = arguments->place, .import_folders = import_folders()});
        return report_mistakes(arguments->place, [&] { return serve_folder(*arguments); });
    };
}

}  // namespace bondgraph::cli
