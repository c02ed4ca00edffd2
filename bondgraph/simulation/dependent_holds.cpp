#include "bondgraph/simulation/dependent_holds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::simulation {

DependentHolds::DependentHolds(const compile::CompiledModel& unreduced) : m_(unreduced) {
    const model::BondGraph& g = m_.graph();
    std::map<std::uint32_t, std::vector<std::uint32_t>> forces_of;  // by part, those that aren't 0 already
    for (std::uint32_t i = 0; i < g.elements.size(); ++i) {
        const model::Element& e = g.elements[i];
        if (!e.type->holds_positions) continue;
        for (std::uint32_t k = 0; k < e.ports[0].size; ++k) forces_of[i].push_back(e.ports[0].first_effort + 2 * k);
    }
    for (std::uint32_t r = 0; r < m_.rows.size(); ++r) {
        const auto part = forces_of.find(m_.rows[r].element.value);
        if (part == forces_of.end()) continue;
        const auto row = m_.pattern.row(r);
        if (row.size() == 1 && std::erase(part->second, row[0]) > 0) continue;
        holds_.push_back({.row = r, .eliminated = m_.rows[r].variable.valid()});
    }
    for (Hold& h : holds_) h.forces = forces_of.at(m_.rows[h.row].element.value);
    auto hold = holds_.begin();
    for (std::uint32_t r = 0; r < m_.pattern.rows(); ++r) {
        std::vector<std::uint32_t> row(m_.pattern.row(r).begin(), m_.pattern.row(r).end());
        if (hold != holds_.end() && hold->row == r) {
            std::erase_if(hold->forces, [&](std::uint32_t f) { return std::ranges::find(row, f) != row.end(); });
            row.insert(row.end(), hold->forces.begin(), hold->forces.end());
            ++hold;
        }
        pattern_.add_row(row);
    }
}

double DependentHolds::weight(const Hold& hold, std::size_t k) {
    return 2.0 + std::sin(1.0 + 2.39996 * static_cast<double>(hold.row) + 1.7 * static_cast<double>(k));
}

void DependentHolds::take_none() {
    for (Hold& h : holds_) h.dependent = false;
}

bool DependentHolds::take(const compile::CompiledModel& mode) {
    const compile::ReducedSystem& s = *mode.reduced;
    take_none();
    for (const auto& redundant : mode.choice->details.redundant) {
        const model::ElementId part = s.equations[redundant.equation].element;
        std::vector<std::uint32_t> there;  // its conditions in the mode's equations, in the same order as here
        for (std::uint32_t r = 0; r < s.plan.differentiations.size(); ++r) {
            if (s.equations[r].element == part && s.plan.differentiations[r] > 0) there.push_back(r);
        }
        std::vector<Hold*> here;
        for (Hold& h : holds_) {
            if (m_.rows[h.row].element == part && !h.eliminated) here.push_back(&h);
        }
        if (here.size() != there.size()) return false;
        const auto at = std::ranges::find(there, redundant.equation);
        if (at == there.end()) return false;
        here[static_cast<std::size_t>(at - there.begin())]->dependent = true;
    }
    return true;
}

void DependentHolds::find(std::span<const double> entries) {
    constexpr double kRank = 1e-7;  // of a scaled row: far above what conditions are off by, below a toggle's reach
    std::map<std::uint32_t, Eigen::Index> columns;
    for (const Hold& h : holds_) {
        for (const std::uint32_t c : m_.pattern.row(h.row))
            columns.emplace(c, static_cast<Eigen::Index>(columns.size()));
    }
    Eigen::MatrixXd matrix =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(columns.size()), static_cast<Eigen::Index>(holds_.size()));
    for (std::size_t h = 0; h < holds_.size(); ++h) {
        for (std::size_t k = m_.pattern.starts[holds_[h].row]; k < m_.pattern.starts[holds_[h].row + 1]; ++k)
            matrix(columns[m_.pattern.columns[k]], static_cast<Eigen::Index>(h)) = entries[k];
    }
    for (Eigen::Index k = 0; k < matrix.rows(); ++k) {
        const double largest = matrix.row(k).cwiseAbs().maxCoeff();
        if (largest > 0.0) matrix.row(k) /= largest;
    }
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
        const double largest = matrix.col(k).cwiseAbs().maxCoeff();
        if (largest > 0.0) matrix.col(k) /= largest;
    }
    for (Hold& h : holds_) h.dependent = true;
    for (const Eigen::Index k : structure::independent_columns(matrix, {}, kRank, 0.0))
        holds_[static_cast<std::size_t>(k)].dependent = false;
}

std::vector<double> DependentHolds::exchanged(std::span<const double> entries) const {
    std::vector<double> result;
    result.reserve(pattern_.columns.size());
    auto hold = holds_.begin();
    for (std::uint32_t r = 0; r < m_.pattern.rows(); ++r) {
        const bool held = hold != holds_.end() && hold->row == r;
        const bool dropped = held && hold->dependent;
        for (std::size_t k = m_.pattern.starts[r]; k < m_.pattern.starts[r + 1]; ++k)
            result.push_back(dropped ? 0.0 : entries[k]);
        if (!held) continue;
        for (std::size_t k = 0; k < hold->forces.size(); ++k) result.push_back(dropped ? weight(*hold, k) : 0.0);
        ++hold;
    }
    return result;
}

void DependentHolds::exchange(std::span<const double> y, std::span<double> residual) const {
    for (const Hold& h : holds_) {
        if (!h.dependent) continue;
        residual[h.row] = 0.0;
        for (std::size_t k = 0; k < h.forces.size(); ++k) residual[h.row] += weight(h, k) * y[h.forces[k]];
    }
}

}  // namespace bondgraph::simulation
