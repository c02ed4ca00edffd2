#include "bondgraph/compile/nearest_gap.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/compile/closure_gradients.hpp"

namespace bondgraph::compile {

using Eigen::Index;

namespace {

constexpr double kMeet = 1e-6;  // m
constexpr int kStarts = 12;     // drawn at random

class GapSearch {
   public:
    explicit GapSearch(const AssemblyProblem& p) : p_(p), tape_(tape_of(p, p.gaps)) {
        const model::BondGraph& g = *p.system->causal->graph;
        for (const model::ElementId part : p.parts)
            turns_.push_back(g.elements[part.index()].ports[0].domain == *model::find_domain("rotational"));
    }

    NearestGap find(const ChoicePoint& from) {
        std::minstd_rand random(3);
        const double length = longest_lever(from);
        NearestGap best{std::numeric_limits<double>::infinity(), false, p_.parts.front()};
        for (int k = 0; k <= kStarts; ++k) {
            ChoicePoint at = k == 0 ? from : elsewhere(p_, from, length, random);
            approach(at, 0.0);
            NearestGap gap = largest(at, false);
            if (gap.size < kMeet && std::ranges::find(turns_, true) != turns_.end()) {
                // Directions count so little that they move the points by less than what counts as met.
                approach(at, 1e-4 * length);
                gap = largest(at, true);
            }
            // Points that meet are nearer than any that don't.
            if (gap.angle != best.angle ? gap.angle : gap.size < best.size) best = gap;
        }
        return best;
    }

   private:
    struct Rows {
        Eigen::VectorXd values;
        Eigen::MatrixXd gradients;
    };

    Rows at(const ChoicePoint& point, double of_directions) const {
        const auto n = static_cast<Index>(turns_.size());
        Rows rows{Eigen::VectorXd(n), Eigen::MatrixXd::Zero(n, static_cast<Index>(p_.variables.size()))};
        const std::vector<double> values = tape_.values(point.values, point.time, point.held);
        const std::vector<double> entries = tape_.jacobian(point.values, point.time, point.held);
        const structure::Incidence& pattern = tape_.pattern();
        for (std::size_t r = 0; r < turns_.size(); ++r) {
            const double weight = turns_[r] ? of_directions : 1.0;
            rows.values[static_cast<Index>(r)] = weight * values[r];
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                const auto v = std::ranges::lower_bound(p_.variables, pattern.columns[k]);
                rows.gradients(static_cast<Index>(r), v - p_.variables.begin()) = weight * entries[k];
            }
        }
        return rows;
    }

    void approach(ChoicePoint& point, double of_directions) const {
        constexpr int kSteps = 300;
        Rows here = at(point, of_directions);
        double damping = 1e-3;
        for (int k = 0; k < kSteps && here.gradients.allFinite() && damping < 1e12; ++k) {
            Eigen::MatrixXd normal = here.gradients.transpose() * here.gradients;
            const double size = std::max(normal.diagonal().maxCoeff(), std::numeric_limits<double>::min());
            normal.diagonal().array() += damping * size;
            const Eigen::VectorXd step = normal.ldlt().solve(here.gradients.transpose() * here.values);
            ChoicePoint there = point;
            for (std::size_t i = 0; i < p_.variables.size(); ++i)
                there.values[p_.variables[i]] -= step[static_cast<Index>(i)];
            Rows next = at(there, of_directions);
            if (!(next.values.squaredNorm() < here.values.squaredNorm())) {
                damping *= 4.0;
                continue;
            }
            damping = std::max(0.2 * damping, 1e-15);
            point = std::move(there);
            here = std::move(next);
        }
    }

    NearestGap largest(const ChoicePoint& point, bool of_directions) const {
        const std::vector<double> values = tape_.values(point.values, point.time, point.held);
        NearestGap gap{-1.0, of_directions, p_.parts.front()};
        for (std::size_t r = 0; r < values.size();) {
            const std::size_t first = r;
            double sum = 0.0;
            for (; r < values.size() && p_.parts[r] == p_.parts[first]; ++r) sum += values[r] * values[r];
            // Conditions on directions are sines of the angles by which they are missed.
            const double size = of_directions ? std::asin(std::min(1.0, std::sqrt(sum))) : std::sqrt(sum);
            if (turns_[first] == of_directions && !(size <= gap.size))
                gap = {std::isfinite(size) ? size : std::numeric_limits<double>::infinity(), of_directions,
                       p_.parts[first]};
        }
        gap.size = std::max(gap.size, 0.0);
        return gap;
    }

    double longest_lever(const ChoicePoint& point) const {
        double most = 0.0;
        const Rows rows = at(point, 0.0);
        if (rows.gradients.allFinite()) most = rows.gradients.cwiseAbs().maxCoeff();
        return most > 0.0 ? most : 1.0;
    }

    const AssemblyProblem& p_;
    PointTape tape_;
    std::vector<bool> turns_;
};

}  // namespace

NearestGap nearest_gap(const AssemblyProblem& problem, const ChoicePoint& from) {
    return GapSearch(problem).find(from);
}

}  // namespace bondgraph::compile
