#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

namespace {

/// The interval of a grid that holds a point, and where in it: 0 … 1 inside, beyond that outside.
struct TablePlace {
    std::size_t left;
    double fraction;  ///< from the left
    double rest;      ///< to the right
    double width;
    bool inside;  ///< x.front() <= at < x.back(): a grid point belongs to the interval on its right
};

TablePlace locate(const std::vector<double>& x, double at) {
    const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, at);
    const auto left = static_cast<std::size_t>(above - x.begin()) - 1;
    const double width = x[left + 1] - x[left];
    return {left, (at - x[left]) / width, (x[left + 1] - at) / width, width, x.front() <= at && at < x.back()};
}

/// As locate, but points outside move to the nearest edge.
TablePlace locate_held(const std::vector<double>& x, double at) {
    TablePlace place = locate(x, at);
    if (at < x.front()) {
        place.fraction = 0.0;
        place.rest = 1.0;
    } else if (at >= x.back()) {
        place.fraction = 1.0;
        place.rest = 0.0;
    }
    return place;
}

/// From the nearer end: what a law makes of 1e-9 beside a point at zero is as exact as that.
double blend(double from, double to, const TablePlace& at) {
    return at.fraction <= at.rest ? from + (to - from) * at.fraction : to - (to - from) * at.rest;
}

void check_grid(const std::vector<double>& x) {
    if (x.size() < 2) throw std::invalid_argument("a table needs at least two points");
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i]) || (i > 0 && !(x[i - 1] < x[i]))) {
            throw std::invalid_argument("the abscissae of a table must be finite and strictly increasing");
        }
    }
}

template <class Table>
std::uint32_t find_or_append(std::vector<Table>& tables, Table table) {
    const auto known = std::find(tables.begin(), tables.end(), table);
    const auto index = static_cast<std::uint32_t>(known - tables.begin());
    if (known == tables.end()) tables.push_back(std::move(table));
    return index;
}

}  // namespace

