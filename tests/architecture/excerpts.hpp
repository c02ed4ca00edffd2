// What a page of the documentation shows of the sources: marked excerpts, paths and names of tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::architecture {

// A fenced block. What stands above its fence says what it is: `<!-- from PATH -->`, an excerpt of that file;
// `<!-- new -->`, lines that are to be written.
struct FencedExcerpt {
    int line = 0;  // of the fence, from 1
    std::string language;
    std::string file;  // empty: no excerpt
    bool marked = false;
    std::vector<std::string> lines;
};

std::vector<FencedExcerpt> fenced_excerpts(std::string_view page);

// The first line of an excerpt's first piece that does not stand in the text; empty where the whole excerpt does. Lines
// have to follow each other there and agree but for blanks at their ends; a line `…` leaves out any number of lines.
std::string missing_piece(const std::vector<std::string>& excerpt, std::string_view text);

// Links to files and headings, `file#heading`, outside of fences.
struct Link {
    std::string file;     // as it is written; empty: the page itself
    std::string heading;  // without `#`
};

std::vector<Link> links(std::string_view page);

// The headings of a page as links name them: in small letters, with hyphens for blanks.
std::vector<std::string> headings(std::string_view page);

// All texts in backticks outside of fences, in their order.
std::vector<std::string> quoted_texts(std::string_view page);

// Whether a text in backticks names a file or folder of the repository: `folder/name` or a name with a known ending.
bool is_path(const std::string& text);

// Whether it names a test: `Suite.Name`.
bool is_test_name(const std::string& text);

}  // namespace bondgraph::architecture
