#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace bondgraph::io {

/// A file that can't be written; what() says why, without the file's name.
class UnwritableFile : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// A file in the making. It is written beside its target, under the name `.TARGET.bondgraph-part`, and takes the
/// target's place when it is whole: whatever ends the program before, the target is what it was. That file is also the
/// lock: of two programs that want to write one target, the second is refused. One left behind by a program that was
/// killed is taken over by the next that writes the same target.
class StagedFile {
   public:
    /// `target` is no symbolic link (see resolved_target()) and does not exist or is a regular file. Throws
    /// UnwritableFile: no such folder, no permission for folder or target, another program writes the target.
    explicit StagedFile(std::filesystem::path target);
    /// What was not committed is removed.
    ~StagedFile();
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    [[nodiscard]] std::FILE* stream() const { return stream_; }

    /// Gives the file the target's name, and the permissions of the file that it replaces. Nothing more can be written
    /// then. Throws UnwritableFile; the target is unchanged then.
    void commit();

   private:
    void claim();
    void release();

    std::filesystem::path target_;
    std::string part_;
    std::FILE* stream_ = nullptr;
};

/// The file that a name stands for, which need not exist: symbolic links followed. Empty where the name leads to what
/// can't be replaced by another file, as devices, pipes, and the open files of a process (/dev/stdout).
/// Throws UnwritableFile for folders, circles of links, and folders that don't exist.
std::filesystem::path resolved_target(const std::filesystem::path& name);

/// Removes the parts of all staged files there are. For signal handlers, before the program ends.
void remove_unfinished_files() noexcept;

}  // namespace bondgraph::io
