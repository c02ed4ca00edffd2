#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/model/connector_type.hpp"
#include "bondgraph/model/domain.hpp"
#include "bondgraph/model/model.hpp"
#include "bondgraph/model/quantity.hpp"

namespace bondgraph::model {

class LawContext;
class PartsBuilder;
struct Element;

/// Which way positive power goes at a port: into the component or out of it.
enum class PortDirection : std::uint8_t { in, out };

struct PortSpec {
    std::string_view name;
    PortDirection direction = PortDirection::in;
    std::string_view doc;
    std::string_view domain = {};              ///< fixed domain, or empty
    const ConnectorType* connector = nullptr;  ///< wrapped components: may stand under `connect:` as this kind
    bool heat = false;                         ///< what is lost at the first port leaves here
};

/// How the ports of a component are found.
enum class PortPattern : std::uint8_t {
    fixed,      ///< exactly `ports`
    junction,   ///< any number of unnamed ports
    field,      ///< either `p` (a multibond) or p1 … pn (scalar bonds)
    compose,    ///< p1 … pn in, p out
    decompose,  ///< p in, p1 … pn out
};

/// What a parameter's text is.
enum class ParameterKind : std::uint8_t {
    number,    ///< a value (number, unit, expression, signal); scalar, vector or matrix as `shape` allows
    law,       ///< one equation, or a list of them
    energy,    ///< an expression of the stored energy in the state variables
    texts,     ///< a word or a list of words
    integers,  ///< integers fixed at load time (sizes, orders)
    choice     ///< one of the words in `choices`; its value is the word's number there
};

/// The largest shape accepted; a table (rows [x, y] with x increasing, or a number) says nothing of the ports' size.
enum class Shape : std::uint8_t { scalar, vector, matrix, table };

struct ParameterSpec {
    std::string_view name;
    std::string_view doc;
    ParameterKind kind = ParameterKind::number;
    Shape shape = Shape::matrix;
    DimensionRule dimension{.checked = false};
    std::optional<double> minimum = {};  ///< bounds apply where the value is a known number
    bool exclusive_minimum = false;
    std::optional<double> default_value = {};
    std::string_view unit = {};  ///< a value with a unit must have this one's dimension (where no port tells it)
    /// Parameters of one group are alternatives: exactly one must be given. 0 = on its own.
    int group = 0;
    bool required = true;
    std::vector<std::string_view> choices = {};
    bool own_names = false;  ///< an expression that may name variables of the component itself
    bool condition = false;  ///< true or false
    /// Of a part between frames: may change with time or with variables (a force, a stiffness). The others are lengths,
    /// directions and masses, which its velocities and its inertia take to be constant.
    bool may_vary = false;
    bool over_time = false;  ///< a table whose first column is the time
};

struct StateSpec {
    std::string_view name;
    std::string_view doc;
    DimensionRule dimension;
    std::string_view covariable;  ///< "e" or "f": may be given in `initial:` instead of the state
    std::string_view unit = {};   ///< where no port tells it, for the documentation
};

/// A variable that changes at events only; the law gives its update.
struct DiscreteSpec {
    std::string_view name;
    std::string_view doc;
    ValueType type = ValueType::boolean;
    /// Whether the element's equations change structure with it (null: never).
    bool (*structural)(const Element& element) = nullptr;
    double start = 0.0;  ///< where `initial:` gives none
    /// Whether its update is looked at with the efforts and flows of an impulse before that is accepted: a diode begins
    /// to conduct when an opening switch would force an inductor's current to jump.
    bool reacts_to_impulse = false;
    /// It passes through values that only hold for an instant (an impact): a run starts with its start value, and what
    /// is due then is an event at the start.
    bool at_events_only = false;
    /// Further values a run may start with where the start value contradicts the start (a body that rests on a stop).
    std::vector<double> start_values = {};
};

struct SignalSpec {
    std::string_view name;
    std::string_view doc;
    DimensionRule dimension{.checked = false};
    bool many = false;    ///< inputs: u1 … un, as many as connected
    bool state = false;   ///< outputs: its derivative is given by the law
    bool single = false;  ///< outputs: one number, however many components the ports have
};

struct ConnectorSpec {
    std::string_view name;
    const ConnectorType* type = nullptr;
    std::string_view doc;
    PortDirection direction = PortDirection::in;  ///< of the half arrows of its bonds
    bool optional = false;                        ///< may be left unconnected; nothing is computed from it then
};

/// A component that computes the signals of one of its connectors from those of another, in either direction.
struct SignalPath {
    std::uint8_t from = 0;  ///< index into the type's connectors
    std::uint8_t to = 1;
    std::vector<std::string_view> same = {};  ///< signals that are equal at both
};

/// Whether a component determines the signals of a connector by itself.
enum class RootKind : std::uint8_t {
    never,
    if_needed,  ///< where nothing else does: a body that moves freely
    at_last,    ///< where not even that does: a point mass, which has no orientation of its own
    always,     ///< World
};

/// Where a component stands in the structure that power takes.
enum class Structure : std::uint8_t {
    junction0,
    junction1,
    transformer,
    gyrator,
    wiring,     ///< hands on the efforts and flows of its ports as they are: Compose, Decompose, Permute, Power
    border,     ///< at the border of the junction structure: its law relates effort and flow of its own ports
    equations,  ///< an own type: any causality its equations can be matched for
    block,      ///< signals only, or parts that are the structure
};

/// How the energy that a component takes is booked.
enum class Energy : std::uint8_t {
    none,        ///< it takes no power: junction structure, sensors, gyroscopic couplings, coordinates of joints
    supplied,    ///< what it gives comes from outside: sources and constraints
    dissipated,  ///< where it declares a stored energy, what it takes beyond that
    stored,      ///< in states of its own; without a stored energy the integral of its power
    potential,   ///< stored by the position of others; supplied where that has no known potential
    declared,    ///< own types: only what they declare is known
};

/// Which equations are kept where some repeat others. The later in this list, the sooner they are given up.
enum class Firmness : std::uint8_t {
    law,
    own,         ///< what a user wrote into an own type
    constraint,  ///< of residual sinks: the force that holds them is then 0
};

/// A start value by another name, converted to that of a state: angles to a quaternion.
struct StartAlias {
    std::string_view name;
    std::string_view target;
    std::uint32_t size = 1;
    expression::ExprMatrix (*convert)(const LawContext& context, const expression::ExprMatrix& given) = nullptr;
    std::string_view doc = {};
    std::string_view unit = {};
};

/// How a component is drawn when its motion is shown: a body of revolution or box along the x-axis of R, from x on.
struct Shape3D {
    /// Sizes that no length of the model gives: those of a mechanism of about a metre, which pictures may take larger
    /// or smaller. `thickness` are width and height.
    enum class Nominal : std::uint8_t { none, thickness, all };
    std::string_view kind;  ///< box, cylinder, sphere, cone, spring, arrow
    expression::ExprMatrix x;
    expression::ExprMatrix R;
    expression::Expr length{0.0};
    expression::Expr width{0.0};
    expression::Expr height{0.0};
    /// "force" (N), "torque" (N.m) or "acceleration" (m/s2), which the sizes are then in: all arrows of one measure are
    /// drawn to one scale. Empty: sizes are in m.
    std::string_view measures = {};
    Nominal nominal = Nominal::none;
};

/// A position at which a component's description breaks down.
struct SingularPosition {
    expression::Expr distance;  ///< 0 there
    std::string_view what;      ///< "the angles of …": what breaks down
    std::string_view remedy;
    /// A vector that turns round where a run passes a position from which the description can't go on; else empty.
    expression::ExprMatrix barrier = {};
    /// Where it is no matter of coordinates: what to say after "the ends of 'name'"; `what` is then "the ends".
    std::string_view says = "are in a singular position";
};

/// One component type: everything the project knows of it. Catalogue, file keys, validation, reference page and power
/// audit derive from this value.
struct ComponentType {
    std::string_view name;
    Structure structure = Structure::block;
    Energy energy = Energy::none;
    Firmness firmness = Firmness::law;
    /// What stands for it in a picture of a component's parts (MTF, rSe); empty: its name.
    std::string_view symbol = {};
    std::string_view summary;
    std::string_view law_text;  ///< the law as a reader writes it
    std::string_view example;   ///< one line of a `components:` section
    PortPattern pattern = PortPattern::fixed;
    std::vector<PortSpec> ports = {};
    std::vector<ParameterSpec> parameters = {};
    std::vector<StateSpec> states = {};
    /// A parameter of words, one for each port component: I has a momentum p1, p2, … as its state, C a displacement q1,
    /// q2, … Empty: `states` are there.
    std::string_view kinds = {};
    std::vector<StartAlias> start_aliases = {};
    std::vector<SignalSpec> inputs = {};
    std::vector<SignalSpec> outputs = {};
    std::vector<DiscreteSpec> discretes = {};
    bool relations = false;  ///< the law compares continuous quantities
    bool sampled = false;    ///< has the parameters `period` and `start` and sees their sampling instants
    bool delays = false;     ///< its law sees what its input `u` was a time `T` ago (parameters `T`, `T_max`, `past`)
    /// Demand on port p, component k. Null: free.
    PortCausality (*causality)(const Element& element, std::size_t port, std::size_t component) = nullptr;
    /// The same where it depends on structural discrete variables: their values are given in the order of `discretes`.
    PortCausality (*mode_causality)(const Element& element, std::size_t port, std::size_t component,
                                    std::span<const double> modes) = nullptr;
    /// The value of its first discrete variable in which it holds its flow at 0. Where several elements that have one
    /// are at rest at the same flow, the first holds it and the others, whose laws say so, carry a share of the effort.
    std::optional<double> rests = {};
    /// Emits the acausal equations. Null: none (junctions).
    void (*law)(LawContext& context) = nullptr;
    /// Stored energy in terms of states; null or nullopt: integrated from the power.
    std::optional<expression::Expr> (*stored_energy)(LawContext& context) = nullptr;
    /// Parameters of which the first may not be greater than the second.
    std::vector<std::pair<std::string_view, std::string_view>> ascending = {};
    /// How far a start lies outside what the component allows; positive where it does.
    expression::Expr (*start_excess)(LawContext& context) = nullptr;
    std::string_view source;
    std::string_view alias_of = {};  ///< another name for that type (MSe …)
    std::vector<ConnectorSpec> connectors = {};
    std::vector<SignalPath> paths = {};
    /// The flows of its ports are states whose rates are whatever makes the efforts vanish (rSf).
    bool free_rates = false;
    /// Its law is one condition on positions for each effort of its port, which is the force of this constraint (rSe).
    bool holds_positions = false;
    /// Holds nothing where something else already prescribes the flow it would hold (Lock).
    bool may_idle = false;
    /// Of a block: its parameters are coefficients of its law, which symbols may stand for.
    bool proportional = false;
    RootKind root = RootKind::never;  ///< of its first connector
    bool ground = false;              ///< comes before other roots: the frame that positions are given in
    /// Components that are bond graphs themselves: adds the parts, once it is known what the connectors are joined to.
    void (*build)(PartsBuilder& parts) = nullptr;
    /// The form that takes this one's place where what is bonded to its (first) port gives the flow there, instead of
    /// answering it; its `build` adds to the parts of this one. Null: that is a conflict.
    const ComponentType* driven = nullptr;
    /// The form that takes this one's place where it closes a loop and nothing asks for its coordinates: its conditions
    /// as constraints, of the same connectors and parameters, but without a path. Null: the loop is cut elsewhere.
    const ComponentType* cut = nullptr;
    /// Reports values that are wrong together (an inertia that is not positive definite).
    void (*check)(const LawContext& context, Diagnostics& diagnostics) = nullptr;
    /// The same of what only says something about power, once domains are known (a matrix that makes energy).
    void (*check_power)(const LawContext& context, Diagnostics& diagnostics) = nullptr;
    std::vector<Shape3D> (*shapes)(const LawContext& context) = nullptr;
    std::optional<SingularPosition> (*singular)(const LawContext& context) = nullptr;

