#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "bondgraph/equivalence/normal_form.hpp"
#include "bondgraph/expression/expr.hpp"

namespace bondgraph::equivalence {

/// Makes items of expressions, one for each operation: a vertex of the cover is an expression and its twin the negative
/// of it. Sums and products have no order, and one number each, wherever the numbers stood; quotients are products with
/// divisors. What is a factor several times is a power (x·x is x²), and what x² sign(x) says is x·|x|. A product turns
/// with each factor, as do odd functions and the branches of a choice. What has no such symmetry is pinned.
class ExpressionItems {
   public:
    /// `leaf` gives the vertex of a variable, a derivative, the time or a held value.
    ExpressionItems(NormalForm& form, const expression::Graph& graph,
                    std::function<std::uint32_t(const expression::Node&)> leaf)
        : form_(form), graph_(graph), leaf_(std::move(leaf)) {}

    /// The vertex of an expression.
    std::uint32_t vertex(expression::Expr e);
    /// That of a vertex times an expression, or divided by it.
    std::uint32_t scaled(std::uint32_t vertex, expression::Expr by, bool divided);
    /// The number among the factors of an expression.
    double coefficient(expression::Expr e);
    /// A number as it is, or with the sign turned.
    std::uint32_t number(double value);
    std::uint32_t add(std::string kind, bool pinned, std::vector<double> values = {});
    /// From a vertex to another, and from its twin to that one's twin.
    void lead(std::uint32_t from, std::uint32_t to, const std::string& label);

   private:
    struct Factor {
        std::uint32_t vertex = 0;
        bool divisor = false;
    };
    /// |x|^absolute x^exponent sign(x)^signs, of a vertex x.
    struct Powers {
        std::uint32_t vertex = 0;
        int exponent = 0;
        int absolute = 0;
        int signs = 0;
    };
    struct Product {
        double number = 1.0;
        std::vector<Powers> factors;  ///< in the order in which they are met, each vertex or its twin once
    };
    struct Sum {
        double number = 0.0;
        std::vector<std::uint32_t> terms;  ///< vertices
    };

    std::uint32_t of_node(std::uint32_t node);
    std::uint32_t made(const expression::Node& node);
    std::uint32_t sum(std::uint32_t node);
    std::uint32_t product(const Product& product);
    std::vector<Factor> factors_of(const Product& product);
    std::uint32_t integer_power(std::uint32_t base, int exponent);
    std::uint32_t even_or_odd(expression::Op op, std::uint32_t operand);
    std::uint32_t turning_product(double number, std::vector<Factor> factors);
    std::uint32_t power(const expression::Node& node);
    std::uint32_t root(std::uint32_t node, double exponent);
    std::uint32_t function(const expression::Node& node);
    std::uint32_t table(const expression::Node& node);
    void gather_terms(std::uint32_t node, bool negative, Sum& sum);
    void gather_factors(std::uint32_t node, int exponent, Product& product);
    static Powers& powers_in(Product& product, std::uint32_t vertex);
    [[nodiscard]] static std::string label(const Factor& factor) { return factor.divisor ? "divisor" : "factor"; }

    NormalForm& form_;
    const expression::Graph& graph_;
    std::function<std::uint32_t(const expression::Node&)> leaf_;
    std::unordered_map<std::uint32_t, std::uint32_t> known_;
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> powers_;               ///< by base and exponent
    std::map<std::pair<std::uint32_t, expression::Op>, std::uint32_t> even_odd_;  ///< |x| and sign(x), by x
};

}  // namespace bondgraph::equivalence
