#include "tests/cli/python_program.hpp"

#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

// Not the first `python3` in PATH: the modules come with the distribution's own.
constexpr const char* kPython = "/usr/bin/python3";

}  // namespace

bool python_has(const std::vector<std::string>& modules) {
    const Folder folder;
    for (const std::string& module : modules) {
        if (folder.run_program(kPython, {"-c", "import " + module}).status != 0) return false;
    }
    return true;
}

Outcome run_python(const Folder& folder, const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> all{test::source_folder() + "/tests/cli/python/" + program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return folder.run_program(kPython, all);
}

}  // namespace bondgraph::cli
