// What was meant by types and keys that there are not.

#include "bondgraph/model/type_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "bondgraph/base/diagnostic.hpp"

namespace bondgraph::model {
namespace {

/// What the elements are called elsewhere, in lower case.
struct CommonName {
    std::string_view name;
    std::string_view type;
};
constexpr CommonName kCommonNames[] = {
    {"resistor", "R"},
    {"resistance", "R"},
    {"damper", "R"},
    {"friction", "R"},
    {"dissipator", "R"},
    {"capacitor", "C"},
    {"capacitance", "C"},
    {"compliance", "C"},
    {"spring", "C"},
    {"tank", "C"},
    {"inductor", "I"},
    {"inductance", "I"},
    {"inertia", "I"},
    {"inertance", "I"},
    {"mass", "I"},
    {"coil", "I"},
    {"l", "I"},
    {"transformer", "TF"},
    {"gear", "TF"},
    {"lever", "TF"},
    {"gyrator", "GY"},
    {"motor", "GY"},
    {"source", "Se' or 'Sf"},
    {"effortsource", "Se"},
    {"voltagesource", "Se"},
    {"battery", "Se"},
    {"v", "Se"},
    {"force", "Se"},
    {"flowsource", "Sf"},
    {"currentsource", "Sf"},
    {"junction", "0' or '1"},
    {"zerojunction", "0"},
    {"j0", "0"},
    {"onejunction", "1"},
    {"j1", "1"},
    {"diode", "D"},
    {"switch", "Sw"},
};

std::string common_name_of(const std::string& text) {
    std::string key;
    for (const char c : text) {
        if (c == '_' || c == '-' || c == ' ') continue;
        key += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    for (const CommonName& common : kCommonNames) {
        if (common.name == key) return fmt::format("; did you mean '{}'?", common.type);
    }
    return {};
}

}  // namespace

std::string type_hint(const std::string& text, const std::vector<std::string>& names) {
    std::string common = common_name_of(text);
    return common.empty() ? did_you_mean(text, names) : common;
}

std::string key_hint(const std::string& key, const std::vector<std::string>& names) {
    // An element of a symmetric matrix, by the other of its two names: I_12 for I_21.
    std::string transposed = key;
    if (key.size() > 2) std::swap(transposed[key.size() - 1], transposed[key.size() - 2]);
    const bool other_half = std::find(names.begin(), names.end(), transposed) != names.end();
    const std::string nearest = other_half ? transposed : nearest_name(key, names);
    if (nearest.empty() || (key.size() == 1 && nearest.size() > 1)) return {};
    return fmt::format("; did you mean '{}'?", nearest);
}

const std::vector<std::string>& reserved_component_keys() {
    static const std::vector<std::string> keys{"type",   "initial", "guess", "nominal", "states",
                                               "domain", "size",    "doc",   "if",      "shapes"};
    return keys;
}

const std::vector<std::string>& component_keys() {
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> all = reserved_component_keys();
        all.insert(all.end(), {"at", "turn"});
        return all;
    }();
    return keys;
}

}  // namespace bondgraph::model
