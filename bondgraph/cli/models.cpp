#include "bondgraph/cli/models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "bondgraph/api/model_files.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<std::string> import_folders() {
    std::vector<std::string> folders;
    const char* all = std::getenv("BONDGRAPH_PATH");
    if (all == nullptr) return folders;
    std::istringstream list(all);
    for (std::string folder; std::getline(list, folder, ':');) {
        if (!folder.empty()) folders.push_back(folder);
    }
    return folders;
}

api::Model load_model(const std::string& file, const std::vector<std::string>& settings) {
    return value_of(api::Model::load(
        file, {.import_folders = import_folders(), .values = {}, .settings = settings, .command_line = true}));
}

api::Model load_and_warn(const std::string& file, const std::vector<std::string>& settings) {
    api::Model model = load_model(file, settings);
    say(all_of(model.warnings()));
    return model;
}

double time_at(const api::Model& model, const std::string& text) {
    const double start = value_of(model.start_time());
    const double time = value_of(model.seconds(text, "--at"));
    if (!(time >= start)) throw UsageError(fmt::format("--at: {:.6g} s is before the start at {:.6g} s", time, start));
    return time;
}

api::WhichMode mode_at(const api::Model& model, const std::optional<std::string>& text) {
    return {.at = text ? std::optional(time_at(model, *text)) : std::nullopt};
}

std::string all_of(const std::vector<api::Message>& messages) {
    std::string text;
    for (const api::Message& m : messages) text += m.shown;
    return text;
}

std::string first_of(const std::vector<api::Message>& messages) {
    constexpr std::size_t kShown = 20;
    std::string text;
    std::size_t errors = 0;
    std::map<std::string, std::size_t> left_out;
    for (const api::Message& m : messages) {
        if (m.warning || ++errors <= kShown)
            text += m.shown;
        else
            ++left_out[m.code];
    }
    if (left_out.empty()) return text;
    std::vector<std::string> kinds;
    for (const auto& [code, count] : left_out) kinds.push_back(fmt::format("{} of {}", count, code));
    return text + fmt::format("... and {}: {}; --all-errors shows them.\n", counted(errors - kShown, "more error"),
                              fmt::join(kinds, ", "));
}

int report_error(const api::Error& error, const std::string& file, bool all_errors) {
    const bool of_model = error.kind == api::Error::Kind::model;
    say(all_errors || !of_model ? error.text() : first_of(error.messages));
    if (error.kind == api::Error::Kind::run || error.kind == api::Error::Kind::cancelled) return kFailed;
    std::size_t errors = 0;
    bool usage = true;
    for (const api::Message& m : error.messages) {
        if (m.code.empty()) return kWrongUsage;  // of the call, not of the model
        if (m.warning) continue;
        ++errors;
        usage = usage && m.place.line > 0 && m.place.file.starts_with("--");
    }
    usage = usage && errors > 0;
    say(fmt::format("{} in {}.\n", counted(errors, "error"), usage ? "the command line" : file));
    return usage ? kWrongUsage : kWrongModel;
}

int report_mistakes(const std::string& file, const std::function<int()>& action, bool all_errors) {
    try {
        return action();
    } catch (const Refused& e) {
        return report_error(e.error, file, all_errors);
    } catch (const UsageError& e) {
        say(fmt::format("error: {}\n", e.what()));
    }
    return kWrongUsage;
}

std::vector<std::string> model_files(const std::vector<std::string>& places, const std::vector<std::string>& endings) {
    std::vector<std::string> files;
    for (const std::string& place : places) {
        std::error_code error;
        if (!fs::exists(place, error))
            throw UsageError(fmt::format("can't read '{}': No such file or directory", place));
        if (!fs::is_directory(place)) {
            files.push_back(place);
            continue;
        }
        const std::vector<std::string> inside = api::models_below(place, endings);
        files.insert(files.end(), inside.begin(), inside.end());
    }
    std::vector<std::string> unique;
    for (std::string& file : files) {
        if (std::find(unique.begin(), unique.end(), file) == unique.end()) unique.push_back(std::move(file));
    }
    return unique;
}

}  // namespace bondgraph::cli
