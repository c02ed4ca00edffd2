#include "bondgraph/io/take_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/io/yaml_tree.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;
using Names = std::set<std::string>;

YamlNode tree_of(const std::string& text) {
    Diagnostics ignored;  // the text has been read before
    return parse_yaml(text, 0, ignored);
}

std::string_view trimmed_text(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

/// "emf" of "emf.p1", "La" of "La.p[2]".
std::string owner_of_name(std::string_view name) {
    name = trimmed_text(name);
    return std::string(name.substr(0, name.find_first_of(".[")));
}

/// The two ends of "a -> b".
std::vector<std::string> ends_of(std::string_view arrow) {
    for (const std::string_view sign : {std::string_view("->"), std::string_view("→")}) {
        const std::size_t at = arrow.find(sign);
        if (at != std::string_view::npos)
            return {owner_of_name(arrow.substr(0, at)), owner_of_name(arrow.substr(at + sign.size()))};
    }
    return {owner_of_name(arrow)};
}

const YamlNode& arrow_of(const YamlNode& bond) {
    return bond.kind == Kind::map && bond.size() == 1 ? bond.value(0) : bond;
}

bool ends_at(const YamlNode& bond, const Names& names) {
    return std::ranges::any_of(ends_of(arrow_of(bond).scalar), [&](const std::string& e) { return names.contains(e); });
}

/// What is to be taken out next: a key of a map with its value, or an item of a list.
struct Entry {
    const YamlNode* parent = nullptr;
    std::size_t index = 0;
};

std::optional<Entry> item_that(const YamlNode* list, const auto& gone) {
    if (list == nullptr || list->kind != Kind::sequence) return std::nullopt;
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (gone(list->children[i])) return Entry{list, i};
    }
    return std::nullopt;
}

std::optional<Entry> key_that(const YamlNode* map, const auto& gone) {
    if (map == nullptr || map->kind != Kind::map) return std::nullopt;
    for (std::size_t i = 0; i < map->size(); ++i) {
        if (gone(map->key(i), map->value(i))) return Entry{map, i};
    }
    return std::nullopt;
}

bool is_empty_list(const YamlNode& node) {
    return node.kind == Kind::null || (node.kind == Kind::sequence && node.size() == 0);
}

/// Names of results and of components in lists of lists.
std::optional<Entry> named_in(const YamlNode* list, const Names& names) {
    const auto gone = [&](const YamlNode& item) {
        return item.kind == Kind::scalar ? is_result_of(item.scalar, names) : is_empty_list(item);
    };
    if (auto found = item_that(list, gone)) return found;
    if (list == nullptr || list->kind != Kind::sequence) return std::nullopt;
    for (const YamlNode& item : list->children) {
        if (auto found = named_in(&item, names)) return found;
    }
    return std::nullopt;
}

std::optional<Entry> next_entry(const YamlNode& root, const Names& components, const Names& all) {
    if (auto found = key_that(root.find("components"),
                              [&](const YamlNode& key, const YamlNode&) { return components.contains(key.scalar); }))
        return found;
    if (auto found = item_that(root.find("bonds"), [&](const YamlNode& bond) { return ends_at(bond, components); }))
        return found;
    if (auto found = named_in(root.find("outputs"), all)) return found;
    if (const YamlNode* plots = root.find("plots"); plots != nullptr && plots->kind == Kind::sequence) {
        for (const YamlNode& plot : plots->children) {
            if (auto found = named_in(plot.find("y"), all)) return found;
        }
        if (auto found = item_that(plots, [&](const YamlNode& plot) {
                const YamlNode* y = plot.find("y");
                return y != nullptr && (is_empty_list(*y) || (y->kind == Kind::scalar && is_result_of(y->scalar, all)));
            }))
            return found;
    }
    if (const YamlNode* layout = root.find("layout"); layout != nullptr && layout->kind == Kind::map) {
        for (const char* shape : {"rows", "rings"}) {
            if (auto found = named_in(layout->find(shape), all)) return found;
        }
        if (auto found = key_that(layout, [](const YamlNode&, const YamlNode& v) { return is_empty_list(v); }))
            return found;
    }
    return key_that(&root, [&](const YamlNode& key, const YamlNode& value) {
        if (key.scalar == "expect") return true;
        if (key.scalar == "outputs" && value.kind == Kind::scalar) return is_result_of(value.scalar, all);
        if (key.scalar == "layout") return value.kind == Kind::null || (value.kind == Kind::map && value.size() == 0);
        return (key.scalar == "outputs" || key.scalar == "plots") && is_empty_list(value);
    });
}

// ---- Places in the text

std::vector<std::size_t> line_starts_of(const std::string& text) {
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') starts.push_back(i + 1);
    }
    return starts;
}

/// A text with its lines, and what stands where in it.
class Page {
   public:
    explicit Page(const std::string& text) : text_(text), starts_(line_starts_of(text)) {}

