#include "bondgraph/drawing/text_width.hpp"

#include <array>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::drawing {
namespace {

// Advance widths of Helvetica's printable ASCII characters from the blank on, in thousandths of the size (Adobe font
// metrics).
constexpr std::array<int, 95> kWidths{278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                      556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                      1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                      667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                      333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                      556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
constexpr int kLetter = 667;  // Latin, Greek and Cyrillic
constexpr int kSquare = 1000;
constexpr std::size_t kBytesOfSquares = 3;  // from U+0800 on a character takes three bytes or more

}  // namespace

double text_width(std::string_view text, double size, bool bold) {
    int thousandths = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t bytes = utf8_length(text, i);
        const auto c = static_cast<unsigned char>(text[i]);
        if (bytes >= kBytesOfSquares)
            thousandths += kSquare;
        else if (c >= 0x20U && c < 0x7FU)
            thousandths += kWidths[c - 0x20U];
        else
            thousandths += kLetter;
        i += bytes > 0 ? bytes : 1;
    }
    constexpr double kBold = 1.08;
    constexpr double kOtherFonts = 1.12;
    return size * thousandths / 1000.0 * (bold ? kBold : 1.0) * kOtherFonts;
}

}  // namespace bondgraph::drawing
