#include "bondgraph/model/former_names.hpp"

#include <array>

namespace bondgraph::model {

namespace {

// To readers of YAML 1.1 `on` and `off` are true and false, also as keys.
constexpr std::array<FormerName, 2> kFormer{{
    {"Relay", "on", "closes_above"},
    {"Relay", "off", "opens_below"},
}};

}  // namespace

std::span<const FormerName> former_names() { return kFormer; }

std::string_view present_name(std::string_view type, std::string_view name) {
    for (const FormerName& f : kFormer) {
        if (f.type == type && f.before == name) return f.now;
    }
    return name;
}

std::string_view former_name(std::string_view type, std::string_view name) {
    for (const FormerName& f : kFormer) {
        if (f.type == type && f.now == name) return f.before;
    }
    return {};
}

}  // namespace bondgraph::model
