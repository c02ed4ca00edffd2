#pragma once

#include <functional>
#include <optional>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::compile {

/// How many constraints are redundant at a point, where `rank` (relative to a column) counts as zero.
using RedundantAt = std::function<std::size_t(const ChoicePoint& at, double rank)>;

/// Whether fewer constraints are redundant beside a point than at it, where a choice was made: a singular position
/// (links in line) and no redundancy. It is looked for at a few configurations beside it that the constraints admit:
/// at others they may be independent although they never are during a motion (Bricard's linkage).
bool singular_here(const ReducedSystem& system, const structure::DummyChoice& choice, const ChoicePoint& at,
                   const RedundantAt& redundant);

/// A point and a few configurations beside it that the constraints admit, found when first asked for.
class Surroundings {
   public:
    /// Both must outlive it.
    Surroundings(const ReducedSystem& system, const ChoicePoint& at) : s_(system), at_(at) {}
    /// The point first; fewer where constraints lead elsewhere.
    [[nodiscard]] const std::vector<ChoicePoint>& points();

   private:
    const ReducedSystem& s_;
    const ChoicePoint& at_;
    std::vector<ChoicePoint> points_;
};

/// The equation (undifferentiated) of a constraint that says nothing of any rate at a point and does beside it, or
/// hardly anything: a search for a start comes to such a position with half of its digits only.
std::optional<std::uint32_t> vanishing_here(const ReducedSystem& system, const ChoicePoint& at);

/// By equation that a choice has left out as implied by others, the most that one of its variables contributes: value
/// times slope. Terms that vanish wherever the mechanism is (of an axis that stays upright) say nothing of how far off
/// the equation is.
std::vector<double> contributions(const ReducedSystem& system, const structure::DummyChoice& choice,
                                  const ChoicePoint& at);

}  // namespace bondgraph::compile
