#pragma once

#include "bondgraph/api/pictures.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// Of a session at stage flattened, which is taken further as far as the drawing needs it. Throws ModelError for an
/// experiment that can't be read.
Drawing drawing_of(Session& session, const DrawOptions& options);

}  // namespace bondgraph::api
