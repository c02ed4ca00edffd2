#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/connector_type.hpp"
#include "bondgraph/model/mesh.hpp"

namespace bondgraph::model {

/// A text as written, with its place. `quoted` texts are never numbers.
struct Text {
    std::string text;
    SourcePosition position;
    bool quoted = false;
};

/// A value as written: a text (number, number with unit, expression) or a list of values.
struct Value {
    Text scalar;
    std::vector<Value> items;
    bool is_list = false;
    [[nodiscard]] SourcePosition position() const { return scalar.position; }
};

struct Setting {
    Text key;
    Value value;
    bool free = false;  ///< of a parameter: the value is a guess; additional start conditions determine it
};

struct ParameterDeclaration {
    Text name;
    std::optional<Value> value;  ///< nothing: the user of the type must give it
    std::optional<Text> unit;
    std::optional<Value> min;
    std::optional<Value> max;
    std::optional<Value> above;  ///< bounds that it may not reach itself
    std::optional<Value> below;
    std::vector<Text> choices;                 ///< its value is one of these words
    std::optional<Text> record;                ///< as written: the parameters of this record stand behind its name
    std::optional<std::uint32_t> record_type;  ///< which of Model::types it names in its file
    std::vector<Setting> fields;               ///< values of the record's parameters, by their names in it
    std::string doc;
    bool free = false;    ///< its value is a guess; additional start conditions determine it
    bool flawed = false;  ///< something of it could not be read
    bool whole = false;   ///< its value is a whole number
};

/// What values a variable that changes at events only takes.
enum class ValueType : std::uint8_t { real, integer, boolean };

struct VariableDeclaration {
    Text name;
    std::optional<Value> start;
    std::optional<ValueType> discrete;  ///< changes at events only
    std::optional<Text> unit;
    std::string doc;
};

/// What a component demands of the stroke at one port component.
enum class PortCausality : std::uint8_t {
    free,                ///< either
    effort_out,          ///< imposes its effort (Se)
    flow_out,            ///< imposes its flow (Sf)
    prefers_effort_out,  ///< integral causality of a compliance
    prefers_flow_out,    ///< integral causality of an inertia
    likes_effort_out,    ///< a law written for its effort: taken where nothing else decides
    likes_flow_out,
};

struct PortDeclaration {
    Text name;
    std::optional<Text> domain;
    std::optional<Value> size;
    std::string doc;
    PortCausality causality = PortCausality::free;  ///< a demand, of a type with equations
    SourcePosition causality_position = {};
};

enum class StatePreference : std::uint8_t { always, prefer, standard, avoid, never };

/// "cell[3]" or "cell[2,3]" → "cell": the name that a part of an array is declared by.
inline std::string_view declared_name(std::string_view part) {
    return part.ends_with(']') ? part.substr(0, part.find('[')) : part;
}

/// Of components that are written once for many, or only under a condition.
struct Repetition {
    std::vector<Text> sizes;         ///< of an array: how many, or how many rows and columns
    std::optional<Value> condition;  ///< `if:`
};

/// An entry of `shapes:` — what an animation shows of a component, or of each instance of a type.
struct ShapeDeclaration {
    SourcePosition position;
    Text kind;
    std::optional<Text> file;   ///< that the form is read from; then `kind` is "mesh"
    std::optional<Text> frame;  ///< whose axes it moves with: a connector of the component, of the type or of a part
    std::optional<Text> to;     ///< a second one, at which it ends
    std::vector<Setting> values;
    std::shared_ptr<const Mesh> mesh = {};  ///< what the file has; none: it could not be read, which has been reported
};

struct ComponentDeclaration {
    Text name;  ///< of an array without its sizes
    Text type;  ///< as written
    /// Which of Model::types it names in its file; nothing: one of the catalogue, or none.
    std::optional<std::uint32_t> own_type = {};
    std::vector<Setting> settings;  ///< parameters
    std::vector<Setting> initial;
    std::vector<Setting> guess;
    std::vector<Setting> nominal;
    bool steady = false;  ///< `initial: steady`
    std::optional<StatePreference> states;
    std::shared_ptr<const Text> domain;  ///< seldom given, and there are many components
    std::shared_ptr<const Value> size;
    bool flawed = false;  ///< something of it could not be read
    std::shared_ptr<const Repetition> repetition = {};
    /// `shapes:`, in place of those that it would show of itself.
    std::shared_ptr<const std::vector<ShapeDeclaration>> shapes = {};
};

struct BondDeclaration {
    std::optional<Text> name;
    Text from;
    Text to;
};

struct SignalDeclaration {
    Text from;
    Text to;
};

/// An entry of `connect:` — connectors of wrapped components that are joined to each other.
struct ConnectDeclaration {
    std::vector<Text> members;
};

/// A connector of a type.
struct ConnectorDeclaration {
    Text name;
    Text type;                                   ///< as written
    std::optional<std::uint32_t> own_type = {};  ///< which of Model::connector_types it names in its file
    std::string doc;
    PortCausality causality = PortCausality::free;  ///< as of a port, for one with a single bond
    SourcePosition causality_position = {};
    bool optional = false;  ///< it may be left unconnected, and is not there then
};

/// `when:` — what is done at the instant a condition becomes true. Targets are names of variables.
struct WhenDeclaration {
    Text condition;
    std::vector<Setting> reinit;  ///< states, or variables that states determine
    std::vector<Setting> set;     ///< discrete variables
    std::optional<Text> warn;     ///< what is told of it
    std::optional<Text> fail;     ///< what is told as the run ends there
};

/// An entry of `require:` — what has to be true of parameters.
struct Requirement {
    Text condition;
    std::string message;  ///< what is wrong where it isn't; empty: the condition says it
};

/// What mistakes of form have left out of a body. They have been reported; what could have been meant there is not to
/// be reported again as unknown, missing or unconnected.
struct Gaps {
    bool values = false;  ///< parameters, inputs, outputs, variables
    bool components = false;
    bool ports = false;
    bool bonds = false;
    bool signals = false;
    bool equations = false;  ///< also `when:` and `initial:`

