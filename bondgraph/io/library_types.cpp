#include "bondgraph/io/library_types.hpp"

#include <algorithm>
#include <utility>

namespace bondgraph::io {
namespace {

constexpr std::string_view kKey = "types:";

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// "  Resistor:" → "Resistor"; empty for other lines.
std::string_view name_in(std::string_view line) {
    if (line.size() < 4 || !line.starts_with("  ") || !is_letter(line[2]) || !line.ends_with(':')) return {};
    const std::string_view name = line.substr(2, line.size() - 3);
    return std::ranges::all_of(name, is_letter) ? name : std::string_view{};
}

/// Where the lines of all types begin and end, `types:` included.
std::pair<std::size_t, std::size_t> section(std::string_view text, const std::vector<TypeLines>& types) {
    const std::size_t key = text.rfind(kKey, types.front().first);
    return {key, types.back().last};
}

/// The lines of a text, with nothing in them: blanks would be read one by one.
std::string empty_lines(std::string_view text) {
    return std::string(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
}

}  // namespace

std::vector<TypeLines> find_types(std::string_view text, std::uint32_t file) {
    std::vector<TypeLines> types;
    bool inside = false;
    std::uint32_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        ++number;
        const bool indented = line.empty() || line[0] == ' ' || line[0] == '#';
        if (!indented && inside) {
            if (!types.empty()) types.back().last = begin;
            return types;
        }
        const std::string_view name = inside ? name_in(line) : std::string_view{};
        if (!indented) {
            inside = line == kKey;
        } else if (!name.empty()) {
            if (!types.empty()) types.back().last = begin;
            types.push_back({std::string(name), {file, number, 3}, begin, text.size()});
        } else if (inside && line.size() > 2 && line.starts_with("  ") && line[2] != ' ' && line[2] != '#') {
            return {};  // a type in another form
        }
        begin = end + 1;
    }
    return types;
}

std::string without_types(std::string_view text, const std::vector<TypeLines>& types) {
    const auto [first, last] = section(text, types);
    return std::string(text.substr(0, first)) + empty_lines(text.substr(first, last - first)) +
           std::string(text.substr(last));
}

std::string types_alone(std::string_view text, const std::vector<TypeLines>& types, const std::vector<bool>& wanted) {
    const std::size_t first = section(text, types).first;
    std::string alone = empty_lines(text.substr(0, first));
    alone += text.substr(first, types.front().first - first);
    for (std::size_t k = 0; k < types.size(); ++k) {
        const std::string_view lines = text.substr(types[k].first, types[k].last - types[k].first);
        alone += wanted[k] ? std::string(lines) : empty_lines(lines);
    }
    return alone;
}

void add_words(std::string_view text, std::unordered_set<std::string_view>& words) {
    for (std::size_t begin = 0; begin < text.size();) {
        if (!is_letter(text[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < text.size() && is_letter(text[end])) ++end;
        words.insert(text.substr(begin, end - begin));
        begin = end;
    }
}

void find_wanted_types(std::vector<PartFile>& parts, const SourceMap& sources, bool all) {
    std::unordered_set<std::string_view> words;
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
        const auto part = std::ranges::find(parts, source, &PartFile::source);
        const std::string_view text = sources.text(source);
        add_words(part == parts.end() ? text : text.substr(0, part->types.front().first), words);
        if (part != parts.end()) add_words(text.substr(part->types.back().last), words);
    }
    for (bool more = true; std::exchange(more, false);) {
        for (PartFile& part : parts) {
            part.wanted.resize(part.types.size(), all);
            for (std::size_t k = 0; k < part.types.size(); ++k) {
                const TypeLines& type = part.types[k];
                if (part.wanted[k] || !words.contains(type.name)) continue;
                part.wanted[k] = more = true;
                add_words(std::string_view(sources.text(part.source)).substr(type.first, type.last - type.first),
                          words);
            }
        }
    }
}

}  // namespace bondgraph::io
