// Which folder may include what: the architecture's table of dependencies, checked on the text of the sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::architecture {

// A folder that holds sources ("bondgraph/model", "mechanics3d") and those it uses directly.
struct Folder {
    std::string_view name;
    std::vector<std::string_view> uses;
};

// Every folder of the project that holds sources, each after all those it uses.
const std::vector<Folder>& folders();

// The folder of folders() that a path relative to the repository's root lies in; empty if there is none.
std::string_view folder_of(std::string_view path);

// Whether a file of one folder may include one of another: its own, one it uses, or one that brings along.
bool may_use(std::string_view folder, std::string_view other);

// What the #include lines of a file break, one sentence for each, in the order of the lines. The path is relative to
// the repository's root.
std::vector<std::string> violations(std::string_view path, std::string_view text);

// What a header of the library's interface includes that is none of it: it is installed without the inside.
std::vector<std::string> inside_of_interface(std::string_view text);

}  // namespace bondgraph::architecture
