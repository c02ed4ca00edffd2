#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bondgraph {

/// A place in a source file; lines and columns count from 1 (columns in characters, not bytes), line 0 means "nowhere
/// in a file".
struct SourcePosition {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    [[nodiscard]] bool known() const { return line > 0; }
    friend auto operator<=>(const SourcePosition&, const SourcePosition&) = default;
};

/// The files of one model (the model itself first, then its imports), kept so that a diagnostic can show the line.
class SourceMap {
   public:
    std::uint32_t add(std::string name, std::string text);

    [[nodiscard]] const std::string& name(std::uint32_t file) const { return files_.at(file).name; }
    [[nodiscard]] const std::string& text(std::uint32_t file) const { return files_.at(file).text; }
    /// The text of a line without its line ending; empty when there is no such line.
    [[nodiscard]] std::string_view line(SourcePosition position) const;
    [[nodiscard]] std::size_t size() const { return files_.size(); }

   private:
    struct File {
        std::string name;
        std::string text;
        std::vector<std::size_t> line_starts;
    };
    std::vector<File> files_;
};

enum class Severity { error, warning, note };

/// One line under a diagnostic: `label` is "where", "because", "try" or "note".
struct DiagnosticNote {
    std::string label;
    std::string text;
};

/// What is wrong (or worth knowing), in the user's terms. Codes are stable: BG-Y… YAML, BG-M… model, BG-U… units,
/// BG-X… expressions, BG-C… causality, BG-E… equations, BG-I… initialization, BG-S… simulation, BG-O… output.
struct Diagnostic {
    Severity severity = Severity::error;
    std::string code;
    SourcePosition position;
    std::string message;
    std::vector<DiagnosticNote> notes;
};

/// Thrown once per pass with everything that pass found.
class ModelError : public std::runtime_error {
   public:
    explicit ModelError(std::vector<Diagnostic> diagnostics);
    [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

   private:
    std::vector<Diagnostic> diagnostics_;
};

/// Collects diagnostics during a pass.
class Diagnostics {
   public:
    void error(std::string code, SourcePosition position, std::string message, std::vector<DiagnosticNote> notes = {});
    void warning(std::string code, SourcePosition position, std::string message,
                 std::vector<DiagnosticNote> notes = {});
    void note(std::string code, SourcePosition position, std::string message, std::vector<DiagnosticNote> notes = {});

    [[nodiscard]] bool has_errors() const { return errors_ > 0; }
    [[nodiscard]] std::size_t error_count() const { return errors_; }
    [[nodiscard]] const std::vector<Diagnostic>& items() const { return items_; }
    /// Throws ModelError with all collected diagnostics, in file order, when there is at least one error.
    void throw_if_errors() const;
    void append(std::span<const Diagnostic> diagnostics);

   private:
    std::vector<Diagnostic> items_;
    std::size_t errors_ = 0;
};

/// `file:line:column: error: message [code]`, the line with a caret under the column, and the notes, each line ended.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources);

/// The candidate nearest to `name` (edit distance with transpositions, case counted half), or empty when none is near
/// enough to be what was meant. Ties go to the first candidate.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// `"; did you mean 'x'?"` for the nearest candidate, or an empty string.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace bondgraph
