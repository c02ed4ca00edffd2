#pragma once

#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/expression/leaf_kinds.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/stages.hpp"

namespace bondgraph::model {

struct RawEnd {
    ElementId element;
    std::uint32_t port = 0;
    std::uint32_t boundary = Id<void>::kNone;
    bool inside = false;  ///< at a boundary port: seen from inside the composite
};

struct RawBond {
    RawEnd from;
    RawEnd to;
    std::string name;
    SourcePosition position;
    std::uint32_t scope = 0;  ///< where it was drawn; none: made by `connect:`
};

/// Where a port of a composite is joined: its bond outside and the one inside.
struct BoundaryPort {
    const PortDeclaration* declaration = nullptr;
    std::uint32_t scope = 0;
    std::string name;                       ///< with the scope's prefix
    std::uint32_t outer = Id<void>::kNone;  ///< raw bond
    std::uint32_t inner = Id<void>::kNone;
    SourcePosition position;
    bool of_connector = false;  ///< size and domain are those of a connector's bond
};

/// Signals into single components of one vector.
struct DrivenComponents {
    struct One {
        std::size_t index = 0;  ///< from 0
        const Text* from = nullptr;
        const Text* to = nullptr;
    };
    std::vector<One> signals;
    std::uint32_t scope = 0;  ///< that of the sources' names

