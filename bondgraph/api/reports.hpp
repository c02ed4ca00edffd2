#pragma once

// What the library tells of models and runs, as values.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

/// A part of a model as it is drawn in space, and its motion: per row of Animation::time three, nine and three numbers.
struct AnimatedShape {
    std::string component;
    std::string kind;          ///< "box", "cylinder", "sphere", "arrow", …
    std::string measures;      ///< of an arrow: "force", "torque", …; of others empty
    std::vector<double> x;     ///< where it begins, m, in the world
    std::vector<double> R;     ///< by rows: its directions length, width and height in the world
    std::vector<double> size;  ///< length, width and height, m; of an arrow in the unit of what it measures
    /// Of a "mesh": which of Animation::meshes it is; `size` is what 1 is in its numbers, and x where these are 0.
    std::optional<std::size_t> mesh = {};
    /// Sizes that no length of the model gives: those of a mechanism of about a metre, to be drawn as large as suits.
    bool nominal_length = false;
    bool nominal_thickness = false;
};

/// A form that a file gives shapes, once for all of them, in the file's axes and unit.
struct AnimatedMesh {
    struct Part {
        std::string colour;  ///< "#rrggbb"; empty: any
        std::vector<std::array<std::uint32_t, 3>> triangles;
    };
    std::string file;  ///< as the model names it
    std::vector<std::array<float, 3>> vertices;
    std::vector<Part> parts;
};

/// The shapes of a run's mechanical parts with their poses over time.
struct Animation {
    std::string model;
    std::vector<double> time;             ///< s
    std::map<std::string, double> scale;  ///< by what arrows measure: how much of it a length of 1 m stands for
    std::vector<AnimatedShape> shapes;
    std::vector<AnimatedMesh> meshes;
    /// The acceleration of gravity at the start, m/s2, where it is the same everywhere; else 0.
    std::array<double, 3> gravity{};

    /// As `bondgraph run --animation` writes it: the sizes of arrows are lengths there, m.
    [[nodiscard]] std::string json() const;
};

/// One application of a textbook rule that simplifies the junctions of a bond graph.
struct SimplificationStep {
    std::string rule;                  ///< "grounded node", "no power", "two bonds", "same junctions", "ring"
    std::string text;                  ///< what happens to which parts and why it may, a sentence
    std::vector<std::string> removed;  ///< elements and junctions
    std::vector<std::string> remains;  ///< what they were bonded to, and what takes their place
};

/// What is left of a bond graph when the rules have been applied, and how it came to that.
struct Simplification {
    std::vector<SimplificationStep> steps;
    std::size_t components = 0;  ///< elements and junctions in the end
    std::size_t bonds = 0;
    std::size_t components_before = 0;
    std::size_t bonds_before = 0;
};

/// Whether two models are the same bond graph, or behave as one.
enum class Likeness {
    same,        ///< but for names, order, conventions of arrows and numbers that differ by no more than 1e-9
    simplified,  ///< the same once the textbook rules have simplified both
    behaviour,   ///< other bond graphs, with figures that agree
    one_run,     ///< other bond graphs that agree in one run, which is no proof for others
    different    ///< other bond graphs; `behaviour` says what became of comparing how they behave
};

/// "the same bond graph", "the same after simplification", "equal in behaviour", "equal in one run", "different"
std::string_view likeness_text(Likeness likeness);

/// What comparing a model with a reference gave.
struct Comparison {
    Likeness likeness = Likeness::different;
    std::vector<SimplificationStep> steps;            ///< of the model, where the graphs had to be simplified
    std::vector<SimplificationStep> reference_steps;  ///< of the reference
    std::string difference;  ///< the first one, in words about the model that do not give the reference away
    std::string revealed;    ///< names and values of the reference, for who may know it
    std::string behaviour;   ///< what of it was compared and how closely it agrees, or why that could not be told

    [[nodiscard]] bool equal() const { return likeness != Likeness::different; }
};

