#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bondgraph::io {

/// The contents of a file, or why they can't be read ("No such file or directory"); then `text` is empty.
struct TextFile {
    std::string text;
    std::string failure;
};

/// Which files a model may name.
struct FileAccess {
    /// Those in these folders that are not hidden, and not where links lead out of them; nothing: all.
    std::optional<std::vector<std::filesystem::path>> folders = {};

    [[nodiscard]] bool allows(const std::filesystem::path& file) const;
};

/// What is said of a file that may not be named.
inline constexpr const char* kFileRefused = "it is hidden, or outside of the folders that models may read here";

/// What the system calls an error of its calls (errno).
std::string system_reason(int error);

/// Folders and files beyond 32 MB are refused. Pipes are read to their end.
TextFile read_text_file(const std::filesystem::path& path);

/// The same, but pipes, devices and the like, which might wait for ever, are refused.
TextFile read_regular_file(const std::filesystem::path& path);

}  // namespace bondgraph::io
