#pragma once

#include <string>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::analysis {

/// A parameter that stands in equations by its name.
struct Symbol {
    std::string name;  ///< as short as it is clear: of a model parameter, of an element, or "element.parameter"
    std::string path;  ///< the element's parameter: "C1.C"
    double value = 0.0;
};

/// While it lives, the constant parameters of a graph's elements are parameter leaves in place of numbers: leaf
/// kFirstSymbol + i stands for symbol i. Zeros stay numbers, since they decide what acts on what. A parameter written
/// as the name of a parameter of the model (or of the type around it) goes by that name, the only parameter of an
/// element by the element's, others by both.
class NamedParameters {
   public:
    NamedParameters(model::BondGraph& graph, const model::Model& model);
    ~NamedParameters();
    NamedParameters(const NamedParameters&) = delete;
    NamedParameters& operator=(const NamedParameters&) = delete;

    [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }

    /// Far from the leaves of perturbed sources.
    static constexpr std::uint32_t kFirstSymbol = 1U << 24U;

   private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    void replace(model::ElementId id, std::size_t parameter, bool only);
    std::size_t shared_symbol(const std::string& name, const std::string& path, double value);

    model::BondGraph& graph_;
    const model::Model& model_;
    std::vector<Symbol> symbols_;
    /// Elements' parameters as they were.
    std::vector<std::vector<std::optional<model::Quantity>>> numbers_;
};

}  // namespace bondgraph::analysis
