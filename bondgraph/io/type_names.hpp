#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// A file of a model: what it declares, and the files whose types it knows. Files go by their numbers in order of
/// reading, the model's own first.
struct TypeFile {
    std::string name;
    std::vector<std::uint32_t> types;            ///< indices into Model::types
    std::vector<std::uint32_t> connector_types;  ///< indices into Model::connector_types
    std::vector<std::size_t> imports;            ///< whose types it knows by their own names
    struct Prefix {
        model::Text name;
        std::optional<std::size_t> file;  ///< nothing: it could not be read
    };
    std::vector<Prefix> prefixes;  ///< whose types it knows by prefix and name
    bool incomplete = false;       ///< something of its types or imports could not be read
};

/// Finds what each name of a type means in its file: `own_type` of components and connectors, `base_type` of types.
/// Files that import each other without prefixes share their names, which have to be different (BG-M017); behind a
/// prefix stand the names of a file and of what that imports without one. Types and connector types that the model
/// knows under prefixes alone get these in front of their names: "el.Resistor". Reports unknown prefixes (BG-M080), and
/// names that a file behind a prefix hasn't got (BG-M001, BG-M050). What without a prefix means nothing may be of the
/// catalogue and is left as it is.
void resolve_type_names(const std::vector<TypeFile>& files, const SourceMap& sources, model::Model& model,
                        Diagnostics& diagnostics);

}  // namespace bondgraph::io
