#include "bondgraph/api/json_text.hpp"

#include <nlohmann/json.hpp>

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;

/// On one line, with a blank after colons and commas. Names may hold any bytes: those that are no UTF-8 are replaced.
std::string compact(const Json& value) {
    if (!value.is_structured()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string text;
    for (const auto& [key, child] : value.items()) {
        if (!text.empty()) text += ", ";
        if (value.is_object()) text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
        text += compact(child);
    }
    return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// The nesting is that of our own reports: three levels at most.
void write(std::string& out, const Json& value, std::size_t indent) {
    const std::string line = compact(value);
    const bool short_enough = indent + line.size() <= kWidth && !(indent == 0 && value.is_object());
    if (!value.is_structured() || value.empty() || short_enough) {
        out += line;
        return;
    }
    out += value.is_object() ? "{\n" : "[\n";
    std::size_t left = value.size();
    for (const auto& [key, child] : value.items()) {
        out += std::string(indent + 2, ' ');
        if (value.is_object()) out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
        write(out, child, indent + 2);
        out += --left > 0 ? ",\n" : "\n";
    }
    out += std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string json_text(const Json& value) {
    std::string text;
    write(text, value, 0);
    return text + '\n';
}

}  // namespace bondgraph::api
