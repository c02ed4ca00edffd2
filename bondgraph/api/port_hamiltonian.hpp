#pragma once

// A model by its energy: what stores it, what exchanges it, what loses it, and where sources bring it in.

#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

/// Entries of the matrices as expressions, by rows.
struct EntryTexts {
    std::vector<std::string> J, R, G, P, M, S;
};

/// dx/dt = (J − R) ∂H/∂x + (G − P) u, y = (G + P)ᵀ ∂H/∂x + (M + S) u, matrices by rows, in SI units. J and M are skew,
/// R and S symmetric; uᵀy is the power that sources bring in, so that dH/dt = uᵀy − [∂H/∂x; u]ᵀ [R P; Pᵀ S] [∂H/∂x; u].
/// An input is the value of a source, whatever gives it: a signal that controls it stays outside.
struct PortHamiltonian {
    std::vector<std::string> states;
    std::vector<std::string> inputs;       ///< "source.e"
    std::vector<std::string> outputs;      ///< what makes power of each with it: "source.f"
    std::vector<double> J, R, G, P, M, S;  ///< where they are not constant: at the start
    bool constant = true;
    /// Where they are not constant: over states, time and signals. An effort over a flow, or the reverse, stands for
    /// the law of a resistor that is not linear.
    EntryTexts entries, entries_latex;
    /// H = ½ xᵀ Q x + …, exactly where `quadratic`, else the curvature of H at the start.
    std::vector<double> Q;
    bool quadratic = true;
    std::string energy;            ///< H in the model's variables
    std::string energy_latex;      ///< the same
    double stored = 0.0;           ///< H at the start, J
    std::vector<double> start;     ///< x there
    std::vector<double> gradient;  ///< ∂H/∂x there
    /// States that no energy depends on and on which nothing of this form does: integrals of others, controllers.
    std::vector<std::string> left_out;
    std::vector<std::string> without_energy;  ///< states of the form that H does not depend on
    /// States outside of this form, of controllers and the like, that its matrices change with.
    std::vector<std::string> outside;
    /// "valve.open = 1": what decides the structure, as it is at the start. The form is that of this mode alone.
    std::vector<std::string> mode;
    std::vector<std::string> controlled;  ///< inputs that depend on states: by signals, outside of this form
    /// Elements that bring energy in: resistances below 0, own types. Their part of R is not positive semi-definite.
    std::vector<std::string> active;

    // What was checked, as shares of what is largest, in variables scaled by the energy: 0 but for rounding.
    double skewness = 0.0;     ///< of J = A Q⁻¹ + R and of M, R being what elements lose: whether power adds up
    double asymmetry = 0.0;    ///< of Q, as the storages' laws give it
    double reciprocity = 0.0;  ///< between y as it is here and the model's
    double imbalance = 0.0;    ///< between dx/dt here and the model's at the start
    /// The smallest eigenvalues: of Q and of [R P; Pᵀ S] with diagonals scaled to 1, and of R Q where Q is positive
    /// definite, in 1/s.
    double least_energy = 0.0;
    double least_loss = 0.0;
    double least_decay = 0.0;
    [[nodiscard]] bool positive() const { return least_energy > 1e-9; }  ///< H has a minimum, at rest
    [[nodiscard]] bool passive() const { return least_loss >= -1e-9; }   ///< energy comes from sources alone
};

}  // namespace bondgraph::api
