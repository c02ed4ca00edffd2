#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph::test {

/// The shipped models without parts of the library. Pictures of circuits of parts, with their long names and many
/// boxes, are drawn soundly, but not yet without flaws: texts on each other, lines beside their boxes.
inline std::vector<std::string> models_without_parts() {
    std::vector<std::string> models;
    for (const std::string& file : model_files()) {
        const bool parts = file.find("/library/") != std::string::npos;
        std::ifstream in(file);
        bool imports = false;
        for (std::string line; std::getline(in, line);)
            imports = imports || (line.starts_with("import:") && line.find(".yaml") == std::string::npos);
        if (!parts && !imports) models.push_back(file);
    }
    return models;
}

}  // namespace bondgraph::test
