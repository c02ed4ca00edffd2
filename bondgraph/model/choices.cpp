// Parameters whose values are words.

#include "bondgraph/model/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bondgraph/model/declare_parameters.hpp"

namespace bondgraph::model {

using expression::Expr;

std::optional<Quantity> chosen(Flattening& work, std::uint32_t scope, const std::string& name,
                               const ScopeValue& entry) {
    const std::vector<Text>& choices = entry.declaration->choices;
    const auto number_of = [&](const std::string& word) -> std::optional<Quantity> {
        const auto found = std::ranges::find_if(choices, [&](const Text& t) { return t.text == word; });
        if (found == choices.end()) return std::nullopt;
        return Quantity::scalar(Expr(static_cast<double>(found - choices.begin() + 1)));
    };
    std::vector<std::string> words;
    for (const Text& word : choices) words.push_back(word.text);
    const std::string full = work.scopes[scope].prefix + name;
    if (entry.free) {
        work.diagnostics.error("BG-M077",
                               entry.value != nullptr ? entry.value->position() : work.scopes[scope].position,
                               fmt::format("'{}' is one of {}: it can't be free", full, fmt::join(words, ", ")));
        return std::nullopt;
    }
    if (entry.signal != nullptr || entry.driven.size() > 0) {
        const Text& signal = entry.signal != nullptr ? *entry.signal : *entry.driven.signals.front().from;
        work.diagnostics.error("BG-M077", signal.position,
                               fmt::format("'{}' is one of {}: no signal can drive it", full, fmt::join(words, ", ")));
        return std::nullopt;
    }
    if (entry.value == nullptr) return std::nullopt;  // reported as missing
    const std::string word = entry.value->is_list ? std::string() : entry.value->scalar.text;
    if (auto number = number_of(word)) return number;
    std::uint32_t around = entry.evaluated_in;
    std::string last = word;
    if (const auto dot = word.rfind('.'); dot != std::string::npos) {  // of a record
        if (const auto record = find_record(work, around, std::string_view(word).substr(0, dot))) {
            around = *record;
            last = word.substr(dot + 1);
        }
    }
    const auto& outer = work.scopes[around].values;
    const auto other = outer.find(last);
    if (other != outer.end() && other->second.declaration != nullptr && !other->second.declaration->choices.empty()) {
        const std::vector<Text>& theirs = other->second.declaration->choices;
        const auto value = lookup(work, around, last);
        if (!value || is_unknown(*value)) return std::nullopt;
        const std::string handed = theirs[static_cast<std::size_t>(value->value(0, 0).constant()) - 1].text;
        if (auto number = number_of(handed)) return number;
        work.diagnostics.error(
            "BG-M077", entry.value->position(),
            fmt::format("'{}' is '{}', but '{}' is one of {}", word, handed, full, fmt::join(words, ", ")));
        return std::nullopt;
    }
    work.diagnostics.error("BG-M077", entry.value->position(),
                           fmt::format("'{}' is one of {}, not '{}'{}", full, fmt::join(words, ", "),
                                       entry.value->is_list ? "[…]" : word, did_you_mean(word, words)));
    return std::nullopt;
}

std::optional<Quantity> is_chosen(Flattening& work, std::uint32_t scope, const std::string& name) {
    const auto dot = name.find('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string head = name.substr(0, dot);
    const auto found = work.scopes[scope].values.find(head);
    if (found == work.scopes[scope].values.end() || found->second.declaration == nullptr) return std::nullopt;
    const std::vector<Text>& choices = found->second.declaration->choices;
    const std::string word = name.substr(dot + 1);
    const auto choice = std::ranges::find_if(choices, [&](const Text& t) { return t.text == word; });
    if (choice == choices.end()) return std::nullopt;
    const auto value = lookup(work, scope, head);
    if (!value || is_unknown(*value)) return unknown_quantity();
    const bool same = value->value(0, 0).constant() == static_cast<double>(choice - choices.begin() + 1);
    return Quantity::scalar(Expr(same ? 1.0 : 0.0));
}

}  // namespace bondgraph::model
