#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bondgraph::serve {

/// A file of the folder, by its name from there: "lessons/rc.yaml".
struct FolderFile {
    std::string name;
    std::string stamp;      ///< other after each change; empty where it is not there yet
    bool solution = false;  ///< tells of an exercise: it lies below a folder `solutions`, `answers` or `drawings`
    bool exercise = false;  ///< there is a solution of its name beside it, or its text is there to be answered
};

struct FileText {
    std::string text;
    std::string version;
};

/// What came of writing a file.
struct Written {
    enum class Outcome { written, changed_meanwhile, refused };
    Outcome outcome = Outcome::refused;
    std::string version;  ///< of what is there now
    std::string why;      ///< of a refusal
    /// Names and texts of what was deleted with a model: strokes and equations found for it.
    std::vector<std::pair<std::string, std::string>> beside = {};
};

/// The one folder that browsers may see: models to read and to write, and the texts, pictures and tables of exercises
/// to read. Nothing outside of it is read or written, whatever a name says and wherever links lead to; hidden files and
/// other kinds of files are not there.
class Folder {
   public:
    /// Throws std::runtime_error where it is none.
    explicit Folder(const std::filesystem::path& root, bool read_only = false);

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    /// Models, sorted by name, at most kMostFiles, and those exercises that have no answer yet.
    [[nodiscard]] std::vector<FolderFile> files() const;
    /// Nothing where there is none that may be read.
    [[nodiscard]] std::optional<FileText> read(const std::string& name) const;
    /// Writes a model whole, or leaves it as it was. `version`: what it is thought to be; empty: it is not there yet.
    [[nodiscard]] Written write(const std::string& name, const std::string& text, const std::string& version) const;
    /// Gives a model another name where there is no file yet, and what was found beside it as well. `version`: what it
    /// is thought to be.
    [[nodiscard]] Written rename(const std::string& name, const std::string& to, const std::string& version) const;
    /// With what was found beside it. `version`: what it is thought to be.
    [[nodiscard]] Written remove(const std::string& name, const std::string& version) const;
    /// Where a name leads to within the folder; nothing where it leads out of it or to what may not be seen.
    [[nodiscard]] std::optional<std::filesystem::path> place_of(const std::string& name) const;

    static constexpr std::size_t kMostFiles = 2000;
    static constexpr std::size_t kMostBytes = 4U * 1024U * 1024U;

   private:
    /// Why a model may not be moved away; `place` is where it lies, not what a link leads to.
    [[nodiscard]] std::optional<Written> kept_there(const std::string& name, const std::string& version,
                                                    std::filesystem::path& place) const;

    std::filesystem::path root_;
    bool read_only_;
};

/// Of "lessons/rc.yaml" "lessons/solutions/rc.yaml".
std::string solution_of(const std::string& name);

}  // namespace bondgraph::serve
