#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
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
    PortCausality demand = PortCausality::free;  ///< what the declaration of an own type asks for
};

/// A value that one of several spellings in `initial:` or `guess:` fixes.
struct StartValue {
    std::string variable;
    Quantity value;
    SourcePosition position;
    bool fixed = true;        ///< initial: true, guess: false
    bool by_default = false;  ///< no text of the file says so
};

/// An equation the user wrote (`law:` of a primitive, `equations:` of an own type), in the element's variables.
struct GivenEquation {
    expression::Expr lhs;
    expression::Expr rhs;
    SourcePosition position;
};

/// A connector of a component: where its bonds end inside and which variables carry its signals.
struct Connector {
    std::string name;
    const ConnectorType* type = nullptr;
    bool given = false;  ///< another component computes its signals
    /// Per bond of the connector's type: the part inside at which it ends, and that part's port (kNone: no bond).
    struct End {
        ElementId element;
        std::uint32_t port = Id<void>::kNone;
    };
    std::vector<End> ends;
    std::vector<std::uint32_t> signals;  ///< per signal of the type: index of its first variable in slot_variables
};

/// What a user says of an element's energy.
struct GivenBooks {
    std::optional<expression::Expr> energy;       ///< stored
    std::optional<expression::Expr> dissipation;  ///< power
    std::optional<expression::Expr> supply;       ///< power
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
    std::vector<GivenEquation> given_updates;      ///< own types: equations for discrete variables (lhs: the variable)
    std::vector<GivenEquation> initial_equations;  ///< hold at the start only
    bool steady = false;                           ///< `initial: steady`: its states start at rest
    std::optional<std::uint32_t> sample;           ///< sampled blocks: index into BondGraph::samples
    std::optional<std::uint32_t> delay;            ///< delays: index into BondGraph::delays
    std::shared_ptr<const GivenBooks> books;       ///< null: nothing said
    std::vector<std::string> words;                ///< parameter of kind texts
    std::vector<int> integers;                     ///< parameter of kind integers
    /// States, outputs, inputs and internal variables by the type's order: first variable and number of components.
    struct Slot {
        std::string name;
        std::uint32_t first = 0;
        std::uint32_t size = 1;
        enum class Kind : std::uint8_t { state, output, internal, discrete } kind = Kind::internal;
        std::uint32_t first_discrete = 0;     ///< kind discrete: index into BondGraph::discretes
        std::optional<Measure> measure = {};  ///< where no port's domain tells it
        std::vector<double> start = {};       ///< of a state: its value where the user gives none
        bool unit_length = false;             ///< start values are brought to length 1: a quaternion
    };
    std::vector<Slot> slots;
    /// Their numbers by name, where there are many; null otherwise.
    std::shared_ptr<const std::unordered_map<std::string, std::uint32_t>> slot_numbers = {};
    /// Values of connected inputs by name (own types and signal blocks).
    std::vector<std::pair<std::string, Quantity>> inputs;
    std::vector<StartValue> starts;
    /// Magnitudes of states: one number for all components, or one each.
    std::vector<std::pair<std::string, std::vector<double>>> nominals;
    StatePreference preference = StatePreference::standard;
    bool states_asked = false;                     ///< the file says so
    const TypeDeclaration* declaration = nullptr;  ///< own types
    ElementId owner;                               ///< of a part: the component it belongs to
    std::vector<Connector> connectors;             ///< of wrapped components
    bool root = false;                             ///< determines the signals of its first connector by itself
    /// Of a joint declared in the file: per motion its direction or vector, and amount, as expressions.
    std::vector<expression::ExprMatrix> motions;
    /// Of a part that is a two-port: its flow is computed from p1 to p2 (true) or back; nothing: either.
    std::optional<bool> directed;