/// A storage (one component of it) that is no state, and what determines it; nothing where only all constraints
/// together do.
struct DependentStorage {
    std::string name;
    std::vector<std::string> depends_on;
};

/// A constraint that others imply, by the components they belong to.
struct RemovedConstraint {
    std::string element;
    std::vector<std::string> implied_by;
};

/// A coordinate of a mechanism: as start values have it, and where its loops are closed.
struct ClosedCoordinate {
    std::string name;
    double before = 0.0;  ///< SI
    double after = 0.0;
    bool given = false;   ///< a start value of the file says something of it
    bool number = false;  ///< an angle, or a component of a quaternion
};

/// A mechanism with closed loops: its joints, where it is held together, and how many of what.
struct ClosedLoop {
    std::vector<std::string> joints;
    std::vector<std::string> closures;
    std::size_t coordinates = 0;  ///< or as many as rates, where these told which conditions are redundant
    std::size_t conditions = 0;
    std::size_t redundant = 0;  ///< of the conditions: others imply them, and the reactions that would hold them are 0
    std::vector<std::string> closed_form = {};  ///< coordinates that follow from others by a formula
    std::vector<std::string> released = {};     ///< of these reactions those that are known from the beginning
    bool by_rates = false;
    std::vector<ClosedCoordinate> position = {};
    [[nodiscard]] std::ptrdiff_t freedoms() const {
        return static_cast<std::ptrdiff_t>(coordinates + redundant) - static_cast<std::ptrdiff_t>(conditions);
    }
};

/// A discrete variable that decides strokes, and its value in a structure.
struct ModeValue {
    std::string name;
    double value = 0.0;
    bool boolean = false;
    [[nodiscard]] std::string text() const;
};

/// Which structure of a model with switches, friction and others is asked for; without anything that at the start.
struct WhichMode {
    std::optional<double> at = {};       ///< the one in which a run is at this time, s; at an event that after it
    std::vector<ModeValue> values = {};  ///< with these values; of what is not named, those at the start
};

/// Equations that need each other: the elements they belong to (junctions only where there is nothing else), and the
/// variables the solver iterates on.
struct SolvedLoop {
    std::vector<std::string> elements;
    std::vector<std::string> torn;
};

/// What a model has become when compiled, in names and numbers. Of one with switches, friction and the like at the
/// start.
struct Structure {
    std::vector<std::string> states;
    std::vector<DependentStorage> dependent_storages;
    std::vector<std::string> dependent_variables;  ///< differentiated and yet no states, because constraints say so
    std::vector<ClosedLoop> closed_loops;
    std::vector<SolvedLoop> algebraic_loops;
    std::vector<RemovedConstraint> removed_constraints;
    std::vector<std::string> set_to_zero;  ///< what removed constraints leave undetermined
    std::vector<ModeValue> modes;          ///< that decide strokes; empty for a model with a single structure
    std::size_t components = 0;            ///< junctions included, parts inside of others not
    std::size_t parts = 0;                 ///< elements and junctions inside joints, bodies and other wrapped parts
    std::size_t bonds = 0;                 ///< those inside included
    std::size_t equations = 0;
    std::size_t unknowns = 0;
    std::size_t integrated = 0;         ///< unknowns left for the integrator
    std::size_t integrated_states = 0;  ///< those of them that are states
    std::size_t operations = 0;         ///< to evaluate their equations
};

struct InspectOptions {
    Values values = {};
    /// Of larger models the start is not solved for: that may take long where much depends on everything.
    std::size_t most_unknowns = static_cast<std::size_t>(-1);
};

/// What `bondgraph check` tells of a model that can be compiled.
struct Inspection {
    Structure structure;
    std::optional<Error> refused;  ///< why it could not be run or tested all the same
    bool start_solved = true;
};

struct TestOptions {
    Values values = {};
    const std::atomic<bool>* cancel = nullptr;  ///< true ends the test with an error
};

