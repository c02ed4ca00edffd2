#pragma once

#include <string>
#include <vector>

#include "bondgraph/model/domain.hpp"

namespace bondgraph::drawing {

enum class ThemeName : std::uint8_t { colour, grey };

/// How the lines and elements of a domain look.
struct DomainStyle {
    std::string line;
    std::string fill;  ///< behind the elements' texts
    std::vector<double> dashes;
};

struct Theme {
    std::vector<DomainStyle> domains;  ///< by index of the domain
    std::string text = "#1A1A1A";
    std::string faint = "#595959";  ///< names and values
    std::string paper = "#FFFFFF";
    std::string box = "#F2F2F2";  ///< composites and signal blocks
    std::string box_line = "#808080";
    std::string frame = "#B0B0B0";  ///< connections of frames, and frames around sub-models
    std::string signal = "#404040";
    std::string derivative;  ///< marks
    std::string loop;
    std::string conflict;

    [[nodiscard]] const DomainStyle& of(model::DomainIndex domain) const { return domains[domain]; }
};

/// Colours that can be told apart with any kind of colour vision, or greys with a dash pattern for each domain.
/// Pseudo bonds are dashed in both.
Theme theme_named(ThemeName name);

}  // namespace bondgraph::drawing