    [[nodiscard]] std::size_t size() const;  ///< what the highest index asks for; 0: none
};

/// A parameter or input of an instance: the value's text and the scope that text belongs to.
struct ScopeValue {
    const Value* value = nullptr;
    const Text* signal = nullptr;     ///< inputs: the name of the connected signal instead of a value
    DrivenComponents driven = {};     ///< components with a signal of their own
    const Value* replaced = nullptr;  ///< what stands in the file where `value` comes from the command line
    std::uint32_t evaluated_in = 0;
    const ParameterDeclaration* declaration = nullptr;
    const Text* unit = nullptr;  ///< inputs: the one declared
    enum class State : std::uint8_t { waiting, evaluating, done } state = State::waiting;
    Quantity result;
    bool checked = false;                          ///< against what its declaration says
    bool decides = false;                          ///< what the model consists of depends on it
    bool free = false;                             ///< the value is a guess
    bool handed = false;                           ///< that of the same name in the record `evaluated_in`
    bool given = false;                            ///< by who uses the type, not by the type
    bool unknown = false;                          ///< what gives it is wrong, which has been reported
    bool alternative = false;                      ///< one of several of which one is given
    bool reported_missing = false;                 ///< it has no value, which has been reported
    const Text* instead = nullptr;                 ///< the parameter that is given in place of it: it has no value
    bool of_record = false;                        ///< what a record itself says, in the names of `evaluated_in`
    std::uint32_t number = 0;                      ///< of a free one: index into BondGraph::free_parameters
    std::optional<std::uint32_t> adjustable = {};  ///< index into BondGraph::adjustable
};

/// A member's name leads to an element, to the scope of a composite, or to both.
struct Member {
    ElementId element;
    std::uint32_t scope = Id<void>::kNone;
};

/// What the arrays and conditional components of a scope have become.
struct WrittenOut {
    Body* body = nullptr;                                                 ///< the scope's own
    std::map<std::string, std::vector<std::size_t>, std::less<>> arrays;  ///< how many parts, or rows and columns
    std::unordered_set<std::string>
        absent;  ///< parts that an `if:` has left out, and connectors that are not connected
};

/// The names visible inside one instance (the model itself is scope 0).
struct Scope {
    std::string prefix;  ///< "" or "motor."
    const Body* body = nullptr;
    const TypeDeclaration* declaration = nullptr;
    SourcePosition position;
    std::unordered_map<std::string, ScopeValue> values;
    std::unordered_map<std::string, Member> members;
    std::unordered_map<std::string, std::uint32_t> boundary_ports;
    ElementId self;                                  ///< the element that holds the type's own equations, if any
    const ComponentDeclaration* instance = nullptr;  ///< none: the model, or a record among parameters
    std::uint32_t outer = 0;                         ///< the scope the instance is written in, or that has the record
    std::uint32_t handed_from = Id<void>::kNone;  ///< the record whose values this one has where nothing else is given
    std::shared_ptr<const WrittenOut> written_out = {};
    std::unordered_set<std::string> unconnected = {};  ///< optional connectors to which nothing is connected
    /// What `bonds:` and `connect:` join, by the names they use: known once an instance has asked for it.
    std::shared_ptr<const std::unordered_set<std::string>> connected_names = {};
};

/// A parameter of a part, computed from its owner's.
struct PartParameter {
    std::string_view name;
    std::function<expression::ExprMatrix(const LawContext& owner)> value;
};

/// A place inside a wrapped component where bonds end: a junction (any number of them) or one port of a part.
struct PartEnd {
    ElementId element;
    std::string_view port = {};  ///< empty: a junction, or the part's only port
};

/// A connector of a component, or one that a composite hands through to its parts.
struct ConnectorPlace {
    std::string name;  ///< with the scope's prefix
    const ConnectorType* type = nullptr;
    ElementId element;  ///< not valid: a composite's
    std::uint32_t index = 0;
    SourcePosition position;
    /// Of a connector whose bonds are ports: where each of them ends. One that leads to nothing has been reported.
    std::vector<std::optional<RawEnd>> ends = {};
    bool part = false;  ///< a junction among a component's parts, of the same name
    /// Of a kind that hands on signals: what declares these, and the scope in which the component gives or reads them.
    const ConnectorTypeDeclaration* kind = nullptr;
    std::uint32_t scope = Id<void>::kNone;
    /// Per signal the place whose component gives it; of all that are joined together. Null until that is known.
    std::shared_ptr<std::vector<std::uint32_t>> givers = {};
};

constexpr int kDeepestType = 50;                 ///< types, or records, inside each other
constexpr std::size_t kMostInstances = 500'000;  ///< of them

/// Everything the passes of flattening share. Each pass reports to `diagnostics`. A pass finds what the stage before
/// its own has left (stages.hpp); which stage has been reached, `stage` says.
struct Flattening {
    const Model& model;
    const Catalogue& catalogue;
    const UnitSystem& units;
    Stage stage = Stage::declared;
    Diagnostics diagnostics;
    BondGraph graph;
    std::vector<Scope> scopes;
    std::vector<BoundaryPort> boundary_ports;
    std::vector<RawBond> raw_bonds;
    /// Per element: its declaration and the scope its settings are written in.
    struct Origin {
        const ComponentDeclaration* declaration = nullptr;
        std::uint32_t scope = 0;
        std::uint32_t inner_scope = Id<void>::kNone;  ///< own types given by equations
        std::vector<std::pair<std::string, std::pair<const Text*, std::uint32_t>>>
            signals;                                                  ///< input → source, its scope
        std::map<std::string, DrivenComponents, std::less<>> driven;  ///< by parameter
        std::vector<PartParameter> parameters;                        ///< parts: in place of settings
        const JointDeclaration* joint = nullptr;                      ///< of a joint declared in the file
        std::vector<Element::Slot> slots;  ///< wrapped components: states and variables their parts need
    };
    std::vector<Origin> origins;
    std::vector<ConnectorPlace> connectors;
    std::unordered_map<std::string, std::uint32_t> connector_by_name;
    /// Of connectors that are handed on: the junction that each bond of them has become, by place and bond.
    std::map<std::pair<std::uint32_t, std::size_t>, ElementId> node_of_connector;
    std::unordered_set<std::string> connected;  ///< names of connectors joined to others
    bool unknown_conditions = false;  ///< nobody knows whether some component is there, for a reason that is reported
    bool signals_joined = false;      ///< who gives the signals of connectors is known
    bool disconnected = false;  ///< something under `connect:` is wrong or left out: nobody knows who computes signals
    /// Where the bonds of connectors end inside: (component, connector, bond of its type).
    std::map<std::tuple<ElementId, std::size_t, std::size_t>, PartEnd> inner_ends;
    /// Connectors whose component computes their signals, roots first, and the connectors joined to each.
    struct ComputedSignals {
        ElementId element;
        std::size_t connector = 0;
        std::vector<std::pair<ElementId, std::size_t>> joined;
    };
    std::vector<ComputedSignals> signal_order;
    /// Of own types: the bonds of their connectors that are ports.
    std::unordered_map<const TypeDeclaration*, std::vector<PortDeclaration>> connector_ports;
    std::unordered_set<const ConnectorDeclaration*> flawed_optional_connectors;  ///< of which this has been reported
    std::deque<ComponentDeclaration> part_declarations;                          ///< of parts, which no file declares
    std::deque<Value> handed_values;     ///< names of parameters of records that are handed on
    std::vector<std::uint32_t> unsized;  ///< scopes with arrays of which nobody knows how many parts they have
    std::deque<Body> bodies;             ///< of scopes whose arrays are written out
    /// Bodies whose parts conditions choose, by what is there: instances of which the same holds share one.
    std::map<std::pair<const Body*, std::vector<bool>>, std::shared_ptr<WrittenOut>> chosen_bodies;
    std::unordered_map<const Body*, bool> of_conditions_alone;  ///< whether it is one of these
    std::unordered_set<const Body*> connected_bodies;           ///< whose connections are written out, too
    double array_parts = 0.0;                                   ///< in all of them
    std::unordered_map<std::string, const Value*> overrides;
    std::unordered_set<std::string> used_overrides;
    std::span<const std::string> adjustable;  ///< names of parameters that shall stay inputs
    /// Every bond leads from port to port and every port has one. Without that nothing is known of sizes and domains.
    bool joined = false;
    /// Parameters are checked against their declarations as they are evaluated. Not before what the model consists of
    /// is known: bounds name parameters that nothing else of that depends on.
    bool check_declared = false;
    /// A parameter whose value is being found.
    struct Evaluating {
        std::string name;
        const ScopeValue* value = nullptr;
        SourcePosition used;  ///< where its scope is used: of a record in another file, in the file that has it
    };
    std::vector<Evaluating> evaluating;  ///< outermost first
    expression::LeafKinds leaves;        ///< of the graph's expressions

