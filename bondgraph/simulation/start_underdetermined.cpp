// A point at which fewer equations than unknowns hold, near where the search begins.

#include <limits>

#include "bondgraph/simulation/start_nonlinear.hpp"
#include "bondgraph/structure/least_change_search.hpp"

namespace bondgraph::simulation {

bool solve_underdetermined(const NonlinearSystem& s, const std::vector<bool>& kept, std::vector<double>& x) {
    const std::vector<std::uint8_t> reluctance(kept.begin(), kept.end());
    std::vector<double> entries(s.pattern.columns.size());
    std::vector<double> residuals(s.size());
    const auto rows_at = [&](std::span<const double> at) {
        const bool finite = s.residual(at, residuals) && s.jacobian(at, entries);
        const std::vector<double> rounding = s.rounding ? s.rounding(at) : std::vector<double>();
        structure::ScaledRows rows = structure::scaled_rows({s.pattern, at, entries, residuals, rounding, {}});
        rows.finite = rows.finite && finite;
        return rows;
    };
    const auto residuals_at = [&](std::span<const double> at) {
        const bool finite = s.residual(at, residuals);
        Eigen::VectorXd result = Eigen::Map<const Eigen::VectorXd>(residuals.data(), std::ssize(residuals));
        if (!finite) result.setConstant(std::numeric_limits<double>::quiet_NaN());
        return result;
    };
    constexpr double kGoneBesideTerms = 1e-12;
    const structure::ScaledRows end = structure::search_least_change(rows_at, residuals_at, reluctance, x);
    return end.finite && end.violation <= kGoneBesideTerms;
}

}  // namespace bondgraph::simulation