    [[nodiscard]] std::size_t offset(SourcePosition at) const {
        std::size_t i = starts_[at.line - 1];
        if (at.line == 1 && text_.starts_with("\xEF\xBB\xBF")) i += 3;
        for (std::uint32_t c = 1; c < at.column && i < text_.size(); ++c) i += utf8_length(text_, i);
        return i;
    }

    /// Of an entry in { } or [ ], the ',' or bracket behind it.
    [[nodiscard]] std::size_t end_in_brackets(std::size_t i) const {
        return walk(i, [](char c, int depth) { return depth == 0 && (c == ',' || c == ']' || c == '}'); });
    }

    /// The bracket that closes the one there.
    [[nodiscard]] std::size_t closing_bracket(std::size_t i) const {
        return walk(i, [](char c, int depth) { return depth == 1 && (c == ']' || c == '}'); });
    }

    /// Of an entry whose key or dash stands alone before it in its line: the lines that it takes.
    [[nodiscard]] std::pair<std::size_t, std::size_t> lines_of(std::size_t begin, std::size_t indent) const {
        std::size_t line = line_of(begin);
        std::size_t last = line;
        if (const std::size_t at = text_.find_first_not_of(" \t", value_after_key(begin));
            at != std::string::npos && (text_[at] == '{' || text_[at] == '['))
            last = std::max(last, line_of(closing_bracket(at)));
        for (std::size_t k = last + 1; k < starts_.size(); ++k) {
            const std::string_view content = line_text(k);
            const std::size_t first = content.find_first_not_of(" \t\r");
            if (first == std::string_view::npos) continue;
            if (first <= indent) break;
            last = k;
        }
        return {starts_[line], last + 1 < starts_.size() ? starts_[last + 1] : text_.size()};
    }

    [[nodiscard]] std::size_t line_of(std::size_t offset) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin()) - 1;
    }
    [[nodiscard]] std::size_t line_start(std::size_t offset) const { return starts_[line_of(offset)]; }
    [[nodiscard]] std::string_view line_text(std::size_t line) const {
        const std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] - 1 : text_.size();
        return std::string_view(text_).substr(starts_[line], end - starts_[line]);
    }

   private:
    /// To the first character that ends something, outside of quotes and remarks, with how many brackets are open.
    [[nodiscard]] std::size_t walk(std::size_t i, const auto& ends) const {
        int depth = 0;
        for (bool begins = true; i < text_.size(); ++i) {
            const char c = text_[i];
            if (begins && (c == '"' || c == '\'')) {
                i = end_of_quotes(i);
                begins = false;
                continue;
            }
            if (c == '#' && (i == 0 || std::isspace(static_cast<unsigned char>(text_[i - 1])) != 0)) {
                i = std::min(text_.find('\n', i), text_.size() - 1);
                continue;
            }
            if (ends(c, depth)) return i;
            if (c == '[' || c == '{') ++depth;
            if (c == ']' || c == '}') --depth;
            if (std::isspace(static_cast<unsigned char>(c)) == 0) begins = c == ',' || c == '[' || c == '{' || c == ':';
        }
        return i;
    }

    [[nodiscard]] std::size_t end_of_quotes(std::size_t i) const {
        const char quote = text_[i];
        for (++i; i < text_.size(); ++i) {
            if (quote == '"' && text_[i] == '\\') {
                ++i;
            } else if (text_[i] == quote) {
                if (quote != '\'' || i + 1 >= text_.size() || text_[i + 1] != '\'') return i;
                ++i;
            }
        }
        return i;
    }

    [[nodiscard]] std::size_t value_after_key(std::size_t begin) const {
        const std::size_t colon = text_.find(": ", begin);
        return colon == std::string::npos || line_of(colon) != line_of(begin) ? begin : colon + 1;
    }

    const std::string& text_;
    std::vector<std::size_t> starts_;
};

bool in_brackets(const Page& page, const std::string& text, const YamlNode& collection) {
    const std::size_t at = page.offset(collection.position);
    return at < text.size() && (text[at] == '{' || text[at] == '[');
}

/// What is taken out of a text, in order, and what a stretch between is left of.
using Stretches = std::vector<std::pair<std::size_t, std::size_t>>;

