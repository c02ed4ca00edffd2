#include "tests/drawing/markup.hpp"

#include <regex>
#include <vector>

namespace bondgraph::drawing {

std::string xml_mistake(const std::string& text) {
    static const std::regex kDeclaration("<\\?xml version=\"1\\.0\" encoding=\"UTF-8\"\\?>\\s*");
    static const std::regex kOpen("<([A-Za-z][A-Za-z0-9]*)((?:\\s+[A-Za-z:-]+=\"[^\"<]*\")*)\\s*(/?)>");
    static const std::regex kClose("</([A-Za-z][A-Za-z0-9]*)>");
    static const std::regex kText("(?:[^<&]|&(?:amp|lt|gt|quot|apos);)+");
    static const std::regex kBareAmpersand("&(?!(?:amp|lt|gt|quot|apos);)");
    std::vector<std::string> open;
    bool root_closed = false;
    std::smatch match;
    auto at = text.begin();
    const auto next = [&](const std::regex& what) {
        return std::regex_search(at, text.end(), match, what, std::regex_constants::match_continuous);
    };
    if (next(kDeclaration)) at = match[0].second;
    while (at != text.end()) {
        const std::string where = "at byte " + std::to_string(at - text.begin());
        if (next(kClose)) {
            if (open.empty() || open.back() != match[1]) return "unexpected " + match[0].str() + " " + where;
            open.pop_back();
            root_closed = open.empty();
        } else if (next(kOpen)) {
            if (root_closed) return "a second root " + where;
            if (std::regex_search(match[2].first, match[2].second, kBareAmpersand)) return "a bare & " + where;
            if (match[3].length() == 0) open.push_back(match[1]);
        } else if (next(kText)) {
            const bool blank = match[0].str().find_first_not_of(" \n") == std::string::npos;
            if (open.empty() && !blank) return "text outside the root " + where;
        } else {
            return "neither text nor tag " + where;
        }
        at = match[0].second;
    }
    return open.empty() && root_closed ? "" : "not closed";
}

std::size_t count_class(const std::string& svg, const std::string& name) {
    const std::string wanted = "class=\"" + name + "\"";
    std::size_t count = 0;
    for (auto found = svg.find(wanted); found != std::string::npos; found = svg.find(wanted, found + 1)) ++count;
    return count;
}

}  // namespace bondgraph::drawing
