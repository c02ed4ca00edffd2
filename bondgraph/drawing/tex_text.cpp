#include "bondgraph/drawing/tex_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::drawing {
namespace {

struct Written {
    std::string_view character;
    std::string_view tex;
};

// What has a meaning of its own in TeX, and symbols that its standard fonts have under another name.
constexpr std::array kWritten{
    Written{"\\", "\\textbackslash{}"},
    Written{"{", "\\{"},
    Written{"}", "\\}"},
    Written{"$", "\\$"},
    Written{"&", "\\&"},
    Written{"#", "\\#"},
    Written{"%", "\\%"},
    Written{"_", "\\_"},
    Written{"^", "\\textasciicircum{}"},
    Written{"~", "\\textasciitilde{}"},
    Written{"<", "$<$"},
    Written{">", "$>$"},
    Written{"|", "$|$"},
    Written{"\"", "''"},
    Written{"-", "{-}"},
    Written{"µ", "$\\mu$"},
    Written{"°", "$^\\circ$"},
    Written{"·", "$\\cdot$"},
    Written{"×", "$\\times$"},
    Written{"²", "$^2$"},
    Written{"³", "$^3$"},
    Written{"α", "$\\alpha$"},
    Written{"β", "$\\beta$"},
    Written{"γ", "$\\gamma$"},
    Written{"δ", "$\\delta$"},
    Written{"ε", "$\\varepsilon$"},
    Written{"ζ", "$\\zeta$"},
    Written{"η", "$\\eta$"},
    Written{"θ", "$\\theta$"},
    Written{"κ", "$\\kappa$"},
    Written{"λ", "$\\lambda$"},
    Written{"μ", "$\\mu$"},
    Written{"ν", "$\\nu$"},
    Written{"ξ", "$\\xi$"},
    Written{"π", "$\\pi$"},
    Written{"ρ", "$\\rho$"},
    Written{"σ", "$\\sigma$"},
    Written{"τ", "$\\tau$"},
    Written{"φ", "$\\varphi$"},
    Written{"χ", "$\\chi$"},
    Written{"ψ", "$\\psi$"},
    Written{"ω", "$\\omega$"},
    Written{"Γ", "$\\Gamma$"},
    Written{"Δ", "$\\Delta$"},
    Written{"Θ", "$\\Theta$"},
    Written{"Λ", "$\\Lambda$"},
    Written{"Π", "$\\Pi$"},
    Written{"Σ", "$\\Sigma$"},
    Written{"Φ", "$\\Phi$"},
    Written{"Ψ", "$\\Psi$"},
    Written{"Ω", "$\\Omega$"},
};

std::uint32_t code_point(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first;
    std::uint32_t code = first & (0x7FU >> character.size());
    for (const char c : character.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

/// Letters with accents that TeX composes in any of its fonts: those of Latin-1 but for Ð, Þ, ð, þ and the signs × and
/// ÷.
bool is_composed(std::uint32_t code) {
    constexpr std::array<std::uint32_t, 6> kMissing{0xD0, 0xD7, 0xDE, 0xF0, 0xF7, 0xFE};
    return code >= 0xC0U && code <= 0xFFU && std::find(kMissing.begin(), kMissing.end(), code) == kMissing.end();
}

}  // namespace

std::string tex_text(const std::string& text, std::set<std::uint32_t>& unknown) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t bytes = std::max<std::size_t>(utf8_length(text, i), 1);
        const std::string_view character = std::string_view(text).substr(i, bytes);
        i += bytes;
        const auto written =
            std::find_if(kWritten.begin(), kWritten.end(), [&](const Written& w) { return w.character == character; });
        const std::uint32_t code = code_point(character);
        if (written != kWritten.end()) {
            result += written->tex;
        } else if (code < 0x20U || (code >= 0x7FU && code < 0xA0U)) {
            result += ' ';
        } else {
            if (code >= 0x80U && !is_composed(code)) unknown.insert(code);
            result += character;
        }
    }
    return result;
}

}  // namespace bondgraph::drawing
