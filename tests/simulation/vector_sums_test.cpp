#include "bondgraph/simulation/vector_sums.hpp"

#include <gtest/gtest.h>
#include <nvector/nvector_serial.h>

#include <random>
#include <vector>

namespace bondgraph::simulation {
namespace {

using Sum = int (*)(int, double*, N_Vector*, N_Vector);

/// Σ c·x by `sum`, into a vector of its own or into the first of the x.
std::vector<double> sum_by(Sum sum, SUNContext context, std::vector<double> c, std::vector<std::vector<double>> x,
                           bool into_first) {
    const auto size = static_cast<sunindextype>(x[0].size());
    std::vector<double> own(x[0].size());
    std::vector<double>& result = into_first ? x[0] : own;
    std::vector<N_Vector> vectors;
    for (std::vector<double>& values : x) vectors.push_back(N_VMake_Serial(size, values.data(), context));
    const N_Vector z = into_first ? vectors[0] : N_VMake_Serial(size, own.data(), context);
    EXPECT_EQ(sum(static_cast<int>(c.size()), c.data(), vectors.data(), z), 0);
    if (!into_first) N_VDestroy(z);
    for (const N_Vector v : vectors) N_VDestroy(v);
    return result;
}

// IDA's steps must not depend on who adds: not one bit may differ.
TEST(VectorSums, AreThoseOfSundialsToTheLastBit) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    std::mt19937 random(5);
    std::normal_distribution<double> number;
    const auto draw = [&](std::size_t size) {
        std::vector<double> values(size);
        for (double& v : values) v = number(random);
        return values;
    };
    for (const std::size_t size : {1, 2, 3, 7, 1023, 1024, 1025, 3001}) {
        for (std::size_t count = 1; count <= 8; ++count) {
            for (const bool one : {false, true}) {
                std::vector<double> c = draw(count);
                if (one) c[0] = 1.0;
                std::vector<std::vector<double>> x;
                for (std::size_t k = 0; k < count; ++k) x.push_back(draw(size));
                for (const bool into_first : {false, true})
                    EXPECT_EQ(sum_by(linear_combination, context, c, x, into_first),
                              sum_by(N_VLinearCombination_Serial, context, c, x, into_first));
            }
        }
    }
    SUNContext_Free(&context);
}

TEST(VectorSums, NormsAreThoseOfSundialsToTheLastBit) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    std::mt19937 random(7);
    std::normal_distribution<double> number;
    for (const std::size_t size : {1, 2, 3, 7, 1025}) {
        std::vector<double> values(size);
        std::vector<double> weights(size);
        for (std::size_t k = 0; k < size; ++k) {
            values[k] = number(random);
            weights[k] = 1e3 * number(random);
        }
        const auto length = static_cast<sunindextype>(size);
        const N_Vector x = N_VMake_Serial(length, values.data(), context);
        const N_Vector w = N_VMake_Serial(length, weights.data(), context);
        EXPECT_EQ(weighted_norm(x, w), N_VWrmsNorm_Serial(x, w)) << size;
        N_VDestroy(w);
        N_VDestroy(x);
    }
    SUNContext_Free(&context);
}

}  // namespace
}  // namespace bondgraph::simulation
