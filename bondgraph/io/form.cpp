#include "bondgraph/io/form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/expression/lexer.hpp"
#include "bondgraph/io/table_files.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;

constexpr int kDeepestList = 2;

std::optional<model::Value> read_nested(YamlNode&& node, Place place, int depth, Diagnostics& diagnostics) {
    model::Value value;
    if (node.kind == Kind::scalar) {
        value.scalar = text_of(std::move(node));
        return value;
    }
    if (node.kind != Kind::sequence) {
        report_kind(node, place, "a number, a text or a list", diagnostics);
        return std::nullopt;
    }
    if (depth == kDeepestList) {
        diagnostics.error("BG-M037", node.position, fmt::format("{} has lists inside lists of lists", place.text()),
                          {{"because", "a vector is a list, a matrix a list of its rows"}});
        return std::nullopt;
    }
    value.is_list = true;
    value.scalar.position = node.position;
    value.items.reserve(node.children.size());
    bool sound = true;
    for (YamlNode& child : node.children) {
        auto item = read_nested(std::move(child), {place.key, true}, depth + 1, diagnostics);
        sound = sound && item.has_value();
        if (item) value.items.push_back(*std::move(item));
    }
    if (!sound) return std::nullopt;
    return value;
}

/// Why a text is no identifier, or nothing.
std::optional<std::string> flaw_of_name(std::string_view name) {
    if (name.empty()) return "it is empty";
    if (name.front() >= '0' && name.front() <= '9') return "it begins with a digit";
    const auto tokens = expression::tokenize(name);
    const expression::Token& first = tokens.items.front();
    const bool word = first.kind >= expression::TokenKind::word_if && first.kind <= expression::TokenKind::word_false;
    const bool begins = first.offset == 0 && (word || first.kind == expression::TokenKind::identifier);
    const std::size_t end = begins ? first.text.size() : 0;
    if (end < name.size()) {
        const std::string_view sign = name.substr(end, std::max<std::size_t>(utf8_length(name, end), 1));
        if (sign == " ") return "it contains a space";
        return fmt::format("it contains {}", quoted_excerpt(sign));
    }
    if (word) return "it is a word of the expression language";
    if (name == "time") return "in expressions it means the time";
    if (name == "pi") return "in expressions it means the number π";
    if (name == "der") return "in expressions it means the time derivative";
    return std::nullopt;
}

std::vector<std::string> offered_keys(const std::vector<KeyReader>& readers) {
    std::vector<std::string> offered;
    for (const KeyReader& reader : readers)
        if (reader.offered) offered.emplace_back(reader.name);
    return offered;
}

/// Gives the key that is nearest, or nothing.
std::string report_unknown_key(const YamlNode& key, std::string_view where, const std::vector<KeyReader>& readers,
                               Diagnostics& diagnostics) {
    const std::vector<std::string> offered = offered_keys(readers);
    const std::string hint = did_you_mean(key.scalar, offered);
    std::vector<DiagnosticNote> notes;
    if (hint.empty()) notes.push_back({"try", fmt::format("one of: {}", fmt::join(offered, ", "))});
    diagnostics.error("BG-M036", key.position,
                      fmt::format("unknown key {} in {}{}", quoted_excerpt(key.scalar), where, hint), std::move(notes));
    return nearest_name(key.scalar, offered);
}

std::vector<KeyReader>::const_iterator find_reader(const std::vector<KeyReader>& readers, std::string_view name) {
    return std::find_if(readers.begin(), readers.end(),
                        [&](const KeyReader& candidate) { return candidate.name == name; });
}

std::vector<DiagnosticNote> advice_note(std::string_view advice) {
    if (advice.empty()) return {};
    return {{"try", std::string(advice)}};
}

}  // namespace

std::string Place::text() const {
    return item ? fmt::format("an entry of {}", quoted_excerpt(key)) : quoted_excerpt(key);
}

void report_kind(const YamlNode& node, Place place, std::string_view wanted, Diagnostics& diagnostics,
                 std::vector<DiagnosticNote> notes) {
    const bool nothing = node.kind == Kind::null;
    diagnostics.error("BG-M037", node.position,
                      nothing ? fmt::format("{} has no value", place.text())
                              : fmt::format("{} takes {}, not {}", place.text(), wanted, node.kind_text()),
                      std::move(notes));
}

model::Text text_of(YamlNode&& scalar) { return {std::move(scalar.scalar), scalar.position, scalar.quoted}; }

std::optional<model::Text> read_text(YamlNode&& node, Place place, std::string_view wanted, Diagnostics& diagnostics) {
    if (node.kind == Kind::scalar) return text_of(std::move(node));
    report_kind(node, place, wanted, diagnostics);
    return std::nullopt;
}

