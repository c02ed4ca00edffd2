#include "bondgraph/simulation/energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bondgraph::simulation {

using compile::EnergyTerm;
using expression::Expr;

EnergyAudit::EnergyAudit(const compile::CompiledModel& model, bool by_element)
    : model_(model), by_element_(by_element) {
    if (model.energy.empty()) return;
    Expr supplied = 0.0;
    Expr dissipated = 0.0;
    Expr integrated = 0.0;
    Expr other = 0.0;
    Expr moved = 0.0;
    Expr energy = 0.0;
    Expr lossy = 0.0;
    Expr declared = 0.0;  // by own types
    std::vector<Expr> outputs(5);
    for (const EnergyTerm& t : model.energy) {
        using Kind = EnergyTerm::Kind;
        switch (t.kind) {
            case Kind::source:
                supplied -= t.power;
                break;
            case Kind::dissipation:
                dissipated += t.power;
                break;
            case Kind::integrated_storage:
                integrated += t.power;
                break;
            case Kind::lossy_storage:
                dissipated += t.power;
                lossy += t.energy;
                break;
            case Kind::other:
                other += t.power;
                declared += t.energy;
                break;
            case Kind::storage:
                energy += t.energy;
                break;
        }
        moved += expression::abs(t.power);
        if (by_element) outputs.push_back(t.power);
    }
    outputs[0] = supplied;
    outputs[1] = dissipated;
    outputs[2] = integrated;
    outputs[3] = other;
    outputs[4] = Expr(0.5) * moved;
    powers_ = model.tape(outputs);
    const std::array stored{energy, lossy, declared};
    stored_ = model.tape(stored);
    work_ = stored_.make_workspace<double>();
}

StoredEnergy EnergyAudit::stored(Evaluator& ev, const Point& p) {
    if (model_.energy.empty()) return {};
    std::array<double, 3> value{};
    ev.run(stored_, work_, p.time, p.y, p.yp, value);
    return {value[0], value[1], value[2]};
}

EnergyBalance EnergyAudit::balance(const std::vector<double>& integrals, const StoredEnergy& before,
                                   const StoredEnergy& after, double lost_in_events) const {
    EnergyBalance b;
    if (integrals.size() < 5) return b;
    b.any = true;
    b.supplied = integrals[0];
    const double declared = after.own_types - before.own_types;
    const double lossy = after.lossy - before.lossy;
    b.dissipated = integrals[1] - lossy;
    b.stored = after.storages - before.storages + lossy + declared + integrals[2];
    b.other = integrals[3] - declared;
    b.moved = std::max({integrals[4], std::abs(before.all()), std::abs(after.all())});
    b.events = lost_in_events;
    b.imbalance = b.supplied - b.dissipated - b.stored - b.other - b.events;
    for (std::size_t k = 0; by_element_ && k < model_.energy.size(); ++k) {
        const auto& e = model_.graph().elements[model_.energy[k].element.index()];
        b.elements.push_back({e.name, std::string(e.type->name), integrals[5 + k]});
    }
    return b;
}

}  // namespace bondgraph::simulation
