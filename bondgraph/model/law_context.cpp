// What a law sees of its element.

#include "bondgraph/model/law_context.hpp"

#include <algorithm>

#include "bondgraph/model/companions.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::ExprVector;

ExprVector LawContext::effort(std::size_t port) const {
    const Port& p = element_.ports[port];
    ExprVector v(p.size);
    for (std::uint32_t k = 0; k < p.size; ++k) v(k) = expressions().variable(p.first_effort + 2 * k);
    return v;
}

ExprVector LawContext::flow(std::size_t port) const {
    const Port& p = element_.ports[port];
    ExprVector v(p.size);
    for (std::uint32_t k = 0; k < p.size; ++k) v(k) = Expr(p.sign) * expressions().variable(p.first_effort + 2 * k + 1);
    return v;
}

namespace {

template <class Get>
ExprVector stack(std::size_t ports, const Get& get) {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < ports; ++i) {
        for (const Expr& x : get(i)) all.push_back(x);
    }
    ExprVector v(static_cast<Eigen::Index>(all.size()));
    std::copy(all.begin(), all.end(), v.begin());
    return v;
}

}  // namespace

ExprVector LawContext::all_efforts() const {
    return stack(port_count(), [&](std::size_t i) { return effort(i); });
}
ExprVector LawContext::all_flows() const {
    return stack(port_count(), [&](std::size_t i) { return flow(i); });
}

ExprMatrix LawContext::matrix(std::string_view name, std::size_t rows, std::size_t cols) const {
    const Quantity* q = element_.parameter(name);
    const auto r = static_cast<Eigen::Index>(rows);
    const auto c = static_cast<Eigen::Index>(cols);
    if (q->value.rows() == r && q->value.cols() == c) return q->value;
    ExprMatrix m = ExprMatrix::Constant(r, c, Expr(0.0));
    for (Eigen::Index i = 0; i < std::min(r, c); ++i) m(i, i) = q->is_scalar() ? q->value(0, 0) : q->value(i, 0);
    return m;
}

namespace {

// A scalar times the identity or a diagonal, times v.
ExprVector diagonal_product(const Quantity& q, const ExprVector& v, std::size_t rows) {
    ExprVector result = ExprVector::Constant(static_cast<Eigen::Index>(rows), Expr(0.0));
    for (Eigen::Index i = 0; i < std::min(result.size(), v.size()); ++i) {
        result(i) = (q.is_scalar() ? q.value(0, 0) : q.value(i, 0)) * v(i);
    }
    return result;
}

}  // namespace

ExprVector LawContext::product(std::string_view name, const ExprVector& v, std::size_t rows) const {
    const Quantity& q = *element_.parameter(name);
    if (q.value.rows() == static_cast<Eigen::Index>(rows) && q.value.cols() == v.size()) return q.value * v;
    return diagonal_product(q, v, rows);
}

ExprVector LawContext::transposed_product(std::string_view name, const ExprVector& v, std::size_t rows) const {
    const Quantity& q = *element_.parameter(name);
    if (q.value.rows() == v.size() && q.value.cols() == static_cast<Eigen::Index>(rows)) {
        return q.value.transpose() * v;
    }
    return diagonal_product(q, v, rows);
}

ExprVector LawContext::vector(std::string_view name, std::size_t size) const {
    const Quantity* q = element_.parameter(name);
    const auto n = static_cast<Eigen::Index>(size);
    if (q->is_scalar()) return ExprVector::Constant(n, q->value(0, 0));
    return q->value.col(0);
}

Expr LawContext::scalar(std::string_view name) const { return element_.parameter(name)->value(0, 0); }

ExprVector LawContext::slot(std::string_view name) const {
    const Element::Slot& s = *element_.slot(name);
    ExprVector v(s.size);
    for (std::uint32_t k = 0; k < s.size; ++k) v(k) = graph_.variable(graph_.slot_variable(s.first + k));
    return v;
}

ExprVector LawContext::derivative(std::string_view name) const {
    const Element::Slot& s = *element_.slot(name);
    ExprVector v(s.size);
    for (std::uint32_t k = 0; k < s.size; ++k) v(k) = expressions().derivative(graph_.slot_variable(s.first + k).value);
    return v;
}

