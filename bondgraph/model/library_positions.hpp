#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Where files of the library of parts seem to be, for those who import them.
inline constexpr std::string_view kLibraryFolder = "library:";

/// Whether a place is in a file of the library.
bool is_in_library(const Flattening& work, SourcePosition position);

/// Where something is for the user: of what stands in a file of the library, the component of the user's file in which
/// it is. `scope`: that in which it is written.
SourcePosition position_for_user(const Flattening& work, std::uint32_t scope, SourcePosition position);

/// Where the value that a name leads to is given by who uses what is written in `scope`: of a type in a file of the
/// library in the user's file, else where the type is used. Nothing where it has the value that it has by itself; of
/// the model's own parameters, where they stand. With `entry`, counted from 0: that of a list, where its entries are
/// written there.
std::optional<SourcePosition> given_position(const Flattening& work, std::uint32_t scope, const std::string& name,
                                             std::optional<std::size_t> entry = std::nullopt);

/// Runs `look`, which looks at what is written in `scope`. What it reports of a text in a file of the library is told
/// where the user's file gives a value that this text names, or that leads to one it names: at the name where the
/// mistake is, else at the first one. Where the user's file gives none, at the user's component.
void tell_user(Flattening& work, const Value& written, std::uint32_t scope, const std::function<void()>& look);
void tell_user(Flattening& work, const Text& written, std::uint32_t scope, const std::function<void()>& look);

}  // namespace bondgraph::model
