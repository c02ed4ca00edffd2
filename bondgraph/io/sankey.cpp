#include "bondgraph/io/sankey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::io {
namespace {

constexpr double kRoomForLabel = 13.0;  // a band this wide takes a line of text
constexpr double kLeast = 420.0;        // width of the drawing

std::string escaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const std::string_view c = text.substr(i, std::max<std::size_t>(length, 1));
        i += c.size();
        const bool printable = length > 1 || (length == 1 && static_cast<unsigned char>(c[0]) >= 0x20);
        if (c == "&")
            result += "&amp;";
        else if (c == "<")
            result += "&lt;";
        else if (c == ">")
            result += "&gt;";
        else if (c == "\"")
            result += "&quot;";
        else
            result += printable ? c : " ";
    }
    return result;
}

/// A band between two columns: both edges are the same curve, so its width stays.
void write_curve(fmt::memory_buffer& out, SankeyBand::Point a, SankeyBand::Point b, double width, bool first) {
    const double middle = 0.5 * (a.x + b.x);
    fmt::format_to(std::back_inserter(out),
                   "{}M{:.2f},{:.2f}C{:.2f},{:.2f} {:.2f},{:.2f} {:.2f},{:.2f}v{:.2f}"
                   "C{:.2f},{:.2f} {:.2f},{:.2f} {:.2f},{:.2f}z",
                   first ? "" : " ", a.x, a.y, middle, a.y, middle, b.y, b.x, b.y, width, middle, b.y + width, middle,
                   a.y + width, a.x, a.y + width);
}

/// Straight through the column of others that it passes.
void write_passage(fmt::memory_buffer& out, SankeyBand::Point a, SankeyBand::Point b, double width) {
    fmt::format_to(std::back_inserter(out), " M{:.2f},{:.2f}H{:.2f}v{:.2f}H{:.2f}z", a.x, a.y, b.x, width, a.x);
}

std::string outline(const SankeyBand& band) {
    fmt::memory_buffer out;
    for (std::size_t k = 0; k + 1 < band.points.size(); k += 2) {
        write_curve(out, band.points[k], band.points[k + 1], band.width, k == 0);
        if (k + 2 < band.points.size()) write_passage(out, band.points[k + 1], band.points[k + 2], band.width);
    }
    return fmt::to_string(out);
}

/// The middle line of a band that returns: out to the right, down, back, up, in from the left.
std::string returning_line(const SankeyBand& band) {
    const double half = 0.5 * band.width;
    const double turn = half + 10.0;
    const auto& p = band.points;
    return fmt::format(
        "M{:.2f},{:.2f}h2c{:.2f},0 {:.2f},0 {:.2f},{:.2f}V{:.2f}c0,{:.2f} 0,{:.2f} {:.2f},{:.2f}H{:.2f}"
        "c{:.2f},0 {:.2f},0 {:.2f},{:.2f}V{:.2f}c0,{:.2f} 0,{:.2f} {:.2f},{:.2f}H{:.2f}",
        p[0].x, p[0].y + half, turn / 2, turn, turn, turn, p[1].y + half - turn, turn / 2, turn, -turn, turn,
        p[2].x - 2, -turn / 2, -turn, -turn, -turn, p[3].y + half + turn, -turn / 2, -turn, turn, -turn, p[3].x);
}

void write_text(fmt::memory_buffer& out, double x, double y, const char* attributes, std::string_view text) {
    fmt::format_to(std::back_inserter(out), "<text x=\"{:.2f}\" y=\"{:.2f}\"{}>{}</text>\n", x, y, attributes,
                   escaped(text));
}

void write_bands(fmt::memory_buffer& out, const Sankey& diagram, const SankeyLayout& layout) {
    for (std::size_t f = 0; f < diagram.flows.size(); ++f) {
        const SankeyFlow& flow = diagram.flows[f];
        const SankeyBand& band = layout.bands[f];
        const std::string title = escaped(
            fmt::format("{} \u2192 {}: {}", diagram.nodes[flow.from].name, diagram.nodes[flow.to].name, flow.label));
        if (band.returns) {
            fmt::format_to(std::back_inserter(out),
                           "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.55\" "
                           "stroke-width=\"{:.2f}\"><title>{}</title></path>\n",
                           returning_line(band), flow.colour, std::max(band.width, 0.5), title);
        } else {
            fmt::format_to(std::back_inserter(out),
                           "<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.55\"><title>{}</title></path>\n", outline(band),
                           flow.colour, title);
        }
    }
}

