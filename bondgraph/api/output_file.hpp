#pragma once

#include <cstdio>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/io/staged_file.hpp"

namespace bondgraph::api {

/// A file to be written later, claimed now: a place that can't be written to is known before a long computation, and an
/// existing file stays as it is until the new one is whole, whatever ends the program before. "-" is standard output;
/// devices and pipes are written as they are.
class OutputFile {
   public:
    /// Throws UsageError naming the file and the reason: it can't be written, another run is writing it, or it is one
    /// of `inputs`, which are read for it, by whatever name.
    OutputFile(std::string name, const std::vector<std::string>& inputs);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_standard_output() const { return name_ == "-"; }

    /// The stream to write to.
    [[nodiscard]] std::FILE* stream() const { return stream_; }
    /// Puts the file in its place. Throws UsageError when that fails, or when the writer says right after its failure
    /// that it did: the earlier file stays then.
    void finish(bool written);
    /// All of it at once.
    void write(std::string_view text);

   private:
    void open_in_place();

    std::string name_;
    std::optional<io::StagedFile> staged_;
    std::FILE* stream_ = nullptr;
};

/// Those of this process that have not been put in their place, for a program that a signal ends. Safe in its handler.
void remove_unfinished_files();

/// Nothing where no file was asked for.
std::unique_ptr<OutputFile> output_file(const std::string& name, const std::vector<std::string>& inputs);

/// Throws UsageError where two of these options, each with the file it was given (empty: none), are for the same file
/// or both for standard output: one would overwrite the other, or what they write could not be told apart.
void refuse_shared_output(std::initializer_list<std::pair<std::string_view, std::string_view>> files);

}  // namespace bondgraph::api
