#include "bondgraph/api/right_sides.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::api {

using expression::Expr;
using expression::Op;
using model::Measure;

namespace {

constexpr std::uint32_t kFirstNamedLeaf = analysis::NamedParameters::kFirstSymbol;

Measure measure_of_leaf(const model::BondGraph& graph, const std::string& name) {
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return {};
    const auto element = graph.element_by_name.find(name.substr(0, dot));
    if (element == graph.element_by_name.end()) return {};
    const auto found = model::element_variable(graph, element->second, name.substr(dot + 1));
    return found ? found->measure : Measure{};
}

/// Of "R1.R", or of one component of it.
Measure measure_of_parameter(const model::BondGraph& graph, const std::string& path) {
    const auto dot = path.rfind('.');
    const auto element = graph.element_by_name.find(path.substr(0, dot));
    if (dot == std::string::npos || element == graph.element_by_name.end()) return {};
    const std::string name = path.substr(dot + 1, path.find('[', dot) - dot - 1);
    const model::Quantity* found = graph.elements[element->second.index()].parameter(name);
    return found != nullptr ? found->measure : Measure{};
}

/// A leaf of its own for what has none among the variables: parameters, and derivatives that are solved for.
Expr leaf_behind(expression::Graph& graph, std::size_t variables, std::size_t number) {
    return graph.variable(static_cast<std::uint32_t>(variables + number));
}

}  // namespace

RightSides::RightSides(const compile::SortedSystem& system, const analysis::NamedParameters& parameters)
    : system_(system),
      graph_(*system.graph().expressions),
      variables_(system.graph().variable_count() + system.derived.size()) {
    find_known(parameters);
    close();
}

void RightSides::find_known(const analysis::NamedParameters& parameters) {
    using LeafKind = KnownLeaf::Kind;
    const model::BondGraph& g = system_.graph();
    for (const model::VariableId state : system_.states) {
        const std::string name = system_.name(state);
        known_.push_back({name, LeafKind::state, graph_.variable(state.value), measure_of_leaf(g, name)});
    }
    for (const compile::Assignment& a : system_.assignments) {
        if (!is_source(a)) continue;
        const std::string name = system_.name(a.target);
        known_.push_back({name, LeafKind::source, graph_.variable(a.target.value), measure_of_leaf(g, name)});
    }
    const std::vector<analysis::Symbol>& symbols = parameters.symbols();
    for (std::size_t k = 0; k < symbols.size(); ++k) {
        const analysis::Symbol& s = symbols[k];
        const Expr leaf = leaf_behind(graph_, variables_, k);
        meaning_.emplace(graph_.parameter(kFirstNamedLeaf + static_cast<std::uint32_t>(k)).node(), leaf);
        // "R1.R", which says whether it is a resistance; "R1" alone stands for it as well.
        const bool of_element = s.path.starts_with(s.name + ".");
        known_.push_back(
            {of_element ? s.path : s.name, LeafKind::parameter, leaf, measure_of_parameter(g, s.path), s.value});
    }
    known_.push_back({"time", LeafKind::time, graph_.time(), {}});
    for (std::size_t k = 0; k < known_.size(); ++k) {
        by_name_.emplace(known_[k].name, k);
        // What is the only one of its element goes by the element's name.
        if (known_[k].kind == LeafKind::source)
            sources_by_element_.emplace(known_[k].name.substr(0, known_[k].name.rfind('.')), k);
    }
    const std::size_t first = known_.size() - 1 - symbols.size();  // of the parameters
    for (std::size_t k = 0; k < symbols.size(); ++k) {
        by_name_.emplace(symbols[k].name, first + k);
        by_name_.emplace(symbols[k].path, first + k);
    }
}

const KnownLeaf* RightSides::find(const std::string& name) const {
    if (const auto at = by_name_.find(name); at != by_name_.end()) return &known_[at->second];
    if (const KnownLeaf* source = source_of(name)) return source;
    // Another word for a state or a source: "L.flux_linkage".
    const auto resolved = model::resolve_name(system_.graph(), name);
    if (!resolved) return nullptr;
    const auto at = std::ranges::find_if(known_, [&](const KnownLeaf& l) { return same(l.leaf, resolved->value); });
    return at == known_.end() ? nullptr : &*at;
}