namespace {

double polynomial(const std::array<double, 4>& c, double t) { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
double polynomial_slope(const std::array<double, 4>& c, double t) { return c[1] + t * (2.0 * c[2] + t * (3.0 * c[3])); }

/// Of the tangents at the ends, the one that goes on beyond; 0 where the table holds.
double slope_beyond(const Table1& table, bool left) {
    if (table.extrapolation != Extrapolation::linear) return 0.0;
    const std::size_t n = table.x.size();
    return left ? table.polynomials.front()[1]
                : polynomial_slope(table.polynomials.back(), table.x[n - 1] - table.x[n - 2]);
}

double smooth_value(const Table1& table, double at) {
    const bool left = at < table.x.front();
    if (left || at >= table.x.back()) {
        if (table.extrapolation == Extrapolation::zero) return 0.0;
        const double end = left ? table.x.front() : table.x.back();
        return (left ? table.y.front() : table.y.back()) + slope_beyond(table, left) * (at - end);
    }
    const std::size_t k = locate(table.x, at).left;
    return polynomial(table.polynomials[k], at - table.x[k]);
}

double smooth_slope(const Table1& table, double at) {
    const bool left = at < table.x.front();
    if (left || at >= table.x.back()) return slope_beyond(table, left);
    const std::size_t k = locate(table.x, at).left;
    return polynomial_slope(table.polynomials[k], at - table.x[k]);
}

}  // namespace

double Table1::value(double at) const {
    if (std::isnan(at)) return at;
    if (!polynomials.empty()) return smooth_value(*this, at);
    const TablePlace place = extrapolation == Extrapolation::hold ? locate_held(x, at) : locate(x, at);
    return blend(y[place.left], y[place.left + 1], place);
}

double Table1::slope(double at) const {
    if (std::isnan(at)) return at;
    if (!polynomials.empty()) return smooth_slope(*this, at);
    const TablePlace place = locate(x, at);
    if (!place.inside && extrapolation == Extrapolation::hold) return 0.0;
    return (y[place.left + 1] - y[place.left]) / place.width;
}

double Table2::value(double at_x, double at_y) const {
    if (std::isnan(at_x) || std::isnan(at_y)) return at_x + at_y;
    const TablePlace px = locate_held(x, at_x);
    const TablePlace py = locate_held(y, at_y);
    const double* low = &z[px.left * y.size() + py.left];
    const double* high = low + y.size();
    return blend(blend(low[0], low[1], py), blend(high[0], high[1], py), px);
}

double Table2::slope_x(double at_x, double at_y) const {
    if (std::isnan(at_x) || std::isnan(at_y)) return at_x + at_y;
    const TablePlace px = locate(x, at_x);
    if (!px.inside) return 0.0;
    const TablePlace py = locate_held(y, at_y);
    const double* low = &z[px.left * y.size() + py.left];
    const double* high = low + y.size();
    return (blend(high[0], high[1], py) - blend(low[0], low[1], py)) / px.width;
}

double Table2::slope_y(double at_x, double at_y) const {
    if (std::isnan(at_x) || std::isnan(at_y)) return at_x + at_y;
    const TablePlace py = locate(y, at_y);
    if (!py.inside) return 0.0;
    const TablePlace px = locate_held(x, at_x);
    const double* low = &z[px.left * y.size() + py.left];
    const double* high = low + y.size();
    return (blend(low[1], high[1], px) - blend(low[0], high[0], px)) / py.width;
}

std::uint32_t Graph::add_table(Table1 table) {
    check_grid(table.x);
    const bool complete = table.polynomials.empty() || table.polynomials.size() + 1 == table.x.size();
    if (table.y.size() != table.x.size() || !complete) throw std::invalid_argument("a table needs one y per x");
    return find_or_append(tables_.one, std::move(table));
}

std::uint32_t Graph::add_table(Table2 table) {
    check_grid(table.x);
    check_grid(table.y);
    if (table.z.size() != table.x.size() * table.y.size()) {
        throw std::invalid_argument("a two-dimensional table needs one z per pair of x and y");
    }
    return find_or_append(tables_.two, std::move(table));
}

std::uint32_t Graph::table_lookup(Op op, std::uint32_t table, std::uint32_t x, std::uint32_t y) {
    const bool one = op == Op::table1 || op == Op::table1_slope;
    if (table >= (one ? tables_.one.size() : tables_.two.size())) throw std::logic_error("no such table");
    const Expr at_x = at(x);
    if (at_x.is_constant() && (one || at(y).is_constant())) {
        const double cx = at_x.constant();
        const double cy = one ? 0.0 : at(y).constant();
        const double value = op == Op::table1           ? tables_.one[table].value(cx)
                             : op == Op::table1_slope   ? tables_.one[table].slope(cx)
                             : op == Op::table2         ? tables_.two[table].value(cx, cy)
                             : op == Op::table2_slope_x ? tables_.two[table].slope_x(cx, cy)
                                                        : tables_.two[table].slope_y(cx, cy);
        if (std::isfinite(value)) return constant(value).node();
    }
    return intern({.op = op, .a = table, .b = x, .c = y});
}

Expr Graph::table1(std::uint32_t table, Expr x) { return at(table_lookup(Op::table1, table, node_of(x), kNoNode)); }

Expr Graph::table1_slope(std::uint32_t table, Expr x) {
    return at(table_lookup(Op::table1_slope, table, node_of(x), kNoNode));
}

Expr Graph::table2(std::uint32_t table, Expr x, Expr y) {
    const std::uint32_t at_x = node_of(x);
    return at(table_lookup(Op::table2, table, at_x, node_of(y)));
}

Expr Graph::table2_slope_x(std::uint32_t table, Expr x, Expr y) {
    const std::uint32_t at_x = node_of(x);
    return at(table_lookup(Op::table2_slope_x, table, at_x, node_of(y)));
}

Expr Graph::table2_slope_y(std::uint32_t table, Expr x, Expr y) {
    const std::uint32_t at_x = node_of(x);
    return at(table_lookup(Op::table2_slope_y, table, at_x, node_of(y)));
}

}  // namespace bondgraph::expression
