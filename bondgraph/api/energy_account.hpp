#pragma once

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// The books of all, without those of elements.
Energy energy_in_all(const simulation::EnergyBalance& balance);

/// `balance` must be one by element.
EnergyAccount energy_account(const model::BondGraph& graph, const simulation::EnergyBalance& balance);
/// Of balances from one start to several instants, the last one of all of the run. Nothing where no bond carries power.
std::optional<EnergyCourse> energy_course(const model::BondGraph& graph,
                                          std::span<const simulation::EnergyBalance> balances);

}  // namespace bondgraph::api