const KnownLeaf* RightSides::source_of(const std::string& element) const {
    const auto at = sources_by_element_.find(element);
    return at == sources_by_element_.end() ? nullptr : &known_[at->second];
}

bool RightSides::is_source(const compile::Assignment& a) const {
    return a.element.valid() && system_.graph().elements[a.element.index()].type->is_source() && !a.implicit &&
           a.target.index() < system_.graph().variable_count() && of_time_alone(a.value);
}

bool RightSides::of_time_alone(Expr e) const {
    if (e.is_literal()) return true;
    const std::array roots{e.node()};
    return std::ranges::all_of(expression::reachable(graph_, roots), [&](std::uint32_t n) {
        if (graph_[n].op == Op::derivative || graph_[n].op == Op::held) return false;
        if (graph_[n].op != Op::variable) return true;
        // What a signal of time alone is called.
        const auto a = std::ranges::find_if(
            system_.assignments, [&](const compile::Assignment& other) { return other.target.value == graph_[n].a; });
        return a != system_.assignments.end() && !a->implicit && a->value.node() != n && of_time_alone(a->value);
    });
}

Expr RightSides::closed(Expr e) const {
    const std::array roots{e};
    return expression::substitute(graph_, roots,
                                  [&](std::uint32_t n) -> std::optional<Expr> {
                                      const auto at = meaning_.find(n);
                                      return at == meaning_.end() ? std::nullopt : std::optional(at->second);
                                  })
        .front();
}

void RightSides::close() {
    std::vector<Expr> residuals;
    std::vector<Expr> sources;
    std::size_t behind = known_.size();  // more than there are parameters
    std::vector<Expr> derivatives;
    for (std::size_t k = 0; k < system_.states.size(); ++k) {
        const Expr leaf = leaf_behind(graph_, variables_, behind++);
        meaning_.emplace(graph_.derivative(system_.states[k].value).node(), leaf);
        derivatives.push_back(leaf);
    }
    for (std::size_t k = 0; k < system_.assignments.size(); ++k) {
        const compile::Assignment& a = system_.assignments[k];
        const Expr target = graph_.variable(a.target.value);
        const Expr value = closed(a.value);
        if (is_source(a)) {
            sources.push_back(value);
            source_places_.push_back(static_cast<std::size_t>(
                std::ranges::find_if(known_, [&](const KnownLeaf& l) { return same(l.leaf, target); }) -
                known_.begin()));
        } else if (system_.torn[k] || a.implicit) {
            unknowns_.push_back(a.target.value);
            residuals.push_back(a.implicit ? value : value - target);
        } else {
            meaning_.emplace(target.node(), value);
        }
    }
    std::vector<Expr> rates(system_.states.size());
    for (const compile::StateEquation& s : system_.state_equations) {
        const auto k = static_cast<std::size_t>(std::ranges::find(system_.states, s.state) - system_.states.begin());
        const Expr rate = closed(s.rate);
        rates[k] = s.implicit ? derivatives[k] : rate;
        if (!s.implicit) continue;
        unknowns_.push_back(graph_[derivatives[k].node()].a);
        residuals.push_back(rate);
    }
    // What is computed from the derivative of a state that has an equation of its own.
    std::vector<std::uint32_t> roots;
    for (const auto* list : {&rates, &residuals}) {
        for (const Expr e : *list) roots.push_back(graph_.node_of(e));
    }
    const auto used = expression::reachable(graph_, roots);
    for (std::size_t k = 0; k < rates.size(); ++k) {
        const Expr leaf = derivatives[k];
        if (same(rates[k], leaf) || !std::ranges::binary_search(used, leaf.node())) continue;
        unknowns_.push_back(graph_[leaf.node()].a);
        residuals.push_back(rates[k] - leaf);
    }
    layout_.time = 0;
    layout_.size = 1;
    layout_.variable.resize(variables_ + behind);
    for (std::uint32_t& slot : layout_.variable) slot = layout_.size++;
    rates_ = expression::Tape(graph_, rates, layout_);
    residuals_ = expression::Tape(graph_, residuals, layout_);
    sources_ = expression::Tape(graph_, sources, layout_);
}

