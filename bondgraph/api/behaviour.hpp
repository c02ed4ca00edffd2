#pragma once

#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/equivalence/traits.hpp"

namespace bondgraph::api {

/// What comparing the behaviour of two models gave.
struct Agreement {
    bool equal = false;
    std::string text;           ///< what was compared and how closely, or what kept it from being told
    bool one_run = false;       ///< nothing but one run was compared
    std::string revealed = {};  ///< why the reference could not be run: names of it
};

/// Models with constant coefficients: poles, and the transfer matrix from all sources to what answers them, for some
/// assignment of sources of equal kind and value; where sources have no counterparts, how all storages answer what the
/// sources give, and the values of all resistors. Others, and those that do not start at rest: the powers of sources
/// and storages over the reference's experiment.
Agreement agreement(const Model& mine, const equivalence::Traits& my_traits, const Model& reference,
                    const equivalence::Traits& reference_traits);

}  // namespace bondgraph::api
