#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/model.hpp"

namespace bondgraph::model {

/// The names of the number of a part: its row, and its column in an array of rows and columns.
inline constexpr std::array<std::string_view, 2> kIndexNames{"i", "j"};

/// Which part of an array is meant: i from 1, and j in one with rows and columns.
struct PartIndex {
    std::size_t i = 1;
    std::size_t j = 1;
};

/// A text with the names i and j of an expression replaced by their numbers, in parentheses outside brackets. Parts of
/// other names ("x.i", "i.e", "ij"), numbers ("1e3") and units ("2 i") are left alone.
std::string with_index(std::string_view text, const PartIndex& index);

/// Whether an expression names `index`, and not only as a part of another name.
bool names_index(std::string_view text, std::string_view index);

/// Where the next "[" stands that follows a name, from `from` on; npos where there is none. Others begin lists.
std::size_t find_index(std::string_view text, std::size_t from);

/// Whether a name in a text has an index that is no number: "cell[i+1].p".
bool has_open_index(std::string_view text);

/// "3" → 3; nothing for anything else.
std::optional<std::size_t> whole_number(std::string_view text);

/// "i+1, 2" → its parts, without blanks around them, each with its own place.
std::vector<Text> comma_parts(const Text& list);

/// The names in an expression with all that belongs to them: "2*lag[i].y + x" → "lag[i].y", "x".
std::vector<std::string> names_in(std::string_view text);

/// By name ("line[2].cell"): how many parts an array has, or rows and columns.
using ArraySizes = std::map<std::string, std::vector<std::size_t>, std::less<>>;

/// The largest size d of the arrays with so many indices that a name may be, whatever the numbers in it are: those of
/// an inner array differ from instance to instance. Nothing where there is none.
std::optional<std::size_t> largest_of(const ArraySizes& arrays, std::string_view name, std::size_t indices,
                                      std::size_t d);

/// "line[2].cell[i+1].p" → "line.cell.p"
std::string without_indices(std::string_view name);

/// A text with indices in brackets, cut into the texts between them and the texts inside.
struct IndexedText {
    struct Index {
        std::string before;       ///< what stands before its "[", back to the last index
        std::string array;        ///< the whole name before it, with 1 for earlier indices that are no numbers
        bool exact = true;        ///< there are no such ones
        bool inner = false;       ///< a "." follows: it is that of a part, and not of a vector's component
        std::vector<Text> parts;  ///< "i", "j+1"
    };
    std::vector<Index> indices;
    std::string after;
    SourcePosition position;

    explicit IndexedText(const Text& text);
    /// Whether an index of it names i or j.
    [[nodiscard]] bool names(std::string_view index) const;
    /// The text with what `number` gives in place of each part of an index; nothing where it gives nothing.
    using Number = std::function<std::optional<std::string>(const Index& index, const Text& part)>;
    [[nodiscard]] std::optional<std::string> with(const Number& number) const;
};

}  // namespace bondgraph::model