/// An entry of a list in brackets with one comma; of one that has its lines to itself, these, with a remark behind it.
/// The last one takes the comma of the one before, whose remark stays.
Stretches range_in_brackets(const Page& page, const std::string& text, std::size_t begin,
                            std::optional<std::size_t> before) {
    std::size_t end = page.end_in_brackets(begin);
    const auto blank = [&](std::size_t i) { return text[i] == ' ' || text[i] == '\t'; };
    if (end < text.size() && text[end] == ',') {
        ++end;
        while (end < text.size() && blank(end)) ++end;
        const std::size_t start = page.line_start(begin);
        const std::size_t remark = end < text.size() && text[end] == '#' ? text.find('\n', end) : end;
        const bool own_line = text.find_first_not_of(" \t", start) == begin && remark < text.size() &&
                              (text[remark] == '\n' || text[remark] == '\r');
        return {own_line ? std::pair{start, text.find('\n', remark) + 1} : std::pair{begin, end}};
    }
    while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    if (!before) return {{begin, end}};
    const std::size_t comma = page.end_in_brackets(*before);
    const bool remarked = text.find('#', comma) < begin;
    if (!remarked) return {{comma, end}};
    const std::size_t start = page.line_start(begin);
    return {{comma, comma + 1}, {text.find_first_not_of(" \t", start) == begin ? start : begin, end}};
}

std::string without_entry(const std::string& text, const Entry& entry) {
    const Page page(text);
    const YamlNode& parent = *entry.parent;
    const bool map = parent.kind == Kind::map;
    const YamlNode& node = map ? parent.key(entry.index) : parent.children[entry.index];
    const std::size_t begin = page.offset(node.position);
    const auto taken = [&]() -> Stretches {
        if (in_brackets(page, text, parent)) {
            std::optional<std::size_t> before;
            if (entry.index > 0)
                before = page.offset((map ? parent.key(entry.index - 1) : parent.children[entry.index - 1]).position);
            return range_in_brackets(page, text, begin, before);
        }
        const std::size_t start = page.line_start(begin);
        const std::size_t mark = text.find_first_not_of(" \t", start);  // the key, or the dash of an item
        return {page.lines_of(begin, mark - start)};
    }();
    std::string left;
    std::size_t from = 0;
    for (const auto& [first, last] : taken) {
        left += text.substr(from, first - from);
        from = last;
    }
    return left + text.substr(from);
}

// ---- Names in use

/// "R2" where "R2." or "R2[" stands in a text.
void add_names(std::string_view text, const Names& names, const std::string& where,
               std::map<std::string, std::string>& used) {
    const auto letter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    };
    for (std::size_t i = 0; i < text.size();) {
        if (!letter(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && letter(text[end])) ++end;
        const bool begins = i == 0 || text[i - 1] != '.';
        const bool goes_on = end < text.size() && (text[end] == '.' || text[end] == '[');
        const std::string name(text.substr(i, end - i));
        if (begins && goes_on && names.contains(name)) used.emplace(name, where);
        i = end;
    }
}

void add_names(const YamlNode& node, const Names& names, const std::string& where,
               std::map<std::string, std::string>& used) {
    if (node.kind == Kind::scalar) add_names(node.scalar, names, where, used);
    for (const YamlNode& child : node.children) add_names(child, names, where, used);
}

}  // namespace

bool is_result_of(const std::string& result, const Names& names) {
    return std::ranges::any_of(ends_of(result), [&](const std::string& e) { return names.contains(e); });
}

std::set<std::string> bonds_at(const std::string& text, const Names& names) {
    const YamlNode root = tree_of(text);
    Names bonds;
    const YamlNode* list = root.find("bonds");
    if (list == nullptr || list->kind != Kind::sequence) return bonds;
    for (const YamlNode& bond : list->children) {
        if (bond.kind == Kind::map && bond.size() == 1 && ends_at(bond, names)) bonds.insert(bond.key(0).scalar);
    }
    return bonds;
}

std::map<std::string, std::string> names_in_use(const std::string& text, const Names& names) {
    constexpr std::array<std::string_view, 11> kElsewhere{"bonds",  "outputs",     "plots",   "expect",
                                                          "layout", "types",       "records", "connector_types",
                                                          "model",  "description", "import"};
    const YamlNode root = tree_of(text);
    std::map<std::string, std::string> used;
    for (std::size_t i = 0; i < root.size(); ++i) {
        const std::string& key = root.key(i).scalar;
        if (std::ranges::find(kElsewhere, key) != kElsewhere.end()) continue;
        const YamlNode& value = root.value(i);
        if (key != "components" || value.kind != Kind::map) {
            add_names(value, names, fmt::format("'{}:'", key), used);
            continue;
        }
        for (std::size_t k = 0; k < value.size(); ++k) {
            Names others = names;
            others.erase(value.key(k).scalar);
            add_names(value.value(k), others, fmt::format("'{}'", value.key(k).scalar), used);
        }
    }
    return used;
}

std::string without_components(const std::string& text, const Names& names) {
    Names all = bonds_at(text, names);
    all.insert(names.begin(), names.end());
    std::string left = text;
    while (true) {
        const YamlNode root = tree_of(left);
        const auto entry = next_entry(root, names, all);
        if (!entry) return left;
        left = without_entry(left, *entry);
    }
}

}  // namespace bondgraph::io
