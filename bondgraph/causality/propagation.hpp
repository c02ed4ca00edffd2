#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/causality/composition.hpp"

namespace bondgraph::causality {

/// Decides wishes as choose_inputs does where propagation alone comes to an end (Karnopp and Rosenberg's sequential
/// assignment): each port that is still open gets its wish, and what follows at junctions, transformers and gyrators is
/// followed at once. Nothing where bonds are left over, where two demands meet, or where pieces of other equations
/// stand.
///
/// Where it ends without either, the outcome is that of choose_inputs. What is followed is a variable that those
/// granted determine: a port reached so is refused rightly. What runs back on each bond depends on what runs forward
/// and, in the opposite order, on what runs back: no loop is left, all variables follow from those granted, so that
/// none of these follows from the others. Linear in the number of ends, but for sorting them.
std::optional<std::vector<bool>> propagate_inputs(std::span<const Piece> pieces, std::span<const Wish> wishes);

}  // namespace bondgraph::causality
