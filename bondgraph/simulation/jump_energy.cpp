#include "bondgraph/simulation/jump_energy.hpp"

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/chebyshev.hpp"

namespace bondgraph::simulation {

using compile::EnergyTerm;
using Kind = EnergyTerm::Kind;

void JumpEnergy::prepare(const Findings& raw) {
    if (audit_) return;
    audit_ = &raw.of<EnergyByElement>();
    for (const EnergyTerm& term : raw.model().energy) {
        std::vector<End>& ends = ends_.emplace_back();
        if (term.part) continue;  // impulses are no powers
        for (const model::Port& p : raw.model().graph().elements[term.element.index()].ports) {
            if (!model::domains()[p.domain].power) continue;
            for (std::uint32_t k = 0; k < p.size; ++k) ends.push_back({p.first_effort / 2 + k, p.at_head ? 1.0 : -1.0});
        }
    }
}

StoredEnergy JumpEnergy::stored(Evaluator& raw, const Instant& at, double time) {
    raw.set_held(at.held);
    raw.segment = at.segment;
    Point p;
    p.time = time;
    p.y = at.values;
    p.yp.assign(p.y.size(), 0.0);
    return audit_->stored(raw, p);
}

/// By bond component, through places at Chebyshev's points.
std::vector<double> JumpEnergy::along(const std::vector<const Place*>& places) const {
    const Chebyshev rule(places.size() - 1);
    const auto n = static_cast<Eigen::Index>(places.size());
    const auto at = [&](Eigen::Index i) -> const Place& { return *places[static_cast<std::size_t>(i)]; };
    std::vector<double> energy(first_.graph().bond_components, 0.0);
    for (std::size_t c = 0; c < energy.size(); ++c) {
        for (Eigen::Index i = 0; i < n; ++i) {
            double effort_rate = 0.0;
            double flow_rate = 0.0;
            for (Eigen::Index j = 0; j < n; ++j) {
                effort_rate += rule.derivative(i, j) * at(j).impulse[2 * c];
                flow_rate += rule.derivative(i, j) * at(j).impulse[2 * c + 1];
            }
            energy[c] += rule.weight(i) * (at(i).value[2 * c] * flow_rate + at(i).value[2 * c + 1] * effort_rate);
        }
    }
    return energy;
}

std::vector<double> JumpEnergy::taken(const std::vector<double>& components) const {
    std::vector<double> result;
    for (const std::vector<End>& ends : ends_) {
        double sum = 0.0;
        for (const End& end : ends) sum += end.sign * components[end.component];
        result.push_back(sum);
    }
    return result;
}

/// Whether a straight line is not the way: a storage would not have got what it has gained; or nobody can tell.
bool JumpEnergy::bent(const std::vector<double>& taken, const StoredEnergy& change) const {
    double size = 0.0;
    for (const double x : taken) size += std::abs(x);
    for (std::size_t k = 0; k < taken.size(); ++k) {
        const Kind kind = first_.energy[k].kind;
        const double gained = change.by_element[k];
        if (kind == Kind::storage && std::abs(taken[k] - gained) > kExactEnergies * size) return true;
        const bool lossy = kind == Kind::lossy_storage || kind == Kind::declared || kind == Kind::declared_supply;
        if (lossy && std::abs(gained) > kExactEnergies * size) return true;
        const bool opaque = kind == Kind::integrated_storage || kind == Kind::other;
        if (opaque && std::abs(taken[k]) > kExactEnergies * size) return true;
    }
    return false;
}

/// Ever more points of the way until the energies stay. Where one can't be solved for, as well as was got.
std::vector<double> JumpEnergy::follow(Impulses& impulses, const Snapshot& from, const Instant& before,
                                       const Instant& after, const Place& first, const Place& last) {
    Evaluator& raw = impulses.raw_evaluator(after.held);
    raw.set_held(after.held);
    raw.segment = after.segment;
    std::vector<double> lacking(raw.size());
    const std::vector<double> no_rates(raw.size(), 0.0);
    if (!raw.residual(from.time, before.values, no_rates, lacking)) return along({&first, &last});
    const double h = impulses.duration();
    std::vector<std::unique_ptr<Place>> inner(kFinestWay + 1);
    // Over a step and one of twice the length: what halves is an impulse, what stays is none.
    const auto solve = [&](std::size_t i) {
        const double remaining = 1.0 - chebyshev_point(i, kFinestWay);
        const auto once = impulses.step(from, after.held, after.segment, {remaining, lacking, 1.0}).point.y;
        const auto twice = impulses.step(from, after.held, after.segment, {remaining, lacking, 2.0}).point.y;
        inner[i] = std::make_unique<Place>();
        for (std::size_t v = 0; v < first.value.size(); ++v) {
            inner[i]->value.push_back(2.0 * twice[v] - once[v]);
            inner[i]->impulse.push_back(2.0 * h * (once[v] - twice[v]));
        }
    };
    return refined(along({&first, &last}), [&](std::size_t n) -> std::vector<double> {
        std::vector<const Place*> places{&first};
        try {
            for (std::size_t i = kFinestWay / n; i < kFinestWay; i += kFinestWay / n) {
                if (!inner[i]) solve(i);
                places.push_back(inner[i].get());
            }
        } catch (const SimulationError&) {
            return {};
        }
        places.push_back(&last);
        return along(places);
    });
}

JumpBooks JumpEnergy::book(Impulses& impulses, const Snapshot& from, const ImpulseStep& step, const Instant& before,
                           const Instant& after) {
    prepare(step.raw->findings());
    const model::BondGraph& g = first_.graph();
    const std::size_t variables = 2 * std::size_t{g.bond_components};
    const double h = impulses.duration();
    const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
    Place first{{}, std::vector<double>(variables, 0.0)};
    Place last;
    for (std::size_t v = 0; v < variables; ++v) {
        first.value.push_back(finite(before.values[v]));
        last.value.push_back(finite(after.values[v]));
        last.impulse.push_back(h * (step.point.y[v] - last.value[v]));
    }
    JumpBooks books;
    books.stored = stored(*step.raw, after, from.time) - stored(*step.raw, before, from.time);
    std::vector<double> components = along({&first, &last});
    if (bent(taken(components), books.stored)) components = follow(impulses, from, before, after, first, last);
    books.impulses = last.impulse;
    books.taken = taken(components);
    for (const model::Bond& bond : g.bonds) {
        double sum = 0.0;
        for (std::uint32_t k = 0; k < bond.size; ++k) sum += components[bond.first + k];
        books.bonds.push_back(model::domains()[bond.domain].power ? sum : 0.0);
    }
    step.raw->set_held(after.held);
    return books;
}

}  // namespace bondgraph::simulation
