#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bondgraph::model {

/// One power bond of a connector.
struct ConnectorBond {
    std::string name;
    std::uint32_t size = 1;
    std::string domain;
    bool common_flow = true;  ///< connecting makes flows equal (a 1-junction), else efforts (a 0-junction)
    std::string effort;       ///< names of effort and flow in results; effort positive for power into the component
    std::string flow;
};

/// A signal that all connectors joined to each other share.
struct ConnectorSignal {
    std::string name;
    std::uint32_t rows = 1;
    std::uint32_t cols = 1;
    std::string unit = {};
};

/// A kind of wrapped connection, as data: its power bonds, and signals of which one component of each connection set
/// computes the values. Where there are signals, the connections of a model form a tree; what closes a loop becomes a
/// constraint. A constant of the catalogue, or declared in a model file; which of them it is, its address tells.
struct ConnectorType {
    std::string name;
    std::string doc;
    std::vector<ConnectorBond> bonds;
    std::vector<ConnectorSignal> signals = {};
    /// The component type that holds two of them together where a connection closes a loop: its first two connectors
    /// are of this kind. Empty: no loop can be closed.
    std::string closure = {};

    /// "turn", or of a single bond nothing: what stands behind the connector's name for the port of a bond.
    [[nodiscard]] std::string port_of(const std::string& connector, std::size_t bond) const {
        return bonds.size() == 1 ? connector : connector + "." + bonds[bond].name;
    }
};

}  // namespace bondgraph::model
