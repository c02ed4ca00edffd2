#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bondgraph::api {

/// JSON laid out for readers: whatever fits on a line stands on one (the rows of a matrix), the rest is indented.
/// Keys keep their order; numbers have the digits that read back exactly; ends with a newline.
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace bondgraph::api
