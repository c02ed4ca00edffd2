#include "bondgraph/compile/given_values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bondgraph::compile {

namespace {

/// A row and the entry of the one variable in it that is not known.
using Single = std::pair<std::size_t, std::size_t>;

std::vector<Single> single_unknowns(const structure::Incidence& pattern, const std::vector<bool>& known) {
    std::vector<Single> single;
    std::vector<bool> taken = known;  // one row for each
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        std::size_t open = 0;
        std::size_t entry = 0;
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            if (known[pattern.columns[k]]) continue;
            ++open;
            entry = k;
        }
        if (open != 1 || taken[pattern.columns[entry]]) continue;
        taken[pattern.columns[entry]] = true;
        single.emplace_back(r, entry);
    }
    return single;
}

}  // namespace

void solve_singly(const PointTape& rows, std::vector<double>& x, double time, std::span<const double> held,
                  double share) {
    constexpr int kFurthest = 10;
    const auto& pattern = rows.pattern();
    PointJacobian jacobian(rows);
    std::vector<bool> known(x.size(), false);
    for (int round = 0; round < kFurthest; ++round) {
        const std::vector<Single> single = single_unknowns(pattern, known);
        if (single.empty()) return;
        double most = 0.0;
        for (const double value : x) most = std::max(most, std::abs(value));
        std::vector<double> exact = x;
        for (const auto& [r, k] : single) exact[pattern.columns[k]] = 0.0;
        const auto missed = rows.values(x, time, held);
        const auto slopes = jacobian.at(x, time, held);
        const auto at_zero = rows.values(exact, time, held);
        const auto slopes_at_zero = jacobian.at(exact, time, held);
        for (const auto& [r, k] : single) {
            const bool linear = slopes[k] != 0.0 && slopes[k] == slopes_at_zero[k];
            exact[pattern.columns[k]] = linear ? -at_zero[r] / slopes[k] : x[pattern.columns[k]];
            known[pattern.columns[k]] = true;
        }
        const auto left = rows.values(exact, time, held);
        for (const auto& [r, k] : single) {
            double& value = x[pattern.columns[k]];
            const double better = exact[pattern.columns[k]];
            if (std::abs(left[r]) <= std::abs(missed[r]) && std::abs(better - value) <= share * most) value = better;
        }
    }
}

}  // namespace bondgraph::compile