    [[nodiscard]] const Connector* connector(std::string_view connector_name) const;
    [[nodiscard]] const Quantity* parameter(std::string_view parameter_name) const;
    [[nodiscard]] const Slot* slot(std::string_view slot_name) const;
    [[nodiscard]] bool is_junction() const { return type->is_junction(); }
    /// Of all its bonds.
    [[nodiscard]] std::uint32_t port_components() const;
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

/// A variable that changes at events only. Its value is the held value 2·i, its value before the event's current
/// iteration (`pre`) the held value 2·i + 1, i being its index.
struct DiscreteVariable {
    VariableId variable;
    ElementId element;
    ValueType type = ValueType::real;
    /// The equations are sorted anew for every value: ideal switches and the like, whose causality it decides.
    bool structural = false;
    expression::Expr start{0.0};  ///< of parameters and time
    SourcePosition position;
    bool reacts_to_impulse = false;         ///< as in DiscreteSpec
    bool at_events_only = false;            ///< as in DiscreteSpec
    std::vector<double> start_values = {};  ///< values a run may start with, the usual one first; empty: only that
};

/// A parameter whose value is found at the start from additional start conditions.
struct FreeParameter {
    std::string name;
    double guess = 0.0;
    SourcePosition position;
};

/// A parameter that may stay an input of the equations, so that every run can give it a value of its own.
struct AdjustableParameter {
    std::string name;
    double value = 0.0;  ///< in SI units: what the file or an override gives
    Measure measure;
    SourcePosition position;
    bool open = false;        ///< it is such an input; otherwise its value has decided what the equations are
    bool may_vanish = false;  ///< 0 is a value like others: of what is a start value only
    bool unfit = false;       ///< its value is none that an input can have: an expression, a list, 0
};

/// A parameter of the model, of an own type's instance or of a component.
struct SettableParameter {
    std::string name;
    Quantity value;
    SourcePosition position;
};

/// A bound of a declared parameter whose value (or the bound) is known at the start only.
struct ParameterBound {
    std::string name;
    expression::Expr value;  ///< of free and adjustable parameters
    expression::Expr limit;
    bool upper = false;
    bool exclusive = false;  ///< the limit itself is not allowed
    bool whole = false;      ///< in place of a limit: the value has to be a whole number
    std::string words;       ///< "at least 2 ohm"
    SourcePosition position;
};

/// True at start + k·period only.
struct Sample {
    double start = 0.0;
    double period = 1.0;
};

/// What the input of a delay was a time ago, less what it was before the start: a held value that changes with time.
struct Delay {
    ElementId element;
};

struct WhenAction {
    enum class Kind : std::uint8_t { reinit, set } kind = Kind::reinit;
    std::string name;         ///< the user's name of the target
    expression::Expr target;  ///< reinit: a variable that the states determine; set: the leaf of a discrete variable
    expression::Expr value;   ///< in the values just before
    SourcePosition position;
};

/// What is done at the instant a condition becomes true.
struct When {
    expression::Expr condition;
    std::vector<WhenAction> actions;
    std::string text;   ///< the condition as written
    ElementId element;  ///< of own types; otherwise not valid
    SourcePosition position;
    std::string instance = {};  ///< of a type: what it belongs to
    std::string warning = {};   ///< what is told then, if anything
    std::string failure = {};   ///< what is told as the run ends there, if it does
};

/// A connector that a declared shape moves with.
struct ShapeFrame {
    ElementId element;
    std::uint32_t connector = 0;
};

/// A shape that the file gives a type, of one instance of it.
struct DeclaredShape {
    std::string component;  ///< the instance
    std::string kind;       ///< as in Shape3D
    ShapeFrame frame;
    std::optional<ShapeFrame> to;  ///< where it ends; else `direction` and `length` say that
    expression::ExprMatrix r;      ///< where it begins, in the axes of `frame`
    expression::ExprMatrix direction;
    expression::ExprMatrix across;  ///< direction of the width; empty: any
    expression::Expr length{0.0};
    expression::Expr width{0.0};
    expression::Expr height{0.0};
    std::optional<std::uint32_t> mesh = {};  ///< index into BondGraph::meshes; its sizes are those of a file's unit
};

using Topology = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                       boost::property<boost::edge_index_t, std::size_t>>;

/// A flattened model: elements, junctions, (multi)bonds and signals; nothing else.
class BondGraph {
   public:
    std::string model_name;
    SourcePosition model_position;
    std::vector<std::string> files;  ///< as in Model
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
    /// Connectors of composites: one of a part with the same signals and flows (what flows in is shared among parts).
    struct SharedConnector {
        ElementId element;
        std::uint32_t connector = 0;
    };
    std::map<std::string, SharedConnector> shared_connectors;
    /// Arrays by their names ("line[2].cell"): how many parts they have, or rows and columns.
    std::map<std::string, std::vector<std::size_t>, std::less<>> arrays;
    std::unordered_map<std::string, Quantity> parameters;  ///< the model's own, for expectations
    std::set<std::string, std::less<>> left_out;           ///< components that an `if:` has left out
    double start_time = 0.0;  ///< of the experiment, in s: what conditions on the time decide at first
    std::vector<Diagnostic> warnings;
    std::vector<DiscreteVariable> discretes;
    std::vector<SettableParameter> settable;  ///< where asked for
    std::vector<AdjustableParameter> adjustable;
    std::vector<FreeParameter> free_parameters;
    std::vector<ParameterBound> bounds;
    std::vector<Sample> samples;
    std::vector<Delay> delays;
    std::vector<When> whens;
    std::vector<GivenEquation> initial_equations;  ///< of the model itself
    bool steady = false;                           ///< the whole model starts at rest
    std::vector<DeclaredShape> shapes;
    std::vector<std::shared_ptr<const Mesh>> meshes;          ///< forms that files give shapes
    std::set<std::string, std::less<>> with_declared_shapes;  ///< components that show these alone, or nothing
    /// What connectors hand on, by name: "motor.bus.speed".
    std::map<std::string, Quantity, std::less<>> handed_signals;

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

