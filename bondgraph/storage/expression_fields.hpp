#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "bondgraph/expression/expr.hpp"
#include "bondgraph/expression/tape.hpp"
#include "bondgraph/storage/archive.hpp"

namespace bondgraph::storage {

template <class Archive>
void serialize(Archive& archive, expression::Table1& table) {
    auto& [x, y, extrapolation, polynomials, continuous] = table;
    archive(x, y, extrapolation, polynomials, continuous);
}

template <class Archive>
void serialize(Archive& archive, expression::Table2& table) {
    auto& [x, y, z] = table;
    archive(x, y, z);
}

template <class Archive>
void serialize(Archive& archive, expression::Tables& x) {
    auto& [one, two] = x;
    archive(one, two);
}

template <class Archive>
void serialize(Archive& archive, expression::InputLayout& x) {
    auto& [time, variable, derivative, parameter, held, size] = x;
    archive(time, variable, derivative, parameter, held, size);
}

template <class Archive>
void serialize(Archive& archive, expression::Tape::Instruction& x) {
    auto& [op, target, a, b, c] = x;
    archive(op, target, a, b, c);
}

// An expression is a node of the bond graph's, or a number.
inline void save(Writer& archive, const expression::Expr& x) {
    if (x.is_literal()) {
        archive(expression::kNoNode, x.literal());
        return;
    }
    if (x.graph() != archive.graph->expressions.get()) throw std::logic_error("an expression of another graph");
    archive(x.node());
}
inline void load(Reader& archive, expression::Expr& x) {
    std::uint32_t node = 0;
    archive(node);
    if (node == expression::kNoNode) {
        double literal = 0.0;
        archive(literal);
        x = literal;
        return;
    }
    expression::Graph& graph = *archive.graph->expressions;
    if (node >= graph.size()) throw Damaged("it names what is not in it");
    x = graph.at(node);
}

template <class T, int Rows, int Columns>
void save(Writer& archive, const Eigen::Matrix<T, Rows, Columns>& x) {
    archive(static_cast<std::uint32_t>(x.rows()), static_cast<std::uint32_t>(x.cols()));
    for (Eigen::Index i = 0; i < x.size(); ++i) archive(x.data()[i]);
}
template <class T, int Rows, int Columns>
void load(Reader& archive, Eigen::Matrix<T, Rows, Columns>& x) {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    archive(rows, columns);
    if (std::uint64_t{rows} * columns > archive.bytes_left()) throw Damaged("it ends too early");
    x.resize(rows, columns);
    for (Eigen::Index i = 0; i < x.size(); ++i) archive(x.data()[i]);
}

/// All of a graph, part by part: bytes between them would be of no value.
struct NodeLists {
    std::vector<std::uint8_t> op;
    std::vector<std::uint32_t> a, b, c;
};
inline void store_expressions(Writer& archive, const std::unique_ptr<expression::Graph>& graph) {
    NodeLists lists;
    for (const expression::Node& node : graph->nodes()) {
        lists.op.push_back(static_cast<std::uint8_t>(node.op));
        lists.a.push_back(node.a);
        lists.b.push_back(node.b);
        lists.c.push_back(node.c);
    }
    archive(lists.op, lists.a, lists.b, lists.c, graph->tables());
}
inline void store_expressions(Reader& archive, std::unique_ptr<expression::Graph>& graph) {
    NodeLists lists;
    expression::Tables tables;
    archive(lists.op, lists.a, lists.b, lists.c, tables);
    const std::size_t size = lists.op.size();
    if (lists.a.size() != size || lists.b.size() != size || lists.c.size() != size)
        throw Damaged("its expressions are incomplete");
    std::vector<expression::Node> nodes(size);
    for (std::size_t i = 0; i < size; ++i)
        nodes[i] = {static_cast<expression::Op>(lists.op[i]), lists.a[i], lists.b[i], lists.c[i]};
    try {
        graph = std::make_unique<expression::Graph>(std::move(nodes), std::move(tables));
    } catch (const std::invalid_argument& e) {
        throw Damaged(e.what());
    }
}

}  // namespace bondgraph::storage
