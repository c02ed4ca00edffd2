#include "bondgraph/simulation/energy.hpp"

#include <algorithm>
#include <cmath>

namespace bondgraph::simulation {

using compile::EnergyTerm;
using expression::Expr;
using Kind = EnergyTerm::Kind;

namespace {

constexpr std::size_t kTotals = EnergyAudit::kMoved + 1;
constexpr std::size_t kStored = 3;  // storages, lossy, own types

struct Totals {
    Expr supplied = 0.0;
    Expr dissipated = 0.0;
    Expr integrated = 0.0;
    Expr other = 0.0;
    Expr held = 0.0;
    Expr moved = 0.0;
    Expr energy = 0.0;
    Expr lossy = 0.0;
    Expr declared = 0.0;  // by own types
};

Totals totals_of(const std::vector<EnergyTerm>& terms) {
    Totals sum;
    for (const EnergyTerm& t : terms) {
        switch (t.kind) {
            case Kind::source:
                sum.supplied -= t.power;
                break;
            case Kind::hold:
                sum.held -= t.power;
                break;
            case Kind::dissipation:
                sum.dissipated += t.power;
                break;
            case Kind::integrated_storage:
                sum.integrated += t.power;
                break;
            case Kind::lossy_storage:
                sum.dissipated += t.power;
                sum.lossy += t.energy;
                break;
            case Kind::other:
                sum.other += t.power;
                sum.declared += t.energy;
                break;
            case Kind::storage:
            case Kind::declared:
            case Kind::declared_supply:
                sum.energy += t.energy;
                break;
        }
        sum.moved += expression::abs(t.power);
    }
    return sum;
}

Expr power_of(const compile::CompiledModel& model, const model::Bond& bond) {
    Expr power = 0.0;
    if (!model::domains()[bond.domain].power) return power;
    const model::BondGraph& g = model.graph();
    for (std::uint32_t k = 0; k < bond.size; ++k) {
        const std::size_t effort = 2 * (std::size_t{bond.first} + k);
        power += g.variable(model::VariableId(effort)) * g.variable(model::VariableId(effort + 1));
    }
    return model.in_unknowns(power);
}

void add(std::vector<double>& to, const std::vector<double>& what, double factor) {
    to.resize(std::max(to.size(), what.size()), 0.0);
    for (std::size_t k = 0; k < what.size(); ++k) to[k] += factor * what[k];
}

/// The books of one element. `gained`: what its stored energy changed by in jumps, `jump`: what it took in them.
void settle(EnergyOfElement& e, Kind kind, double change, double lost, double jump, double gained) {
    e.events = lost;
    e.stored = change;
    switch (kind) {
        case Kind::source:
            e.supplied = -e.absorbed;
            break;
        case Kind::hold:
            e.events = lost + jump;
            e.supplied = e.events - e.absorbed;
            break;
        case Kind::dissipation:
        case Kind::lossy_storage:
            e.events = lost + jump - gained;
            e.dissipated = e.absorbed - change - e.events;
            break;
        case Kind::integrated_storage:
            e.stored = e.absorbed;
            break;
        case Kind::other:
            e.other = e.absorbed - change - lost;
            break;
        case Kind::declared:
            e.events = lost + jump - gained;
            e.residual = e.absorbed - change - e.events;
            break;
        case Kind::declared_supply:
            e.supplied = gained - jump;
            e.residual = e.absorbed + e.supplied - change - lost;
            break;
        case Kind::storage:
            e.residual = e.absorbed - change - lost;
            break;
    }
}

}  // namespace

StoredEnergy& StoredEnergy::operator+=(const StoredEnergy& other) {
    storages += other.storages;
    lossy += other.lossy;
    own_types += other.own_types;
    by_element.resize(std::max(by_element.size(), other.by_element.size()), 0.0);
    for (std::size_t k = 0; k < other.by_element.size(); ++k) by_element[k] += other.by_element[k];
    return *this;
}

StoredEnergy operator-(const StoredEnergy& a, const StoredEnergy& b) {
    StoredEnergy difference{a.storages - b.storages, a.lossy - b.lossy, a.own_types - b.own_types, a.by_element};
    difference.by_element.resize(std::max(a.by_element.size(), b.by_element.size()), 0.0);
    for (std::size_t k = 0; k < b.by_element.size(); ++k) difference.by_element[k] -= b.by_element[k];
    return difference;
}

JumpBooks& JumpBooks::operator+=(const JumpBooks& other) {
    add(impulses, other.impulses, 1.0);
    add(taken, other.taken, 1.0);
    add(bonds, other.bonds, 1.0);
    stored += other.stored;
    return *this;
}

JumpBooks operator-(const JumpBooks& a, const JumpBooks& b) {
    JumpBooks difference = a;
    add(difference.impulses, b.impulses, -1.0);
    add(difference.taken, b.taken, -1.0);
    add(difference.bonds, b.bonds, -1.0);
    difference.stored = a.stored - b.stored;
    return difference;
}

EnergyAudit::EnergyAudit(const compile::CompiledModel& model, bool by_element)
    : model_(model), by_element_(by_element) {
    if (model.energy.empty()) return;
    const Totals sum = totals_of(model.energy);
    std::vector<Expr> powers{sum.supplied, sum.dissipated, sum.integrated, sum.other, sum.held, Expr(0.5) * sum.moved};
    std::vector<Expr> stored{sum.energy, sum.lossy, sum.declared};
    if (by_element) {
        for (const EnergyTerm& t : model.energy) powers.push_back(t.power);
        for (const model::Bond& bond : model.graph().bonds) powers.push_back(power_of(model, bond));
        for (const EnergyTerm& t : model.energy) stored.push_back(t.energy);
    }
    smooth_ = powers.size();
    if (by_element) {
        for (const EnergyTerm& t : model.energy) powers.push_back(expression::abs(t.power));
    }
    powers_ = model.tape(powers);
    powers.resize(kBooks);
    books_ = model.tape(powers);
    stored_ = model.tape(stored);
}

std::optional<model::ElementId> EnergyAudit::not_finite(Evaluator& ev, const Point& p) const {
    std::vector<Expr> powers;
    for (const EnergyTerm& t : model_.energy) powers.push_back(t.power);
    const expression::Tape tape = model_.tape(powers);
    std::vector<double> work = tape.make_workspace<double>();
    std::vector<double> values(powers.size());
    ev.run(tape, work, p.time, p.y, p.yp, values);
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(values[k])) return model_.energy[k].element;
    }
    return std::nullopt;
}

