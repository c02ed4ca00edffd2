#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/flatten.hpp"

namespace bondgraph::model {

/// Where a port of a composite is joined: its bond outside and the one inside.
struct BoundaryPort {
    const PortDeclaration* declaration = nullptr;
    std::uint32_t scope = 0;
    std::string name;                       ///< with the scope's prefix
    std::uint32_t outer = Id<void>::kNone;  ///< raw bond
    std::uint32_t inner = Id<void>::kNone;
    SourcePosition position;
};

/// A parameter or input of an instance: the value's text and the scope that text belongs to.
struct ScopeValue {
    const Value* value = nullptr;
    const Text* signal = nullptr;  ///< inputs: the name of the connected signal instead of a value
    std::uint32_t evaluated_in = 0;
    const ParameterDeclaration* declaration = nullptr;
    enum class State : std::uint8_t { waiting, evaluating, done } state = State::waiting;
    Quantity result;
};

/// A member's name leads to an element, to the scope of a composite, or to both.
struct Member {
    ElementId element;
    std::uint32_t scope = Id<void>::kNone;
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
    ElementId self;  ///< the element that holds the type's own equations, if any
    const ComponentDeclaration* instance = nullptr;
    std::uint32_t outer = 0;  ///< the scope the instance is written in
};

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
    std::uint32_t scope = 0;
};

/// Everything the passes of flattening share. Each pass reports to `diagnostics`; flatten() stops between passes.
struct Flattening {
    const Model& model;
    const Catalogue& catalogue;
    const UnitSystem& units;
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
            signals;  ///< input → source, its scope
    };
    std::vector<Origin> origins;
    std::unordered_map<std::string, const Value*> overrides;
    std::unordered_set<std::string> used_overrides;
    std::vector<std::string> evaluating;  ///< the parameters whose values are being found, outermost first

    /// The value with `--set` applied for a full path ("motor.R").
    const Value* overridden(const std::string& path, const Value* value);
};

// Passes, in order.
void instantiate(Flattening& work);
void connect_bonds(Flattening& work);
void connect_signals(Flattening& work);
void infer_sizes(Flattening& work);
void create_variables(Flattening& work);
void evaluate_parameters(Flattening& work);
void infer_domains(Flattening& work);
void evaluate_laws(Flattening& work);
void evaluate_starts(Flattening& work);

/// A value's quantity in a scope; mistakes go to diagnostics and give nothing.
std::optional<Quantity> evaluate_value(Flattening& work, const Value& value, std::uint32_t scope);
/// As above for an expression text whose names a special lookup knows first.
std::optional<Quantity> evaluate_syntax(Flattening& work, const expression::Syntax& syntax, std::uint32_t root,
                                        SourcePosition position, const EvaluationScope& scope);
/// The quantity a name stands for in a scope.
std::optional<Quantity> lookup(Flattening& work, std::uint32_t scope, const std::string& name);
std::vector<std::string> visible_names(const Flattening& work, std::uint32_t scope);
EvaluationScope scope_of(Flattening& work, std::uint32_t scope);

/// "12 V" → number and unit; nothing when the text is not a number with or without unit.
/// An unknown unit after a number is reported and gives NaN.
/// `is_name` tells what would be a name there, for a better message.
std::optional<Quantity> parse_number(const Text& text, const UnitSystem& units, Diagnostics& diagnostics,
                                     const std::function<bool(const std::string&)>& is_name = {});
/// The position of a byte offset inside a text.
SourcePosition position_at(const Text& text, std::size_t offset);
SourcePosition position_at(SourcePosition start, const std::string& text, bool quoted, std::size_t offset);

/// The shape a value will have, found without evaluating it: rows, columns (a scalar is 1 × 1).
std::pair<std::size_t, std::size_t> shape_of(const Flattening& work, const Value& value, std::uint32_t scope,
                                             int depth = 0);

/// Whether a value is written as a list of lists.
bool is_matrix(const Flattening& work, const Value& value, std::uint32_t scope, int depth = 0);

}  // namespace bondgraph::model
