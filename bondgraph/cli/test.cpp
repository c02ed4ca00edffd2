#include <fmt/format.h>

#include <chrono>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string indented(const std::string& text) {
    std::string result = "  ";
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n' && i + 1 == text.size()) break;
        result += text[i];
        if (text[i] == '\n') result += "  ";
    }
    return result + '\n';
}

/// A file that can't be read fails as well: the others are tested.
api::Verdict verdict_of(const std::string& file) {
    api::LoadOptions options;
    options.import_folders = import_folders();
    auto verdict = api::test(file, options);
    if (verdict) return *std::move(verdict);
    api::Verdict failed;
    for (api::Message message : verdict.error().messages) {
        message.shown = message.text;
        failed.failures.push_back(std::move(message));
    }
    return failed;
}

int test(const std::vector<std::string>& places) {
    const auto start = Clock::now();
    std::size_t passed = 0;
    std::size_t failed = 0;
    bool wrong = false;
    for (const std::string& file : model_files(places)) {
        const auto begin = Clock::now();
        const api::Verdict verdict = verdict_of(file);
        if (verdict.skipped) continue;
        ++(verdict.passed() ? passed : failed);
        wrong = wrong || verdict.wrong;
        std::string text = fmt::format("{} {} ({}, {:.2f} s)\n", verdict.passed() ? "PASS" : "FAIL", file,
                                       counted(verdict.checks, "check"), seconds_since(begin));
        for (const api::Message& failure : verdict.failures) text += indented(failure.shown);
        put(text);
    }
    if (passed + failed == 0) throw UsageError("no model with 'expect:' was found there");
    put(fmt::format("{} passed, {} failed ({:.2f} s)\n", counted(passed, "model"), failed, seconds_since(start)));
    if (wrong) return kWrongModel;
    return failed == 0 ? kDone : kWrongUsage;
}

}  // namespace

void add_test(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("test", "Check models against the results they expect");
    const auto places = std::make_shared<std::vector<std::string>>();
    command->add_option("PLACES", *places, "Model files, or folders that are searched for .yaml files")->required();
    commands.actions[command] = [places] { return test(*places); };
}

}  // namespace bondgraph::cli
