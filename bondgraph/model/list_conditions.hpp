#pragma once

#include "bondgraph/model/quantity.hpp"

namespace bondgraph::model {

// What is said of all entries of a list, as values 1 and 0. Of a list with an unknown entry nothing is known.

/// Whether each entry of a list is above the one before.
Quantity increasing(const Quantity& list);

/// contains(list, x): whether an entry of a list, or of a matrix, is equal to a number. Throws SyntaxError at `call`
/// where x is no scalar, or where they have different dimensions.
Quantity contains(const expression::SyntaxNode& call, const Quantity& list, const Quantity& x);

/// position(list, x): the number of the first entry that is equal to a number, from 1, or 0 where none is. Throws as
/// `contains`, and where the list is a matrix.
Quantity position(const expression::SyntaxNode& call, const Quantity& list, const Quantity& x);

}  // namespace bondgraph::model
