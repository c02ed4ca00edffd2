#pragma once

#include <string>
#include <vector>

namespace bondgraph::api {

/// The models in the `.yaml` files of a folder and of the folders in it, sorted by path. Files that are there to be
/// imported, with types and no components, are none.
std::vector<std::string> models_below(const std::string& folder);

}  // namespace bondgraph::api