Expr LawContext::previous(std::string_view name) const {
    return graph_.previous_value(element_.slot(name)->first_discrete);
}

void LawContext::update(std::string_view name, Expr value) {
    if (updates_ != nullptr) updates_->push_back({element_.slot(name)->first_discrete, value, id_, element_.position});
}

Expr LawContext::input(std::string_view name) const {
    for (const auto& [input, q] : element_.inputs) {
        if (input == name) return q.value(0, 0);
    }
    return 0.0;
}

std::vector<Expr> LawContext::inputs() const {
    std::vector<std::pair<std::string, Expr>> sorted;
    for (const auto& [input, q] : element_.inputs) sorted.emplace_back(input, q.value(0, 0));
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
    std::vector<Expr> result;
    for (const auto& [name, value] : sorted) result.push_back(value);
    return result;
}

ExprMatrix LawContext::signal(std::string_view connector, std::string_view name) const {
    const Connector& c = *element_.connector(connector);
    for (std::size_t s = 0; s < c.type->signals.size(); ++s) {
        const ConnectorSignal& spec = c.type->signals[s];
        if (spec.name != name) continue;
        ExprMatrix m(spec.rows, spec.cols);
        for (std::uint32_t i = 0; i < spec.rows; ++i) {
            for (std::uint32_t j = 0; j < spec.cols; ++j)
                m(i, j) = graph_.variable(graph_.slot_variable(c.signals[s] + i * spec.cols + j));
        }
        return m;
    }
    return {};
}

std::optional<LawContext> LawContext::first_of(const ComponentType& type) const {
    for (std::size_t i = 0; i < graph_.elements.size(); ++i) {
        if (graph_.elements[i].type == &type) return LawContext(graph_, ElementId(i), equations_);
    }
    return std::nullopt;
}

LawContext LawContext::part(std::string_view name) const {
    const auto found = graph_.element_by_name.find(element_.name + "." + std::string(name));
    return {graph_, found->second, equations_};
}

std::vector<LawContext::Companion> LawContext::companions() const {
    std::vector<Companion> result;
    for (const Resting& other : resting_at_flow_of(graph_, id_)) {
        if (other.element != id_)
            result.push_back({{graph_, other.element, equations_}, other.element < id_, other.sense});
    }
    return result;
}

void LawContext::rate(Expr variable, Expr value) {
    if (rates_ == nullptr || variable.is_literal()) return;
    const expression::Node& node = expressions()[variable.node()];
    if (node.op == expression::Op::negate) return rate(expressions().at(node.a), -value);
    if (node.op == expression::Op::variable) rates_->push_back({VariableId(std::size_t{node.a}), value});
}

void LawContext::rates(const ExprVector& variables, const ExprVector& values) {
    for (Eigen::Index i = 0; i < variables.size(); ++i) rate(variables(i), values(i));
}

Expr LawContext::der(Expr variable) const {
    if (variable.is_literal()) return 0.0;
    const expression::Node& node = expressions()[variable.node()];
    if (node.op == expression::Op::negate) return -der(expressions().at(node.a));
    return expressions().derivative(node.a);
}

ExprVector LawContext::der(const ExprVector& variables) const {
    ExprVector result(variables.size());
    for (Eigen::Index i = 0; i < variables.size(); ++i) result(i) = der(variables(i));
    return result;
}

void LawContext::equation(Expr lhs, Expr rhs) { equations_.push_back({lhs, rhs, id_, element_.position}); }

void LawContext::equations(const ExprVector& lhs, const ExprVector& rhs) {
    for (Eigen::Index i = 0; i < lhs.size(); ++i) equation(lhs(i), rhs(i));
}

void LawContext::given_equations() {
    for (const GivenEquation& g : element_.given_equations) equations_.push_back({g.lhs, g.rhs, id_, g.position});
}

void LawContext::given_updates() {
    if (updates_ == nullptr) return;
    for (const GivenEquation& g : element_.given_updates) {
        const VariableId target(std::size_t{expressions()[g.lhs.node()].a});
        updates_->push_back({*graph_.discrete_of(target), g.rhs, id_, g.position});
    }
}

}  // namespace bondgraph::model
