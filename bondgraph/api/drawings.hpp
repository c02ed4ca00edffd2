#pragma once

#include "bondgraph/api/pictures.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// Of a type as it is declared.
Drawing drawing_of_type(const model::Model& model, const model::TypeDeclaration& type,
                        const model::Catalogue& catalogue, const DrawOptions& options);

/// Of a session at stage flattened, which is taken further as far as the drawing needs it. Throws ModelError for an
/// experiment that can't be read.
Drawing drawing_of(Session& session, const DrawOptions& options);

}  // namespace bondgraph::api
