#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace bondgraph::expression {

class Graph;

/// Operations of the expression graph; operations.hpp says what each means. Conditions are numbers: 0 is false,
/// anything else true; relations give 0 or 1. Ordered by the number of operands.
enum class Op : std::uint8_t {
    // leaves
    constant,
    time,
    variable,    ///< a = index of the variable
    derivative,  ///< a = index of the variable whose time derivative it is
    parameter,   ///< a = index of a parameter that stays tunable after compilation
    held,        ///< a = index of a value that changes at events only
    // unary
    negate,
    sqrt,
    exp,
    log,
    log10,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    abs,
    sign,
    floor,
    ceil,
    logical_not,
    no_event,  ///< the value of a, whose relations cause no event
    // binary
    add,
    subtract,
    multiply,
    divide,
    power,
    atan2,
    min,
    max,
    guarded_multiply,  ///< a·b, but exactly 0 where a is 0, even when b is not finite: chain rule beside singular
                       ///< points
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    random,  ///< of two whole numbers, the first a seed: as if by chance, 0 <= value < 1
    smooth,  ///< a = order, b = expression: b is continuous with all derivatives up to that order
    // ternary
    if_else,  ///< a ? b : c; the branch not taken leaks nothing into value or derivative
    // tables: a = table index, b (and c) = abscissae
    table1,
    table1_slope,
    table2,
    table2_slope_x,
    table2_slope_y,
};

/// Whether it compares two values.
constexpr bool is_relation(Op op) {
    switch (op) {
        case Op::less:
        case Op::less_equal:
        case Op::greater:
        case Op::greater_equal:
        case Op::equal:
        case Op::not_equal:
            return true;
        default:
            return false;
    }
}

/// Number of operands that are nodes (tables: abscissae only).
constexpr int operand_count(Op op) {
    if (op < Op::negate) return 0;
    if (op < Op::add) return 1;
    if (op < Op::if_else) return 2;
    if (op == Op::if_else) return 3;
    return op < Op::table2 ? 1 : 2;
}
/// Name used in text ("sin", "+", "atan2"); empty for leaves.
std::string_view op_name(Op op);

inline constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

/// A handle to a node, or a bare number (so that Eigen can make zeros without knowing a graph).
/// Arithmetic builds simplified nodes in the operands' graph; operands of two different graphs are a programming error.
class Expr {
   public:
    constexpr Expr() = default;
    // Implicit: Eigen and laws write 2 * x.
    constexpr Expr(double value) : literal_(value) {}
    constexpr Expr(int value) : literal_(value) {}
    Expr(Graph& graph, std::uint32_t node) : graph_(&graph), node_(node) {}

    [[nodiscard]] bool is_literal() const { return graph_ == nullptr; }
    [[nodiscard]] double literal() const { return literal_; }
    [[nodiscard]] Graph* graph() const { return graph_; }
    [[nodiscard]] std::uint32_t node() const { return node_; }

    /// True when the value is a known number (a literal or a constant node).
    [[nodiscard]] bool is_constant() const;
    /// The number; only where is_constant().
    [[nodiscard]] double constant() const;
    [[nodiscard]] bool is_constant(double value) const { return is_constant() && constant() == value; }

    Expr& operator+=(Expr other);
    Expr& operator-=(Expr other);
    Expr& operator*=(Expr other);
    Expr& operator/=(Expr other);

    /// The same node (or the same number).
    friend bool same(Expr a, Expr b);
    /// As same(); Eigen compares with it. Equality as an operation of the graph is apply(Op::equal, …).
    friend bool operator==(Expr a, Expr b) { return same(a, b); }

