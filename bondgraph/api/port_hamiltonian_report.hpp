#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bondgraph/api/port_hamiltonian.hpp"
#include "bondgraph/api/text_table.hpp"

namespace bondgraph::api {

std::string port_hamiltonian_text(const PortHamiltonian& form, const Heading& heading);
std::string port_hamiltonian_latex(const PortHamiltonian& form);
/// Keys as the members.
nlohmann::ordered_json port_hamiltonian_json(const PortHamiltonian& form);

}  // namespace bondgraph::api
