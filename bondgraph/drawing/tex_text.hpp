#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace bondgraph::drawing {

/// A text as LaTeX prints it, with nothing in it that LaTeX would act on. Characters that pdflatex can't print are
/// added to `unknown`.
std::string tex_text(const std::string& text, std::set<std::uint32_t>& unknown);

}  // namespace bondgraph::drawing
