#include "bondgraph/api/latex_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/expression/operations.hpp"

namespace bondgraph::api {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// A piece of a formula that is not divided: an atom with its indices and exponents, a sign, a parenthesis.
struct Piece {
    enum class Kind : std::uint8_t { atom, sign, factor, relation, open, close } kind = Kind::atom;
    std::string text;  ///< with the blanks behind it
    double width = 0.0;
};

/// The pieces of a formula as this program writes them.
class Pieces {
   public:
    explicit Pieces(std::string_view text) : text_(text) {}

    std::vector<Piece> run() {
        blanks();
        while (at_ < text_.size()) next();
        return std::move(pieces_);
    }

   private:
    using Kind = Piece::Kind;

    void blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }

    [[nodiscard]] bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    // The end of a control word or sign, a group in braces, or one character.
    [[nodiscard]] std::size_t end_of_token(std::size_t from) const {
        if (from >= text_.size()) return from;
        if (text_[from] == '\\') {
            std::size_t end = from + 1;
            while (end < text_.size() && is_letter(text_[end])) ++end;
            return std::max(end, std::min(from + 2, text_.size()));
        }
        if (text_[from] != '{') return from + std::max<std::size_t>(utf8_length(text_, from), 1);
        std::size_t depth = 0;
        for (std::size_t end = from; end < text_.size(); ++end) {
            if (text_[end] == '\\') {
                ++end;
            } else if (text_[end] == '{') {
                ++depth;
            } else if (text_[end] == '}' && --depth == 0) {
                return end + 1;
            }
        }
        return text_.size();
    }

    [[nodiscard]] std::size_t end_of_environment() const {
        constexpr std::string_view kBegin = "\\begin{";
        constexpr std::string_view kEnd = "\\end{";
        std::size_t depth = 0;
        for (std::size_t end = at_; end < text_.size(); ++end) {
            if (text_.substr(end).starts_with(kBegin)) ++depth;
            if (text_.substr(end).starts_with(kEnd) && --depth == 0) return text_.find('}', end) + 1;
        }
        return text_.size();
    }

    void next() {
        if (at("\\left")) return delimiter(Kind::open, 5);
        if (at("\\right")) return delimiter(Kind::close, 6);
        if (at("\\begin{")) return add(Kind::atom, end_of_environment());
        const std::size_t end = end_of_token(at_);
        const std::string_view token = text_.substr(at_, end - at_);
        const bool after_operand =
            !pieces_.empty() && (pieces_.back().kind == Kind::atom || pieces_.back().kind == Kind::close);
        if ((token == "+" || token == "-") && after_operand) return add(Kind::sign, end);
        if (token == "\\land" || token == "\\lor") return add(Kind::sign, end);
        if (token == "\\cdot" || token == "\\,") return add(Kind::factor, end);
        constexpr std::array<std::string_view, 7> kRelations{"<", ">", "=", "\\le", "\\ge", "\\ne", ","};
        if (std::find(kRelations.begin(), kRelations.end(), token) != kRelations.end()) return add(Kind::relation, end);
        atom(token, end);
    }

    void delimiter(Kind kind, std::size_t length) { add(kind, with_scripts(end_of_token(at_ + length))); }

