#include "bondgraph/io/load_symbol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/symbol_path.hpp"
#include "bondgraph/io/yaml_mistake.hpp"
#include "bondgraph/model/passes.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;
using model::Symbol;

constexpr double kLetterSize = 10.0;
constexpr double kRounding = 1e-6;
constexpr const char* kSymbolExample =
    "{size: [60, 20], path: \"M-30,0 H-15 M-15,-6 H15 V6 H-15 Z M15,0 H30\", connectors: {p: [-30, 0], n: [30, 0]}}";

std::optional<double> coordinate(const YamlNode& node) {
    if (node.kind != Kind::scalar || node.quoted) return std::nullopt;
    std::string_view text = node.scalar;
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = mistake == std::errc() && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

class SymbolReader {
   public:
    explicit SymbolReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    std::optional<Symbol> run(YamlNode&& node) {
        if (!is_map(node, {"symbol"}, diagnostics_, fmt::format("write 'symbol: {}'", kSymbolExample)))
            return std::nullopt;
        const std::size_t errors = diagnostics_.error_count();
        symbol_.position = node.position;
        if (node.find("size") == nullptr) {
            refuse(node.position, "a symbol has no 'size:'", "its width and height, as in 'size: [60, 20]'");
            return std::nullopt;
        }
        read_keys(
            std::move(node), "a symbol",
            {{"size", [this](const YamlNode&, YamlNode&& v) { size(v); }},
             {"path", [this](const YamlNode&, YamlNode&& v) { path(std::move(v), "path", false); }},
             {"fill", [this](const YamlNode&, YamlNode&& v) { path(std::move(v), "fill", true); }},
             {"text", [this](const YamlNode&, YamlNode&& v) { labels(std::move(v)); }},
             {"connectors", [this](const YamlNode&, YamlNode&& v) { connectors(std::move(v)); }},
             {"ground", [this](const YamlNode&,
                               YamlNode&& v) { symbol_.ground = read_flag(std::move(v), "ground", diagnostics_); }}},
            diagnostics_);
        if (diagnostics_.error_count() == errors) check();
        if (diagnostics_.error_count() > errors) return std::nullopt;
        return std::move(symbol_);
    }

   private:
    void refuse(SourcePosition position, const std::string& message, const std::string& advice) {
        diagnostics_.error("BG-M090", position, message, {{"try", advice}});
    }

    std::optional<Symbol::Place> place(const YamlNode& node, std::string_view key) {
        if (node.kind == Kind::sequence && node.size() == 2) {
            const auto x = coordinate(node.children[0]);
            const auto y = coordinate(node.children[1]);
            if (x && y) return Symbol::Place{*x, *y};
        }
        refuse(node.position, fmt::format("'{}' of a symbol is two numbers without units", key),
               "points to the right and downwards, counted from the middle of the symbol");
        return std::nullopt;
    }

    void size(const YamlNode& node) {
        constexpr double kLargest = 400.0;
        const auto read = place(node, "size");
        if (!read) return;
        const bool even = std::ranges::all_of(
            *read, [](double s) { return s > 0.0 && s <= kLargest && std::fmod(s, 2 * model::kSymbolGrid) == 0.0; });
        if (even)
            symbol_.size = *read;
        else
            refuse(node.position, "'size' of a symbol is its width and height: multiples of 20 up to 400",
                   "take the next larger multiple: lines need not reach the border");
    }

    void path(YamlNode&& node, std::string_view key, bool filled) {
        const auto text = read_text(std::move(node), {key}, "a path such as \"M-10,0 H10\"", diagnostics_);
        if (!text) return;
        auto read = read_path(text->text);
        if (const auto* mistake = std::get_if<PathMistake>(&read)) {
            diagnostics_.error("BG-M091", model::position_at(*text, mistake->offset),
                               fmt::format("the path can't be read: {}", mistake->message),
                               {{"try",
                                 "letters and numbers as in SVG, of places counted from the middle: M x,y begins a "
                                 "line, L x,y, H x and V y go on, C and A bend, Z closes"}});
            return;
        }
        for (Symbol::Line& line : std::get<std::vector<Symbol::Line>>(read)) {
            line.filled = filled;
            symbol_.lines.push_back(std::move(line));
        }
        paths_.push_back(text->position);
    }

    /// `text: M`, or a list of {text: M, at: [0, 5], size: 12}.
    void labels(YamlNode&& node) {
        if (node.kind != Kind::sequence) {
            if (auto text = read_text(std::move(node), {"text"}, "a text, or a list of maps", diagnostics_))
                symbol_.labels.push_back({.text = *std::move(text), .size = kLetterSize});
            return;
        }
        for (YamlNode& child : node.children) {
            if (child.kind != Kind::map) {
                report_kind(child, {"text", true}, "a map such as {text: M, at: [0, 5]}", diagnostics_);
                continue;
            }
            Symbol::Label label{.size = kLetterSize};
            read_keys(std::move(child), "a text of a symbol",
                      {{"text",
                        [&](const YamlNode&, YamlNode&& v) {
                            if (auto text = read_text(std::move(v), {"text"}, "a text", diagnostics_))
                                label.text = *std::move(text);
                        }},
                       {"at", [&](const YamlNode&, YamlNode&& v) { label.at = place(v, "at").value_or(label.at); }},
                       {"size",
                        [&](const YamlNode&, YamlNode&& v) {
                            const auto read = coordinate(v);
                            if (read && *read >= 1.0 && *read <= 100.0)
                                label.size = *read;
                            else
                                refuse(v.position, "the size of a text is a number from 1 to 100", "size: 10");
                        }}},
                      diagnostics_);
            symbol_.labels.push_back(std::move(label));
        }
    }

    void connectors(YamlNode&& node) {
        if (!is_map(node, {"connectors"}, diagnostics_, "write 'connectors: {p: [-30, 0]}'")) return;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const auto at = place(node.children[2 * i + 1], node.key(i).scalar);
            if (at) symbol_.connectors.push_back({text_of(std::move(node.children[2 * i])), *at});
        }
    }

    void check() {
        const double width = symbol_.size[0];
        const double height = symbol_.size[1];
        for (const Symbol::Connector& c : symbol_.connectors) {
            const double x = std::abs(c.at[0]);
            const double y = std::abs(c.at[1]);
            const bool on_grid = std::fmod(x, model::kSymbolGrid) == 0.0 && std::fmod(y, model::kSymbolGrid) == 0.0;
            const bool on_border = x <= width / 2 && y <= height / 2 && (x == width / 2) != (y == height / 2);
            if (on_grid && on_border) continue;
            refuse(c.name.position,
                   fmt::format("connector {} of the symbol lies {}", quoted_excerpt(c.name.text),
                               on_border ? "off the grid" : "off its border"),
                   "places on one side of the size that is given, no corners, in multiples of 10");
        }
        const auto outside = [&](const Symbol::Place& p) {
            return std::abs(p[0]) > width / 2 + kRounding || std::abs(p[1]) > height / 2 + kRounding;
        };
        for (const Symbol::Line& line : symbol_.lines) {
            const auto far = std::ranges::find_if(line.points, outside);
            if (far == line.points.end()) continue;
            refuse(paths_.front(), fmt::format("the path leaves the symbol's size at {:g},{:g}", (*far)[0], (*far)[1]),
                   "a larger size: what is beside a component keeps its distance from that");
            return;
        }
    }

    Diagnostics& diagnostics_;
    Symbol symbol_;
    std::vector<SourcePosition> paths_;
};

