#include "bondgraph/simulation/vector_sums.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace bondgraph::simulation {
namespace {

constexpr std::size_t kPiece = 1024;  // numbers of z that stay in the nearest cache from one pass to the next

/// z += c_0·x_0 + c_1·x_1 + …, added one after the other.
template <std::size_t kCount>
void add(double* __restrict z, const double* c, const N_Vector* x, std::size_t first, std::size_t size) {
    std::array<const double*, kCount> from{};
    std::array<double, kCount> factor{};
    for (std::size_t k = 0; k < kCount; ++k) {
        from[k] = NV_DATA_S(x[k]) + first;
        factor[k] = c[k];
    }
    for (std::size_t i = 0; i < size; ++i) {
        double sum = z[i];
        for (std::size_t k = 0; k < kCount; ++k) sum += factor[k] * from[k][i];
        z[i] = sum;
    }
}

}  // namespace

int linear_combination(int count, double* c, N_Vector* x, N_Vector z) {
    if (count < 3) return N_VLinearCombination_Serial(count, c, x, z);
    const auto all = static_cast<std::size_t>(NV_LENGTH_S(z));
    const double* const begin = NV_DATA_S(x[0]);
    const double scale = c[0];
    for (std::size_t first = 0; first < all; first += kPiece) {
        const std::size_t size = std::min(kPiece, all - first);
        double* const sum = NV_DATA_S(z) + first;
        if (begin != NV_DATA_S(z)) {
            const double* const from = begin + first;
            for (std::size_t i = 0; i < size; ++i) sum[i] = scale * from[i];
        } else if (scale != 1.0) {
            for (std::size_t i = 0; i < size; ++i) sum[i] *= scale;
        }
        int k = 1;
        for (; k + 3 <= count; k += 3) add<3>(sum, c + k, x + k, first, size);
        if (count - k == 2) add<2>(sum, c + k, x + k, first, size);
        if (count - k == 1) add<1>(sum, c + k, x + k, first, size);
    }
    return 0;
}

double weighted_norm(N_Vector x, N_Vector weights) {
    const auto size = static_cast<std::size_t>(NV_LENGTH_S(x));
    const double* const value = NV_DATA_S(x);
    const double* const weight = NV_DATA_S(weights);
    double sum = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
        const double share = value[i] * weight[i];
        sum += share * share;
    }
    return std::sqrt(sum / static_cast<double>(size));
}

}  // namespace bondgraph::simulation
