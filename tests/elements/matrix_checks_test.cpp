#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two fields between a source and their common flows; codes of what is said of them.
std::vector<std::string> said_of(const std::string& type, const std::string& matrix) {
    const std::string text = fmt::format(
        "components:\n  s: {{type: Se, e: [1, 2]}}\n  j: {{type: 1}}\n  x: {{type: {}, {}}}\n  r: {{type: R, R: [1, "
        "1]}}\n"
        "bonds: [s -> j, j -> x, j -> r]\n",
        type, matrix);
    std::vector<std::string> codes;
    try {
        test::Pipeline p(text);
        for (const Diagnostic& d : p.graph().warnings) codes.push_back(d.code);
    } catch (const ModelError& e) {
        for (const Diagnostic& d : e.diagnostics()) codes.push_back(d.code);
    }
    return codes;
}

TEST(Matrices, OfStoragesAreSymmetricButForRounding) {
    EXPECT_THAT(said_of("I", "I: [[1, 0.3], [0.30000000000001, 1]]"), IsEmpty());
    EXPECT_THAT(said_of("I", "I: [[1, 0.3], [0.301, 1]]"), ElementsAre("BG-M061"));
}

TEST(Matrices, OfStoragesStoreNoEnergyBelowZeroButForRounding) {
    EXPECT_THAT(said_of("I", "I: [[1, 0.999], [0.999, 1]]"), IsEmpty());
    EXPECT_THAT(said_of("I", "I: [[1, 1.001], [1.001, 1]]"), ElementsAre("BG-M062"));
}

TEST(Matrices, OfResistorsMakeNoEnergyButForRounding) {
    EXPECT_THAT(said_of("R", "R: [[1, 1], [1, 1]]"), IsEmpty());
    EXPECT_THAT(said_of("R", "R: [[1, 1.001], [1.001, 1]]"), ElementsAre("BG-M063"));
}

}  // namespace
}  // namespace bondgraph
