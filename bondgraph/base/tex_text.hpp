#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace bondgraph {

/// A text as LaTeX prints it, with nothing in it that LaTeX would act on. Characters that pdflatex can't print are
/// added to `unknown`.
std::string tex_text(std::string_view text, std::set<std::uint32_t>& unknown);

/// The characters of a text in TeX that pdflatex stops at, as code points.
std::set<std::uint32_t> unknown_to_pdflatex(std::string_view tex);

/// A Greek letter as the command for it in formulas, "\\Omega"; empty for all else.
std::string tex_greek(std::string_view character);

}  // namespace bondgraph
