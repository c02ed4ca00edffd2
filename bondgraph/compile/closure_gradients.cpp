#include "bondgraph/compile/closure_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "bondgraph/compile/input_leaves.hpp"

namespace bondgraph::compile {

using model::Element;

namespace {

constexpr double kCancelled = 1e-10;  // what is so small beside others of its kind is rounding
constexpr int kAnywhere = 3;          // places drawn at random

const Element::Slot* slot_of(const model::BondGraph& g, std::uint32_t variable) {
    const std::size_t bonds = 2 * std::size_t{g.bond_components};
    if (variable < bonds) return nullptr;
    const auto& slot = g.slot_variables[variable - bonds];
    return &g.elements[slot.element.index()].slots[slot.slot];
}

}  // namespace

PointTape tape_of(const AssemblyProblem& p, const std::vector<Expr>& rows) {
    const model::BondGraph& g = *p.system->causal->graph;
    return {*g.expressions, p.system->is_state.size(), input_leaf_count(*g.expressions, rows, p.system->inputs.size()),
            p.system->events ? p.system->events->held_count : g.held_count(), rows};
}

bool is_angle(const model::BondGraph& g, std::uint32_t variable) {
    const Element::Slot* slot = slot_of(g, variable);
    return slot != nullptr && slot->kind == Element::Slot::Kind::state && slot->measure && !slot->unit_length &&
           slot->measure->dimension == Dimension{};
}

bool is_number(const model::BondGraph& g, std::uint32_t variable) {
    const Element::Slot* slot = slot_of(g, variable);
    return is_angle(g, variable) || (slot != nullptr && slot->unit_length);
}

std::vector<std::vector<std::uint32_t>> quaternions(const model::BondGraph& g,
                                                    const std::vector<std::uint32_t>& variables) {
    std::vector<std::vector<std::uint32_t>> result;
    for (const std::uint32_t v : variables) {
        const Element::Slot* slot = slot_of(g, v);
        if (slot == nullptr || !slot->unit_length) continue;
        if (g.slot_variable(slot->first).value != v) continue;
        result.push_back({});
        for (std::uint32_t k = 0; k < slot->size; ++k) result.back().push_back(v + k);
    }
    return result;
}

std::vector<Expr> lengths_of(expression::Graph& graph, const std::vector<std::vector<std::uint32_t>>& quaternions) {
    std::vector<Expr> result;
    for (const auto& members : quaternions) {
        Expr square = -1.0;
        for (const std::uint32_t v : members) square += graph.variable(v) * graph.variable(v);
        result.push_back(square);
    }
    return result;
}

Eigen::MatrixXd ClosureGradients::at(const ChoicePoint& point) const {
    const auto rows = static_cast<Eigen::Index>(p_.residuals.size());
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(p_.variables.size()));
    const std::vector<double> entries = tape_.jacobian(point.values, point.time, point.held);
    const structure::Incidence& pattern = tape_.pattern();
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            const auto v = std::ranges::lower_bound(p_.variables, pattern.columns[k]);
            m(static_cast<Eigen::Index>(r), v - p_.variables.begin()) = entries[k];
        }
    }
    return m;
}

Eigen::MatrixXd without_rounding(Eigen::MatrixXd m, const std::vector<double>& sizes) {
    for (Eigen::Index r = 0; r < m.rows(); ++r) {
        const double size = sizes[static_cast<std::size_t>(r)];
        if (m.row(r).cwiseAbs().maxCoeff() <= kCancelled * size) m.row(r).setZero();
    }
    return m;
}

ChoicePoint elsewhere(const AssemblyProblem& p, ChoicePoint at, double length, std::minstd_rand& random) {
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    const model::BondGraph& g = *p.system->causal->graph;
    for (std::size_t k = 0; k < p.variables.size(); ++k) {
        at.values[p.variables[k]] += part(random) * (is_number(g, p.variables[k]) ? 1.0 : length);
    }
    return at;
}

std::vector<double> sizes_of(const AssemblyProblem& p, const ClosureGradients& gradients, const ChoicePoint& at) {
    const model::BondGraph& g = *p.system->causal->graph;
    const auto domain = [&](std::size_t r) { return g.elements[p.parts[r].index()].ports[0].domain; };
    const Eigen::MatrixXd here = gradients.at(at);
    const std::vector<double> rounding = gradients.tape().rounding(at.values, at.time, at.held);
    struct Size {
        double gradient = 0.0, terms = 0.0;
    };
    std::map<model::DomainIndex, Size> largest;
    for (std::size_t r = 0; r < p.residuals.size(); ++r) {
        Size& most = largest[domain(r)];
        most.gradient = std::max(most.gradient, here.row(static_cast<Eigen::Index>(r)).cwiseAbs().maxCoeff());
        most.terms = std::max(most.terms, rounding[r] / std::numeric_limits<double>::epsilon());
    }
    std::vector<double> sizes;
    for (std::size_t r = 0; r < p.residuals.size(); ++r) {
        const Size& most = largest[domain(r)];
        sizes.push_back(most.gradient > kCancelled * most.terms ? most.gradient : most.terms);
    }
    return sizes;
}

std::vector<Eigen::MatrixXd> gradients_elsewhere(const AssemblyProblem& p, const ClosureGradients& gradients,
                                                 const ChoicePoint& near) {
    const std::vector<double> sizes = sizes_of(p, gradients, near);
    std::minstd_rand random(1);  // the same for every run
    std::vector<Eigen::MatrixXd> places;
    for (int k = 0; k < kAnywhere; ++k) {
        const ChoicePoint at = elsewhere(p, near, std::max(1e-3, *std::ranges::max_element(sizes)), random);
        Eigen::MatrixXd m = without_rounding(gradients.at(at), sizes_of(p, gradients, at));
        for (std::size_t r = 0; r < sizes.size(); ++r) {
            if (sizes[r] > 0.0) m.row(static_cast<Eigen::Index>(r)) /= sizes[r];
        }
        places.push_back(std::move(m));
    }
    return places;
}

}  // namespace bondgraph::compile
