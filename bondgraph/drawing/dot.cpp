#include "bondgraph/drawing/dot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/drawing/legend.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    }
    return result + '"';
}

/// A quoted text with another one below it, if there is one; `\n` is Graphviz' own.
std::string with_line(std::string text, const std::string& below) {
    if (below.empty()) return text;
    text.pop_back();
    return text + "\\n" + quoted(below).substr(1);
}

std::string two_lines(const std::string& first, const std::string& second) { return with_line(quoted(first), second); }

/// The type large, the name small below it, in Graphviz' HTML.
std::string junction_label(const Node& node) {
    std::string name;
    for (const char c : node.label) {
        if (c == '&')
            name += "&amp;";
        else if (c == '<')
            name += "&lt;";
        else if (c == '>')
            name += "&gt;";
        else
            name += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    }
    return fmt::format("<<B>{}</B><BR/><FONT POINT-SIZE=\"10\">{}</FONT>>", node.type, name);
}

/// Which components have their stroke at that end, as "1,3".
std::string components_at(const Edge& edge, Stroke end) {
    std::string text;
    for (std::size_t k = 0; k < edge.size(); ++k) {
        if (edge.strokes[k] == end) text += fmt::format("{}{}", text.empty() ? "" : ",", k + 1);
    }
    return text;
}

class DotWriter {
   public:
    DotWriter(const Picture& picture, const Theme& theme) : picture_(picture), theme_(theme) {}

    std::string text() {
        out_ = fmt::format("digraph {} {{\n  rankdir=LR;\n  node [fontname=\"Helvetica\", shape=plaintext];\n",
                           quoted(picture_.title));
        out_ += "  edge [fontname=\"Helvetica\", fontsize=10];\n";
        write_frames(kNone, "  ");
        for (const Edge& edge : picture_.edges) write_edge(edge);
        write_mode();
        return out_ + "}\n";
    }

   private:
    void write_frames(std::uint32_t parent, const std::string& indent) {
        for (std::size_t i = 0; i < picture_.nodes.size(); ++i) {
            if (picture_.nodes[i].frame == parent) write_node(i, indent);
        }
        for (std::uint32_t i = 0; i < picture_.frames.size(); ++i) {
            const Frame& frame = picture_.frames[i];
            if (frame.parent != parent) continue;
            out_ += fmt::format("{}subgraph cluster_{} {{\n{}  label={}; style=rounded;\n", indent, i, indent,
                                quoted(title_of(frame)));
            write_frames(i, indent + "  ");
            out_ += indent + "}\n";
        }
    }

    void write_node(std::size_t i, const std::string& indent) {
        const Node& node = picture_.nodes[i];
        std::string label;
        std::string look;
        switch (node.kind) {
            case NodeKind::junction:
                label = junction_label(node);
                break;
            case NodeKind::composite:
                label = with_line(two_lines(node.type, node.label), node.value);
                look = ", shape=box, style=rounded";
                break;
            case NodeKind::block:
                label = two_lines(node.type + " : " + node.label, node.value);
                look = ", shape=box";
                break;
            case NodeKind::element:
                label = two_lines(node.type + " : " + node.label, node.value);
        }
        if (node.derivative) look += fmt::format(", shape=box, color={}", quoted(theme_.derivative));
        if (node.conflict) look += fmt::format(", shape=box, color={}", quoted(theme_.conflict));
        out_ += fmt::format("{}n{} [label={}{}]; // {}\n", indent, i, label, look, one_line(node.name));
    }

    static std::string one_line(std::string text) {
        std::replace_if(
            text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
        return text;
    }

    void write_edge(const Edge& edge) {
        std::string look;
        switch (edge.kind) {
            case EdgeKind::bond:
                look = bond_look(edge);
                break;
            case EdgeKind::signal:
                look = fmt::format("color={}, penwidth=0.8, weight=1", quoted(theme_.signal));
                break;
            case EdgeKind::frame:
                look = fmt::format("dir=none, color={}, penwidth=6", quoted(theme_.frame));
        }
        out_ += fmt::format("  n{} -> n{} [{}];\n", edge.from, edge.to, look);
    }

    std::string bond_look(const Edge& edge) const {
        const DomainStyle& style = theme_.of(edge.domain);
        const std::string ink = edge.conflict ? theme_.conflict : style.line;
        const std::string at_from = components_at(edge, Stroke::at_from);
        const std::string at_to = components_at(edge, Stroke::at_to);
        const bool mixed = !at_from.empty() && !at_to.empty();
        std::string look =
            fmt::format("dir=both, arrowhead={}, arrowtail={}, weight=10, color={}", at_to.empty() ? "lvee" : "teelvee",
                        at_from.empty() ? "none" : "tee", quoted(edge.size() > 1 ? ink + ":" + ink : ink));
        if (!style.dashes.empty()) look += ", style=dashed";
        std::string label = edge.effort;
        if (edge.size() > 1) label += fmt::format("{}{}", label.empty() ? "" : " × ", edge.size());
        if (!label.empty() || !edge.flow.empty()) look += ", label=" + two_lines(label, edge.flow);
        const std::string tail = mixed ? at_from : edge.ports[0];
        const std::string head = mixed ? at_to : edge.ports[1];
        if (!tail.empty()) look += ", taillabel=" + quoted(tail);
        if (!head.empty()) look += ", headlabel=" + quoted(head);
        return look;
    }

    /// Below the graph, where Graphviz puts its label. At the end of the file: sub-models would take it over from
    /// there.
    void write_mode() {
        constexpr double kWidth = 420.0;
        std::string label;
        for (const std::string& line : mode_lines(picture_, kWidth)) {
            const std::string text = quoted(line);
            label += text.substr(1, text.size() - 2) + "\\l";  // \l ends a line that begins at the left
        }
        if (!label.empty())
            out_ += fmt::format("  label=\"{}\"; labeljust=l; fontname=\"Helvetica\"; fontsize=10;\n", label);
    }

    const Picture& picture_;
    const Theme& theme_;
    std::string out_;
};

}  // namespace

std::string to_dot(const Picture& picture, const Theme& theme) { return DotWriter(picture, theme).text(); }

}  // namespace bondgraph::drawing
