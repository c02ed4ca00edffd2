#include "bondgraph/api/reference_page.hpp"

#include <fmt/format.h>

namespace bondgraph::api {

std::string terminal_page(const Page& page, const Heading& heading) {
    std::string text = heading(page.title) + "  " + page.summary + "\n";
    for (const Section& section : page.sections) {
        text += heading(section.title);
        if (section.rows.empty()) {
            text += "  " + section.text + "\n";
            continue;
        }
        Table table(std::vector<Align>(section.rows.front().size(), Align::left));
        for (const auto& row : section.rows) table.add(row);
        text += table.text();
    }
    return text;
}

namespace {

/// A cell of a Markdown table: bars would end it.
std::string cell(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

}  // namespace

std::string markdown_page(const Page& page) {
    std::string text = fmt::format("### `{}`\n\n{}\n", page.title, page.summary);
    for (const Section& section : page.sections) {
        if (section.rows.empty()) {
            text += section.code ? fmt::format("\n{}: `{}`\n", section.title, section.text)
                                 : fmt::format("\n{}: {}\n", section.title, section.text);
            continue;
        }
        text += fmt::format("\n{}:\n\n", section.title);
        for (std::size_t r = 0; r < section.rows.size(); ++r) {
            text += '|';
            for (const std::string& value : section.rows[r]) text += fmt::format(" {} |", cell(value));
            text += '\n';
            if (r > 0) continue;
            text += '|';
            for (std::size_t k = 0; k < section.rows[r].size(); ++k) text += "---|";
            text += '\n';
        }
    }
    return text + '\n';
}

TypeReference reference_of(Page page, std::string group, std::string import) {
    TypeReference type{std::move(page.title), std::move(group), std::move(import), std::move(page.summary), {}};
    for (Section& s : page.sections)
        type.sections.push_back({std::move(s.title), std::move(s.text), std::move(s.rows)});
    return type;
}

}  // namespace bondgraph::api
