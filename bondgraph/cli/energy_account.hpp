#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::cli {

/// Energies in joule over the time audited. in and out are sums over bonds by the direction of their net energy:
/// supplied + in = out + stored + dissipated + other + events + residual.
struct EnergyRow {
    std::string name;
    std::string type;
    double supplied = 0.0;
    double in = 0.0;
    double out = 0.0;
    double stored = 0.0;
    double dissipated = 0.0;
    double other = 0.0;      ///< taken by own types without a declared energy
    double events = 0.0;     ///< lost where events changed states
    double residual = 0.0;   ///< what does not add up: the error of the integration
    bool passes_on = false;  ///< a junction or two-port: has no books of its own
};

/// Net energy along a bond, from the component that gave it to the one that took it.
struct EnergyFlow {
    std::size_t from = 0;  ///< index into EnergyAccount::components
    std::size_t to = 0;
    std::string bond;
    model::DomainIndex domain = model::kGeneric;
    double energy = 0.0;  ///< not negative
};

/// Where the energy of a run, or of a part of it, went. A wrapped component stands for all of its parts; what carries
/// no energy (signals, pseudo bonds) is left out.
struct EnergyAccount {
    simulation::EnergyBalance balance;
    std::vector<EnergyRow> components;  ///< in the order of the model
    std::vector<EnergyFlow> flows;      ///< one per bond between two of them
    /// Domains in the order of the manual; then, where there are any, the components that join several and store or
    /// lose energy themselves ("between domains").
    std::vector<EnergyRow> domains;
};

/// `balance` must be one by element.
EnergyAccount energy_account(const model::BondGraph& graph, const simulation::EnergyBalance& balance);

/// Tables for people.
std::string audit_text(const std::string& model, const EnergyAccount& account);
/// The same and the flows for programs.
std::string audit_json(const std::string& model, const EnergyAccount& account);

}  // namespace bondgraph::cli