    [[nodiscard]] bool is_junction() const {
        return structure == Structure::junction0 || structure == Structure::junction1;
    }
    [[nodiscard]] bool is_two_port() const {
        return structure == Structure::transformer || structure == Structure::gyrator;
    }
    /// Whether it only distributes power.
    [[nodiscard]] bool in_junction_structure() const {
        return is_junction() || is_two_port() || structure == Structure::wiring;
    }
    [[nodiscard]] bool is_constraint() const { return firmness == Firmness::constraint; }
    [[nodiscard]] bool is_source() const {
        return structure == Structure::border && energy == Energy::supplied && !is_constraint();
    }
    [[nodiscard]] bool is_resistor() const { return structure == Structure::border && energy == Energy::dissipated; }
    /// Whether efforts or flows of its ports change states of its own: storages, and the coordinates of joints.
    [[nodiscard]] bool is_storage() const {
        return structure == Structure::border && (energy == Energy::stored || free_rates);
    }
    [[nodiscard]] bool is_own_type() const { return structure == Structure::equations; }
    [[nodiscard]] bool is_sensor() const {
        return structure == Structure::border && energy == Energy::none && !free_rates && build == nullptr;
    }
};

/// The types a model may use, in the order of the reference.
class Catalogue {
   public:
    explicit Catalogue(std::vector<const ComponentType*> types, std::vector<const ConnectorType*> connectors = {});
    [[nodiscard]] const ComponentType* find(std::string_view name) const;
    [[nodiscard]] std::span<const ComponentType* const> types() const { return types_; }
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] const ConnectorType* find_connector(std::string_view name) const;
    [[nodiscard]] std::span<const ConnectorType* const> connectors() const { return connectors_; }

   private:
    std::vector<const ComponentType*> types_;
    std::vector<const ConnectorType*> connectors_;
};

}  // namespace bondgraph::model
