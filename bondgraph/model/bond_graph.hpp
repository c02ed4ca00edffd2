#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bondgraph/base/id.hpp"
#include "bondgraph/model/component_type.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::model {

struct ElementTag;
struct BondTag;
struct VariableTag;
using ElementId = Id<ElementTag>;
using BondId = Id<BondTag>;
using VariableId = Id<VariableTag>;

/// A port of an element and the bond at it. `sign` is −1 where the bond's positive power is opposite to the port's
/// own direction (only possible between two elements joined without a junction).
struct Port {
    std::string name;
    PortDirection direction = PortDirection::in;
    BondId bond;
    bool at_head = false;  ///< the half arrow points to this port
    int sign = 1;
    std::uint32_t size = 0;
    std::uint32_t first_effort = 0;  ///< variable index of the bond's first effort (flow: one more)
    DomainIndex domain = kGeneric;
    SourcePosition position;
};

/// A value that one of several spellings in `initial:` or `guess:` fixes.
struct StartValue {
    std::string variable;
    Quantity value;
    SourcePosition position;
    bool fixed = true;  ///< initial: true, guess: false
};

/// An equation the user wrote (`law:` of a primitive, `equations:` of an own type), in the element's variables.
struct GivenEquation {
    expression::Expr lhs;
    expression::Expr rhs;
    SourcePosition position;
};

/// A vertex of the bond graph: a junction, an element, a two-port or a signal block, with evaluated parameters.
struct Element {
    std::string name;
    const ComponentType* type = nullptr;
    SourcePosition position;
    std::vector<Port> ports;
    /// Parallel to type->parameters; nothing = not given and without default.
    std::vector<std::optional<Quantity>> parameters;
    std::vector<SourcePosition> parameter_positions;
    std::vector<GivenEquation> given_equations;
    std::optional<expression::Expr> given_energy;
    std::vector<std::string> words;  ///< parameter of kind texts
    std::vector<int> integers;       ///< parameter of kind integers
    /// States, outputs, inputs and internal variables by the type's order: first variable and number of components.
    struct Slot {
        std::string name;
        std::uint32_t first = 0;
        std::uint32_t size = 1;
        enum class Kind : std::uint8_t { state, output, internal } kind = Kind::internal;
    };
    std::vector<Slot> slots;
    /// Values of connected inputs by name (own types and signal blocks).
    std::vector<std::pair<std::string, Quantity>> inputs;
    std::vector<StartValue> starts;
    std::vector<std::pair<std::string, double>> nominals;
    StatePreference preference = StatePreference::standard;
    const TypeDeclaration* declaration = nullptr;  ///< own types

    [[nodiscard]] const Quantity* parameter(std::string_view parameter_name) const;
    [[nodiscard]] const Slot* slot(std::string_view slot_name) const;
    [[nodiscard]] bool is_junction() const { return type->role == Role::junction0 || type->role == Role::junction1; }
};

/// A (multi)bond. `from` and `to` follow the direction in which its internal variables are positive; where the user
/// drew the half arrow against an element's own direction, `reversed` is set and the reported effort (at a
/// 1-junction) or flow (elsewhere) has the opposite sign. Component k has variables effort(k) and flow(k).
struct Bond {
    std::string name;  ///< the user's name, with its scope's prefix; empty when unnamed
    ElementId from;
    ElementId to;
    std::uint32_t from_port = 0;  ///< index into the element's ports
    std::uint32_t to_port = 0;
    std::uint32_t size = 0;
    DomainIndex domain = kGeneric;
    bool reversed = false;
    std::uint32_t first = 0;  ///< first bond component
    SourcePosition position;
};

/// Variables: two per bond component (effort 2c, flow 2c+1), then the elements' slots.
struct SlotVariable {
    ElementId element;
    std::uint32_t slot = 0;
    std::uint32_t component = 0;
};

using Topology = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                       boost::property<boost::edge_index_t, std::size_t>>;

/// A flattened model: elements, junctions, (multi)bonds and signals; nothing else.
class BondGraph {
   public:
    std::string model_name;
    SourcePosition model_position;
    std::unique_ptr<expression::Graph> expressions = std::make_unique<expression::Graph>();
    std::vector<Element> elements;
    std::vector<Bond> bonds;
    std::vector<SlotVariable> slot_variables;
    std::uint32_t bond_components = 0;
    std::unordered_map<std::string, ElementId> element_by_name;
    struct NamedBond {
        BondId bond;
        bool reversed = false;  ///< this name's half arrow is opposite to the bond's internal direction
    };
    std::unordered_map<std::string, NamedBond> bond_by_name;
    std::unordered_map<std::string, Quantity> parameters;  ///< the model's own, for expectations
    double start_time = 0.0;
    std::vector<Diagnostic> warnings;

    [[nodiscard]] std::size_t variable_count() const { return 2 * bond_components + slot_variables.size(); }
    [[nodiscard]] static VariableId effort(std::uint32_t bond_component) {
        return VariableId(2 * std::size_t{bond_component});
    }
    [[nodiscard]] static VariableId flow(std::uint32_t bond_component) {
        return VariableId(2 * std::size_t{bond_component} + 1);
    }
    [[nodiscard]] VariableId slot_variable(std::uint32_t index) const {
        return VariableId(2 * std::size_t{bond_components} + index);
    }
    [[nodiscard]] expression::Expr variable(VariableId id) const { return expressions->variable(id.value); }

    /// Vertices = elements, edges = bonds (edge_index = index of the bond).
    [[nodiscard]] Topology topology() const;

    /// The user's name of a variable: "La.f", "emf.p1.e", "j1->j2.e", "tank.q", "body.x[2]".
    [[nodiscard]] std::string variable_name(VariableId id) const;
    /// Where the variable's component stands in the file.
    [[nodiscard]] SourcePosition variable_position(VariableId id) const;
    /// "La.f" etc. without the variable: "La", "emf.p1", "j1->j2"; with a 1-based component number on multibonds.
    [[nodiscard]] std::string bond_label(BondId id) const;
    [[nodiscard]] BondId bond_of_component(std::uint32_t component) const;
};

/// A variable of an element by the rest of its name ("q", "f", "p1.e", "voltage", "y"), with its dimension.
std::optional<Quantity> element_variable(const BondGraph& graph, ElementId element, const std::string& rest);
/// All such names of an element.
std::vector<std::string> element_variable_names(const BondGraph& graph, ElementId element);

/// What a result name stands for, in internal variables.
struct ResolvedName {
    expression::Expr value;
    std::string unit;  ///< SI, empty when unknown
    std::string description;
};

/// "La.f", "La.voltage", "La.power", "La.q", "armature.e", "emf.p1.power", "det.y[2]": the expression of a result name
/// (component 1-based), or nothing when there is none. A multibond's name without index is not a scalar and gives
/// nothing.
std::optional<ResolvedName> resolve_name(const BondGraph& graph, const std::string& name);
/// Names near which a mistyped result name may lie.
std::vector<std::string> result_names(const BondGraph& graph);
/// Every bond's e and f by their result names, in the order of the file.
std::vector<std::string> default_bond_outputs(const BondGraph& graph);

}  // namespace bondgraph::model
