#include "bondgraph/api/mode_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bondgraph::api {

std::string mode_text(const std::vector<ModeValue>& modes) {
    std::string text;
    for (const ModeValue& m : modes) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", m.name, m.text());
    return text;
}

nlohmann::ordered_json mode_json(const std::vector<ModeValue>& values) {
    nlohmann::ordered_json modes = nlohmann::ordered_json::object();
    for (const ModeValue& m : values) {
        if (m.boolean)
            modes[m.name] = m.value != 0.0;
        else
            modes[m.name] = m.value;
    }
    return modes;
}

}  // namespace bondgraph::api
