#include "bondgraph/simulation/lock_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::simulation {

namespace {

const std::vector<compile::ClosedLoops::IdleLock>* idle_locks(const Mode& mode) {
    const compile::ReducedSystem* reduced = mode.model->reduced.get();
    if (reduced == nullptr || !reduced->loops || reduced->loops->idle.empty()) return nullptr;
    return &reduced->loops->idle;
}

/// What a flow of 0 is told by: the largest of its domain.
double largest_flow(const model::BondGraph& g, std::span<const double> values, model::DomainIndex domain) {
    double most = 0.0;
    for (const model::Bond& b : g.bonds) {
        if (b.domain != domain) continue;
        for (std::uint32_t k = 0; k < b.size; ++k)
            most = std::max(most, std::abs(values[model::BondGraph::flow(b.first + k).index()]));
    }
    return most;
}

}  // namespace

std::optional<Failure> LockWatch::look(Mode& mode, const Point& point, std::vector<IdleLockNote>& idle) const {
    constexpr double kOfLargest = 1e-9;
    constexpr double kNothing = 1e-12;  // m/s or rad/s: below, the largest may itself be what rounding leaves of 0
    const auto* locks = idle_locks(mode);
    if (locks == nullptr) return std::nullopt;
    const model::BondGraph& g = mode.model->graph();
    std::vector<double> values(mode.tapes->variables.output_count());
    mode.evaluator->run(mode.tapes->variables, mode.variable_work, point.time, point.y, point.yp, values);
    for (const compile::ClosedLoops::IdleLock& lock : *locks) {
        const model::Element& e = g.elements[lock.lock.index()];
        const model::DomainIndex domain = e.ports[0].domain;
        const double flow = values[lock.flow];
        if (!(std::abs(flow) <= std::max(kNothing, kOfLargest * largest_flow(g, values, domain)))) {
            const bool turns = domain == *model::find_domain("rotational");
            return Failure{
                .message = fmt::format("'{}' locks what other locks and sources of flow move through the closed loop, "
                                       "at {:.6g} {}",
                                       e.name, std::abs(flow), turns ? "rad/s" : "m/s"),
                .component = fmt::format("'{}' ({})", e.name, e.type->name),
                .time = point.time,
                .position = e.position,
                .notes = {
                    {"because",
                     "sources of flow and locks prescribe more motions of this mechanism than its closed loops "
                     "leave it freedoms, and they don't agree"},
                    {"try", "end one before the other begins, or drive by a force or through a clutch that slips"}}};
        }
        if (std::ranges::find(idle, e.name, &IdleLockNote::lock) == idle.end()) idle.push_back({point.time, e.name});
    }
    return std::nullopt;
}

std::vector<double> LockWatch::without_idle(const Mode& mode, std::vector<double> held) {
    const auto* locks = idle_locks(mode);
    if (locks == nullptr) return held;
    const auto& discretes = mode.model->graph().discretes;
    for (const compile::ClosedLoops::IdleLock& lock : *locks) {
        for (std::size_t d = 0; d < discretes.size(); ++d) {
            if (discretes[d].element == lock.lock) held[2 * d] = held[2 * d + 1] = 0.0;
        }
    }
    return held;
}

}  // namespace bondgraph::simulation
