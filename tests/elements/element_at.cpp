#include "tests/elements/element_at.hpp"

#include <array>
#include <stdexcept>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::test {

using expression::Expr;
using expression::Op;

double value_at(const expression::Graph& graph, Expr e, const std::map<std::uint32_t, double>& leaves) {
    if (e.is_constant()) return e.constant();
    const std::array roots{e.node()};
    std::map<std::uint32_t, double> v;
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        const expression::Node& node = graph[n];
        if (const auto known = leaves.find(n); known != leaves.end()) {
            v[n] = known->second;
            continue;
        }
        if (node.op == Op::constant) {
            v[n] = node.number();
            continue;
        }
        std::array<double, 3> x{};
        std::size_t k = 0;
        for (const std::uint32_t child : node.operands()) x[k++] = v.at(child);
        if (node.op == Op::table1) {
            v[n] = graph.tables().one[node.a].value(x[0]);
        } else if (node.op == Op::table1_slope) {
            v[n] = graph.tables().one[node.a].slope(x[0]);
        } else if (k == 0) {
            throw std::logic_error("a leaf without a value");
        } else {
            v[n] = expression::evaluate_op(node.op, x[0], x[1], x[2]);
        }
    }
    return v.at(e.node());
}

namespace {

std::string surroundings(const std::string& settings) {
    const bool signal = settings.find("type: Greater") == 0 || settings.find("type: Relay") == 0 ||
                        settings.find("type: SampleHold") == 0;
    const bool source = settings.find("type: Pulse") == 0;
    std::string text = "model: one_element\ncomponents:\n  x: {" + settings + "}\n";
    if (source) return text;
    if (signal) return text + "  input: {type: Sine}\nsignals: [input.y -> x.u]\n";
    return text + "  j: {type: 1}\n  load: {type: R, R: 1}\nbonds:\n  - j -> x\n  - j -> load\n";
}

}  // namespace

ElementAt::ElementAt(const std::string& settings) : pipeline_(std::make_unique<Pipeline>(surroundings(settings))) {
    const auto& graph = pipeline_->graph();
    id_ = graph.element_by_name.at("x");
    model::LawContext context(graph, id_, equations_, &updates_);
    graph.elements[id_.index()].type->law(context);
}

Expr ElementAt::leaf(const std::string& name) {
    const auto& graph = pipeline_->graph();
    if (name.starts_with("der(")) {
        const auto* slot = graph.elements[id_.index()].slot(name.substr(4, name.size() - 5));
        return graph.expressions->derivative(graph.slot_variable(slot->first).value);
    }
    if (name == "u") {
        const auto input = graph.element_by_name.at("input");
        return graph.variable(graph.slot_variable(graph.elements[input.index()].slot("y")->first));
    }
    if (const auto* slot = graph.elements[id_.index()].slot(name); slot != nullptr)
        return graph.variable(graph.slot_variable(slot->first));
    const auto first = graph.elements[id_.index()].ports.at(0).first_effort;
    if (name != "e" && name != "f") throw std::logic_error("no variable " + name);
    return graph.expressions->variable(name == "e" ? first : first + 1);
}

ElementAt& ElementAt::set(const std::string& name, double value) {
    values_[leaf(name).node()] = value;
    const auto& graph = pipeline_->graph();
    const auto* slot = graph.elements[id_.index()].slot(name);
    if (slot != nullptr && slot->kind == model::Element::Slot::Kind::discrete)
        values_[graph.previous_value(slot->first_discrete).node()] = value;
    return *this;
}

ElementAt& ElementAt::time(double value) {
    values_[pipeline_->graph().expressions->time().node()] = value;
    return *this;
}

ElementAt& ElementAt::sampling(bool now) {
    const auto& graph = pipeline_->graph();
    values_[graph.sample_flag(*graph.elements[id_.index()].sample).node()] = now ? 1.0 : 0.0;
    return *this;
}

std::vector<double> ElementAt::residuals() {
    std::vector<double> result;
    for (const auto& q : equations_)
        result.push_back(value_at(*pipeline_->graph().expressions, q.lhs - q.rhs, values_));
    return result;
}

double ElementAt::solve(const std::string& name, std::size_t equation) {
    const Expr unknown = leaf(name);
    const Expr row = equations_.at(equation).lhs - equations_.at(equation).rhs;
    const auto& graph = *pipeline_->graph().expressions;
    values_[unknown.node()] = 0.0;
    const double slope = value_at(graph, expression::derivative(row, unknown), values_);
    if (slope == 0.0) throw std::logic_error(name + " does not follow from the law");
    const double result = -value_at(graph, row, values_) / slope;
    values_[unknown.node()] = result;
    return result;
}

double ElementAt::excess() {
    const auto& graph = pipeline_->graph();
    std::vector<model::Equation> none;
    model::LawContext context(graph, id_, none);
    return value_at(*graph.expressions, graph.elements[id_.index()].type->start_excess(context), values_);
}

double ElementAt::next(const std::string& discrete) {
    const auto& graph = pipeline_->graph();
    const auto index = graph.elements[id_.index()].slot(discrete)->first_discrete;
    for (const auto& u : updates_) {
        if (u.discrete == index) return value_at(*graph.expressions, u.value, values_);
    }
    throw std::logic_error("no update of " + discrete);
}

bool ElementAt::structural(const std::string& discrete) {
    const auto& graph = pipeline_->graph();
    return graph.discretes[graph.elements[id_.index()].slot(discrete)->first_discrete].structural;
}

model::PortCausality ElementAt::causality(std::vector<double> modes) {
    const auto& e = pipeline_->graph().elements[id_.index()];
    return e.type->mode_causality(e, 0, 0, modes);
}

}  // namespace bondgraph::test
