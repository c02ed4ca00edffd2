#include "bondgraph/simulation/chebyshev.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <cmath>

namespace bondgraph::simulation {

double chebyshev_point(std::size_t i, std::size_t n) {
    const double angle = boost::math::constants::pi<double>() * static_cast<double>(i) / static_cast<double>(n);
    return 0.5 * (1.0 - std::cos(angle));
}

Chebyshev::Chebyshev(std::size_t n) {
    const auto size = static_cast<Eigen::Index>(n) + 1;
    derivative = Eigen::MatrixXd::Zero(size, size);
    weight = Eigen::VectorXd::Zero(size);
    const auto end = [&](Eigen::Index i) { return i == 0 || i == size - 1; };
    for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index j = 0; j < size; ++j) {
            if (i == j) continue;
            const double apart =
                chebyshev_point(static_cast<std::size_t>(i), n) - chebyshev_point(static_cast<std::size_t>(j), n);
            derivative(i, j) = (end(i) ? 2.0 : 1.0) / (end(j) ? 2.0 : 1.0) * ((i + j) % 2 == 0 ? 1.0 : -1.0) / apart;
        }
        derivative(i, i) = -derivative.row(i).sum();
        // Clenshaw and Curtis: the integral of Σ'' cos(k·angle), half of it for an interval of length 1.
        double sum = 0.0;
        for (std::size_t k = 0; k <= n; k += 2) {
            const auto m = static_cast<double>(k);
            const double half = k == 0 || k == n ? 0.5 : 1.0;
            sum += half / (1.0 - m * m) *
                   std::cos(m * boost::math::constants::pi<double>() * static_cast<double>(i) / static_cast<double>(n));
        }
        weight(i) = (end(i) ? 0.5 : 1.0) * 2.0 * sum / static_cast<double>(n);
    }
}

std::vector<double> refined(std::vector<double> energies,
                            const std::function<std::vector<double>(std::size_t intervals)>& with) {
    for (std::size_t n = 2; n <= kFinestWay; n *= 2) {
        const std::vector<double> finer = with(n);
        if (finer.empty()) break;
        double size = 0.0;
        double change = 0.0;
        for (std::size_t k = 0; k < finer.size(); ++k) {
            size = std::max(size, std::abs(finer[k]));
            change = std::max(change, std::abs(finer[k] - energies[k]));
        }
        energies = finer;
        if (change <= kExactEnergies * size) break;
    }
    return energies;
}

}  // namespace bondgraph::simulation
