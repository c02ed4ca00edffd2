#include "bondgraph/model/library_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/expression/lexer.hpp"

namespace bondgraph::model {
namespace {

using expression::Token;
using expression::TokenKind;

/// A name in a text, without indices.
struct NamedPosition {
    std::string name;
    std::size_t offset = 0;
};

std::vector<NamedPosition> positions_of_names(const std::string& text) {
    std::vector<NamedPosition> names;
    const auto tokens = expression::tokenize(text);
    bool goes_on = false;
    for (const Token& token : tokens.items) {
        if (token.kind == TokenKind::identifier) {
            if (goes_on)
                names.back().name.append(token.text);
            else
                names.push_back({std::string(token.text), token.offset});
        }
        goes_on = token.kind == TokenKind::dot && !names.empty();
        if (goes_on) names.back().name += '.';
    }
    return names;
}

/// Values that lead to each other in a circle have been reported.
constexpr int kDeepestName = 20;

/// Where the user's file gives what a text of the library stands for.
class GivenValues {
   public:
    explicit GivenValues(const Flattening& work, std::optional<std::size_t> list_entry = std::nullopt)
        : work_(work), list_entry_(list_entry) {}

    std::optional<SourcePosition> of_text(const Text& text, std::uint32_t scope, int depth = 0) const {
        std::optional<SourcePosition> driven;
        std::optional<SourcePosition> other;
        for (const NamedPosition& named : positions_of_names(text.text)) {
            const auto given = of_name(named.name, scope, depth);
            if (given && is_vector_input(named.name, scope)) return given;
            std::optional<SourcePosition>& first = is_driven(named.name, scope) ? driven : other;
            if (!first) first = given;
        }
        return other ? other : driven;
    }

    /// Whether an input is given several values: few are for that, so that this is what is wrong, or else another one.
    bool is_vector_input(const std::string& name, std::uint32_t scope) const {
        const auto found = work_.scopes[scope].values.find(name);
        return found != work_.scopes[scope].values.end() && found->second.declaration == nullptr &&
               found->second.state == ScopeValue::State::done && !found->second.result.is_scalar();
    }

    /// Whether a signal gives a value: what is wrong with several values is rather wrong with another one.
    bool is_driven(const std::string& name, std::uint32_t scope) const {
        const auto found = work_.scopes[scope].values.find(name);
        return found != work_.scopes[scope].values.end() && found->second.signal != nullptr;
    }

    std::optional<SourcePosition> of_name(const std::string& name, std::uint32_t scope, int depth) const {
        if (depth > kDeepestName) return std::nullopt;
        const Scope& s = work_.scopes[scope];
        const auto dot = name.find('.');
        if (dot != std::string::npos) {
            const auto member = s.members.find(name.substr(0, dot));
            const bool record = member != s.members.end() && member->second.scope != Id<void>::kNone &&
                                work_.scopes[member->second.scope].declaration->record;
            if (record) return of_name(name.substr(dot + 1), member->second.scope, depth + 1);
        }
        const auto found = s.values.find(name);
        if (found == s.values.end()) return std::nullopt;
        const ScopeValue& entry = found->second;
        if (entry.signal != nullptr) return of_user(entry.signal->position);
        if (entry.value == nullptr && entry.driven.size() > 0)
            return of_user(entry.driven.signals.front().from->position);
        if (entry.handed) {
            if (const auto given = of_name(name, entry.evaluated_in, depth + 1)) return given;
        }
        return entry.value == nullptr ? std::nullopt : of_value(*entry.value, entry.evaluated_in, depth + 1);
    }

   private:
    std::optional<SourcePosition> of_user(SourcePosition position) const {
        return position.known() && !is_in_library(work_, position) ? std::optional(position) : std::nullopt;
    }

    std::optional<SourcePosition> of_value(const Value& value, std::uint32_t scope, int depth) const {
        if (list_entry_ && *list_entry_ < value.items.size()) {
            if (const auto given = of_user(value.items[*list_entry_].position())) return given;
        }
        if (const auto given = of_user(value.position())) return given;
        for (const Value& item : value.items) {
            if (const auto given = of_value(item, scope, depth)) return given;
        }
        return of_text(value.scalar, scope, depth);
    }

