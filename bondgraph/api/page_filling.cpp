#include "bondgraph/api/page_filling.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bondgraph/api/deflated.hpp"
#include "bondgraph/api/packed_numbers.hpp"
#include "bondgraph/api/page_template.hpp"

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

std::string written_json(const Json& data) { return data.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string as_base64(const std::string& bytes) {
    return base64(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::optional<std::string> readable_text(const Json& data) {
    if (packed_size(data) > kReadableData) return std::nullopt;
    Json whole = data;
    write_base64(whole);
    std::string text = written_json(whole);
    if (text.size() > kReadableData) return std::nullopt;
    return text;
}

std::string in_little_room(Json data) {
    const std::string numbers = part_bytes(data);
    Json whole{{"program", data["program"]}, {"model", data["model"]}};
    whole["deflated"] = {{"data", as_base64(deflated(written_json(data)))},
                         {"numbers", as_base64(deflated(in_planes(numbers)))}};
    return written_json(whole);
}

/// "</" would end the script that the data stand in.
std::string without_tags(const std::string& json) {
    std::string safe;
    safe.reserve(json.size());
    for (const char c : json) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

}  // namespace

std::string filled_page(Json data) {
    std::optional<std::string> text = readable_text(data);
    if (!text) text = in_little_room(std::move(data));
    const std::string_view whole = page_template();
    const std::size_t at = whole.find(kPageData);
    std::string page;
    page.append(whole.substr(0, at)).append(without_tags(*text)).append(whole.substr(at + kPageData.size()));
    return page;
}

}  // namespace bondgraph::api