    // Held values, in this order: value and previous value of every discrete variable, adjustable parameters, free
    // parameters, samples, delays.
    [[nodiscard]] std::size_t first_adjustable() const { return 2 * discretes.size(); }
    [[nodiscard]] std::size_t first_free() const { return first_adjustable() + adjustable.size(); }
    [[nodiscard]] std::size_t first_sample() const { return first_free() + free_parameters.size(); }
    [[nodiscard]] std::size_t first_delay() const { return first_sample() + samples.size(); }
    [[nodiscard]] std::size_t held_count() const { return first_delay() + delays.size(); }
    /// The held values before anything is solved for, `count` of them: discrete variables at `modes` (none: 0),
    /// parameters at their values and guesses, the rest 0.
    [[nodiscard]] std::vector<double> held_at_start(std::span<const double> modes, std::size_t count) const;
    [[nodiscard]] expression::Expr held_value(std::size_t discrete) const {
        return expressions->held(static_cast<std::uint32_t>(2 * discrete));
    }
    [[nodiscard]] expression::Expr previous_value(std::size_t discrete) const {
        return expressions->held(static_cast<std::uint32_t>(2 * discrete + 1));
    }
    [[nodiscard]] expression::Expr adjustable_parameter(std::size_t index) const {
        return expressions->held(static_cast<std::uint32_t>(first_adjustable() + index));
    }
    [[nodiscard]] expression::Expr free_parameter(std::size_t index) const {
        return expressions->held(static_cast<std::uint32_t>(first_free() + index));
    }
    [[nodiscard]] expression::Expr sample_flag(std::size_t index) const {
        return expressions->held(static_cast<std::uint32_t>(first_sample() + index));
    }
    [[nodiscard]] expression::Expr delayed_value(std::size_t index) const {
        return expressions->held(static_cast<std::uint32_t>(first_delay() + index));
    }
    /// Whether a leaf is what the input of a delay was.
    [[nodiscard]] bool is_delayed(const expression::Node& node) const {
        return node.op == expression::Op::held && node.a >= first_delay() && node.a < held_count();
    }
    /// The index of a discrete variable, or nothing.
    [[nodiscard]] std::optional<std::size_t> discrete_of(VariableId id) const;

    /// Vertices = elements, edges = bonds (edge_index = index of the bond).
    [[nodiscard]] Topology topology() const;

    /// The user's name of a variable: "La.f", "emf.p1.e", "j1->j2.e", "tank.q", "body.x[2]".
    [[nodiscard]] std::string variable_name(VariableId id) const;
    /// The component a variable belongs to; of a bond's, the one that the bond comes from.
    [[nodiscard]] ElementId element_of(VariableId id) const;
    /// Where the variable's component stands in the file.
    [[nodiscard]] SourcePosition variable_position(VariableId id) const;
    /// "line 6", or "line 6 of tank.yaml" where that is another file than the one a message points into.
    [[nodiscard]] std::string line_text(SourcePosition place, SourcePosition beside) const;
    /// "La.f" etc. without the variable: "La", "emf.p1", "j1->j2"; with a 1-based component number on multibonds.
    [[nodiscard]] std::string bond_label(BondId id) const;
    [[nodiscard]] BondId bond_of_component(std::uint32_t component) const;
};

/// The free or adjustable parameter an expression depends on (as its held value), free ones first; nothing where it
/// depends on something that changes during a run, or on none.
std::optional<std::size_t> parameter_in(const BondGraph& graph, expression::Expr e);

/// The elements, ascending, whose types say something of parameters that belong together, and that depend on adjustable
/// ones.
std::vector<std::size_t> adjusted_elements(const BondGraph& graph);

/// What component types say of parameters that belong together (an inertia, limits in order, matrices that make energy)
/// where adjustable parameters have these values. `elements` as adjusted_elements() gives them.
void check_adjusted(const BondGraph& graph, std::span<const std::size_t> elements, std::span<const double> values,
                    Diagnostics& diagnostics);

/// A variable of an element by the rest of its name ("q", "f", "p1.e", "voltage", "y"), with its dimension.
std::optional<Quantity> element_variable(const BondGraph& graph, ElementId element, const std::string& rest);
/// The effort, flow or power of a named bond ("e", "f", "power" and the domain's names), positive along its half arrow.
std::optional<Quantity> bond_variable(const BondGraph& graph, const BondGraph::NamedBond& bond,
                                      const std::string& rest);
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

/// The same for many names: components of one vector that follow each other are found together, so that all of a
/// multibond take time in proportion to their number.
class NameLookup {
   public:
    explicit NameLookup(const BondGraph& graph) : graph_(graph) {}
    [[nodiscard]] std::optional<ResolvedName> resolve(const std::string& name);

   private:
    struct Named {
        Quantity quantity;
        std::string unit;
        std::string description;
        std::optional<ElementId> element;  ///< whose variable it is, and which
        std::string rest;
    };

    [[nodiscard]] std::optional<Named> look_up(const std::string& base) const;
    [[nodiscard]] std::optional<Named> look_up(const std::string& head, const std::string& rest) const;

    const BondGraph& graph_;
    std::string base_;  ///< the name looked up last, without index
    std::optional<Named> named_;
};

/// Names near which a mistyped result name may lie.
std::vector<std::string> result_names(const BondGraph& graph);
/// Every bond's e and f by their result names, in the order of the file.
std::vector<std::string> default_bond_outputs(const BondGraph& graph);

}  // namespace bondgraph::model
