#pragma once

#include <string_view>

namespace bondgraph::api {

/// The page without its data, which come in place of kPageData; empty where the build had no npm to make it.
std::string_view page_template();

inline constexpr std::string_view kPageData = "/*BONDGRAPH_DATA*/";

}  // namespace bondgraph::api
