// Values that are no part of a file: of --set and other options.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/load_model.hpp"
#include "bondgraph/io/table_files.hpp"
#include "bondgraph/io/yaml_tree.hpp"

namespace bondgraph::io {
namespace {

model::Value parse_value_text(const std::string& text, const std::string& name, SourceMap& sources,
                              std::vector<std::string>* read, const FileAccess& access = {}) {
    const std::uint32_t source = sources.add(name, text);
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    model::Value value;
    if (start == std::string::npos) throw std::invalid_argument(fmt::format("{}: the value is missing", name));
    // An expression needs no YAML around it, and in YAML some would be something else ("- 5", "a: b", "x #1").
    if (std::string_view("[{\"'").find(text[start]) == std::string_view::npos) {
        const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
        value.scalar = {text.substr(start, end - start), {source, 1, static_cast<std::uint32_t>(start + 1)}, false};
        return value;
    }
    Diagnostics diagnostics;
    YamlNode node = parse_yaml(text, source, diagnostics);
    diagnostics.throw_if_errors();
    std::vector<std::string> files;
    fill_in_tables(node, ".", diagnostics, files, access);
    diagnostics.throw_if_errors();
    if (read != nullptr) read->insert(read->end(), files.begin(), files.end());
    auto value_read = read_value(std::move(node), {name}, diagnostics);
    diagnostics.throw_if_errors();
    return *std::move(value_read);
}

}  // namespace

model::ParsedOverride parse_override(const std::string& text, SourceMap& sources, const std::string& before,
                                     std::vector<std::string>* read, const FileAccess& access) {
    const std::size_t sign = text.find('=');
    const std::string_view left = std::string_view(text).substr(0, sign);
    const std::size_t start = left.find_first_not_of(" \t");
    if (sign == std::string::npos || start == std::string_view::npos)
        throw std::invalid_argument(fmt::format("--set takes PATH=VALUE, as in --set R1.R=5, not '{}'", text));
    std::string path(left.substr(start, left.find_last_not_of(" \t") - start + 1));
    model::Value value = parse_value_text(text.substr(sign + 1), before + path, sources, read, access);
    return {std::move(path), std::move(value)};
}

model::Value parse_option_value(const std::string& text, const std::string& option, SourceMap& sources) {
    return parse_value_text(text, option, sources, nullptr);
}

}  // namespace bondgraph::io
