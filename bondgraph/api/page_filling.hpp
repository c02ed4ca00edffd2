#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bondgraph::api {

/// The page with these data in its script "data". Up to kReadableData they are JSON, with base64 in place of numbers.
/// Larger ones are {"program", "model", "deflated": {"data", "numbers"}}: in base64, `deflated` JSON that refers to
/// numbers as `part_bytes` leaves it, and these `in_planes`, `deflated`; web/src/unpacking.ts takes them back.
std::string filled_page(nlohmann::ordered_json data);

/// Bytes. What the page itself is made of takes three times as much: there is little to save.
inline constexpr std::size_t kReadableData = 300'000;

}  // namespace bondgraph::api
