#include "tests/architecture/excerpts.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>
#include <utility>

namespace bondgraph::architecture {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(" \t\r") + 1);
        lines.push_back(line);
    }
    return lines;
}

bool is_fence(const std::string& line) { return line.starts_with("```"); }

bool is_ellipsis(const std::string& line) {
    const auto begin = line.find_first_not_of(" \t");
    return begin != std::string::npos && line.substr(begin) == "…";
}

std::vector<std::string> prose(std::string_view page) {
    std::vector<std::string> lines;
    bool inside = false;
    for (std::string& line : lines_of(page)) {
        if (is_fence(line))
            inside = !inside;
        else if (!inside)
            lines.push_back(std::move(line));
    }
    return lines;
}

std::string file_of(const std::string& mark) {
    static const std::regex kMark("<!-- from (\\S+) -->");
    std::smatch match;
    return std::regex_match(mark, match, kMark) ? match[1].str() : std::string();
}

}  // namespace

std::vector<FencedExcerpt> fenced_excerpts(std::string_view page) {
    std::vector<FencedExcerpt> found;
    bool inside = false;
    std::string before;
    int number = 0;
    for (const std::string& line : lines_of(page)) {
        ++number;
        if (is_fence(line)) {
            inside = !inside;
            if (inside) {
                const std::string file = file_of(before);
                found.push_back({number, line.substr(3), file, !file.empty() || before == "<!-- new -->", {}});
            }
        } else if (inside) {
            found.back().lines.push_back(line);
        }
        before = line;
    }
    return found;
}

std::string missing_piece(const std::vector<std::string>& excerpt, std::string_view text) {
    const std::vector<std::string> lines = lines_of(text);
    auto from = lines.begin();
    for (auto piece = excerpt.begin(); piece != excerpt.end();) {
        const auto end = std::find_if(piece, excerpt.end(), is_ellipsis);
        const auto at = std::search(from, lines.end(), piece, end);
        if (at == lines.end() && piece != end) return *piece;
        from = at + (end - piece);
        piece = end == excerpt.end() ? end : end + 1;
    }
    return {};
}

std::vector<Link> links(std::string_view page) {
    static const std::regex kLink(R"(\]\(([^)#:]*)#?([^):]*)\))");
    std::vector<Link> found;
    for (const std::string& line : prose(page)) {
        for (std::sregex_iterator match(line.begin(), line.end(), kLink), end; match != end; ++match)
            found.push_back({(*match)[1], (*match)[2]});
    }
    return found;
}

std::vector<std::string> headings(std::string_view page) {
    std::vector<std::string> found;
    for (const std::string& line : prose(page)) {
        const auto begin = line.find_first_not_of('#');
        if (begin == 0 || begin == std::string::npos || line[begin] != ' ') continue;
        std::string name;
        for (const char c : line.substr(begin + 1)) {
            if (c == ' ') name += '-';
            if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
                name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        found.push_back(name);
    }
    return found;
}

std::vector<std::string> quoted_texts(std::string_view page) {
    static const std::regex kQuoted("`([^`]+)`");
    std::vector<std::string> found;
    for (const std::string& line : prose(page)) {
        for (std::sregex_iterator match(line.begin(), line.end(), kQuoted), end; match != end; ++match)
            found.push_back((*match)[1]);
    }
    return found;
}

bool is_path(const std::string& text) {
    static const std::regex kPath(R"([\w.-]+(/[\w.-]+)+/?|[\w-]+\.(cpp|hpp|md|txt|yaml|py|sh|tsv))");
    return std::regex_match(text, kPath);
}

bool is_test_name(const std::string& text) {
    static const std::regex kTest("[A-Z]\\w*\\.[A-Z]\\w*");
    return std::regex_match(text, kTest);
}

}  // namespace bondgraph::architecture
