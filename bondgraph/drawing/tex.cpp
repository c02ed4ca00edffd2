#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "bondgraph/base/tex_text.hpp"
#include "bondgraph/drawing/sheet.hpp"

namespace bondgraph::drawing {
namespace {

// TeX can't reckon with lengths above 16384 pt: larger drawings are scaled down.
constexpr double kLargest = 12000.0;

std::string tex_number(double value) {
    const std::string text = fmt::format("{:.2f}", value);
    return text == "-0.00" ? "0.00" : text;
}

class TexWriter {
   public:
    explicit TexWriter(const Sheet& sheet)
        : sheet_(sheet),
          origin_{sheet.extent.left(), sheet.extent.top()},
          scale_(std::min(1.0, kLargest / std::max({sheet.extent.width, sheet.extent.height, 1.0}))) {}

    std::string text() {
        for (const Shape& shape : sheet_.shapes) write(shape);
        const std::string picture = fmt::to_string(out_);
        out_.clear();
        put("% {}\n", one_line(sheet_.description));
        put("\\RequirePackage{{fix-cm}}\n\\documentclass{{article}}\n");
        put("\\usepackage[paperwidth={}bp,paperheight={}bp,margin=0bp]{{geometry}}\n",
            tex_number(scale_ * sheet_.extent.width), tex_number(scale_ * sheet_.extent.height));
        put("\\usepackage{{iftex,tikz}}\n"
            "\\iftutex\\usepackage{{fontspec}}\\else\\usepackage[utf8]{{inputenc}}\\fi\n");
        put("\\renewcommand{{\\familydefault}}{{\\sfdefault}}\n\\pagestyle{{empty}}\n\\parindent0pt\n\\topskip0pt\n");
        for (const std::uint32_t code : unknown_)
            put("\\iftutex\\else\\DeclareUnicodeCharacter{{{0:04X}}}{{[{0:04X}]}}\\fi\n", code);
        for (const auto& [colour, name] : colours_) put("\\definecolor{{{}}}{{HTML}}{{{}}}\n", name, colour.substr(1));
        put("\\begin{{document}}%\n\\begin{{tikzpicture}}[x=1bp,y=-1bp,line join=round,inner sep=0pt,outer sep=0pt]\n");
        put("\\useasboundingbox (0,0) rectangle ({},{});\n", tex_number(scale_ * sheet_.extent.width),
            tex_number(scale_ * sheet_.extent.height));
        out_.append(picture);
        put("\\end{{tikzpicture}}%\n\\end{{document}}\n");
        return fmt::to_string(out_);
    }

   private:
    template <class... Arguments>
    void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    }

    static std::string one_line(std::string text) {
        std::replace_if(
            text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
        return text;
    }

    std::string at(Point p) const {
        return fmt::format("({},{})", tex_number(scale_ * (p.x - origin_.x)), tex_number(scale_ * (p.y - origin_.y)));
    }

    std::string colour(const std::string& value) {
        const auto [known, fresh] = colours_.emplace(value, "");
        if (fresh) known->second = fmt::format("ink{}", value.substr(1));
        return known->second;
    }

    std::string paint(const Shape& shape) {
        std::string text;
        if (!shape.fill.empty()) text += "fill=" + colour(shape.fill);
        if (shape.ink.empty()) return text;
        text += fmt::format("{}draw={},line width={}bp", text.empty() ? "" : ",", colour(shape.ink),
                            tex_number(scale_ * shape.width));
        std::string dashes;
        for (std::size_t i = 0; i < shape.dashes.size(); ++i)
            dashes += fmt::format("{} {}bp ", i % 2 == 0 ? "on" : "off", tex_number(scale_ * shape.dashes[i]));
        if (!dashes.empty()) text += ",dash pattern=" + dashes;
        return text;
    }

    void write(const Shape& shape) {
        switch (shape.kind) {
            case ShapeKind::line:
            case ShapeKind::area:
                return write_path(shape);
            case ShapeKind::box:
                return put("\\path[{},rounded corners={}bp] {} rectangle {}; % {}\n", paint(shape),
                           tex_number(scale_ * shape.radius), at({shape.box.left(), shape.box.top()}),
                           at({shape.box.right(), shape.box.bottom()}), shape.role);
            case ShapeKind::disc:
                return put("\\path[{}] {} circle[radius={}bp]; % {}\n", paint(shape), at(shape.points[0]),
                           tex_number(scale_ * shape.radius), shape.role);
            case ShapeKind::text:
                return write_text(shape);
        }
    }

    void write_path(const Shape& shape) {
        std::string path;
        for (const Point& p : shape.points) path += fmt::format("{}{}", path.empty() ? "" : " -- ", at(p));
        if (shape.kind == ShapeKind::area) path += " -- cycle";
        put("\\path[{}] {}; % {}\n", paint(shape), path, shape.role);
    }

    void write_text(const Shape& shape) {
        const char* anchor = shape.anchor == Anchor::start ? "base west"
                             : shape.anchor == Anchor::end ? "base east"
                                                           : "base";
        const Point base = shape.points[0] + Point{0.0, kBaseline * shape.size};
        put("\\node[anchor={},text={},font=\\fontsize{{{}bp}}{{{}bp}}{}\\selectfont] at {} {{{}}}; % {}\n", anchor,
            colour(shape.ink), tex_number(scale_ * shape.size), tex_number(scale_ * shape.size),
            shape.bold ? "\\bfseries" : "", at(base), tex_text(shape.text, unknown_), shape.role);
    }

    const Sheet& sheet_;
    Point origin_;
    double scale_;
    fmt::memory_buffer out_;
    std::map<std::string, std::string> colours_;
    std::set<std::uint32_t> unknown_;
};

}  // namespace

std::string to_tex(const Sheet& sheet) { return TexWriter(sheet).text(); }

}  // namespace bondgraph::drawing
