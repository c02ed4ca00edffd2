#pragma once

#include <string_view>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Where files of the library of parts seem to be, for those who import them.
inline constexpr std::string_view kLibraryFolder = "library:";

/// Where something is for the user: of what stands in a file of the library, the component of the user's file in which
/// it is. `scope`: that in which it is written.
SourcePosition position_for_user(const Flattening& work, std::uint32_t scope, SourcePosition position);

}  // namespace bondgraph::model
