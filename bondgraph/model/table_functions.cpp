// Functions through points, of one place or of places on a grid.

#include "bondgraph/model/table_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "bondgraph/expression/smooth_tables.hpp"
#include "bondgraph/model/operations.hpp"

namespace bondgraph::model {
namespace {

using expression::Expr;
using expression::Op;
using expression::Syntax;
using expression::SyntaxError;
using expression::SyntaxKind;
using expression::SyntaxNode;

/// Where the word stands that says what a function does beyond its points.
std::size_t place_of_word(std::string_view function) { return function == "grid" ? 4 : 3; }

class TableCall {
   public:
    TableCall(const Syntax& syntax, const SyntaxNode& node, const std::function<const Quantity&(std::size_t)>& argument,
              expression::Graph& graph)
        : syntax_(syntax), node_(node), argument_(argument), graph_(graph) {}

    Quantity value() {
        if (has_reported_entry()) return unknown_quantity();
        if (node_.text == "grid") return grid();
        if (node_.text == "inside") return inside();
        return along_line();
    }

   private:
    struct Axis {
        Expr at;
        std::vector<double> x;
    };

    /// Whether a mistake in one of the lists has been reported, which leaves no number there.
    bool has_reported_entry() const {
        for (std::size_t i = 0; i < node_.children.size(); ++i) {
            if (i == place_of_word(node_.text)) continue;
            const expression::ExprMatrix& m = argument_(i).value;
            if (std::ranges::any_of(m.reshaped(),
                                    [](const Expr& x) { return x.is_constant() && std::isnan(x.constant()); }))
                return true;
        }
        return false;
    }

    [[noreturn]] void wrong(std::size_t argument, const std::string& what) const {
        throw SyntaxError(syntax_.nodes[node_.children[argument]].offset, what);
    }

    std::vector<double> known_numbers(std::size_t i, std::string_view what) const {
        std::vector<double> result;
        const expression::ExprMatrix& m = argument_(i).value;
        for (Eigen::Index r = 0; r < m.rows(); ++r) {
            for (Eigen::Index c = 0; c < m.cols(); ++c) {
                if (!m(r, c).is_constant())
                    wrong(i, fmt::format("the {} of {}() must be known numbers", what, node_.text));
                result.push_back(m(r, c).constant());
            }
        }
        return result;
    }

    std::string_view beyond() const {
        const std::size_t i = place_of_word(node_.text);
        return node_.children.size() > i ? std::string_view(syntax_.nodes[node_.children[i]].text) : "hold";
    }

    void check_beyond(std::string_view also) const {
        if (beyond() == "hold" || beyond() == "linear" || beyond() == also) return;
        wrong(place_of_word(node_.text), fmt::format("beyond its points {}() takes 'hold'{} or '{}'", node_.text,
                                                     also == "linear" ? "" : ", 'linear'", also));
    }

    Quantity along_line() {
        const std::size_t count = node_.children.size();
        if (count != 3 && count != 4) {
            throw SyntaxError(
                node_.offset,
                fmt::format("{}(x, [x1, x2, …], [y1, y2, …]) takes 3 arguments, or with what it does beyond "
                            "the points ('hold', 'linear', 'periodic') 4; these are {}",
                            node_.text, count));
        }
        std::vector<double> x = known_numbers(1, "abscissae");
        std::vector<double> y = known_numbers(2, "ordinates");
        if (x.size() != y.size() || x.size() < 2) {
            throw SyntaxError(node_.offset, fmt::format("{}(x, [x1, x2, …], [y1, y2, …]) needs two lists of one "
                                                        "length, at least 2; these have {} and {}",
                                                        node_.text, x.size(), y.size()));
        }
        if (std::adjacent_find(x.begin(), x.end(), std::greater_equal<>{}) != x.end())
            wrong(1, fmt::format("the abscissae of {}() must increase", node_.text));
        common_measure(node_, argument_(0).measure, argument_(1).measure, node_.text);
        check_beyond("periodic");
        Expr at = argument_(0).value(0, 0);
        if (beyond() == "periodic") {
            const double period = x.back() - x.front();
            at = at - period * expression::apply(Op::floor, (at - x.front()) / period);
        }
        return Quantity::scalar(through(at, std::move(x), std::move(y), beyond() == "linear"), argument_(2).measure);
    }

