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

struct TestOptions {
    std::vector<std::string> places;
    bool all_errors = false;
};

/// What is said of a model that fails, indented below its line.
struct Tested {
    api::Verdict verdict;
    std::string failures;
};

/// A file that can't be read fails as well: the others are tested.
Tested tested(const std::string& file, bool all_errors) {
    api::LoadOptions options;
    options.import_folders = import_folders();
    auto verdict = api::test(file, options);
    Tested result;
    if (verdict) {
        result.verdict = *std::move(verdict);
        const std::vector<api::Message>& failures = result.verdict.failures;
        if (!failures.empty())  // mistakes of a model may be many; what is not as expected is told each
            result.failures = indented(result.verdict.wrong && !all_errors ? first_of(failures) : all_of(failures));
        return result;
    }
    for (api::Message message : verdict.error().messages) {
        message.shown = message.text + '\n';
        result.verdict.failures.push_back(std::move(message));
    }
    result.failures = indented(all_errors ? all_of(result.verdict.failures) : first_of(result.verdict.failures));
    return result;
}

int test(const TestOptions& options) {
    const auto start = Clock::now();
    std::size_t passed = 0;
    std::size_t failed = 0;
    bool wrong = false;
    for (const std::string& file : model_files(options.places)) {
        const auto begin = Clock::now();
        const auto [verdict, failures] = tested(file, options.all_errors);
        if (verdict.skipped) continue;
        ++(verdict.passed() ? passed : failed);
        wrong = wrong || verdict.wrong;
        put(fmt::format("{} {} ({}, {:.2f} s)\n", verdict.passed() ? "PASS" : "FAIL", file,
                        counted(verdict.checks, "check"), seconds_since(begin)) +
            failures);
    }
    if (passed + failed == 0) throw UsageError("no model with 'expect:' was found there");
    put(fmt::format("{} passed, {} failed ({:.2f} s)\n", counted(passed, "model"), failed, seconds_since(start)));
    if (wrong) return kWrongModel;
    return failed == 0 ? kDone : kWrongUsage;
}

}  // namespace

void add_test(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("test", "Check models against the results they expect");
    const auto options = std::make_shared<TestOptions>();
    command->add_option("PLACES", options->places, "Model files, or folders that are searched for .yaml files")
        ->required();
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] { return test(*options); };
}

}  // namespace bondgraph::cli