bool read_flag(YamlNode&& node, std::string_view key, Diagnostics& diagnostics) {
    if (node.kind == Kind::scalar && (node.scalar == "true" || node.scalar == "false")) return node.scalar == "true";
    report_kind(node, {key}, "true or false", diagnostics);
    return false;
}

std::string read_doc(YamlNode&& node, Place place, Diagnostics& diagnostics) {
    if (node.kind == Kind::null) return {};
    auto text = read_text(std::move(node), place, "a text", diagnostics);
    return text ? std::move(text->text) : std::string();
}

std::optional<model::Value> read_value(YamlNode&& node, Place place, Diagnostics& diagnostics) {
    if (names_table_file(node)) return std::nullopt;  // it could not be read, which has been reported
    return read_nested(std::move(node), place, 0, diagnostics);
}

std::vector<model::Text> read_texts(YamlNode&& node, std::string_view key, std::string_view wanted,
                                    Diagnostics& diagnostics) {
    std::vector<model::Text> texts;
    if (node.kind == Kind::null) return texts;
    if (node.kind == Kind::scalar) {
        texts.push_back(text_of(std::move(node)));
        return texts;
    }
    if (node.kind == Kind::map) {
        report_kind(node, {key}, fmt::format("{} or a list of them", wanted), diagnostics);
        return texts;
    }
    texts.reserve(node.children.size());
    for (YamlNode& child : node.children) {
        if (child.kind == Kind::map && child.size() == 1 && wanted == "the name of a result") {
            report_kind(child, {key, true}, wanted, diagnostics,
                        {{"try", fmt::format("write {} alone, without ':'", quoted_excerpt(child.key(0).scalar))}});
            continue;
        }
        auto text = read_text(std::move(child), {key, true}, wanted, diagnostics);
        if (text) texts.push_back(*std::move(text));
    }
    return texts;
}

std::vector<model::Setting> read_settings(YamlNode&& node, std::string_view key, Diagnostics& diagnostics) {
    std::vector<model::Setting> settings;
    if (!is_map(node, {key}, diagnostics)) return settings;
    settings.reserve(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        auto value = read_value(std::move(node.children[2 * i + 1]), {node.key(i).scalar}, diagnostics);
        if (value) settings.push_back({text_of(std::move(node.children[2 * i])), *std::move(value)});
    }
    return settings;
}

bool is_map(const YamlNode& node, Place place, Diagnostics& diagnostics, std::string_view advice) {
    if (node.kind == Kind::map) return true;
    if (node.kind != Kind::null) report_kind(node, place, "a map", diagnostics, advice_note(advice));
    return false;
}

bool is_list(const YamlNode& node, Place place, Diagnostics& diagnostics, std::string_view advice) {
    if (node.kind == Kind::sequence) return true;
    if (node.kind != Kind::null) report_kind(node, place, "a list", diagnostics, advice_note(advice));
    return false;
}

bool check_name(const YamlNode& name, std::string_view what, Diagnostics& diagnostics) {
    return check_name(model::Text{name.scalar, name.position}, what, diagnostics);
}

bool check_name(const model::Text& name, std::string_view what, Diagnostics& diagnostics) {
    const auto flaw = flaw_of_name(name.text);
    if (!flaw) return true;
    diagnostics.error("BG-M017", name.position,
                      fmt::format("{} can't be the name of {}: {}", quoted_excerpt(name.text), what, *flaw),
                      {{"because", "a name consists of letters, digits and '_' and must be usable in expressions"}});
    return false;
}

std::vector<std::string_view> read_keys(YamlNode&& map, std::string_view where, const std::vector<KeyReader>& readers,
                                        Diagnostics& diagnostics) {
    std::vector<std::string_view> given;
    std::vector<std::string_view> meant;
    bool anything = false;
    for (std::size_t i = 0; i < map.size(); ++i) {
        const YamlNode key = std::move(map.children[2 * i]);
        auto reader = find_reader(readers, key.scalar);
        if (reader != readers.end()) {
            given.push_back(reader->name);
            reader->read(key, std::move(map.children[2 * i + 1]));
            continue;
        }
        reader = find_reader(readers, report_unknown_key(key, where, readers, diagnostics));
        if (reader != readers.end())
            meant.push_back(reader->name);
        else
            anything = true;
    }
    if (!anything) return meant;
    for (const KeyReader& reader : readers)
        if (reader.offered && std::find(given.begin(), given.end(), reader.name) == given.end())
            meant.push_back(reader.name);
    return meant;
}

bool has_misspelt(const YamlNode& map, std::string_view name, const std::vector<KeyReader>& readers) {
    for (std::size_t i = 0; i < map.size(); ++i) {
        const std::string& key = map.key(i).scalar;
        if (find_reader(readers, key) == readers.end() && nearest_name(key, offered_keys(readers)) == name) return true;
    }
    return false;
}

}  // namespace bondgraph::io