    Expr through(const Expr& at, std::vector<double> x, std::vector<double> y, bool linear) {
        const auto extrapolation = linear ? expression::Extrapolation::linear : expression::Extrapolation::hold;
        if (node_.text == "staircase") {
            if (linear) throw SyntaxError(node_.offset, "steps of staircase() have no slope: 'hold' or 'periodic'");
            Expr sum = y.front();
            for (std::size_t k = 1; k < x.size(); ++k)
                sum += (y[k] - y[k - 1]) * expression::apply(Op::greater_equal, at, x[k]);
            return sum;
        }
        expression::Table1 table;
        if (node_.text == "interpolate")
            table = expression::Table1{std::move(x), std::move(y), extrapolation};
        else if (beyond() == "periodic" && y.front() == y.back())
            table = repeated(std::move(x), std::move(y));
        else
            table = cubics(std::move(x), std::move(y), extrapolation);
        return graph_.table1(graph_.add_table(std::move(table)), at);
    }

    expression::Table1 cubics(std::vector<double> x, std::vector<double> y, expression::Extrapolation beyond) const {
        return node_.text == "akima" ? expression::akima_table(std::move(x), std::move(y), beyond)
                                     : expression::monotone_table(std::move(x), std::move(y), beyond);
    }

    /// One period of cubics that go on into the next: with the points around on both sides, the slope where a period
    /// ends is that with which the next begins.
    expression::Table1 repeated(std::vector<double> x, std::vector<double> y) const {
        constexpr int kAround = 3;  // no slope depends on a point further away
        const int count = static_cast<int>(x.size()) - 1;
        const double period = x.back() - x.front();
        std::vector<double> more_x;
        std::vector<double> more_y;
        for (int k = -kAround; k <= count + kAround; ++k) {
            const int turns = k >= 0 ? k / count : -((count - 1 - k) / count);
            const auto place = static_cast<std::size_t>(k - turns * count);
            const bool own = k >= 0 && k <= count;
            more_x.push_back(own ? x[static_cast<std::size_t>(k)] : x[place] + turns * period);
            more_y.push_back(y[place]);
        }
        auto table = cubics(std::move(more_x), std::move(more_y), expression::Extrapolation::hold);
        table.polynomials = {table.polynomials.begin() + kAround, table.polynomials.begin() + kAround + count};
        table.x = std::move(x);
        table.y = std::move(y);
        return table;
    }

    /// The axes that (u, n, x) say: coordinates u, numbers of places n, and the places of all axes in a row.
    std::vector<Axis> axes() {
        const auto& u = argument_(0).value;
        const std::vector<double> counts = known_numbers(1, "numbers of places");
        const std::vector<double> places = known_numbers(2, "places");
        if (u.cols() != 1) wrong(0, fmt::format("{}() takes a list of coordinates, not a matrix", node_.text));
        if (counts.size() != static_cast<std::size_t>(u.rows()))
            wrong(1, fmt::format("{}() has {} coordinate{} and {} number{} of places", node_.text, u.rows(),
                                 u.rows() == 1 ? "" : "s", counts.size(), counts.size() == 1 ? "" : "s"));
        std::vector<Axis> list;
        double first = 0.0;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const double n = counts[k];
            if (n != std::round(n) || n < 2.0) wrong(1, "an axis has a whole number of places, at least 2");
            if (first + n <= static_cast<double>(places.size())) {
                const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
                Axis axis{.at = u(static_cast<Eigen::Index>(k), 0),
                          .x = {begin, begin + static_cast<std::ptrdiff_t>(n)}};
                if (std::adjacent_find(axis.x.begin(), axis.x.end(), std::greater_equal<>{}) != axis.x.end())
                    wrong(2, fmt::format("the places along axis {} of {}() must increase", k + 1, node_.text));
                list.push_back(std::move(axis));
            }
            first += n;
        }
        if (first != static_cast<double>(places.size()))
            wrong(2, fmt::format("the axes of {}() have {:g} places by their numbers, and {} are given", node_.text,
                                 first, places.size()));
        return list;
    }

