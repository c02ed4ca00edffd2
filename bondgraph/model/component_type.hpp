#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/model/domain.hpp"
#include "bondgraph/model/model.hpp"
#include "bondgraph/model/quantity.hpp"

namespace bondgraph::model {

class LawContext;
struct Element;

/// Which way positive power goes at a port: into the component or out of it.
enum class PortDirection : std::uint8_t { in, out };

struct PortSpec {
    std::string_view name;
    PortDirection direction = PortDirection::in;
    std::string_view doc;
    std::string_view domain = {};  ///< fixed domain, or empty
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
    number,   ///< a value (number, unit, expression, signal); scalar, vector or matrix as `shape` allows
    law,      ///< one equation, or a list of them
    energy,   ///< an expression of the stored energy in the state variables
    texts,    ///< a word or a list of words
    integers  ///< integers fixed at load time (sizes, orders)
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
    /// Parameters of one group are alternatives: exactly one must be given. 0 = on its own.
    int group = 0;
    bool required = true;
    bool condition = false;  ///< true or false
};

struct StateSpec {
    std::string_view name;
    std::string_view doc;
    DimensionRule dimension;
    std::string_view covariable;  ///< "e" or "f": may be given in `initial:` instead of the state
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
    bool many = false;   ///< inputs: u1 … un, as many as connected
    bool state = false;  ///< outputs: its derivative is given by the law
};

/// What an element demands of the stroke at one port component.
enum class PortCausality : std::uint8_t {
    free,                ///< either
    effort_out,          ///< imposes its effort (Se)
    flow_out,            ///< imposes its flow (Sf)
    prefers_effort_out,  ///< integral causality of a compliance
    prefers_flow_out,    ///< integral causality of an inertia
    likes_effort_out,    ///< a law written for its effort: taken where nothing else decides
    likes_flow_out,
};

/// The part a component plays in the power structure.
enum class Role : std::uint8_t {
    junction0,
    junction1,
    transformer,  ///< junction structure: TF
    gyrator,      ///< junction structure: GY
    wiring,       ///< junction structure: Compose, Decompose, Permute, Power
    source,
    resistor,
    storage,
    residual_sink,
    sensor,
    user,    ///< own type given by equations
    signal,  ///< no ports
};

/// One component type: everything the project knows of it. Catalogue, file keys, validation, reference page and power
/// audit derive from this value.
struct ComponentType {
    std::string_view name;
    Role role = Role::signal;
    std::string_view summary;
    std::string_view law_text;  ///< the law as a reader writes it
    std::string_view example;   ///< one line of a `components:` section
    PortPattern pattern = PortPattern::fixed;
    std::vector<PortSpec> ports = {};
    std::vector<ParameterSpec> parameters = {};
    std::vector<StateSpec> states = {};
    std::vector<SignalSpec> inputs = {};
    std::vector<SignalSpec> outputs = {};
    std::vector<DiscreteSpec> discretes = {};
    bool relations = false;  ///< the law compares continuous quantities
    bool sampled = false;    ///< has the parameters `period` and `start` and sees their sampling instants
    /// Demand on port p, component k. Null: free.
    PortCausality (*causality)(const Element& element, std::size_t port, std::size_t component) = nullptr;
    /// The same where it depends on structural discrete variables: their values are given in the order of `discretes`.
    PortCausality (*mode_causality)(const Element& element, std::size_t port, std::size_t component,
                                    std::span<const double> modes) = nullptr;
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
};

/// The types a model may use, in the order of the reference.
class Catalogue {
   public:
    explicit Catalogue(std::vector<const ComponentType*> types);
    [[nodiscard]] const ComponentType* find(std::string_view name) const;
    [[nodiscard]] std::span<const ComponentType* const> types() const { return types_; }
    [[nodiscard]] std::vector<std::string> names() const;

   private:
    std::vector<const ComponentType*> types_;
};

}  // namespace bondgraph::model
