#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bondgraph::cli {

struct ShellResult {
    int status = -1;
    std::string output;  ///< standard output and standard error as they came
};

/// A folder for one test, removed at its end, in which commands run as a reader of the documentation would run them
/// from the repository's root: `bondgraph` is found and models/ and tests/ lie beneath, but files are written here.
class ReadersFolder {
   public:
    ReadersFolder();
    ~ReadersFolder();
    ReadersFolder(const ReadersFolder&) = delete;
    ReadersFolder& operator=(const ReadersFolder&) = delete;

    [[nodiscard]] ShellResult run(const std::string& command) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

   private:
    std::filesystem::path path_;
};

/// A file of the repository, by its path from the root. Throws std::runtime_error when it can't be read.
std::string repository_file(const std::string& name);

/// A block between ``` fences.
struct FencedBlock {
    std::string language;
    std::size_t line = 0;  ///< of its opening fence
    std::vector<std::string> lines;
};
std::vector<FencedBlock> fenced_blocks(const std::string& markdown);

/// A command shown in a ```console block, with the output shown beneath it.
struct ShownCommand {
    std::string command;
    int status = 0;  ///< "# exit status 2" after the command
    std::size_t line = 0;
    std::vector<std::string> output;
};
std::vector<ShownCommand> shown_commands(const std::string& markdown);

/// A file that a reader of a page is told to write.
struct ShownFile {
    std::string name;
    std::string text;
};

/// The whole models of a page, under the names they give themselves, and after them their variants. A ```diff block
/// that begins with "--- rc.yaml" and "+++ other.yaml" is a copy of rc.yaml, a file of the page or of the repository,
/// under the name other.yaml: its lines with - (and those with a space, which stay) have to be found together and once,
/// those with + take their place, and a line "…" separates changes. Throws std::runtime_error where that fails.
std::vector<ShownFile> shown_files(const std::string& markdown);

/// The files of pictures on a page, as its links name them.
std::vector<std::string> shown_pictures(const std::string& markdown);

/// Compares what a page shows with what came out; empty when it agrees, else the first difference. A line "…" stands
/// for any number of lines. Words have to be equal; numbers agree to 1e-3, and those that depend on the machine or on
/// the last digits (times spent, steps, imbalances, residuals of an audit) need not agree at all.
std::string difference(const std::vector<std::string>& shown, const std::string& output);

}  // namespace bondgraph::cli
