#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

/// An error of the library that ends a command.
struct Refused {
    api::Error error;
};

/// Throws Refused where there is none.
template <class T>
T value_of(api::Result<T> result) {
    if (!result) throw Refused{result.error()};
    return std::move(result).value();
}

/// Throws Refused where there is an error.
inline void refuse(const std::optional<api::Error>& error) {
    if (error) throw Refused{*error};
}

/// What was typed after an option, where it was given.
inline std::optional<api::Value> typed(const std::optional<std::string>& text) {
    return text ? std::optional<api::Value>(*text) : std::nullopt;
}

/// The folders of BONDGRAPH_PATH, between colons: where imports are looked for that are not beside the model.
std::vector<std::string> import_folders();

/// Loads a model with the texts of --set; imports are looked for in the folders of BONDGRAPH_PATH, too. Throws Refused.
api::Model load_model(const std::string& file, const std::vector<std::string>& settings);
/// The same, and its warnings are said.
api::Model load_and_warn(const std::string& file, const std::vector<std::string>& settings);

/// The time of an option --at, in seconds. Throws Refused, and UsageError for one before the start of the run.
double time_at(const api::Model& model, const std::string& text);
/// The structure that --at asks for, where it was given.
api::WhichMode mode_at(const api::Model& model, const std::optional<std::string>& text);

/// All messages as they are shown, in order.
std::string all_of(const std::vector<api::Message>& messages);

/// The same, but of many errors the first ones, and then how many more there are of which codes.
std::string first_of(const std::vector<api::Message>& messages);

/// Says what is wrong with a model's file or the command line, of many errors the first ones unless `all_errors`; gives
/// the exit status.
int report_error(const api::Error& error, const std::string& file, bool all_errors = true);
/// Runs `action`, turning Refused and UsageError into messages on standard error and the exit status.
int report_mistakes(const std::string& file, const std::function<int()>& action, bool all_errors = true);

/// The files named and the models below the folders named, each once, sorted by path within its folder. Throws
/// UsageError where one of them is not there.
std::vector<std::string> model_files(const std::vector<std::string>& places,
                                     const std::vector<std::string>& endings = {".yaml"});

}  // namespace bondgraph::cli