    /// The value with `--set` applied for a full path ("motor.R").
    const Value* overridden(const std::string& path, const Value* value);
    [[nodiscard]] const Gaps& gaps(std::uint32_t scope) const { return scopes[scope].body->gaps; }
};

// Passes, in order. To Stage::instances:
void instantiate(Flattening& work);
// To Stage::connected:
void connect_signals(Flattening& work);
/// Joins connectors, decides who computes their signals, and builds the parts of wrapped components.
void connect_connectors(Flattening& work);
/// Joints of which one side is connected to nothing, so that nothing determines how they move.
void report_loose_joints(Flattening& work);
void connect_bonds(Flattening& work);
// To Stage::sized:
void infer_sizes(Flattening& work);
// To Stage::evaluated, with late_checks.hpp:
void create_variables(Flattening& work);
void evaluate_parameters(Flattening& work);
/// The inputs of a component that takes any number of them: no gap, and a weight for each.
void check_numbered_inputs(Flattening& work, std::uint32_t element);
/// The number of an input u1, u2, …; nothing where a name is none of these.
std::optional<std::size_t> input_number(std::string_view name);
/// Parameters of parts, which follow from their owners'.
void evaluate_parts(Flattening& work);
/// A motion of a declared joint that bends: warned of.
void warn_of_kinks(Flattening& work, const std::string& joint, SourcePosition position,
                   const expression::ExprMatrix& motion);
void infer_domains(Flattening& work);
/// Parameters that results of components give, against the dimensions that the domains ask for.
void check_result_dimensions(Flattening& work);
void evaluate_laws(Flattening& work);
/// In place of evaluate_laws where sizes are not known: only whether the names in equations exist.
void check_names_in_laws(Flattening& work);
/// `when:`, and what holds at the start only: equations under `initial:` and states at rest.
void evaluate_events(Flattening& work);
/// In place of evaluate_events where sizes are not known.
void check_names_in_events(Flattening& work);
void evaluate_starts(Flattening& work);

/// The unit a declaration names. BG-U001 where there is none of this name.
std::optional<Unit> parse_unit(Flattening& work, const Text& text);

/// Whether a place takes values in a unit; empty where nothing is known. For suggestions only.
using UnitFits = std::function<bool(const Unit&)>;

/// A value's quantity in a scope; mistakes go to diagnostics and give nothing. `meanings` replaces what expressions may
/// name and call there.
std::optional<Quantity> evaluate_value(Flattening& work, const Value& value, std::uint32_t scope,
                                       const EvaluationScope* meanings = nullptr, const UnitFits& fits = {});
/// The units that a parameter takes in some domain, and those of the same dimension as `unit`. All arguments have to
/// outlive the result.
UnitFits units_of(const UnitSystem& units, const ParameterSpec& spec);
UnitFits units_like(const UnitSystem& units, std::string_view unit);
/// The unit that is nearest to an unknown one among those that fit, else among all; empty where nothing is near.
std::string suggested_unit(const UnitSystem& units, std::string_view text, const UnitFits& fits = {});
/// The value of a free parameter whose guess this is; any guess but a single known number is reported.
Quantity free_value(Flattening& work, std::uint32_t number, const Quantity& guess, SourcePosition position);
/// The value of a parameter that shall stay an input: its leaf where the value is a single known number other than 0.
Quantity adjustable_value(Flattening& work, std::uint32_t number, const Quantity& q, SourcePosition position);
/// The same of a start value, which stands in no equation and may be 0.
Quantity adjustable_start(Flattening& work, std::uint32_t number, const Quantity& q, SourcePosition position);
/// All parameters by the names under which they can be set.
std::vector<SettableParameter> settable_parameters(const Flattening& work);
/// An equation's sides, component by component; none where something is wrong. With `names_only` there are none and
/// only whether the names exist is checked.
std::vector<GivenEquation> evaluate_equation(Flattening& work, const Text& text, const EvaluationScope& scope,
                                             bool names_only);
/// As above for an expression text whose names a special lookup knows first.
std::optional<Quantity> evaluate_syntax(Flattening& work, const expression::Syntax& syntax, std::uint32_t root,
                                        SourcePosition position, const EvaluationScope& scope);
/// Reports what evaluate() or check_names() found in a text that stands at `position`.
void report_mistakes(Flattening& work, const expression::Syntax& syntax,
                     std::span<const expression::SyntaxError> mistakes, SourcePosition position,
                     const EvaluationScope& scope);
/// The quantity a name stands for in a scope.
std::optional<Quantity> lookup(Flattening& work, std::uint32_t scope, const std::string& name);
std::vector<std::string> visible_names(const Flattening& work, std::uint32_t scope);
EvaluationScope scope_of(Flattening& work, std::uint32_t scope);
/// With pre(), edge(), change() and sample().
EvaluationScope event_scope_of(Flattening& work, std::uint32_t scope);
/// The index of these sampling instants in BondGraph::samples, one that exists or a new one.
std::uint32_t sample_of(BondGraph& graph, double start, double period);
/// Whether the expression asks for sampling instants.
bool has_sample(const BondGraph& graph, expression::Expr e);
/// Whether an expression is true or false by its form, so that it can become true.
bool is_condition(const BondGraph& graph, expression::Expr e);
/// Whether a condition asks for two values that change continuously to be exactly equal.
bool compares_continuous_for_equality(const BondGraph& graph, expression::Expr condition);
/// Conditions among the parameters, and parameters that bound each other.
void check_conditions_and_order(Flattening& work);
/// Whether an expression has values of the discrete variable's type; reported otherwise.
bool check_discrete_value(Flattening& work, std::size_t discrete, expression::Expr value, const std::string& name,
                          SourcePosition position);

/// "12 V" → number and unit; nothing when the text is not a number with or without unit.
/// An unknown unit after a number is reported and gives NaN.
/// `is_name` tells what would be a name there, `fits` which unit would be right, for a better message.
std::optional<Quantity> parse_number(const Text& text, const UnitSystem& units, Diagnostics& diagnostics,
                                     const std::function<bool(const std::string&)>& is_name = {},
                                     const UnitFits& fits = {});
/// The unit a value was written with, or that of its dimension where it is no number with a unit.
std::string written_unit(const Value& value, const Quantity& q);
/// The position of a byte offset inside a text.
SourcePosition position_at(const Text& text, std::size_t offset);
SourcePosition position_at(SourcePosition start, const std::string& text, bool quoted, std::size_t offset);

/// "f[2]" → f, 2. Nothing where that is no name with a number in brackets.
std::optional<std::pair<std::string, std::size_t>> component_of(std::string_view name);
/// `base` with its driven components replaced; without it all have to be driven, and so many at the `least`. Reports
/// what does not fit to `work.diagnostics`: nothing then.
std::optional<Quantity> with_components(Flattening& work, const std::optional<Quantity>& base,
                                        const DrivenComponents& driven, const std::string& name, std::size_t least = 1);

/// The shape a value will have, found without evaluating it: rows, columns (a scalar is 1 × 1).
std::pair<std::size_t, std::size_t> shape_of(const Flattening& work, const Value& value, std::uint32_t scope,
                                             int depth = 0);

/// Whether a value is written as a list of lists.
bool is_matrix(const Flattening& work, const Value& value, std::uint32_t scope, int depth = 0);

}  // namespace bondgraph::model
