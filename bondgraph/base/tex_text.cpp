#include "bondgraph/base/tex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph {
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
};

// Capitals that look like Latin letters have no command of their own.
constexpr std::array kGreek{
    Written{"Α", "\\mathrm{A}"},  Written{"Β", "\\mathrm{B}"}, Written{"Γ", "\\Gamma"},     Written{"Δ", "\\Delta"},
    Written{"Ε", "\\mathrm{E}"},  Written{"Ζ", "\\mathrm{Z}"}, Written{"Η", "\\mathrm{H}"}, Written{"Θ", "\\Theta"},
    Written{"Ι", "\\mathrm{I}"},  Written{"Κ", "\\mathrm{K}"}, Written{"Λ", "\\Lambda"},    Written{"Μ", "\\mathrm{M}"},
    Written{"Ν", "\\mathrm{N}"},  Written{"Ξ", "\\Xi"},        Written{"Ο", "\\mathrm{O}"}, Written{"Π", "\\Pi"},
    Written{"Ρ", "\\mathrm{P}"},  Written{"Σ", "\\Sigma"},     Written{"Τ", "\\mathrm{T}"}, Written{"Υ", "\\Upsilon"},
    Written{"Φ", "\\Phi"},        Written{"Χ", "\\mathrm{X}"}, Written{"Ψ", "\\Psi"},       Written{"Ω", "\\Omega"},
    Written{"α", "\\alpha"},      Written{"β", "\\beta"},      Written{"γ", "\\gamma"},     Written{"δ", "\\delta"},
    Written{"ε", "\\varepsilon"}, Written{"ζ", "\\zeta"},      Written{"η", "\\eta"},       Written{"θ", "\\theta"},
    Written{"ι", "\\iota"},       Written{"κ", "\\kappa"},     Written{"λ", "\\lambda"},    Written{"μ", "\\mu"},
    Written{"ν", "\\nu"},         Written{"ξ", "\\xi"},        Written{"ο", "o"},           Written{"π", "\\pi"},
    Written{"ρ", "\\rho"},        Written{"ς", "\\varsigma"},  Written{"σ", "\\sigma"},     Written{"τ", "\\tau"},
    Written{"υ", "\\upsilon"},    Written{"φ", "\\varphi"},    Written{"χ", "\\chi"},       Written{"ψ", "\\psi"},
    Written{"ω", "\\omega"},      Written{"ϑ", "\\vartheta"},  Written{"ϕ", "\\phi"},       Written{"ϵ", "\\epsilon"},
};

std::uint32_t code_point(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first;
    std::uint32_t code = first & (0x7FU >> character.size());
    for (const char c : character.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

/// Letters with accents that TeX composes in any of its fonts: those of Latin-1 and Latin Extended-A but for a few,
/// which its oldest encoding lacks.
bool is_composed(std::uint32_t code) {
    constexpr std::array<std::uint32_t, 27> kMissing{0xD0,  0xD7,  0xDE,  0xF0,  0xF7,  0xFE,  0x104, 0x105, 0x110,
                                                     0x111, 0x118, 0x119, 0x126, 0x127, 0x12E, 0x12F, 0x138, 0x13F,
                                                     0x140, 0x149, 0x14A, 0x14B, 0x166, 0x167, 0x172, 0x173, 0x17F};
    return code >= 0xC0U && code <= 0x17FU && std::find(kMissing.begin(), kMissing.end(), code) == kMissing.end();
}

/// The character at an offset; a byte that begins none stands for itself.
std::string_view character_at(std::string_view text, std::size_t offset) {
    return text.substr(offset, std::max<std::size_t>(utf8_length(text, offset), 1));
}

template <std::size_t N>
std::string_view found_in(const std::array<Written, N>& table, std::string_view character) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Written& w) { return w.character == character; });
    return found == table.end() ? std::string_view() : found->tex;
}

}  // namespace

std::string tex_greek(std::string_view character) { return std::string(found_in(kGreek, character)); }

std::set<std::uint32_t> unknown_to_pdflatex(std::string_view tex) {
    std::set<std::uint32_t> unknown;
    for (std::size_t i = 0; i < tex.size();) {
        const std::string_view character = character_at(tex, i);
        i += character.size();
        const std::uint32_t code = code_point(character);
        if (code >= 0x80U && !is_composed(code)) unknown.insert(code);
    }
    return unknown;
}

std::string tex_text(std::string_view text, std::set<std::uint32_t>& unknown) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view character = character_at(text, i);
        i += character.size();
        const std::uint32_t code = code_point(character);
        if (const std::string_view written = found_in(kWritten, character); !written.empty()) {
            result += written;
        } else if (const std::string_view greek = found_in(kGreek, character); !greek.empty()) {
            result += fmt::format("${}$", greek);
        } else if (code < 0x20U || (code >= 0x7FU && code < 0xA0U)) {
            result += ' ';
        } else {
            result += character;
        }
    }
    unknown.merge(unknown_to_pdflatex(result));
    return result;
}

}  // namespace bondgraph
