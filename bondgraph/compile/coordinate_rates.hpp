#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// What rates a mechanism has: fewer than coordinates where parts roll. der(q) = S(q) v of the coordinates q of an
/// assembly and states v that are no coordinates (angular velocities of a wheel, say).
class CoordinateRates {
   public:
    /// Nothing where a rate doesn't follow from states alone.
    static std::optional<CoordinateRates> of(const AssemblyProblem& problem);

    [[nodiscard]] std::size_t count() const { return rates_.size(); }
    /// S at a point: rows by coordinate.
    [[nodiscard]] Eigen::MatrixXd at(const ChoicePoint& point) const;

   private:
    CoordinateRates(PointTape tape, std::vector<std::uint32_t> rates)
        : tape_(std::move(tape)), rates_(std::move(rates)) {}

    PointTape tape_;
    std::vector<std::uint32_t> rates_;  ///< variables, ascending
};

}  // namespace bondgraph::compile
