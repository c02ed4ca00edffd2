#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// Whether a file is a stored model, by how it begins.
bool is_stored(const std::string& file);

/// Reads a session's file and compiles it to the last stage with as many of `how.adjustable` as inputs as can be; gives
/// the names of those that are none. Throws as read() and compile_to() do, and UsageError for a name that can't be set.
std::vector<std::string> compile_with_inputs(Session& session, Preparation how);

/// A session compiled to the last stage as bytes, which read() takes in place of a model file. All it needs goes into
/// them: the texts of its files for messages, the model as a tree for values that compile again.
std::string store(Session& session);

/// What read() does of a stored model. It is taken as it is where nothing is asked for that it has not, with its inputs
/// at the values that settings name where these fit; otherwise its bond graph is made anew of the model in the file.
/// Throws UsageError where the file can't be taken, as one of another version of the program can't.
void read_stored(Session& session, const Preparation& how);

}  // namespace bondgraph::api
