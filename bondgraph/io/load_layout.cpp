#include "bondgraph/io/load_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/load_body.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;
using model::ComponentDeclaration;
using model::LayoutDeclaration;
using model::TypeDeclaration;

std::optional<double> number_of(const YamlNode& node) {
    constexpr double kFarthest = 1000.0;  // steps: more than any sheet of paper
    if (node.kind != Kind::scalar || node.quoted) return std::nullopt;
    std::string_view text = node.scalar;
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = mistake == std::errc() && end == text.data() + text.size();
    return whole && std::abs(value) <= kFarthest ? std::optional(value) : std::nullopt;
}

void load_at(const YamlNode& node, LayoutDeclaration::Place& place, Diagnostics& diagnostics) {
    if (node.kind == Kind::sequence && node.size() == 2) {
        const auto x = number_of(node.children[0]);
        const auto y = number_of(node.children[1]);
        if (x && y) {
            place.at = {*x, *y};
            return;
        }
    }
    diagnostics.error("BG-M071", node.position,
                      "'at' is a place in the drawing: two numbers without units, from -1000 to 1000",
                      {{"try", "write 'at: [1, 0]': one step to the right of [0, 0]; [0, 1] is one step above it"}});
}

void load_turn(const YamlNode& node, LayoutDeclaration::Place& place, Diagnostics& diagnostics) {
    constexpr double kQuarter = 90.0;
    constexpr int kQuarters = 4;
    const auto angle = number_of(node);
    if (angle && std::fmod(*angle, kQuarter) == 0.0) {
        const int turns = static_cast<int>(*angle / kQuarter) % kQuarters;
        place.quarter_turns = (turns + kQuarters) % kQuarters;
        place.turned = true;
        return;
    }
    diagnostics.error("BG-M071", node.position, "'turn' is 90, 180 or 270, in degrees without a unit",
                      {{"try", "write 'turn: 90': what hangs below a junction then stands to its right"}});
}

void load_mirror(const YamlNode& node, LayoutDeclaration::Place& place, Diagnostics& diagnostics) {
    if (node.kind == Kind::scalar && !node.quoted && (node.scalar == "true" || node.scalar == "false")) {
        place.mirrored = node.scalar == "true";
        return;
    }
    diagnostics.error("BG-M071", node.position, "'mirror' is true or false",
                      {{"try", "write 'mirror: true': left and right of the component's symbol change places"}});
}

/// Lists of components of at least so many.
void load_groups(YamlNode&& node, const std::string& key, std::size_t least, std::vector<std::vector<model::Text>>& to,
                 Diagnostics& diagnostics) {
    if (!is_list(node, {key}, diagnostics, "write a list of lists, as in '[[a, b, c]]'")) return;
    for (YamlNode& child : node.children) {
        if (child.kind != Kind::sequence || child.size() < least) {
            diagnostics.error("BG-M071", child.position,
                              least == 1
                                  ? fmt::format("an entry of '{}' is a list of components", key)
                                  : fmt::format("an entry of '{}' is a list of at least {} components", key, least),
                              {{"try", fmt::format("write '{}: [[a, b, c]]'", key)}});
            continue;
        }
        to.push_back(read_texts(std::move(child), key, "the name of a component", diagnostics));
    }
}

/// What the keys of a model's components mean.
class PlaceKeyMeanings {
   public:
    explicit PlaceKeyMeanings(const model::Model& model) : model_(model) {}

    bool is_setting(const ComponentDeclaration& component, const std::string& key) const {
        const TypeDeclaration* type = type_of(component);
        if (type == nullptr) return false;
        const auto named = [&](const auto& declared) { return declared.name.text == key; };
        return std::any_of(type->body.parameters.begin(), type->body.parameters.end(), named) ||
               std::any_of(type->inputs.begin(), type->inputs.end(), named);
    }

    /// The type that could tell has mistakes of its own, or is in a file that can't be read.
    bool is_unknown(const ComponentDeclaration& component) const {
        const TypeDeclaration* type = type_of(component);
        return type == nullptr ? model_.types_missing : type->body.gaps.values;
    }

   private:
    const TypeDeclaration* type_of(const ComponentDeclaration& component) const {
        return component.own_type ? &model_.types[*component.own_type] : nullptr;
    }

    const model::Model& model_;
};

/// `rotor.inertia`: the component whose part it is.
const std::string* whole_of(const std::string& name, const std::set<std::string>& known) {
    const auto found = known.find(name.substr(0, name.find('.')));
    return found == known.end() ? nullptr : &*found;
}