expression::Tape RightSides::tape(Expr e) const {
    const std::array outputs{e};
    return {graph_, outputs, layout_};
}

std::vector<double> RightSides::inputs_of(const Point& point) const {
    std::vector<double> inputs(layout_.size, 0.0);
    for (std::size_t k = 0; k < known_.size(); ++k) inputs[slot(k)] = point[k];
    return inputs;
}

std::uint32_t RightSides::slot(std::size_t known) const { return layout_.slot(graph_[known_[known].leaf.node()]); }

void RightSides::take_sources(Point& point) const {
    const std::vector<double> inputs = inputs_of(point);
    std::vector<double> values(sources_.output_count());
    auto workspace = sources_.make_workspace<double>();
    sources_.evaluate<double>(inputs, values, workspace);
    for (std::size_t k = 0; k < values.size(); ++k) point[source_places_[k]] = values[k];
}

double RightSides::value(const expression::Tape& tape, const Point& point) const {
    const std::vector<double> inputs = inputs_of(point);
    std::array<double, 1> result{};
    auto workspace = tape.make_workspace<double>();
    tape.evaluate<double>(inputs, result, workspace);
    return result[0];
}

double RightSides::rounding(const expression::Tape& tape, const Point& point) const {
    return tape.rounding(inputs_of(point)).front();
}

std::vector<double> RightSides::rounding_at(const Point& point) const {
    std::vector<double> inputs = inputs_of(point);
    return find_unknowns(inputs) ? rates_.rounding(inputs) : std::vector<double>(rates_.output_count());
}

std::optional<std::vector<double>> RightSides::at(const Point& point) const {
    std::vector<double> inputs = inputs_of(point);
    if (!find_unknowns(inputs)) return std::nullopt;
    std::vector<double> rates(rates_.output_count());
    auto workspace = rates_.make_workspace<double>();
    rates_.evaluate<double>(inputs, rates, workspace);
    if (!std::ranges::all_of(rates, [](double r) { return std::isfinite(r); })) return std::nullopt;
    return rates;
}

/// Newton's method with differences: most of these equations are linear, which takes one step, and one more for what
/// rounding has left.
bool RightSides::find_unknowns(std::vector<double>& inputs) const {
    const auto n = static_cast<Eigen::Index>(unknowns_.size());
    if (n == 0) return true;
    auto workspace = residuals_.make_workspace<double>();
    const auto residual = [&] {
        Eigen::VectorXd r(n);
        residuals_.evaluate<double>(inputs, std::span(r.data(), static_cast<std::size_t>(n)), workspace);
        return r;
    };
    const auto slot = [&](Eigen::Index k) -> double& {
        return inputs[layout_.variable[unknowns_[static_cast<std::size_t>(k)]]];
    };
    constexpr int kMostSteps = 60;
    Eigen::VectorXd first;
    Eigen::VectorXd before;
    for (int step = 0; step < kMostSteps; ++step) {
        const Eigen::VectorXd r = residual();
        if (!r.allFinite()) return false;
        Eigen::MatrixXd slopes(n, n);
        for (Eigen::Index k = 0; k < n; ++k) {
            const double kept = slot(k);
            slot(k) = kept + (step == 0 ? 1.0 : 1e-6 * (std::abs(kept) + 1e-6));
            const double by = slot(k) - kept;
            slopes.col(k) = (residual() - r) / by;
            slot(k) = kept;
        }
        const Eigen::FullPivLU<Eigen::MatrixXd> lu(slopes);
        if (!slopes.allFinite() || !lu.isInvertible()) return false;
        const Eigen::VectorXd change = lu.solve(r);
        bool done = true;
        for (Eigen::Index k = 0; k < n; ++k) {
            slot(k) -= change[k];
            // Of one that is 0 by cancellation rounding is all there is.
            const double size = std::abs(change[k]);
            const bool rounding = step > 1 && size >= 0.5 * std::abs(before[k]) && size <= 1e-8 * std::abs(first[k]);
            done = done && (size <= 1e-11 * std::abs(slot(k)) || rounding);
        }
        if (done) return true;
        if (step == 0) first = change;
        before = change;
    }
    return false;
}

}  // namespace bondgraph::api
