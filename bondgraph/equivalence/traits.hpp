#pragma once

#include <string>
#include <vector>

#include "bondgraph/equivalence/normal_form.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

// What has to be known of a graph to compare how it behaves with how another does.

struct OnePort {
    std::string name;
    std::string type;  ///< Se, Sf, R, C, I
    std::string domain;
    double value = 0.0;  ///< its number; 0 where it has none, or no single one
    bool constant = false;
    int power_sign = 1;      ///< −1 where its reported power is the opposite of what its type's direction says
    int conjugate_sign = 1;  ///< the same of what answers a source: the flow of Se, the effort of Sf
};

struct Traits {
    std::vector<OnePort> sources;  ///< but for those that give 0 for good, as a ground does
    std::vector<OnePort> storages;
    std::vector<OnePort> resistors;
    /// Names of what nothing reads: it changes nothing, but may have states of its own, which show what has passed.
    std::vector<std::string> unread;
    bool linear = false;         ///< with constant coefficients, driven by constants
    bool only_one_ports = true;  ///< all power is given, stored or dissipated by these
    bool at_rest = true;         ///< no start value other than 0
};

Traits traits_of(const model::BondGraph& graph);

}  // namespace bondgraph::equivalence
