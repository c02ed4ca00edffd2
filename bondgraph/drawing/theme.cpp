#include "bondgraph/drawing/theme.hpp"

#include <string_view>

namespace bondgraph::drawing {
namespace {

struct DomainLook {
    std::string_view domain;
    const char* line;
    const char* fill;
    const char* grey;
    std::vector<double> grey_dashes;
};

const std::vector<double> kPseudoDashes{6.0, 3.0};

// Okabe, Ito: Color Universal Design, 2008; their yellow is too faint for lines on white, so `chemical` has the olive
// of Tol's muted scheme. Fills are the same hues mixed with white.
const std::vector<DomainLook>& looks() {
    static const std::vector<DomainLook> kLooks{
        {"generic", "#000000", "#EEEEEE", "#000000", {}},
        {"electrical", "#0072B2", "#DCECF6", "#000000", {}},
        {"magnetic", "#CC79A7", "#F8E9F1", "#000000", {12.0, 3.0, 2.0, 3.0}},
        {"translational", "#009E73", "#DAF1EA", "#808080", {}},
        {"rotational", "#E69F00", "#FCF0D6", "#606060", {14.0, 4.0}},
        {"hydraulic", "#56B4E9", "#E4F3FC", "#000000", {1.5, 2.5}},
        {"thermal", "#D55E00", "#FAE5D8", "#808080", {10.0, 3.0, 2.0, 3.0, 2.0, 3.0}},
        {"thermal_pseudo", "#D55E00", "#FAE5D8", "#000000", kPseudoDashes},
        {"chemical", "#999933", "#F1F1DF", "#808080", {1.5, 2.5}},
    };
    return kLooks;
}

DomainStyle style_of(const model::Domain& domain, ThemeName name) {
    for (const DomainLook& look : looks()) {
        if (look.domain != domain.name) continue;
        if (name == ThemeName::grey) return {look.grey, "#F2F2F2", look.grey_dashes};
        return {look.line, look.fill, domain.power ? std::vector<double>{} : kPseudoDashes};
    }
    return {"#000000", "#EEEEEE", {}};
}

}  // namespace

Theme theme_named(ThemeName name) {
    Theme theme;
    for (const model::Domain& domain : model::domains()) theme.domains.push_back(style_of(domain, name));
    const bool grey = name == ThemeName::grey;
    theme.derivative = grey ? "#000000" : "#882255";
    theme.loop = grey ? "#D0D0D0" : "#F5EB94";
    theme.conflict = grey ? "#000000" : "#CC3311";
    return theme;
}

}  // namespace bondgraph::drawing
