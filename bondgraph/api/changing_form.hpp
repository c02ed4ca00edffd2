#pragma once

#include <Eigen/Core>
#include <vector>

#include "bondgraph/api/energy_rows.hpp"
#include "bondgraph/api/port_hamiltonian.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// A model at its start, and what is known of its energy there.
struct EnergyAtStart {
    const simulation::Point& point;
    const EnergyRows& rows;
    const analysis::LinearModel& linear;
    const Eigen::MatrixXd& Q;
    const Eigen::VectorXd& gradient;
    const std::vector<bool>& energetic;  ///< states that energy depends on
};

/// The form of a model whose junction structure or resistors change with states, time or signals, or have laws that are
/// not linear: J, R, G, … as expressions, and as numbers at the start. States that hold no energy and that these change
/// with are states of the form where they are integrals of efforts and flows: J then has their rates' coefficients in
/// their rows, and the negative ones in their columns, where ∂H/∂x is 0. Losses by the elements' own laws are compared
/// with J − R as expressions. Throws UsageError where the model has no such form.
PortHamiltonian changing_form(const EnergyAtStart& start);

}  // namespace bondgraph::api
