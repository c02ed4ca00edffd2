#pragma once

#include <span>
#include <string_view>

namespace bondgraph::model {

/// A parameter that had another name in the version before. Files with that name are still read, with a warning
/// (BG-M067); an entry goes when the version after that comes.
struct FormerName {
    std::string_view type;
    std::string_view before;
    std::string_view now;
};

std::span<const FormerName> former_names();
/// What a parameter of a component type is called now; the name itself where it hasn't changed.
std::string_view present_name(std::string_view type, std::string_view name);
/// What it was called before; empty where it hasn't changed.
std::string_view former_name(std::string_view type, std::string_view name);

}  // namespace bondgraph::model
