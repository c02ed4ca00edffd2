#pragma once

#include <string>
#include <vector>

namespace bondgraph::api {

/// The files with one of some endings in a folder and in the folders in it, sorted by path.
std::vector<std::string> files_below(const std::string& folder, const std::vector<std::string>& endings);

/// Those that are models: files that are there to be imported, with types and no components, are none.
std::vector<std::string> models_below(const std::string& folder, const std::vector<std::string>& endings = {".yaml"});

}  // namespace bondgraph::api