    void atom(std::string_view token, std::size_t end) {
        const std::size_t groups = token == "\\frac" ? 2 : token.starts_with('\\') ? 1 : 0;
        for (std::size_t k = 0; k < groups && end < text_.size() && text_[end] == '{'; ++k) end = end_of_token(end);
        // Digits are one number.
        while (std::isdigit(static_cast<unsigned char>(token[0])) != 0 && end < text_.size() &&
               (std::isdigit(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.'))
            ++end;
        add(Kind::atom, with_scripts(end));
    }

    [[nodiscard]] std::size_t with_scripts(std::size_t end) const {
        while (end < text_.size() && (text_[end] == '^' || text_[end] == '_' || text_[end] == '\'')) {
            if (text_[end] != '\'')
                end = end_of_token(end + 1);
            else
                ++end;
        }
        return end;
    }

    void add(Kind kind, std::size_t end) {
        const std::size_t begin = at_;
        at_ = end;
        blanks();
        pieces_.push_back({kind, std::string(text_.substr(begin, at_ - begin)), 0.0});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Piece> pieces_;
};

/// The contents of the group in braces that begins at `from`, and where it ends.
std::pair<std::string, std::size_t> group_at(const std::string& text, std::size_t from) {
    std::size_t depth = 0;
    for (std::size_t end = from; end < text.size(); ++end) {
        if (text[end] == '\\') {
            ++end;
        } else if (text[end] == '{') {
            ++depth;
        } else if (text[end] == '}' && --depth == 0) {
            return {text.substr(from + 1, end - from - 1), end + 1};
        }
    }
    return {text.substr(std::min(from + 1, text.size())), text.size()};
}

constexpr double kCharacter = 5.3;
constexpr double kScript = 0.72;

/// Of a group's contents: a command, as of a Greek letter, is one character, and what switches to formulas and back
/// none.
std::size_t printed_characters(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size();) {
        const bool command = text[i] == '\\';
        if (command || std::string_view("${}").find(text[i]) == std::string_view::npos) ++count;
        i += std::max<std::size_t>(utf8_length(text, i), 1);
        if (command && i < text.size()) ++i;
        while (command && i < text.size() && is_letter(text[i - 1]) && is_letter(text[i])) ++i;
    }
    return count;
}

double text_width(std::string_view text) { return 4.9 * static_cast<double>(printed_characters(text)); }

/// The end of an environment's row that begins at `from`: rows of environments inside it are not its own.
std::size_t end_of_row(std::string_view text, std::size_t from) {
    std::size_t depth = 0;
    for (std::size_t at = from; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("\\begin{")) ++depth;
        if (rest.starts_with("\\end{") && depth-- == 0) return at;
        if (depth == 0 && rest.starts_with("\\\\")) return at;
    }
    return text.size();
}

/// The largest of an environment's rows and the brace beside them.
double environment_width(const std::string& text) {
    constexpr double kBeside = 22.0;
    double widest = 0.0;
    for (std::size_t begin = text.find('}') + 1; begin < text.size();) {
        const std::size_t end = end_of_row(text, begin);
        widest = std::max(widest, latex_width(text.substr(begin, end - begin)));
        if (!std::string_view(text).substr(end).starts_with("\\\\")) break;
        begin = end + 2;
    }
    return widest + kBeside;
}

/// A control word with what belongs to it, from the front of `text`; `end` is set behind it.
double command_width(const std::string& text, std::size_t& end) {
    end = 1;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string word = text.substr(0, end);
    if (word == "\\frac") {
        const auto [above, middle] = group_at(text, end);
        const auto [below, after] = group_at(text, middle);
        end = after;
        return 2.4 + std::max(latex_width(above), latex_width(below));
    }
    if (word == "\\sqrt") {
        const auto [inside, after] = group_at(text, end);
        end = after;
        return 9.0 + latex_width(inside);
    }
    if (end < text.size() && text[end] == '{') {  // upright words
        const auto [inside, after] = group_at(text, end);
        end = after;
        return text_width(inside) + (word == "\\operatorname" ? 2.0 : 0.0);
    }
    const auto is_command = [&](const expression::Operation& o) { return o.tex == word; };
    if (std::any_of(expression::kOperations.begin(), expression::kOperations.end(), is_command))
        return text_width(std::string_view(word).substr(1)) + 1.7;
    if (word == "\\ldots") return 13.4;
    return word == "\\infty" ? 10.0 : 6.6;  // a Greek letter, most of them
}

/// Indices and exponents from `from` on.
double scripts_width(const std::string& text, std::size_t from) {
    double width = 0.0;
    while (from < text.size()) {
        if (text[from] != '^' && text[from] != '_') {
            ++from;
            continue;
        }
        const auto [inside, after] = from + 1 < text.size() && text[from + 1] == '{'
                                         ? group_at(text, from + 1)
                                         : std::pair(text.substr(from + 1, 1), from + 2);
        width += kScript * latex_width(inside) + 0.5;
        from = after;
    }
    return width;
}

double piece_width(const Piece& piece) {
    switch (piece.kind) {
        case Piece::Kind::sign:
            return 12.3;
        case Piece::Kind::factor:
            return piece.text.starts_with("\\,") ? 1.7 : 7.3;
        case Piece::Kind::relation:
            return piece.text.starts_with(",") ? 4.5 : 13.4;
        case Piece::Kind::open:
            return 5.5;
        case Piece::Kind::close:
            return 5.5 + scripts_width(piece.text, 0);
        case Piece::Kind::atom:
            break;
    }
    if (piece.text.starts_with("\\begin{")) return environment_width(piece.text);
    if (piece.text.starts_with('{')) return latex_width(group_at(piece.text, 0).first);
    std::size_t end = 0;
    if (piece.text.starts_with('\\')) {
        const double width = command_width(piece.text, end);
        return width + scripts_width(piece.text, end);
    }
    end = std::min(piece.text.find_first_of("^_ "), piece.text.size());
    const bool letter = end > 0 && is_letter(piece.text[0]);
    return (letter ? 6.2 : kCharacter) * static_cast<double>(utf8_count(piece.text.substr(0, end))) +
           scripts_width(piece.text, end);
}

std::vector<Piece> pieces_of(const std::string& formula) {
    std::vector<Piece> pieces = Pieces(formula).run();
    for (Piece& piece : pieces) piece.width = piece_width(piece);
    return pieces;
}

class Breaking {
   public:
    explicit Breaking(double room) : room_(room) {}

    std::vector<std::string> run(const std::string& formula) {
        add(formula);
        std::size_t begin = 0;
        while (begin < pieces_.size()) {
            const std::size_t end = end_of_line(begin);
            write(begin, end);
            begin = end;
        }
        return std::move(lines_);
    }

   private:
    using Kind = Piece::Kind;

    void add(const std::string& formula) {
        for (Piece& piece : pieces_of(formula)) {
            if (piece.kind != Kind::atom || piece.width <= room_ || !open_up(piece))
                pieces_.push_back(std::move(piece));
        }
    }

    void put(Kind kind, std::string text) {
        Piece piece{kind, std::move(text), 0.0};
        piece.width = piece_width(piece);
        pieces_.push_back(std::move(piece));
    }

    void enclosed(const std::string& formula, const std::string& close) {
        put(Kind::open, "\\left(");
        add(formula);
        put(Kind::close, close);
    }

    // What can't be broken is written so that it can: false where there is no such form.
    bool open_up(const Piece& piece) {
        constexpr std::string_view kExponential = "\\mathrm{e}^";
        if (piece.text.starts_with("\\frac")) {
            const auto [above, middle] = group_at(piece.text, 5);
            const std::string below = group_at(piece.text, middle).first;
            enclosed(above, "\\right)");
            put(Kind::factor, "\\,");
            const bool short_one = pieces_of(below).size() == 1 && latex_width(below) <= room_;
            if (short_one && below.find('^') == std::string::npos)
                put(Kind::atom, "{" + below + "}^{-1} ");
            else
                enclosed(below, "\\right)^{-1} ");
            return true;
        }
        if (piece.text.starts_with("\\sqrt")) {
            enclosed(group_at(piece.text, 5).first, "\\right)^{1/2} ");
            return true;
        }
        if (!piece.text.starts_with(kExponential)) return false;
        put(Kind::atom, "\\exp");
        enclosed(group_at(piece.text, kExponential.size()).first, "\\right)");
        return true;
    }

    // Before a sign in as few parentheses as can be had, not too near the beginning of the line; else before a factor.
    [[nodiscard]] std::size_t end_of_line(std::size_t begin) const {
        constexpr double kWellFilled = 0.6;
        constexpr std::size_t kFactor = 4;  // as bad as this many parentheses
        constexpr double kInvisible = 1.2;  // a parenthesis that is not drawn
        double width = kInvisible * static_cast<double>(open_.size());
        std::size_t depth = open_.size();
        std::size_t best = 0;
        std::size_t least = 0;
        bool filled = false;
        for (std::size_t k = begin; k < pieces_.size(); ++k) {
            const Piece& piece = pieces_[k];
            if (k > begin && (piece.kind == Kind::sign || piece.kind == Kind::factor)) {
                const std::size_t cost = depth + (piece.kind == Kind::factor ? kFactor : 0);
                const bool now_filled = width >= kWellFilled * room_;
                if (best == 0 || (now_filled && !filled) || cost <= least) {
                    best = k;
                    least = cost;
                    filled = now_filled;
                }
            }
            width += piece.width;
            if (piece.kind == Kind::open) ++depth;
            if (piece.kind == Kind::close && depth > 0) --depth;
            if (width + kInvisible * static_cast<double>(depth) > room_ && best > 0) return best;
        }
        return pieces_.size();
    }

    void write(std::size_t begin, std::size_t end) {
        std::string line;
        std::size_t first = begin;
        if (begin > 0 && begin < end) {
            const Piece& sign = pieces_[begin];
            line = "{} " + (sign.text.starts_with("\\,") ? std::string("\\cdot ") : sign.text);
            first = begin + 1;
        }
        for (std::size_t k = 0; k < open_.size(); ++k) line += "\\left.";
        for (std::size_t k = first; k < end; ++k) {
            line += pieces_[k].text;
            if (pieces_[k].kind == Kind::open) open_.push_back(k);
            if (pieces_[k].kind == Kind::close && !open_.empty()) open_.pop_back();
        }
        for (std::size_t k = 0; k < open_.size(); ++k) line += "\\right.";
        line.erase(line.find_last_not_of(' ') + 1);
        lines_.push_back(std::move(line));
    }

    double room_;
    std::vector<Piece> pieces_;
    std::vector<std::size_t> open_;  ///< parentheses that are open at the end of the line before
    std::vector<std::string> lines_;
};

}  // namespace

double latex_width(const std::string& formula) {
    double width = 0.0;
    for (const Piece& piece : pieces_of(formula)) width += piece.width;
    return width;
}

std::vector<std::string> latex_lines(const std::string& formula, double room) { return Breaking(room).run(formula); }

}  // namespace bondgraph::api
