#include <fmt/format.h>

#include <iterator>

#include "bondgraph/drawing/sheet.hpp"

namespace bondgraph::drawing {
namespace {

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                // XML has no way to write the other control characters.
                result += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
        }
    }
    return result;
}

/// Two decimals, without trailing zeros and without a negative zero.
std::string number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? std::string(1, '0') : text;
}

class SvgWriter {
   public:
    SvgWriter(const Sheet& sheet, bool parts)
        : sheet_(sheet), parts_(parts), origin_{sheet.extent.left(), sheet.extent.top()} {}

    std::string text() {
        const std::string width = number(sheet_.extent.width);
        const std::string height = number(sheet_.extent.height);
        put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
            "role=\"img\">\n",
            width, height);
        put("<title>{}</title>\n<desc>{}</desc>\n", escaped(sheet_.title), escaped(sheet_.description));
        put("<rect class=\"paper\" width=\"{}\" height=\"{}\" fill=\"#FFFFFF\"/>\n", width, height);
        put("<g font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" fill=\"none\" "
            "stroke-linejoin=\"round\">\n");
        for (const Shape& shape : sheet_.shapes) write(shape);
        put("</g>\n</svg>\n");
        return fmt::to_string(out_);
    }

   private:
    template <class... Arguments>
    void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    }

    std::string at(Point p) const { return number(p.x - origin_.x) + "," + number(p.y - origin_.y); }

    std::string role(const Shape& shape) const {
        if (!parts_ || shape.of.empty()) return fmt::format("class=\"{}\"", shape.role);
        return fmt::format("class=\"{}\" data-of=\"{}\"", shape.role, shape.of);
    }

    static std::string paint(const Shape& shape) {
        std::string text;
        if (!shape.fill.empty()) text += fmt::format(" fill=\"{}\"", shape.fill);
        if (shape.ink.empty()) return text;
        text += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", shape.ink, number(shape.width));
        std::string dashes;
        for (const double dash : shape.dashes) dashes += fmt::format("{}{}", dashes.empty() ? "" : " ", number(dash));
        if (!dashes.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", dashes);
        return text;
    }

    void write(const Shape& shape) {
        switch (shape.kind) {
            case ShapeKind::line:
            case ShapeKind::area:
                return write_path(shape);
            case ShapeKind::box:
                return put("<rect {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}/>\n", role(shape),
                           number(shape.box.left() - origin_.x), number(shape.box.top() - origin_.y),
                           number(shape.box.width), number(shape.box.height), number(shape.radius), paint(shape));
            case ShapeKind::disc:
                return put("<circle {} cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", role(shape),
                           number(shape.points[0].x - origin_.x), number(shape.points[0].y - origin_.y),
                           number(shape.radius), paint(shape));
            case ShapeKind::text:
                return write_text(shape);
        }
    }

    void write_path(const Shape& shape) {
        std::string path;
        for (const Point& p : shape.points) path += fmt::format("{}{}", path.empty() ? "M" : " L", at(p));
        if (shape.kind == ShapeKind::area) path += " Z";
        put("<path {} d=\"{}\"{}/>\n", role(shape), path, paint(shape));
    }

    void write_text(const Shape& shape) {
        const char* anchor = shape.anchor == Anchor::start ? "start" : shape.anchor == Anchor::end ? "end" : "middle";
        put("<text {} x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{} fill=\"{}\">{}</text>\n", role(shape),
            number(shape.points[0].x - origin_.x), number(shape.points[0].y - origin_.y + kBaseline * shape.size),
            number(shape.size), anchor, shape.bold ? " font-weight=\"bold\"" : "", shape.ink, escaped(shape.text));
    }

    const Sheet& sheet_;
    bool parts_;
    Point origin_;
    fmt::memory_buffer out_;
};

}  // namespace

std::string to_svg(const Sheet& sheet, bool parts) { return SvgWriter(sheet, parts).text(); }

}  // namespace bondgraph::drawing