    const Flattening& work_;
    std::optional<std::size_t> list_entry_;  ///< of lists, which of their entries is looked for
};

void collect_texts(const Value& value, std::vector<const Text*>& texts) {
    if (!value.is_list) texts.push_back(&value.scalar);
    for (const Value& item : value.items) collect_texts(item, texts);
}

/// Of the texts of a value the one in which a place is, with the name that stands there, if it is one.
struct Place {
    const Text* text = nullptr;
    std::optional<NamedPosition> named;
};

Place place_in(const std::vector<const Text*>& texts, SourcePosition position) {
    for (const Text* text : texts) {
        for (NamedPosition& named : positions_of_names(text->text)) {
            if (position_at(*text, named.offset) == position) return {text, std::move(named)};
        }
    }
    return {texts.empty() ? nullptr : texts.front(), std::nullopt};
}

/// "'value = interpolate(u, x, y)' of Table1D in 't1'"
std::string written_where(const Flattening& work, const Text& text, std::uint32_t scope) {
    constexpr std::size_t kLongest = 100;
    std::string shown = text.text;
    if (utf8_count(shown) > kLongest) {
        std::size_t end = kLongest;
        while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
        shown = shown.substr(0, end) + "…";
    }
    const Scope& s = work.scopes[scope];
    const std::string name = s.prefix.empty() ? "" : s.prefix.substr(0, s.prefix.size() - 1);
    if (s.declaration == nullptr) return fmt::format("'{}'", shown);
    return fmt::format("'{}' of {} in '{}'", shown, s.declaration->name.text, name);
}

void move_to_user(Flattening& work, const std::vector<const Text*>& texts, std::uint32_t scope, Diagnostics found) {
    const GivenValues given_values(work);
    for (Diagnostic d : found.items()) {
        if (is_in_library(work, d.position)) {
            const Place place = place_in(texts, d.position);
            std::optional<SourcePosition> given;
            if (place.named) given = given_values.of_name(place.named->name, scope, 0);
            for (std::size_t k = 0; k < texts.size() && !given; ++k) given = given_values.of_text(*texts[k], scope);
            d.position = given ? *given : position_for_user(work, scope, d.position);
            if (place.text != nullptr && !is_in_library(work, d.position))
                d.notes.insert(d.notes.begin(), {"where", written_where(work, *place.text, scope)});
            const auto& known = work.diagnostics.items();
            const bool again = std::ranges::any_of(known, [&](const Diagnostic& k) {
                return k.position == d.position && k.code == d.code && (given || k.message == d.message);
            });
            if (again) continue;  // what one value is wrong for in several equations is one mistake
        }
        work.diagnostics.append(std::span(&d, 1));
    }
}

void tell_user(Flattening& work, const std::vector<const Text*>& texts, std::uint32_t scope,
               const std::function<void()>& look) {
    Diagnostics before;
    std::swap(before, work.diagnostics);
    look();
    std::swap(before, work.diagnostics);
    if (!before.items().empty()) move_to_user(work, texts, scope, std::move(before));
}

}  // namespace

std::optional<SourcePosition> given_position(const Flattening& work, std::uint32_t scope, const std::string& name,
                                             std::optional<std::size_t> entry) {
    if (const auto of_user = GivenValues(work, entry).of_name(name, scope, 0); of_user) {
        const Scope& s = work.scopes[scope];
        const auto found = s.values.find(name);
        const bool by_type = scope != 0 && found != s.values.end() && found->second.value != nullptr &&
                             found->second.signal == nullptr && !found->second.given && !found->second.handed;
        if (!by_type) return of_user;
    }
    return std::nullopt;
}

bool is_in_library(const Flattening& work, SourcePosition position) {
    const auto& files = work.model.files;
    return position.file > 0 && position.file < files.size() && files[position.file].starts_with(kLibraryFolder);
}

SourcePosition position_for_user(const Flattening& work, std::uint32_t scope, SourcePosition position) {
    while (is_in_library(work, position) && scope != 0) {
        position = work.scopes[scope].position;
        scope = work.scopes[scope].outer;
    }
    return position;
}

void tell_user(Flattening& work, const Value& written, std::uint32_t scope, const std::function<void()>& look) {
    const SourcePosition position = written.is_list && !written.position().known() && !written.items.empty()
                                        ? written.items.front().position()
                                        : written.position();
    if (scope == Id<void>::kNone || !is_in_library(work, position)) return look();
    std::vector<const Text*> texts;
    collect_texts(written, texts);
    tell_user(work, texts, scope, look);
}

void tell_user(Flattening& work, const Text& written, std::uint32_t scope, const std::function<void()>& look) {
    if (scope == Id<void>::kNone || !is_in_library(work, written.position)) return look();
    tell_user(work, std::vector{&written}, scope, look);
}

}  // namespace bondgraph::model
