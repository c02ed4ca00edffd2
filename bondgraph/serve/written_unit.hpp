#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/units.hpp"

namespace bondgraph::serve {

/// Lines of a text, and places in them as messages tell them.
class TextLines {
   public:
    /// The text has to stay.
    explicit TextLines(std::string_view text);
    /// What stands from there to the end of the line; line and column from 1, columns count letters. Empty where there
    /// is no such place.
    [[nodiscard]] std::string_view from(int line, int column) const;

   private:
    std::vector<std::string_view> lines_;
};

/// A unit as a file has it: SI is scale times the number there plus offset.
struct WrittenUnit {
    std::string name;  ///< "degC"; empty where the number stands alone
    double scale = 1.0;
    double offset = 0.0;
};

/// The unit of the number that a text begins with, where it and the number are all of a value and give `si`.
std::optional<WrittenUnit> written_unit(std::string_view text, double si, const UnitSystem& units);

}  // namespace bondgraph::serve