/// The components that have a place by `at:`, in file order. Two of them must not lie on each other, however long a
/// step is.
std::set<std::string> check_places(const std::vector<LayoutDeclaration::Place>& places, Diagnostics& diagnostics) {
    constexpr double kNear = model::kLeastDistance * (1 - 1e-9);  // 0.3 - 0.2 is a rounding less than 0.1
    std::set<std::string> placed;
    // by columns as wide as the least distance: only neighbours in the same or the next column can be too near
    std::map<long, std::vector<const LayoutDeclaration::Place*>> columns;
    for (const LayoutDeclaration::Place& place : places) {
        if (!place.at) continue;
        placed.insert(place.component.text);
        const auto [x, y] = *place.at;
        const long column = std::lround(std::floor(x / model::kLeastDistance));
        const LayoutDeclaration::Place* other = nullptr;
        for (long c = column - 1; c <= column + 1; ++c) {
            for (const LayoutDeclaration::Place* p : columns[c]) {
                const auto [there_x, there_y] = *p->at;
                if (std::max(std::abs(there_x - x), std::abs(there_y - y)) < kNear) other = p;
            }
        }
        columns[column].push_back(&place);
        if (other == nullptr) continue;
        diagnostics.error("BG-M072", place.component.position,
                          fmt::format("'{}' would lie on '{}': their places are less than {} apart",
                                      place.component.text, other->component.text, model::kLeastDistance),
                          {{"try", "give one of them another 'at:'"}});
    }
    return placed;
}

}  // namespace

void settle_place_keys(std::vector<PlaceKey>&& keys, model::Model& model, LayoutDeclaration& layout,
                       Diagnostics& diagnostics) {
    const PlaceKeyMeanings meanings(model);
    std::unordered_map<std::size_t, std::size_t> places;  // of components, in the layout
    for (PlaceKey& k : keys) {
        const bool of_model = k.type == PlaceKey::kOfModel;
        ComponentDeclaration& component = (of_model ? model.body : model.types[k.type].body).components[k.component];
        const std::string name = k.key.scalar;
        if (meanings.is_setting(component, name)) {
            const std::size_t errors = diagnostics.error_count();
            load_setting(component, std::move(k.key), std::move(k.value), diagnostics);
            component.flawed = component.flawed || diagnostics.error_count() > errors;
        } else if (of_model && component.repetition != nullptr && !component.repetition->sizes.empty()) {
            diagnostics.error("BG-M071", k.key.position,
                              fmt::format("'{}' is an array: its parts can't be placed", component.name.text));
        } else if (meanings.is_unknown(component)) {
            continue;  // what is wrong has been said, and no drawing is made
        } else if (!of_model) {
            diagnostics.error("BG-M071", k.key.position,
                              fmt::format("'{}' is part of a type: it can't be placed", component.name.text),
                              {{"try", "'at:', 'turn:' and 'mirror:' are for the components of the model itself"}});
        } else {
            const auto [known, fresh] = places.emplace(k.component, layout.places.size());
            if (fresh) layout.places.push_back({.component = component.name, .at = std::nullopt});
            LayoutDeclaration::Place& place = layout.places[known->second];
            if (name == "at")
                load_at(k.value, place, diagnostics);
            else if (name == "turn")
                load_turn(k.value, place, diagnostics);
            else
                load_mirror(k.value, place, diagnostics);
        }
    }
}

void load_layout(YamlNode&& node, LayoutDeclaration& layout, Diagnostics& diagnostics) {
    constexpr std::size_t kRing = 3;
    if (!is_map(node, {"layout"}, diagnostics, "write 'layout: {rows: [[a, b, c]]}'")) return;
    read_keys(std::move(node), "'layout'",
              {{"rows",
                [&](const YamlNode&, YamlNode&& v) { load_groups(std::move(v), "rows", 1, layout.rows, diagnostics); }},
               {"rings", [&](const YamlNode&,
                             YamlNode&& v) { load_groups(std::move(v), "rings", kRing, layout.rings, diagnostics); }}},
              diagnostics);
}

void check_layout(const LayoutDeclaration& layout, const model::Body& body, Diagnostics& diagnostics) {
    std::vector<std::string> names;
    for (const ComponentDeclaration& c : body.components) names.push_back(c.name.text);
    const std::set<std::string> known(names.begin(), names.end());
    std::set<std::string> placed = check_places(layout.places, diagnostics);
    const auto check = [&](const model::Text& name) {
        if (known.contains(name.text)) {
            if (placed.insert(name.text).second) return;
            diagnostics.error("BG-M072", name.position, fmt::format("'{}' has two places", name.text),
                              {{"try", "name it once: by 'at:', in a row or in a ring"}});
        } else if (const std::string* whole = whole_of(name.text, known)) {
            diagnostics.error(
                "BG-M072", name.position,
                fmt::format("{} is a part of '{}': it can't be placed", quoted_excerpt(name.text), *whole),
                {{"try", fmt::format("'{}' as a whole has a place", *whole)}});
        } else if (!body.gaps.components) {
            diagnostics.error("BG-M072", name.position,
                              fmt::format("{} under 'layout' is no component of the model{}", quoted_excerpt(name.text),
                                          did_you_mean(name.text, names)));
        }
    };
    for (const auto* groups : {&layout.rows, &layout.rings}) {
        for (const auto& group : *groups) std::for_each(group.begin(), group.end(), check);
    }
}

}  // namespace bondgraph::io