/// Whether a name is that of something of the type that wires can lead to.
bool has_end(const model::TypeDeclaration& type, const std::string& name) {
    const auto named = [&](const auto& declared) { return declared.name.text == name; };
    return std::ranges::any_of(type.connectors, named) || std::ranges::any_of(type.ports, named) ||
           std::ranges::any_of(type.inputs, named) || std::ranges::any_of(type.outputs, named) ||
           std::ranges::any_of(type.body.parameters, named);
}

void check_connectors(const Symbol& symbol, const model::TypeDeclaration& type, Diagnostics& diagnostics) {
    if (type.body.gaps.ports || type.body.gaps.values) return;
    for (const Symbol::Connector& c : symbol.connectors) {
        if (has_end(type, c.name.text)) continue;
        std::vector<std::string> names;
        for (const auto& one : type.connectors) names.push_back(one.name.text);
        for (const auto& one : type.ports) names.push_back(one.name.text);
        for (const auto& one : type.inputs) names.push_back(one.name.text);
        for (const auto& one : type.outputs) names.push_back(one.name.text);
        diagnostics.error(
            "BG-M092", c.name.position,
            fmt::format("the symbol of {} has a place for {}, which it hasn't got{}", quoted_excerpt(type.name.text),
                        quoted_excerpt(c.name.text), did_you_mean(c.name.text, names)),
            {{"because",
              "under 'connectors:' of a symbol stand connectors, ports, inputs and outputs of "
              "its type"}});
    }
}

}  // namespace

std::optional<Symbol> load_symbol(YamlNode&& node, Diagnostics& diagnostics) {
    return SymbolReader(diagnostics).run(std::move(node));
}

void settle_symbols(model::LayoutDeclaration& layout, const model::Model& model, Diagnostics& diagnostics) {
    for (const auto& [type, symbol] : layout.symbols) check_connectors(symbol, model.types[type], diagnostics);
    const auto own = layout.symbols;
    for (std::uint32_t t = 0; t < model.types.size(); ++t) {
        // types that extend each other in a circle have been reported
        std::size_t steps = 0;
        for (std::optional<std::uint32_t> base = t; base && steps < model.types.size(); ++steps) {
            const auto found = own.find(*base);
            if (found != own.end()) {
                layout.symbols.emplace(t, found->second);
                break;
            }
            base = model.types[*base].base_type;
        }
    }
}

}  // namespace bondgraph::io