StoredEnergy EnergyAudit::stored(Evaluator& ev, const Point& p) const {
    if (model_.energy.empty()) return {};
    std::vector<double> value(stored_.output_count());
    auto work = stored_.make_workspace<double>();
    ev.run(stored_, work, p.time, p.y, p.yp, value);
    return {value[0], value[1], value[2], {value.begin() + kStored, value.end()}};
}

EnergyBalance EnergyAudit::balance(const EnergyReading& from, const EnergyReading& to) const {
    EnergyBalance b{.from = from.time, .to = to.time};
    std::vector<double> integrals = to.integrals;
    for (std::size_t k = 0; k < std::min(integrals.size(), from.integrals.size()); ++k)
        integrals[k] -= from.integrals[k];
    if (integrals.size() < kTotals) return b;
    const StoredEnergy change = to.stored - from.stored;
    const StoredEnergy lost = to.lost - from.lost;
    const JumpBooks jumps = to.jumps - from.jumps;
    double supplied = 0.0;
    double stored = 0.0;
    double dissipated = -jumps.stored.lossy;
    double other = 0.0;
    double moved = 0.0;
    for (std::size_t k = 0; k < jumps.taken.size(); ++k) {
        moved += 0.5 * std::abs(jumps.taken[k]);
        switch (model_.energy[k].kind) {
            case Kind::source:
                supplied -= jumps.taken[k];
                break;
            case Kind::hold:
            case Kind::dissipation:
            case Kind::lossy_storage:
                dissipated += jumps.taken[k];
                break;
            case Kind::integrated_storage:
                stored += jumps.taken[k];
                break;
            case Kind::declared:
                dissipated += jumps.taken[k] - jumps.stored.by_element[k];
                break;
            case Kind::declared_supply:
                supplied -= jumps.taken[k] - jumps.stored.by_element[k];
                break;
            case Kind::other:
                other += jumps.taken[k];
                break;
            case Kind::storage:
                break;
        }
    }
    b.any = true;
    b.supplied = integrals[0] + integrals[kHeld] + supplied;
    b.dissipated = integrals[1] - (change.lossy + lost.lossy - jumps.stored.lossy);
    b.stored = change.all() + integrals[2] + stored;
    b.other = integrals[3] + other - change.own_types - lost.own_types;
    b.moved = std::max({integrals[kMoved] + moved, std::abs(from.stored.all()), std::abs(to.stored.all())});
    b.events = lost.all() + dissipated;
    b.imbalance = b.supplied - b.dissipated - b.stored - b.other - b.events;
    if (by_element_) add_by_element(b, integrals, change, lost, jumps);
    return b;
}

void EnergyAudit::add_by_element(EnergyBalance& b, const std::vector<double>& integrals, const StoredEnergy& change,
                                 const StoredEnergy& lost, const JumpBooks& jumps) const {
    const std::size_t count = model_.energy.size();
    const std::size_t bonds = kTotals + count;
    const std::size_t moved = bonds + model_.graph().bonds.size();
    const auto at = [](const std::vector<double>& values, std::size_t k) {
        return k < values.size() ? values[k] : 0.0;
    };
    for (std::size_t k = 0; k < count; ++k) {
        const auto& e = model_.graph().elements[model_.energy[k].element.index()];
        const double jump = at(jumps.taken, k);
        EnergyOfElement part{e.name, std::string(e.type->name), integrals[kTotals + k] + jump};
        part.id = model_.energy[k].element;
        part.moved = integrals[moved + k] + std::abs(jump);
        settle(part, model_.energy[k].kind, at(change.by_element, k), at(lost.by_element, k), jump,
               at(jumps.stored.by_element, k));
        if (!model_.energy[k].part) {
            b.elements.push_back(part);
            continue;
        }
        EnergyOfElement& whole = b.elements.back();
        whole.absorbed += part.absorbed;
        whole.supplied += part.supplied;
        whole.dissipated += part.dissipated;
    }
    b.bonds.assign(integrals.begin() + static_cast<std::ptrdiff_t>(bonds),
                   integrals.begin() + static_cast<std::ptrdiff_t>(moved));
    add(b.bonds, jumps.bonds, 1.0);
}

}  // namespace bondgraph::simulation
