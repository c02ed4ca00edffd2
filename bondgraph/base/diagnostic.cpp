#include "bondgraph/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph {

namespace {

constexpr std::size_t kWidestLine = 160;
constexpr std::size_t kLongestText = 2000;
// Finding a column means reading the line up to there, which thousands of mistakes on one endless line would repeat.
constexpr std::size_t kFarthestColumn = 100'000;

std::string_view severity_word(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return "warning";
        case Severity::note:
            return "note";
    }
    return "error";
}

/// A text that quotes a name of any length, cut to what can be read; not within a character.
std::string shortened(const std::string& text) {
    if (text.size() <= kLongestText) return text;
    std::size_t end = kLongestText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "…";
}

/// The first characters of a line, one screen character per entry: bytes that would disturb a terminal (control
/// characters, broken UTF-8) are replaced.
std::vector<std::string_view> displayed_characters(std::string_view line, std::size_t most) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    std::vector<std::string_view> characters;
    for (std::size_t i = 0; i < line.size() && characters.size() < most;) {
        const std::size_t length = utf8_length(line, i);
        const auto first = static_cast<unsigned char>(line[i]);
        const bool printable = length > 0 && (first >= 0x20U || first == '\t') && first != 0x7FU;
        characters.push_back(printable ? line.substr(i, length) : kReplacement);
        i += std::max<std::size_t>(length, 1);
    }
    return characters;
}

/// The source line and the caret line. A long line is cut to a window around the column, an ellipsis at each cut end.
/// Nothing for a column that no reader would look for.
std::string render_excerpt(SourcePosition position, std::string_view line) {
    if (position.column > kFarthestColumn) return {};
    const auto characters = displayed_characters(line, position.column + kWidestLine + 1);
    const std::size_t caret = std::min<std::size_t>(position.column > 0 ? position.column - 1 : 0, characters.size());
    std::size_t begin = 0;
    std::size_t end = characters.size();
    if (end > kWidestLine) {
        begin = caret > kWidestLine / 2 ? caret - kWidestLine / 2 : 0;
        end = std::min(begin + kWidestLine, characters.size());
        begin = end - kWidestLine;
    }
    std::string shown;
    std::string padding;
    if (begin > 0) {
        shown += "…";
        padding += ' ';
    }
    for (std::size_t i = begin; i < end; ++i) {
        shown += characters[i];
        if (i < caret) padding += characters[i] == "\t" ? '\t' : ' ';
    }
    if (end < characters.size()) shown += "…";
    std::string result = fmt::format("{:>5} | {}\n", position.line, shown);
    if (position.column > 0) result += fmt::format("      | {}^\n", padding);
    return result;
}

/// `  because: text`; further lines of the text stay in the text's column.
std::string render_note(const DiagnosticNote& note) {
    std::string result = fmt::format("  {:<9}", note.label + ":");
    if (result.back() != ' ') result += ' ';
    const std::string indentation(result.size(), ' ');
    for (const char c : shortened(note.text)) {
        result += c;
        if (c == '\n') result += indentation;
    }
    return result + '\n';
}

std::string summary(const std::vector<Diagnostic>& diagnostics) {
    const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
    if (first == diagnostics.end()) return "the model is wrong";
    const auto errors = std::count_if(diagnostics.begin(), diagnostics.end(), is_error);
    const std::string text = fmt::format("{} [{}]", first->message, first->code);
    return errors > 1 ? fmt::format("{} (and {} more)", text, errors - 1) : text;
}

}  // namespace

std::uint32_t SourceMap::add(std::string name, std::string text) {
    File file{std::move(name), std::move(text), {0}};
    for (std::size_t i = file.text.find('\n'); i != std::string::npos; i = file.text.find('\n', i + 1))
        file.line_starts.push_back(i + 1);
    files_.push_back(std::move(file));
    return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view SourceMap::line(SourcePosition position) const {
    if (!position.known() || position.file >= files_.size()) return {};
    const File& file = files_[position.file];
    if (position.line > file.line_starts.size()) return {};
    const std::size_t start = file.line_starts[position.line - 1];
    const bool last = position.line == file.line_starts.size();
    const std::size_t end = last ? file.text.size() : file.line_starts[position.line] - 1;
    std::string_view line = std::string_view(file.text).substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (start == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    return line;
}

ModelError::ModelError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(summary(diagnostics)), diagnostics_(std::move(diagnostics)) {}

namespace {

/// One line that stands for thousands of parts may be wrong for each: the first few are told, and how many there are.
void cut_repetitions(std::vector<Diagnostic>& sorted) {
    constexpr std::size_t kTold = 3;
    constexpr std::size_t kMany = 10;
    std::vector<Diagnostic> kept;
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        const auto alike = [&](const Diagnostic& d) {
            return d.position.known() && d.position == sorted[begin].position && d.code == sorted[begin].code &&
                   d.severity == sorted[begin].severity;
        };
        end = begin + 1;
        while (end < sorted.size() && alike(sorted[end])) ++end;
        const std::size_t told = end - begin > kMany ? kTold : end - begin;
        kept.insert(kept.end(), std::make_move_iterator(sorted.begin() + static_cast<std::ptrdiff_t>(begin)),
                    std::make_move_iterator(sorted.begin() + static_cast<std::ptrdiff_t>(begin + told)));
        if (told < end - begin)
            kept.back().notes.push_back({"more", fmt::format("{} others of this line", end - begin - told)});
    }
    sorted = std::move(kept);
}

}  // namespace

void Diagnostics::error(std::string code, SourcePosition position, std::string message,
                        std::vector<DiagnosticNote> notes) {
    items_.push_back({Severity::error, std::move(code), position, std::move(message), std::move(notes)});
    ++errors_;
}

void Diagnostics::warning(std::string code, SourcePosition position, std::string message,
                          std::vector<DiagnosticNote> notes) {
    items_.push_back({Severity::warning, std::move(code), position, std::move(message), std::move(notes)});
}

void Diagnostics::note(std::string code, SourcePosition position, std::string message,
                       std::vector<DiagnosticNote> notes) {
    items_.push_back({Severity::note, std::move(code), position, std::move(message), std::move(notes)});
}

void Diagnostics::throw_if_errors() const {
    if (!has_errors()) return;
    auto sorted = items_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.position < b.position; });
    // A mistake inside a type is met once for each of its instances.
    const auto same = [](const Diagnostic& a, const Diagnostic& b) {
        return a.position == b.position && a.position.known() && a.code == b.code && a.message == b.message;
    };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
    cut_repetitions(sorted);
    throw ModelError(std::move(sorted));
}

void Diagnostics::append(std::span<const Diagnostic> diagnostics) {
    items_.insert(items_.end(), diagnostics.begin(), diagnostics.end());
    errors_ += static_cast<std::size_t>(std::count_if(
        diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.severity == Severity::error; }));
}

std::string render(const Diagnostic& diagnostic, const SourceMap& sources) {
    const SourcePosition& position = diagnostic.position;
    const bool placed = position.known() && position.file < sources.size();
    std::string result;
    if (placed) {
        result += fmt::format("{}:{}:", sources.name(position.file), position.line);
        if (position.column > 0) result += fmt::format("{}:", position.column);
        result += ' ';
    }
    result += fmt::format("{}: {}", severity_word(diagnostic.severity), shortened(diagnostic.message));
    if (!diagnostic.code.empty()) result += fmt::format(" [{}]", diagnostic.code);
    result += '\n';
    if (placed) result += render_excerpt(position, sources.line(position));
    for (const DiagnosticNote& note : diagnostic.notes) result += render_note(note);
    return result;
}

}  // namespace bondgraph
