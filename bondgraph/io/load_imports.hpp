#pragma once

#include <optional>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// A file named under `import:`, and the prefix that its types have then, if any.
struct Import {
    std::optional<model::Text> prefix;
    model::Text file;
};

/// `import:` — a file, a list of files, or `prefix: file` in a map or in items of the list. Mistakes are reported:
/// texts that can't be files (BG-M037), prefixes that are no names or given twice (BG-M017).
std::vector<Import> read_imports(YamlNode&& node, Diagnostics& diagnostics);

}  // namespace bondgraph::io
