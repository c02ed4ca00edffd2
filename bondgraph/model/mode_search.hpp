#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// A discrete variable of an element that answers to efforts and flows (a diode, friction), and the values it may take.
struct ReactingMode {
    std::size_t discrete = 0;  ///< index into BondGraph::discretes
    std::vector<double> values;
    bool structural = false;  ///< another value may have a solution where this one has none
};

std::vector<ReactingMode> reacting_modes(const BondGraph& graph);
/// Those of elements that only a start may put into another state: a body that rests on a stop.
std::vector<ReactingMode> start_modes_to_try(const BondGraph& graph);

/// Those of switches and locks that obey something which is solved for at the start only (`open: C.e > 2`).
std::vector<ReactingMode> conditions_to_try(const BondGraph& graph);

/// "'d1.on' = 1, 'd2.on' = 0" of those that decide the structure; some of them where there are many.
std::string mode_text(const BondGraph& graph, const std::vector<ReactingMode>& reacting,
                      const std::vector<double>& modes);

/// Which states several elements that react to each other take together: a complementarity problem, in which changing
/// one at a time may go round in circles (two diodes commutating a coil's current: one has to begin to conduct as the
/// other ends). Combinations are tried from a first one on: what the elements ask for there, all at once and one by
/// one, where there is no solution each other state of one of them; then single changes of what has been tried. Each is
/// tried once, in an order that depends on nothing else.
class ModeSearch {
   public:
    struct Verdict {
        enum class Kind : std::uint8_t {
            agrees,
            differs,    ///< `wanted` is what the elements ask for
            impossible  ///< the model has no solution there
        } kind = Kind::impossible;
        std::vector<double> wanted;  ///< by discrete variable of the model
    };
    using Judge = std::function<Verdict(const std::vector<double>& modes)>;

    ModeSearch(std::vector<ReactingMode> reacting, std::size_t most) : reacting_(std::move(reacting)), most_(most) {}

    /// Values of all discrete variables the judge agrees with; those that don't react stay as in `first`.
    [[nodiscard]] std::optional<std::vector<double>> find(const std::vector<double>& first, const Judge& judge);

   private:
    void propose(const std::vector<double>& from, const Verdict& verdict);
    void propose_single_changes(const std::vector<double>& from);
    void propose(std::vector<double> modes);

    std::vector<ReactingMode> reacting_;
    std::size_t most_;
    std::set<std::vector<double>> seen_;
    std::vector<std::vector<double>> open_;
};

}  // namespace bondgraph::model
