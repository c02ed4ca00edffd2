#include "bondgraph/io/yaml_mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::io {

namespace {

constexpr const char* kBroken = "BG-Y001";
constexpr const char* kUnreadable = "BG-Y008";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

std::size_t line_start(std::string_view text, std::size_t offset) {
    if (offset == 0) return 0;
    const std::size_t newline = text.rfind('\n', offset - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::string_view line_at(std::string_view text, std::size_t offset) {
    const std::string_view rest = text.substr(line_start(text, offset));
    return rest.substr(0, rest.find('\n'));
}

/// What stands before `offset` on its line.
std::string_view before_on_line(std::string_view text, std::size_t offset) {
    const std::size_t start = line_start(text, offset);
    return text.substr(start, offset - start);
}

/// The start of the last line before `offset`'s that holds more than blanks and comments.
std::optional<std::size_t> previous_line(std::string_view text, std::size_t offset) {
    for (std::size_t start = line_start(text, offset); start > 0;) {
        start = line_start(text, start - 1);
        const std::string_view line = without_blanks(line_at(text, start));
        if (!line.empty() && line.front() != '#') return start;
    }
    return std::nullopt;
}

/// Makes the diagnostics of one complaint.
class Explanation {
   public:
    Explanation(const YamlProgress& progress, std::string_view complaint, std::size_t offset)
        : progress_(progress), text_(progress.text), complaint_(complaint), offset_(std::min(offset, text_.size())) {}

    Diagnostic make() const;

   private:
    Diagnostic at(std::size_t offset, std::string message, std::vector<DiagnosticNote> notes) const {
        return {Severity::error, kBroken, position_at(text_, progress_.file, offset), std::move(message),
                std::move(notes)};
    }
    std::string place(std::size_t offset) const {
        const SourcePosition position = position_at(text_, progress_.file, offset);
        return fmt::format("line {}, column {}", position.line, position.column);
    }
    char here() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }
    /// The character at the error, in quotes.
    std::string character() const {
        const std::size_t length = std::max<std::size_t>(utf8_length(text_, offset_), 1);
        return fmt::format("'{}'", text_.substr(offset_, length));
    }
    bool at_line_start() const { return without_blanks(before_on_line(text_, offset_)).empty(); }

    Diagnostic unexpected_colon() const;
    Diagnostic missing_colon(std::string_view line) const;
    bool continues_a_map() const;
    Diagnostic unexpected_after_value() const;
    Diagnostic wrong_indentation() const;
    Diagnostic open_bracket() const;
    Diagnostic stray_bracket() const;
    Diagnostic open_quote() const;
    Diagnostic unexpected_dash() const;
    Diagnostic bad_start() const;
    Diagnostic bad_escape() const;
    Diagnostic bad_alias() const;
    Diagnostic bad_tag() const;

    const YamlProgress& progress_;
    std::string_view text_;
    std::string_view complaint_;
    std::size_t offset_;
};

/// The start of the quoted text that is still open at the end. Lexes from the last node known to be read.
std::optional<std::size_t> find_open_quote(std::string_view text, std::size_t from) {
    bool token_may_start = true;
    for (std::size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (is_space(c)) {
            if (c == '\n') token_may_start = true;
            continue;
        }
        if (c == '#' && (i == 0 || is_space(text[i - 1]))) {
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (token_may_start && (c == '"' || c == '\'')) {
            const std::size_t start = i++;
            for (; i < text.size(); ++i) {
                if (c == '"' && text[i] == '\\') {
                    ++i;
                } else if (text[i] == c) {
                    if (c == '"' || i + 1 >= text.size() || text[i + 1] != '\'') break;
                    ++i;
                }
            }
            if (i >= text.size()) return start;
            token_may_start = false;
        } else {
            const bool ends_key = c == ':' || c == '-' || c == '?';
            const bool followed_by_space = i + 1 >= text.size() || is_space(text[i + 1]);
            token_may_start = (ends_key && followed_by_space) || c == ',' || c == '[' || c == '{';
        }
    }
    return std::nullopt;
}

/// "Ra" of "Ra {type: R, R": what stands before the bracket with which a line goes on; empty where that is no name.
std::string_view key_before_bracket(std::string_view line) {
    const std::size_t bracket = line.find_first_of("{[");
    if (bracket == std::string_view::npos || bracket == 0 || !is_blank(line[bracket - 1])) return {};
    const std::string_view key = without_blanks(line.substr(0, bracket));
    const bool name = std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    return name ? key : std::string_view{};
}

Diagnostic Explanation::unexpected_colon() const {
    const std::string_view before = before_on_line(text_, offset_);
    const std::size_t line = offset_ - before.size();
    if (const std::string_view key = key_before_bracket(before); !key.empty()) return missing_colon(key);
    const bool second = before.find(": ") != std::string_view::npos;
    const auto previous = second ? std::nullopt : previous_line(text_, offset_);
    if (!previous)
        return at(offset_, "a second ':' in one value",
                  {{"because", "the text before this ':' is already a value, and a value can't be a key"},
                   {"try", "put the whole value in quotes, or begin the inner map on a line of its own"}});
    std::string_view above = without_blanks(line_at(text_, *previous));
    if (above.starts_with("- ")) above = without_blanks(above.substr(2));
    const std::size_t first = line + before.find_first_not_of(" \t");
    if (above.find(": ") != std::string_view::npos || above.ends_with(':'))
        return at(first, "unexpected indentation",
                  {{"because", fmt::format("{} on line {} has its value already, so nothing can be nested under it",
                                           quoted_excerpt(above), position_at(text_, 0, *previous).line)},
                   {"try", "indent this line like the other keys of its map"}});
    return missing_colon(above);
}

/// For a line of a map that holds no ': '; `line` is a part of the text.
Diagnostic Explanation::missing_colon(std::string_view line) const {
    const auto start = static_cast<std::size_t>(line.data() - text_.data());
    if (line.starts_with("->") || line.starts_with("→"))
        return at(start, fmt::format("{} has nothing before the arrow", quoted_excerpt(line)),
                  {{"because", "each entry of a list begins with '- '"},
                   {"try", "write the whole bond or signal, as in '- a -> b'"}});
    if (colon_without_space(line)) return colon_diagnostic(line, position_at(text_, progress_.file, start));
    return at(start, fmt::format("a ':' is missing after {}", quoted_excerpt(line)),
              {{"because", "each line of a map is a key, a ':', a space and a value"}});
}

/// Whether the block that the line at the error would continue, judged by its column, is a map.
bool Explanation::continues_a_map() const {
    const std::size_t indentation = before_on_line(text_, offset_).size();
    for (auto start = previous_line(text_, offset_); start; start = previous_line(text_, *start)) {
        const std::string_view line = line_at(text_, *start);
        const std::size_t column = line.find_first_not_of(" \t");
        if (column <= indentation) return column == indentation && line[column] != '-';
    }
    return false;
}

Diagnostic Explanation::unexpected_after_value() const {
    if (progress_.last_quoted &&
        position_at(text_, 0, *progress_.last_quoted).line < position_at(text_, 0, offset_).line)
        return at(*progress_.last_quoted, "the closing quote is missing",
                  {{"because", fmt::format("the text in quotes only ends at {}", place(offset_))},
                   {"try", "close it on this line"}});
    const std::string_view rest = without_blanks(line_at(text_, offset_).substr(before_on_line(text_, offset_).size()));
    const bool apostrophe = offset_ > 0 && text_[offset_ - 1] == '\'';
    return at(offset_, fmt::format("unexpected {} after a complete value", quoted_excerpt(rest)),
              {{"because", "a quoted text, a list or a map is the whole value of its key"},
               {"try", apostrophe ? "use double quotes around a text with an apostrophe"
                                  : "put the whole value in one pair of quotes"}});
}

Diagnostic Explanation::wrong_indentation() const {
    const std::string_view line = without_blanks(line_at(text_, offset_));
    const bool is_item = line.starts_with("- ") || line == "-";
    if (!is_item && line.find(": ") == std::string_view::npos && !line.ends_with(':')) return missing_colon(line);
    if (is_item && continues_a_map())
        return at(offset_, "a list item stands among the keys of a map",
                  {{"because", "one block is either a list ('- item') or a map ('key: value')"},
                   {"try", "give it a key of its own, or indent it under the key it belongs to"}});
    return at(offset_, "the indentation of this line fits nothing above it",
              {{"because", "the lines of one block begin in the same column"},
               {"try", "indent this line exactly like the line it belongs with"}});
}

Diagnostic Explanation::open_bracket() const {
    const std::size_t bracket = progress_.innermost_bracket.value_or(progress_.last_node);
    const char opening = bracket < text_.size() ? text_[bracket] : '[';
    const char closing = opening == '{' ? '}' : ']';
    if (offset_ >= text_.size() || text_.find_first_not_of(" \t\r\n", offset_) == std::string_view::npos)
        return at(bracket, fmt::format("this '{}' is never closed", opening),
                  {{"try", fmt::format("add the missing '{}'", closing)}});
    return at(offset_, fmt::format("expected ',' or '{}' before {}", closing, character()),
              {{"where", fmt::format("inside the '{}' opened at {}", opening, place(bracket))},
               {"try", fmt::format("look for a missing '{}' or ','; put a text that holds {} in quotes", closing,
                                   here() == ':' ? "': '" : character())}});
}

Diagnostic Explanation::stray_bracket() const {
    if (progress_.innermost_bracket)
        return at(
            offset_,
            fmt::format("{} does not close the '{}' that is open", character(), text_[*progress_.innermost_bracket]),
            {{"where", fmt::format("the bracket opened at {}", place(*progress_.innermost_bracket))}});
    return at(offset_, fmt::format("{} closes no bracket that is open here", character()),
              {{"try", "remove it, or put the text in quotes if the bracket belongs to it"}});
}

Diagnostic Explanation::open_quote() const {
    const std::size_t quote = find_open_quote(text_.substr(0, offset_), progress_.last_node).value_or(offset_);
    return at(quote, "the closing quote is missing",
              {{"because", "the text in quotes runs on to the end of the document"}, {"try", "close it on this line"}});
}

Diagnostic Explanation::unexpected_dash() const {
    return at(
        offset_, "a list can't begin on the line of its key",
        {{"try", "begin the list on the next line, write it as [a, b], or put a text beginning with '- ' in quotes"}});
}

Diagnostic Explanation::bad_start() const {
    return at(offset_, fmt::format("a value can't begin with {}", character()),
              {{"because", fmt::format("{} is reserved in YAML", character())}, {"try", "put the value in quotes"}});
}

Diagnostic Explanation::bad_escape() const {
    // the parser stands behind the escaped character
    const std::size_t backslash = text_.rfind('\\', offset_ > 0 ? offset_ - 1 : 0);
    const std::size_t start = backslash == std::string_view::npos ? offset_ : backslash;
    return at(start, "unknown escape sequence in a text in double quotes",
              {{"because", "a backslash in double quotes begins an escape such as \\n"},
               {"try", "use single quotes, or write the backslash twice"}});
}

Diagnostic Explanation::bad_alias() const {
    const std::size_t sign = text_.find_last_of("*&", offset_ < text_.size() ? offset_ : std::string_view::npos);
    const std::size_t start = sign == std::string_view::npos ? offset_ : sign;
    return at(start, "'*' and '&' at the start of a value need a name",
              {{"because", "YAML marks values to be repeated with them ('&name', '*name')"},
               {"try", "put the value in quotes if the sign belongs to it"}});
}

Diagnostic Explanation::bad_tag() const {
    const std::size_t sign = text_.substr(0, offset_ + 1).rfind('!');
    return at(sign == std::string_view::npos ? offset_ : sign, "a value can't begin with '!' and a name like this",
              {{"because", "'!name' at the start of a value is a type tag in YAML"},
               {"try", "put the value in quotes if the '!' belongs to it"}});
}

Diagnostic Explanation::make() const {
    if (const auto tab = tab_in_indentation(text_, offset_); tab && !progress_.innermost_bracket)
        return tab_diagnostic(text_, progress_.file, *tab);
    const auto says = [&](std::string_view words) { return complaint_.find(words) != std::string_view::npos; };
    if (says("illegal tab")) return tab_diagnostic(text_, progress_.file, offset_);
    if (says("EOF in scalar") || says("document indicator in scalar")) return open_quote();
    if (says("map flow not found") || says("sequence flow not found")) return open_bracket();
    if (says("illegal flow end")) return stray_bracket();
    if (says("illegal map value")) return unexpected_colon();
    if (says("illegal block entry")) return unexpected_dash();
    if (says("end of map not found") || says("end of sequence not found"))
        return at_line_start() ? wrong_indentation() : unexpected_after_value();
    if (says("unknown token")) return bad_start();
    if (says("escape") || says("hex number") || says("unicode")) return bad_escape();
    if (says("alias") || says("anchor")) return bad_alias();
    if (says("directive") || says("version"))
        return at(offset_, "this instruction to the YAML parser is not understood",
                  {{"because", "only '%YAML 1.1' and '%YAML 1.2' may stand in front of a model"},
                   {"try", "remove the line"}});
    if (says("tag")) return bad_tag();
    if (says("block scalar"))
        return at(offset_, "only '|' or '>' may stand here",
                  {{"because", "'|' and '>' at the start of a value begin a text on the lines below"},
                   {"try", "put the value in quotes if the sign belongs to it"}});
    if (says("illegal map key"))
        return at(offset_, "a value can't begin with '? '", {{"try", "put the value in quotes"}});
    return at(offset_, fmt::format("this is not YAML: {}", complaint_), {});
}

}  // namespace

SourcePosition position_at(std::string_view text, std::uint32_t file, std::size_t offset) {
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    return {file, static_cast<std::uint32_t>(lines + 1),
            static_cast<std::uint32_t>(utf8_count(before_on_line(text, offset)) + 1)};
}

Diagnostic explain_yaml_error(const YamlProgress& progress, std::string_view complaint, std::size_t offset) {
    return Explanation(progress, complaint, offset).make();
}

std::optional<Diagnostic> unreadable_text(std::string_view text, std::uint32_t file) {
    const auto found = [&](std::size_t offset, std::string message, std::vector<DiagnosticNote> notes) {
        return Diagnostic{Severity::error, kUnreadable, position_at(text, file, offset), std::move(message),
                          std::move(notes)};
    };
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return found(0, "the file is UTF-16, not UTF-8", {{"try", "save it as UTF-8"}});
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const auto byte = static_cast<unsigned char>(text[i]);
        if (length == 0)
            return found(i, fmt::format("the file is not UTF-8: byte 0x{:02X}", byte),
                         {{"because", "an older encoding such as Latin-1 writes letters like µ or ° this way"},
                          {"try", "save the file as UTF-8"}});
        const bool line_end = byte == '\n' || (byte == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
        if ((byte < 0x20U && byte != '\t' && !line_end) || byte == 0x7FU)
            return found(i, fmt::format("control character 0x{:02X} in the file", byte),
                         {{"because", byte == '\r' ? "a carriage return ends a line only together with a line feed"
                                                   : "a model is a text file without control characters"}});
        if (byte == '%' && (i == 0 || text[i - 1] == '\n') && !text.substr(i).starts_with("%YAML ") &&
            !text.substr(i).starts_with("%TAG "))
            return Diagnostic{Severity::error,
                              kBroken,
                              position_at(text, file, i),
                              "a line can't begin with '%'",
                              {{"because", "YAML takes such a line for an instruction to the parser"},
                               {"try", "write comments with '#', put names in quotes"}}};
        i += length;
    }
    return std::nullopt;
}

std::optional<std::size_t> tab_in_indentation(std::string_view text, std::size_t offset) {
    std::optional<std::size_t> tab;
    offset = std::min(offset, text.size());
    while (offset > 0 && text[offset - 1] != '\n') {
        --offset;
        if (!is_blank(text[offset])) return std::nullopt;
        if (text[offset] == '\t') tab = offset;
    }
    return tab;
}

Diagnostic tab_diagnostic(std::string_view text, std::uint32_t file, std::size_t tab) {
    return {Severity::error,
            kBroken,
            position_at(text, file, tab),
            "this line is indented with a tab",
            {{"because", "YAML allows only spaces in front of a line"},
             {"try", "replace the tab by two spaces (most editors can do so for the whole file)"}}};
}

std::optional<std::size_t> colon_without_space(std::string_view scalar) {
    for (std::size_t i = scalar.find(':'); i != std::string_view::npos; i = scalar.find(':', i + 1))
        if (i > 0 && i + 1 < scalar.size() && !is_space(scalar[i + 1])) return i;
    return std::nullopt;
}

Diagnostic colon_diagnostic(std::string_view scalar, SourcePosition position) {
    const std::size_t colon = colon_without_space(scalar).value_or(0);
    const std::string repaired = fmt::format("{}: {}", scalar.substr(0, colon), scalar.substr(colon + 1));
    position.column += static_cast<std::uint32_t>(utf8_count(scalar.substr(0, colon)));
    return {Severity::error,
            kBroken,
            position,
            "a space is missing after ':'",
            {{"because", fmt::format("YAML reads {} as one text", quoted_excerpt(scalar))},
             {"try", fmt::format("write {}", quoted_excerpt(repaired))}}};
}

std::string quoted_excerpt(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string result = "'";
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) {
        if (count == kLongest) return result + "…'";
        const std::size_t length = std::max<std::size_t>(utf8_length(text, i), 1);
        result += text[i] == '\n' ? " " : text.substr(i, length);
        i += length;
    }
    return result + "'";
}

}  // namespace bondgraph::io