    [[nodiscard]] bool any() const { return values || components || ports || bonds || signals || equations; }
    /// Whether a name in an expression may be that of something left out.
    [[nodiscard]] bool names() const { return values || components || ports; }
    /// Whether the ports of the body's components, or its own, may be bonded by something left out.
    [[nodiscard]] bool connections() const { return components || ports || bonds; }
};

/// What a model and a composite type have in common.
struct Body {
    std::vector<ParameterDeclaration> parameters;
    std::vector<std::vector<Text>> alternatives;  ///< parameters of which one is given and makes the others
    std::vector<ComponentDeclaration> components;
    std::vector<BondDeclaration> bonds;
    std::vector<SignalDeclaration> signals;
    std::vector<ConnectDeclaration> connects;
    std::vector<VariableDeclaration> variables;
    std::vector<Text> equations;
    std::vector<WhenDeclaration> whens;
    std::vector<Text> initial_equations;
    bool steady = false;  ///< `initial: steady`
    /// Components are arrays or conditional, or connections have indices that are no numbers.
    bool has_arrays = false;
    std::vector<Requirement> requirements;
    Gaps gaps;
};

/// A joint declared by its coordinates and the motions from frame_a to frame_b they make.
struct JointDeclaration {
    struct Coordinate {
        Text name;
        bool rotation = true;  ///< in radians, else in metres
    };
    struct Motion {
        bool rotation = true;
        Value axis;    ///< a direction (rotation), or
        Value amount;  ///< its angle; of a translation the vector, in the frame reached so far
        SourcePosition position;
    };
    std::vector<Coordinate> coordinates;
    std::vector<Motion> motions;
};

/// An entry of `starts:` — a start value that a type takes under a name of its own.
struct StartDeclaration {
    Text name;
    Text value;  ///< what of the type has this value: the name of a state, or an expression of its variables
    std::optional<Text> unit;
    std::string doc;
};

struct TypeDeclaration {
    Text name;                                    ///< of types imported under a prefix with that: "el.Resistor"
    std::optional<Text> base;                     ///< `extends:`; what that has is in this one, too
    std::optional<std::uint32_t> base_type = {};  ///< which of Model::types it names in its file
    bool partial = false;                         ///< only there for others to extend
    bool record = false;                          ///< under `records:`: nothing but parameters
    std::string doc;
    std::vector<PortDeclaration> ports;
    std::vector<ConnectorDeclaration> connectors;
    std::vector<VariableDeclaration> inputs;
    std::vector<VariableDeclaration> outputs;
    std::optional<Text> energy;      ///< stored energy of a type given by equations
    std::optional<Text> dissipates;  ///< power that it turns into heat
    std::optional<Text> supplies;    ///< power that it brings in from outside
    std::optional<JointDeclaration> joint;
    std::vector<StartDeclaration> starts;
    std::vector<ShapeDeclaration> shapes;
    Body body;
};

/// An entry of `connector_types:`; complete but where it is flawed.
struct ConnectorTypeDeclaration {
    Text name;
    ConnectorType type;
    /// What else is handed on between connectors that are joined: one of their components gives it, the others read it.
    std::vector<VariableDeclaration> signals;
    bool flawed = false;  ///< something of it could not be read
};

struct Experiment {
    std::optional<Value> start;
    std::optional<Value> stop;
    std::optional<Value> tolerance;
    std::optional<Value> interval;
};

struct Plot {
    std::string title;
    std::vector<Text> y;
};

/// One entry of `expect:`. Values at a time (numbers or expressions of parameters and time), or facts of the structure.
struct Expectation {
    SourcePosition position;
    std::optional<Value> at;
    std::vector<Setting> values;
    std::optional<Value> tolerance;
    std::optional<Value> within;  ///< how far values may be off, in their unit
    std::optional<Value> states;
    std::optional<Value> dependent_storages;
    std::optional<Value> algebraic_loops;
    std::optional<Value> poles;  ///< a list of numbers or [re, im]
    std::optional<Text> error;   ///< code of the diagnostic this model must give
    std::string source;
};

/// A model file and what it imports, as a tree of names and texts. Nothing is evaluated yet.
struct Model {
    Text name;
    std::string description;
    Body body;
    std::vector<TypeDeclaration> types;
    std::vector<ConnectorTypeDeclaration> connector_types;
    bool types_missing = false;  ///< mistakes of form have left out types, or types of connectors
    Experiment experiment;
    std::vector<Text> outputs;
    std::vector<Plot> plots;
    std::vector<Expectation> expectations;
    std::vector<std::string> files;  ///< names by the numbers in positions: the model's own first, imports; others read
};

/// `--set PATH=VALUE`
struct Override {
    std::string path;
    std::string value;
};

}  // namespace bondgraph::model
