#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/layout_declaration.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::storage {

/// Where a model in all its stages lies: each refers to those before it, which therefore have to stay there.
struct Stages {
    SourceMap& sources;
    std::vector<std::string>& settings;  ///< texts that were set when it was made: "motor.R=3 ohm"
    model::Model& model;
    model::LayoutDeclaration& layout;
    std::unique_ptr<model::BondGraph>& graph;
    std::unique_ptr<causality::CausalGraph>& causal;
    std::unique_ptr<compile::SortedSystem>& system;
    std::unique_ptr<compile::CompiledModel>& compiled;
};

/// Who can read what is stored: the same version of the program with the same component types.
struct Maker {
    std::string_view version;
    std::vector<const model::ComponentType*> types;  ///< all there are, in an order of their own
    std::vector<const model::ConnectorType*> connectors;
};

/// A stored model can't be read; what() says why, as what follows on "it ".
class NotReadable : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// Whether a file begins as a stored model does, or is named `.bgc`; false where it is no regular file.
bool is_compiled_file(const std::string& file);

/// A compiled model as bytes: one line of text that says what it is and who made it, then all stages, compressed and
/// with a checksum. What it takes grows with the model as the stages do.
std::string write_compiled(const Stages& stages, const Maker& maker);

/// The stages as they were. Throws NotReadable for bytes that are damaged, cut off, or made by another version. What is
/// guarded against is damage, not malice: who makes such a file on purpose can make it crash its reader.
void read_compiled(std::string_view bytes, const Stages& stages, const Maker& maker);

}  // namespace bondgraph::storage