    Quantity inside() {
        if (node_.children.size() != 3)
            throw SyntaxError(node_.offset,
                              fmt::format("inside(u, n, x) takes 3 arguments, not {}", node_.children.size()));
        Expr all = 1.0;
        for (const Axis& axis : axes()) {
            const Expr within =
                expression::apply(Op::logical_and, expression::apply(Op::greater_equal, axis.at, axis.x.front()),
                                  expression::apply(Op::less_equal, axis.at, axis.x.back()));
            all = expression::apply(Op::logical_and, all, within);
        }
        return Quantity::scalar(all, Measure::number());
    }

    /// Straight lines along every axis: the values of rows along the last one, weighed along the others by tents that
    /// are 1 at a place and 0 at its neighbours.
    Quantity grid() {
        constexpr std::size_t kMostValues = 200'000;
        const std::size_t count = node_.children.size();
        if (count != 4 && count != 5)
            throw SyntaxError(node_.offset,
                              fmt::format("grid(u, n, x, y) takes 4 arguments, or with what it does beyond "
                                          "the grid ('hold', 'linear') 5; these are {}",
                                          count));
        const std::vector<Axis> list = axes();
        const std::vector<double> values = known_numbers(3, "values");
        double wanted = 1.0;
        for (const Axis& axis : list) wanted *= static_cast<double>(axis.x.size());
        if (wanted != static_cast<double>(values.size()))
            wrong(3, fmt::format("grid() has {:g} places and {} values", wanted, values.size()));
        if (values.size() > kMostValues)
            wrong(3, fmt::format("a grid has at most {} values, this has {}", kMostValues, values.size()));
        check_beyond("linear");
        return Quantity::scalar(rows(list, 0, values), argument_(3).measure);
    }

    Expr rows(const std::vector<Axis>& list, std::size_t axis, std::span<const double> values) {
        const auto extrapolation =
            beyond() == "linear" ? expression::Extrapolation::linear : expression::Extrapolation::hold;
        const std::vector<double>& x = list[axis].x;
        const auto line = [&](std::vector<double> y) {
            return graph_.table1(graph_.add_table(expression::Table1{x, std::move(y), extrapolation}), list[axis].at);
        };
        if (axis + 1 == list.size()) return line({values.begin(), values.end()});
        const std::size_t row = values.size() / x.size();
        Expr sum = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            std::vector<double> tent(x.size(), 0.0);
            tent[k] = 1.0;
            sum += line(std::move(tent)) * rows(list, axis + 1, values.subspan(k * row, row));
        }
        return sum;
    }

    const Syntax& syntax_;
    const SyntaxNode& node_;
    const std::function<const Quantity&(std::size_t)>& argument_;
    expression::Graph& graph_;
};

}  // namespace

bool is_table_function(std::string_view name) {
    return std::ranges::find(kTableFunctions, name) != std::end(kTableFunctions);
}

std::vector<bool> words_in(const Syntax& syntax) {
    std::vector<bool> words(syntax.nodes.size(), false);
    for (const SyntaxNode& node : syntax.nodes) {
        if (node.kind != SyntaxKind::call || !is_table_function(node.text)) continue;
        const std::size_t i = place_of_word(node.text);
        if (node.children.size() != i + 1) continue;
        words[node.children[i]] = syntax.nodes[node.children[i]].kind == SyntaxKind::name;
    }
    return words;
}

Quantity table_function(const Syntax& syntax, const SyntaxNode& call,
                        const std::function<const Quantity&(std::size_t)>& argument, expression::Graph& graph) {
    return TableCall(syntax, call, argument, graph).value();
}

}  // namespace bondgraph::model
