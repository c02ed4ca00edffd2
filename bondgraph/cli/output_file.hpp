#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace bondgraph::cli {

/// A file to be written later, opened now: a place that can't be written to is known before a long computation, and an
/// existing file keeps its contents until the first byte is due. "-" is standard output.
class OutputFile {
   public:
    /// Throws UsageError naming the file and the reason.
    explicit OutputFile(std::string name);
    /// A file that was created but never written to is removed again.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_standard_output() const { return name_ == "-"; }

    /// Empties the file and gives the stream to write to.
    std::FILE* begin();
    /// Flushes. Throws UsageError when that fails, or when the writer says right after its failure that it did.
    void finish(bool written);
    /// All of it at once.
    void write(std::string_view text);

   private:
    std::string name_;
    std::FILE* stream_ = nullptr;
    bool created_ = false;
    bool begun_ = false;
};

/// Throws UsageError where two of these options, each with the file it was given (empty: none), are for the same file
/// or both for standard output: one would overwrite the other, or what they write could not be told apart.
void refuse_shared_output(std::initializer_list<std::pair<std::string_view, std::string_view>> files);

}  // namespace bondgraph::cli