   private:
    Graph* graph_ = nullptr;
    union {
        double literal_ = 0.0;
        std::uint32_t node_;
    };
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
inline Expr operator+(Expr a) { return a; }

/// Any unary or binary operation (not leaves, tables or if_else), simplified.
Expr apply(Op op, Expr a);
Expr apply(Op op, Expr a, Expr b);

Expr sqrt(Expr a);
Expr exp(Expr a);
Expr log(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr tan(Expr a);
Expr sinh(Expr a);
Expr cosh(Expr a);
Expr abs(Expr a);
Expr sign(Expr a);
Expr pow(Expr a, Expr b);
Expr atan2(Expr y, Expr x);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr if_else(Expr condition, Expr yes, Expr no);

using ExprMatrix = Eigen::Matrix<Expr, Eigen::Dynamic, Eigen::Dynamic>;
using ExprVector = Eigen::Matrix<Expr, Eigen::Dynamic, 1>;

/// What a table does beyond its first and last point. `zero` is what the slope of one that holds does.
enum class Extrapolation : std::uint8_t { hold, linear, zero };

/// y(x) by straight lines between points, or by polynomials (smooth_tables.hpp); x strictly increasing, at least two
/// points.
struct Table1 {
    std::vector<double> x;
    std::vector<double> y;  ///< with polynomials: their values at the left ends, and at the last right end
    Extrapolation extrapolation = Extrapolation::hold;
    /// Per interval the coefficients of powers of the distance from its left end; empty: straight lines.
    std::vector<std::array<double, 4>> polynomials = {};
    int continuous = 0;  ///< how many derivatives do not jump between intervals; -1: the value jumps

    [[nodiscard]] double value(double at) const;
    [[nodiscard]] double slope(double at) const;
    friend bool operator==(const Table1&, const Table1&) = default;
};

/// Bilinear z(x, y); z is row-major, one row per x; held beyond its edges.
struct Table2 {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> z;

    [[nodiscard]] double value(double at_x, double at_y) const;
    [[nodiscard]] double slope_x(double at_x, double at_y) const;
    [[nodiscard]] double slope_y(double at_x, double at_y) const;
    friend bool operator==(const Table2&, const Table2&) = default;
};

struct Tables {
    std::vector<Table1> one;
    std::vector<Table2> two;
};

/// One operation: operands are node indices (leaves: a = index; tables: a = table, b and c = abscissae).
/// Constants keep their number in a and b.
struct Node {
    Op op = Op::constant;
    std::uint32_t a = kNoNode;
    std::uint32_t b = kNoNode;
    std::uint32_t c = kNoNode;

    [[nodiscard]] double number() const;
    /// The operands that are nodes, in order.
    [[nodiscard]] std::span<const std::uint32_t> operands() const;
    friend bool operator==(const Node&, const Node&) = default;
};

/// The arena. Nodes are hash-consed (equal expressions are one node) and appended only, so children always precede
/// parents and every algorithm over an expression is a linear scan. Construction simplifies: constants fold; 0 and 1
/// vanish; x − x = 0; signs are pulled outward; commutative operands have one order. Only rules exact for finite
/// operands are applied, up to the sign of zero.
class Graph {
   public:
    Graph();
    /// What another graph's nodes and tables make anew, node by node. Throws std::invalid_argument where they can't be
    /// a graph's: an operand that does not come before what it is an operand of, a table that is not there.
    Graph(std::vector<Node> nodes, Tables tables);
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    Graph(Graph&&) = delete;

    Expr constant(double value);
    Expr time();
    Expr variable(std::uint32_t index);
    Expr derivative(std::uint32_t index);
    Expr parameter(std::uint32_t index);
    Expr held(std::uint32_t index);
    std::uint32_t add_table(Table1 table);
    std::uint32_t add_table(Table2 table);
    Expr table1(std::uint32_t table, Expr x);
    Expr table1_slope(std::uint32_t table, Expr x);
    Expr table2(std::uint32_t table, Expr x, Expr y);
    Expr table2_slope_x(std::uint32_t table, Expr x, Expr y);
    Expr table2_slope_y(std::uint32_t table, Expr x, Expr y);

    /// The simplified node of an operation on nodes of this graph (or literals).
    Expr make(Op op, Expr a, Expr b = {}, Expr c = {});

    /// This graph's node for e (a literal becomes a constant node).
    std::uint32_t node_of(Expr e);
    [[nodiscard]] Expr at(std::uint32_t node) { return {*this, node}; }
    [[nodiscard]] const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
    [[nodiscard]] const Tables& tables() const { return tables_; }

    /// To be held where several threads use a graph, while one reads or makes expressions. Tapes don't need it.
    using Hold = std::unique_lock<std::recursive_mutex>;
    [[nodiscard]] Hold hold() const { return Hold(guard_); }

   private:
    std::uint32_t intern(Node node);
    std::uint32_t table_lookup(Op op, std::uint32_t table, std::uint32_t x, std::uint32_t y);
    Expr simplify_unary(Op op, Expr a);
    Expr simplify_binary(Op op, Expr a, Expr b);
    void make_index(std::size_t slot_count);

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> slots_;  // open addressing, kNoNode = free
    Tables tables_;
    mutable std::recursive_mutex guard_;
};

/// All nodes that `roots` depend on (roots included), in ascending order, so children come first.
/// Cost is proportional to the size of that part of the graph.
std::vector<std::uint32_t> reachable(const Graph& graph, std::span<const std::uint32_t> roots);

/// Whether `leaf` occurs in `root`.
bool depends_on(Expr root, Expr leaf);

/// The value of op on numbers, as its row of operations.hpp has it; not of leaves and tables.
double evaluate_op(Op op, double a, double b = 0.0, double c = 0.0);

}  // namespace bondgraph::expression

template <>
struct Eigen::NumTraits<bondgraph::expression::Expr> : Eigen::GenericNumTraits<bondgraph::expression::Expr> {
    using Real = bondgraph::expression::Expr;
    using NonInteger = bondgraph::expression::Expr;
    using Nested = bondgraph::expression::Expr;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = 1,
        AddCost = 3,
        MulCost = 3
    };
};
