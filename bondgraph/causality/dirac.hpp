#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "bondgraph/structure/exact_number.hpp"

namespace bondgraph::causality {

using structure::ExactNumber;

/// A power-conserving relation of N port components as the row space picture: rows 2i and 2i+1 of a 2N × N matrix give
/// e_i and f_i in terms of N parameters. Choosing one row per component (its input) is a valid causality exactly when
/// the chosen rows are independent, which exact numbers decide. Rows are chosen one by one; Gauss–Jordan elimination
/// keeps at hand what is already determined. (van der Schaft, Jeltsema: Port-Hamiltonian Systems Theory, 2014, on Dirac
/// structures.)
class Dirac {
   public:
    using Table = std::vector<std::vector<ExactNumber>>;

    Dirac() = default;
    explicit Dirac(const Eigen::MatrixXd& rows);

    /// Null space of A·(e_1, f_1, …, e_N, f_N, internal…) = 0 restricted to the first 2N unknowns.
    /// Nothing when internal unknowns stay undetermined; `free_unknown` then is one of them.
    static std::optional<Dirac> from_equations(const Eigen::MatrixXd& equations, std::size_t ports,
                                               std::size_t& free_unknown);

    [[nodiscard]] std::size_t ports() const { return table_.size() / 2; }
    /// Makes a row an input; false (and nothing changes) when the rows chosen before determine it already.
    bool choose(std::size_t row);
    /// The chosen rows determine this one.
    [[nodiscard]] bool determined(std::size_t row) const;
    /// Coefficient of an output row on a chosen input row (after N choices).
    [[nodiscard]] double transfer(std::size_t output_row, std::size_t input_row) const;

   private:
    explicit Dirac(Table table);

    Table table_;
    std::vector<bool> used_;           // parameter columns that belong to a chosen row
    std::vector<std::size_t> column_;  // per row: its column when chosen
};

}  // namespace bondgraph::causality
