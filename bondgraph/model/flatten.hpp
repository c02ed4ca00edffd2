#pragma once

#include <span>
#include <stdexcept>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// Thrown when overrides name nothing in the model: the command was wrong, not the model.
class UnknownOverride : public std::runtime_error {
   public:
    /// One text for each such override.
    explicit UnknownOverride(std::vector<std::string> messages)
        : std::runtime_error(messages.front()), messages_(std::move(messages)) {}
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

   private:
    std::vector<std::string> messages_;
};

/// `--set` in a form that diagnostics can point into.
struct ParsedOverride {
    std::string path;
    Value value;
};

/// What shall be known of parameters afterwards.
struct ParameterWishes {
    /// Names ("R", "motor.R") of those that shall stay inputs of the equations where these allow it; each gets its
    /// place in BondGraph::adjustable, which says whether it did.
    std::span<const std::string> adjustable = {};
    bool listed = false;  ///< BondGraph::settable
};

/// Model → BondGraph: types instantiated (own types down to their primitives), parameters evaluated, units and
/// dimensions checked, bonds joined through the ports of composites, sizes and domains inferred.
/// Throws ModelError with all mistakes found, and UnknownOverride when there are none in the model; warnings are left
/// in BondGraph::warnings. `model` must be complete and outlive the result (own types are referred to).
BondGraph flatten(const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                  std::span<const ParsedOverride> overrides = {}, const ParameterWishes& wishes = {});

/// What flatten() would say of a model whose mistakes of form have left something out, which have been reported. What
/// may follow from them is left out too: unknown names where one has not been read, ports without a bond.
std::vector<Diagnostic> find_mistakes(const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                                      std::span<const ParsedOverride> overrides = {});

/// A value as a number of the given measure ("2 s" as second): for `experiment:` and command-line options, where only
/// parameters may be named. Where `time` is given it may be named too; formulas are then taken as they are, as
/// parameters without units and the time stand in them for whatever is needed. `unit` is what messages call the
/// measure. Throws ModelError.
double number_in(const Value& value, const BondGraph& graph, const UnitSystem& units, std::optional<Measure> measure,
                 std::optional<double> time = std::nullopt, std::string_view unit = {});

}  // namespace bondgraph::model
