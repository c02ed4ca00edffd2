#pragma once

#include <span>
#include <vector>

#include "bondgraph/compile/point_tape.hpp"

namespace bondgraph::compile {

/// What follows from given values one row (0 = row) after the other is computed so, and given values are kept exactly:
/// solved together with everything else a current of 0 would be 1e-30, and a diode ask which way it flows. `x` meets
/// the rows but for rounding and is moved by rounding only: by at most `share` of its largest value, and where the row
/// is met no worse then. What is more than ten rows away stays as it is.
void solve_singly(const PointTape& rows, std::vector<double>& x, double time, std::span<const double> held,
                  double share);

}  // namespace bondgraph::compile