/// Amounts on bands between inner nodes; at the ends the nodes' notes tell them.
void write_amounts(fmt::memory_buffer& out, const Sankey& diagram, const SankeyLayout& layout) {
    for (std::size_t f = 0; f < diagram.flows.size(); ++f) {
        const SankeyFlow& flow = diagram.flows[f];
        const SankeyBand& band = layout.bands[f];
        if (band.width < kRoomForLabel || layout.bars[flow.from].begins || layout.bars[flow.to].ends) continue;
        const SankeyBand::Point a = band.points[band.returns ? 1 : 0];
        const SankeyBand::Point b = band.points[band.returns ? 2 : 1];
        write_text(out, 0.5 * (a.x + b.x), 0.5 * (a.y + b.y + band.width) + 4.0,
                   " text-anchor=\"middle\" font-size=\"11\"", flow.label);
    }
}

void write_names(fmt::memory_buffer& out, const Sankey& diagram, const SankeyLayout& layout) {
    for (std::size_t n = 0; n < diagram.nodes.size(); ++n) {
        const SankeyBar& bar = layout.bars[n];
        const SankeyNode& node = diagram.nodes[n];
        fmt::format_to(std::back_inserter(out),
                       "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"#333333\"/>\n", bar.x,
                       bar.y, kSankeyBar, std::max(bar.height, 1.0));
        const double middle = bar.y + 0.5 * bar.height + 4.0;
        const std::string text =
            fmt::format("{}</tspan>{}{}", escaped(node.name), node.note.empty() ? "" : " ", escaped(node.note));
        if (bar.begins || bar.ends) {
            fmt::format_to(std::back_inserter(out),
                           "<text x=\"{:.2f}\" y=\"{:.2f}\"{}><tspan font-weight=\"bold\">{}</text>\n",
                           bar.begins ? bar.x - 6.0 : bar.x + kSankeyBar + 6.0, middle,
                           bar.begins ? " text-anchor=\"end\"" : "", text);
        } else {
            fmt::format_to(std::back_inserter(out),
                           "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\"><tspan font-weight=\"bold\">{}"
                           "</text>\n",
                           bar.x + 0.5 * kSankeyBar, bar.y - 5.0, text);
        }
    }
}

void write_legend(fmt::memory_buffer& out, const Sankey& diagram, double y) {
    double x = 20.0;
    for (const auto& [colour, meaning] : diagram.legend) {
        fmt::format_to(
            std::back_inserter(out),
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"14\" height=\"10\" fill=\"{}\" fill-opacity=\"0.55\"/>\n", x,
            y - 9.0, colour);
        write_text(out, x + 19.0, y, "", meaning);
        x += 36.0 + kSankeyCharacter * static_cast<double>(utf8_count(meaning));
    }
    if (!diagram.remark.empty()) write_text(out, x + 4.0, y, " fill=\"#555555\"", diagram.remark);
}

}  // namespace

std::string draw_sankey(const Sankey& diagram) {
    const SankeyLayout layout = lay_out(diagram);
    std::size_t legend = utf8_count(diagram.remark);
    for (const auto& [colour, meaning] : diagram.legend) legend += utf8_count(meaning) + 6;
    const double texts =
        kSankeyCharacter * static_cast<double>(std::max(legend, utf8_count(diagram.title) * 5 / 4)) + 40.0;
    const double width = std::max({layout.width, kLeast, texts});
    fmt::memory_buffer out;
    fmt::format_to(std::back_inserter(out),
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                   "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                   width, layout.height);
    write_text(out, 20.0, 24.0, " font-size=\"15\"", diagram.title);
    write_bands(out, diagram, layout);
    write_names(out, diagram, layout);
    write_amounts(out, diagram, layout);
    write_legend(out, diagram, layout.height - 16.0);
    fmt::format_to(std::back_inserter(out), "</svg>\n");
    return fmt::to_string(out);
}

}  // namespace bondgraph::io
