// The power audit over every mechanical type, written as its example says: each transformer inside gives out exactly
// the power it takes in, for any efforts, flows, positions and orientations.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"
#include "tests/mechanics3d/examples.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using expression::Expr;
using expression::Op;
using model::BondGraph;
using model::ComponentType;
using model::Element;
using test::catalogue;
using test::mechanical_types;
using test::model_with;
using test::Pipeline;

class Numbers {
   public:
    explicit Numbers(std::uint64_t seed) : random_(seed) {}
    double of(std::uint32_t variable) {
        return values_.try_emplace(variable, std::uniform_real_distribution<double>(-2.0, 2.0)(random_)).first->second;
    }
    void set(std::uint32_t variable, double value) { values_[variable] = value; }

   private:
    std::mt19937_64 random_;
    std::unordered_map<std::uint32_t, double> values_;
};

double value(const BondGraph& g, Expr e, Numbers& numbers) {
    if (e.is_constant()) return e.constant();
    const std::array roots{e};
    const Expr result = expression::substitute(*g.expressions, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = (*g.expressions)[n];
        if (node.op == Op::variable) return Expr(numbers.of(node.a));
        if (node.op == Op::time) return Expr(0.7);
        return std::nullopt;
    })[0];
    return result.constant();
}

/// Power in at p1 minus power out at p2, and the size of the terms.
std::pair<double, double> imbalance(const BondGraph& g, std::size_t index, std::uint64_t seed) {
    const Element& e = g.elements[index];
    std::vector<model::Equation> equations;
    model::LawContext context(g, model::ElementId(index), equations);
    e.type->law(context);
    Numbers numbers(seed);
    for (const model::Equation& q : equations) {
        const expression::Node& node = (*g.expressions)[q.lhs.node()];
        const bool negative = node.op == Op::negate;
        const std::uint32_t variable = negative ? (*g.expressions)[node.a].a : node.a;
        numbers.set(variable, (negative ? -1.0 : 1.0) * value(g, q.rhs, numbers));
    }
    double sum = 0.0;
    double size = 0.0;
    for (std::size_t p = 0; p < e.ports.size(); ++p) {
        const auto efforts = context.effort(p);
        const auto flows = context.flow(p);
        for (Eigen::Index k = 0; k < efforts.size(); ++k) {
            const double power = value(g, efforts(k), numbers) * value(g, flows(k), numbers);
            sum += e.ports[p].direction == model::PortDirection::in ? power : -power;
            size += std::abs(power);
        }
    }
    return {sum, size};
}

class MechanicalPower : public testing::TestWithParam<const ComponentType*> {};

TEST_P(MechanicalPower, IsConservedByEveryTransformer) {
    const std::string text = model_with(*GetParam());
    SCOPED_TRACE(text);
    Pipeline p(text);
    const BondGraph& g = p.graph();
    std::size_t audited = 0;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (!g.elements[i].directed) continue;
        ++audited;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto [sum, size] = imbalance(g, i, seed);
            EXPECT_LE(std::abs(sum), 1e-12 * size) << g.elements[i].name;
        }
    }
    EXPECT_GT(audited, 0U);
    p.compiled();  // and the whole has a causality and sorted equations
}

INSTANTIATE_TEST_SUITE_P(Types, MechanicalPower, testing::ValuesIn(mechanical_types()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(MechanicalTypes, SayWhereTheyComeFromAndHowTheyAreWritten) {
    for (const ComponentType* t : catalogue().types()) {
        EXPECT_FALSE(t->source.empty()) << t->name;
        EXPECT_FALSE(t->summary.empty()) << t->name;
        if (t->name.find(' ') == std::string_view::npos) {
            EXPECT_FALSE(t->example.empty()) << t->name;
        }
        for (const model::ParameterSpec& parameter : t->parameters)
            EXPECT_FALSE(parameter.doc.empty()) << t->name << "." << parameter.name;
    }
}

}  // namespace
}  // namespace bondgraph
