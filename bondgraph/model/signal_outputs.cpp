#include "bondgraph/model/signal_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace bondgraph::model {
namespace {

/// "y", or of one with as many as are connected "y1", "y2", …
bool is_one_of(const SignalSpec& signal, std::string_view name) {
    if (!signal.many) return name == signal.name;
    return name.starts_with(signal.name) && name.size() > signal.name.size() &&
           name.find_first_not_of("0123456789", signal.name.size()) == std::string_view::npos;
}

bool is_output(const Element& e, const Element::Slot& slot) {
    if (e.declaration != nullptr)
        return std::ranges::any_of(e.declaration->outputs, [&](const auto& o) { return o.name.text == slot.name; });
    return std::ranges::any_of(e.type->outputs, [&](const SignalSpec& s) { return is_one_of(s, slot.name); });
}

void add_result(std::vector<std::string>& names, const std::string& name, std::size_t size) {
    for (std::size_t k = 1; k <= size; ++k) names.push_back(size > 1 ? fmt::format("{}[{}]", name, k) : name);
}

}  // namespace

std::vector<std::string> default_signal_outputs(const BondGraph& g) {
    std::vector<std::string> names;
    std::unordered_set<std::string> seen;
    for (const Element& e : g.elements) {
        const std::string component = e.name.substr(0, e.name.find('.'));
        if (!seen.insert(component).second) continue;
        if (const auto own = g.element_by_name.find(component); own != g.element_by_name.end()) {
            const Element& element = g.elements[own->second.index()];
            for (const Element::Slot& slot : element.slots) {
                if (is_output(element, slot)) add_result(names, component + "." + slot.name, slot.size);
            }
        }
        const std::string head = component + ".";
        for (auto found = g.handed_signals.lower_bound(head);
             found != g.handed_signals.end() && found->first.starts_with(head); ++found) {
            if (found->first.find('.', head.size()) == std::string::npos)
                add_result(names, found->first, static_cast<std::size_t>(found->second.value.size()));
        }
    }
    return names;
}

}  // namespace bondgraph::model