/// What came of checking a model against its `expect:`.
struct Verdict {
    bool skipped = false;           ///< nothing is expected
    bool wrong = false;             ///< what is expected is no matter of the run: it can't be checked
    std::size_t checks = 0;         ///< how many there are
    std::vector<Message> failures;  ///< of each what was expected and what there is; or what kept it from being checked
    [[nodiscard]] bool passed() const { return failures.empty(); }
};

struct EquationsOptions {
    enum class Format { text, latex, json };
    Values values = {};
    Format format = Format::text;
    bool symbols = false;     ///< parameters by their names, matrices in symbols too
    bool by_element = false;  ///< grouped by elements (text and LaTeX)
    bool expand = false;      ///< those inside joints, bodies and other wrapped parts as well
    bool bold = false;        ///< headings of the text stand out on a terminal
    bool typeset = false;     ///< of JSON: every equation in LaTeX too
    WhichMode mode = {};
};

/// The sorted equations of a model and, where it is linear, its state-space form.
struct Equations {
    std::string text;
    std::vector<Message> warnings;
};

struct CausalityOptions {
    Values values = {};
    bool expand = false;  ///< the bonds inside joints, bodies and other wrapped parts as well
    std::size_t most_paths = 200;
    WhichMode mode = {};
};

/// One component of a bond as it was drawn: the half arrow goes from `from` to `to`.
struct CausalBond {
    enum class Stroke {
        open,     ///< none was assigned
        at_from,  ///< at the beginning of the half arrow: the effort acts there
        at_to
    };
    std::string name;
    std::string from;
    std::string to;
    std::size_t component = 0;  ///< within the bond, from 0
    std::size_t size = 1;       ///< of the bond
    Stroke stroke = Stroke::open;
    std::string kind;    ///< of the reason: "source", "integral", "junction_decided", …
    std::string reason;  ///< in words: "Se 'battery' fixes the effort"
    /// Between frames of wrapped components, of which the other bonds of the connection say the same.
    bool frames = false;
    std::size_t order = 0;          ///< in the sequence in which strokes were assigned
    std::string follows_from = {};  ///< the bond that decided it, where one did
};

struct CausalStorage {
    std::string name;  ///< "C2", or "C2[3]" for one of several components
    bool integral = false;
    std::vector<std::string> depends_on;  ///< what determines it in derivative causality
};

/// From a source, storage, resistor or sensor to another, by variables each of which is computed from the one before.
struct CausalPath {
    std::string from;
    std::string to;
    std::vector<std::string> variables;
    std::optional<std::string> gain;  ///< "1/(R1*s)"; nothing where laws on the way are not linear
};

/// Equations that need each other.
struct AlgebraicLoop {
    std::vector<std::string> elements;
    std::vector<std::string> path;  ///< variables; the last acts on the first
};

/// A closed way through the equations, integrations included.
struct CausalLoop {
    std::vector<std::string> nodes;
    std::string gain;
};

/// What a name in gains stands for.
struct GainParameter {
    std::string name;
    std::string path;     ///< the element's parameter: "C1.C"
    double value = 0.0;   ///< SI
    bool occurs = false;  ///< occurs in Causality::causal_loops
};

/// What determines what: strokes with their reasons, and what follows from them. Of a model with switches in one mode.
struct Causality {
    std::vector<CausalBond> bonds;
    std::vector<CausalStorage> storages;
    std::vector<CausalPath> paths;  ///< by elements in the order of the file, at most CausalityOptions::most_paths
    std::vector<AlgebraicLoop> algebraic_loops;
    /// Shortest first; nothing where `no_loops_because` says why not.
    std::optional<std::vector<CausalLoop>> causal_loops;
    std::string no_loops_because;
    std::vector<GainParameter> parameters;  ///< that gains are made of
    std::vector<ModeValue> modes;           ///< it is for; empty for a model with a single structure
    bool wrapped = false;                   ///< there are parts inside of others (joints, bodies)
};

}  // namespace bondgraph::api
