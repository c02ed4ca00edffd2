#pragma once

#include <span>
#include <string>
#include <vector>

#include "bondgraph/expression/tape.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::compile {

struct CompiledModel;

/// What a run needs to know of a model's delays, in the order of BondGraph::delays. Inputs of the tapes are those of
/// the model.
struct DelayTapes {
    expression::Tape inputs;    ///< per delay: its input less what it was before the start
    expression::Tape times;     ///< per delay: how long, and how long at most
    std::vector<bool> varying;  ///< per delay: its time varies during the run
    /// Per delay, ascending: the inputs of the model that what goes in comes from, through equations and storages: 0
    /// for time, 1 + j for unknown j, held values.
    std::vector<std::vector<std::uint32_t>> origins;

    [[nodiscard]] std::size_t size() const { return varying.size(); }
    [[nodiscard]] bool empty() const { return varying.empty(); }
    [[nodiscard]] bool any_varying() const;
};

/// Of a model whose unknowns are known. `modes`: values of the discrete variables its structure is for.
DelayTapes delay_tapes(const CompiledModel& model, std::span<const double> modes);

/// Whether an expression has what comes out of a delay.
bool holds_delay(const model::BondGraph& graph, expression::Expr e);

/// What a delayed value is in the user's terms: "line.u(time - line.T)".
std::string delayed_text(const model::BondGraph& graph, std::size_t delay);
std::string delayed_text(const model::BondGraph& graph, const expression::Node& leaf);

}  // namespace bondgraph::compile
