#pragma once

// Where the energy of a run went, as values.

#include <cstddef>
#include <string>
#include <vector>

namespace bondgraph::api {

/// The books of one element, in joule: absorbed + supplied = stored + dissipated + other + events, but for errors of
/// the integration.
struct ElementEnergy {
    std::string name;
    std::string type;
    double absorbed = 0.0;  ///< ∫ power into the element
    double supplied = 0.0;
    double stored = 0.0;  ///< its change
    double dissipated = 0.0;
    double other = 0.0;
    double events = 0.0;
    /// ∫ |power into the element|, its activity; of jumps their net energy. Powers are added up at three points of each
    /// step and don't bend there as their absolute values do: good to about 1e-4 of it at a tolerance of 1e-6.
    double moved = 0.0;
};

/// Joule; supplied = stored + dissipated + other + events + imbalance.
struct Energy {
    bool known = false;
    double supplied = 0.0;
    double stored = 0.0;  ///< its change
    double dissipated = 0.0;
    double other = 0.0;   ///< taken by own types without a declared energy
    double events = 0.0;  ///< lost where events changed states
    double imbalance = 0.0;
    /// Of all elements that take power, those inside joints and other components among them, in the order of the bond
    /// graph; where RunOptions::energy_by_element asked for them.
    std::vector<ElementEnergy> elements = {};
    double moved = 0.0;  ///< ½ ∫ Σ |power of each element| dt: what an imbalance is to be compared with
};

/// What a component, or all of a domain, did with energy, in joule. in and out are sums over bonds by the direction of
/// their net energy: supplied + in = out + stored + dissipated + other + events + residual.
struct EnergyRow {
    std::string name;
    std::string type;  ///< of a component
    double supplied = 0.0;
    double in = 0.0;
    double out = 0.0;
    double stored = 0.0;  ///< its change
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
    std::string domain;   ///< "electrical"
    double energy = 0.0;  ///< J, not negative
};

/// Where the energy of a run, or of a part of it, went. A wrapped component (a joint, a body) stands for all of its
/// parts; what carries no energy (signals, pseudo bonds) is left out.
struct EnergyAccount {
    double from = 0.0;  ///< s
    double to = 0.0;
    Energy balance;                     ///< of all; not known where no bond carries power
    std::vector<EnergyRow> components;  ///< in the order of the model
    std::vector<EnergyFlow> flows;      ///< one per bond between two of them
    /// In the order of the manual; then, where there are any, the components that join several domains and store or
    /// lose energy themselves ("between domains").
    std::vector<EnergyRow> domains;
};

/// The energy account from the start of a run to instants of it: what one of them has more than another is the account
/// of the time between these. All of it are the program's own sums, at ends of its steps, and before and after events
/// that take energy (two entries of one time).
struct EnergyCourse {
    struct Part {
        std::vector<double> supplied;  ///< J, one per time; as of EnergyRow
        std::vector<double> stored;
        std::vector<double> dissipated;
        std::vector<double> other;
        std::vector<double> events;
    };
    std::vector<double> time;  ///< s; the first is the start, the last the end of the run
    Part balance;
    std::vector<double> moved;             ///< as of Energy
    std::vector<EnergyRow> rows;           ///< of the whole run, as EnergyAccount::components
    std::vector<Part> components;          ///< parallel to them
    std::vector<EnergyFlow> flows;         ///< of the whole run, as EnergyAccount::flows
    std::vector<std::vector<double>> net;  ///< parallel to them, in the direction of those; may be negative
    /// What one element that joins domains, or a source between them, has given a domain; may be negative.
    struct Crossing {
        std::size_t domain = 0;
        std::vector<double> net;
    };
    std::vector<EnergyRow> domain_rows;  ///< of the whole run, as EnergyAccount::domains
    std::vector<Part> domains;           ///< parallel to them
    std::vector<Crossing> crossings;     ///< `in` of a domain sums up those above 0, `out` those below
};

}  // namespace bondgraph::api
