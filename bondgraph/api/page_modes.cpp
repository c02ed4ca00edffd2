#include "bondgraph/api/page_modes.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/api/mode_report.hpp"
#include "bondgraph/api/packed_numbers.hpp"
#include "bondgraph/api/page_json.hpp"

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostModeChanges = 50'000;
constexpr std::size_t kMostModesTold = 24;
constexpr std::size_t kMostTextOfModes = 1'000'000;

/// By names: bonds of all drawings with their strokes and loops, components with their marks.
struct Marks {
    Json edges = Json::object();
    Json nodes = Json::object();
};

/// As they are drawn with everything looked into and with nothing: parts between are drawn as in one of these.
bool take_marks(const Model& model, const Values& values, const WhichMode& mode, Marks& marks) {
    for (const bool expand : {true, false}) {
        const auto drawing = model.draw({.values = values, .expand = expand, .picture = false, .mode = mode});
        if (!drawing || drawing->conflict) return false;
        const Json json = drawing_json(*drawing, "");
        for (const Json& edge : json["edges"]) {
            if (edge["kind"] == "bond")
                marks.edges[edge["name"].get_ref<const std::string&>()] = {{"components", edge["components"]},
                                                                           {"loop", edge["loop"]}};
        }
        for (const Json& node : json["nodes"])
            marks.nodes[node["name"].get_ref<const std::string&>()] = {{"derivative", node["derivative"]},
                                                                       {"loop", node["loop"]}};
    }
    return true;
}

Json differing(const Json& marks, const Json& start) {
    Json result = Json::object();
    for (const auto& [name, mark] : marks.items()) {
        if (const auto known = start.find(name); known == start.end() || *known != mark) result[name] = mark;
    }
    return result;
}

/// Null where there is no causality in it.
Json structure_json(const Model& model, const Values& values, const std::vector<ModeValue>& modes,
                    const Marks& at_start) {
    const WhichMode mode{.values = modes};
    Marks marks;
    if (!take_marks(model, values, mode, marks)) return {};
    Json json{{"modes", mode_json(modes)},
              {"edges", differing(marks.edges, at_start.edges)},
              {"nodes", differing(marks.nodes, at_start.nodes)}};
    const auto causality = model.causality({.values = values, .expand = true, .mode = mode});
    if (!causality) return {};
    json["causality"] = causality_json(*causality);
    for (const bool symbols : {false, true}) {
        const auto equations = model.equations({.values = values,
                                                .format = EquationsOptions::Format::json,
                                                .symbols = symbols,
                                                .typeset = true,
                                                .mode = mode});
        if (equations)
            json[symbols ? "symbolic" : "equations"] = Json::parse(equations->text);
        else if (!symbols)
            return {};
    }
    return json;
}

}  // namespace

Json mode_course_json(const ModeCourse& course) {
    Json names = Json::array();
    for (const ModeValue& m : course.modes.front()) names.push_back(m.name);
    Json modes = Json::array();
    for (const std::vector<ModeValue>& values : course.modes) {
        Json one = Json::array();
        for (const ModeValue& m : values) one.push_back(m.boolean ? Json(m.value != 0.0) : Json(m.value));
        modes.push_back(std::move(one));
    }
    const std::size_t kept = std::min(course.time.size(), kMostModeChanges);
    Json json{{"names", std::move(names)},
              {"modes", std::move(modes)},
              {"time", packed(std::span(course.time).first(kept))},
              {"mode", packed(std::span(course.mode).first(kept))}};
    if (kept < course.time.size()) json["until"] = course.time[kept];
    return json;
}

Json structures_json(const Model& model, const Values& values, const ModeCourse& course,
                     const std::atomic<bool>* cancel) {
    Json list = Json::array();
    Marks at_start;
    if (course.modes.size() < 2 || !take_marks(model, values, {.values = course.modes.front()}, at_start)) return list;
    std::size_t text = 0;
    for (const std::vector<ModeValue>& modes : std::span(course.modes).subspan(1)) {
        if (list.size() == kMostModesTold || (cancel != nullptr && *cancel)) break;
        Json one = structure_json(model, values, modes, at_start);
        if (one.is_null()) continue;
        text += one.dump(-1, ' ', false, Json::error_handler_t::replace).size();
        if (text > kMostTextOfModes) break;
        list.push_back(std::move(one));
    }
    return list;
}

}  // namespace bondgraph::api
