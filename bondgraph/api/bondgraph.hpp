#pragma once

// The library's interface: load a model, set parameters, run it whole or step by step, linearize it, see its causality,
// equations and energy, test it. Nothing of the library's inside is needed beside it.

#include <atomic>
#include <complex>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bondgraph::api {

/// "0.2.0"
std::string_view version();

/// A place in a file; lines and columns count from 1, line 0 is nowhere.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;
};

/// One line under a message: "where", "because", "try" or "note", and a text.
struct Note {
    std::string label;
    std::string text;
};

/// What is wrong or worth knowing, as docs/errors.md describes it.
struct Message {
    bool warning = false;
    std::string code;  ///< "BG-M013"; empty for numerical failures and wrong usage
    std::string text;
    Place place;
    std::vector<Note> notes;
    std::string shown;  ///< all of it with the line of the file, as the program prints it
};

/// Why something was not done.
struct Error {
    enum class Kind {
        usage,     ///< the call can't be carried out as it was made: no such file, no such parameter or result
        model,     ///< the model is wrong, or a parameter's value is
        run,       ///< the simulation failed on its way
        cancelled  ///< progress or cancel ended it
    };
    Kind kind = Kind::model;
    std::vector<Message> messages;

    /// All messages as the program prints them.
    [[nodiscard]] std::string text() const;
};

/// A value, or the reason why there is none.
template <class T>
class Result {
   public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}

    [[nodiscard]] bool ok() const { return content_.index() == 0; }
    explicit operator bool() const { return ok(); }
    /// The value; throws std::runtime_error with the error's text where there is none.
    [[nodiscard]] T& value() & {
        require();
        return std::get<0>(content_);
    }
    [[nodiscard]] T&& value() && { return std::move(value()); }
    [[nodiscard]] const T& value() const& {
        require();
        return std::get<0>(content_);
    }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(value()); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    /// The error; throws std::bad_variant_access where there is a value.
    [[nodiscard]] const Error& error() const { return std::get<1>(content_); }

   private:
    void require() const {
        if (!ok()) throw std::runtime_error(error().text());
    }

    std::variant<T, Error> content_;
};

/// What a parameter or start value is set to: a number in SI units, or a text as in a file or after --set ("3 kohm",
/// "2*R", "[1, 2]").
class Value {
   public:
    Value(double si) : content_(si) {}
    Value(int si) : content_(static_cast<double>(si)) {}
    Value(std::string text) : content_(std::move(text)) {}
    Value(const char* text) : content_(std::string(text)) {}

    [[nodiscard]] const double* number() const { return std::get_if<double>(&content_); }
    /// The number with all its digits, or the text.
    [[nodiscard]] std::string text() const;

   private:
    std::variant<double, std::string> content_;
};

/// By name: the model's parameters ("R"), those of components ("motor.R", "C1.C") and start values ("C1.q"), as --set
/// takes them.
using Values = std::map<std::string, Value>;

/// An event of a run.
struct Event {
    double time = 0.0;     ///< s
    bool of_time = false;  ///< at an instant that follows from time alone
    bool jumped = false;   ///< states have
    int mode_changes = 0;  ///< of switches, diodes, friction
    std::string cause;     ///< in the user's terms; may be empty
};

/// What a run starts from, records and tells. What is not given is as in the model's `experiment:` and `outputs:`.
struct RunOptions {
    Values values = {};
    std::vector<std::string> outputs = {};  ///< names of results; empty: those of the model
    std::optional<double> stop = {};        ///< s
    std::optional<double> interval = {};    ///< s, between rows
    std::optional<double> tolerance = {};   ///< relative
    bool energy = true;                     ///< keep the energy account; without it a run takes less time
    bool energy_by_element = false;         ///< for each element too; a run takes more time
    bool energy_account = false;            ///< by component, domain and flow, in Run::account; the same
    /// The account is of this part of the run only: from, to, s. Kind usage where that is not within the run.
    std::optional<std::pair<double, double>> account_window = {};
    bool animation = false;  ///< keep the poses of what moves in space, in Run::animation
    /// Run a second time at a tenth of the tolerance where the run's own record gives reason to, and warn if results
    /// differ (BG-S005). Not of runs step by step.
    bool look_again = true;
    /// Called now and then with the time reached; false ends the run.
    std::function<bool(double time)> progress = {};
    std::function<void(const Event&)> on_event = {};
    const std::atomic<bool>* cancel = nullptr;  ///< looked at in every step: true ends the run
};

/// Columns of numbers over time, one row per time. At events there are two rows of one time: before and after.
class Series {
   public:
    struct Column {
        std::string name;
        std::string unit;  ///< SI; empty where unknown
        std::string description;
    };

    Series(std::vector<Column> columns, std::vector<double> time, std::span<const double> by_row);

    [[nodiscard]] std::size_t rows() const { return time_.size(); }
    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
    [[nodiscard]] std::span<const double> time() const { return time_; }
    [[nodiscard]] std::span<const double> column(std::size_t index) const {
        return std::span(data_).subspan(index * time_.size(), time_.size());
    }
    /// Throws std::out_of_range where there is no such column.
    [[nodiscard]] std::span<const double> operator[](std::string_view name) const;

   private:
    std::vector<Column> columns_;
    std::vector<double> time_;
    std::vector<double> data_;  ///< column after column
};

/// The books of one element, in joule: absorbed + supplied = stored + dissipated + other + events, but for errors of
/// the integration.
struct ElementEnergy {
    std::string name;
    std::string type;
    double absorbed = 0.0;  ///< ∫ power into the element
    double supplied = 0.0;
    double stored = 0.0;  ///< its change
    double dissipated = 0.0;
    double other = 0.0;
    double events = 0.0;
};

/// Joule; supplied = stored + dissipated + other + events + imbalance.
struct Energy {
    bool known = false;
    double supplied = 0.0;
    double stored = 0.0;  ///< its change
    double dissipated = 0.0;
    double other = 0.0;   ///< taken by own types without a declared energy
    double events = 0.0;  ///< lost where events changed states
    double imbalance = 0.0;
    /// Of all elements that take power, those inside joints and other components among them, in the order of the bond
    /// graph; where RunOptions::energy_by_element asked for them.
    std::vector<ElementEnergy> elements = {};
    double moved = 0.0;  ///< ½ ∫ Σ |power of each element| dt: what an imbalance is to be compared with
};

/// What a component, or all of a domain, did with energy, in joule. in and out are sums over bonds by the direction of
/// their net energy: supplied + in = out + stored + dissipated + other + events + residual.
struct EnergyRow {
    std::string name;
    std::string type;  ///< of a component
    double supplied = 0.0;
    double in = 0.0;
    double out = 0.0;
    double stored = 0.0;  ///< its change
    double dissipated = 0.0;
    double other = 0.0;      ///< taken by own types without a declared energy
    double events = 0.0;     ///< lost where events changed states
    double residual = 0.0;   ///< what does not add up: the error of the integration
    bool passes_on = false;  ///< a junction or two-port: has no books of its own
};

/// Net energy along a bond, from the component that gave it to the one that took it.
struct EnergyFlow {
    std::size_t from = 0;  ///< index into EnergyAccount::components
    std::size_t to = 0;
    std::string bond;
    std::string domain;   ///< "electrical"
    double energy = 0.0;  ///< J, not negative
};

/// Where the energy of a run, or of a part of it, went. A wrapped component (a joint, a body) stands for all of its
/// parts; what carries no energy (signals, pseudo bonds) is left out.
struct EnergyAccount {
    double from = 0.0;  ///< s
    double to = 0.0;
    Energy balance;                     ///< of all; not known where no bond carries power
    std::vector<EnergyRow> components;  ///< in the order of the model
    std::vector<EnergyFlow> flows;      ///< one per bond between two of them
    /// In the order of the manual; then, where there are any, the components that join several domains and store or
    /// lose energy themselves ("between domains").
    std::vector<EnergyRow> domains;
};

/// A part of a model as it is drawn in space, and its motion: per row of Animation::time three, nine and three numbers.
struct AnimatedShape {
    std::string component;
    std::string kind;          ///< "box", "cylinder", "sphere", "arrow", …
    std::string measures;      ///< of an arrow: "force", "torque", …; of others empty
    std::vector<double> x;     ///< where it begins, m, in the world
    std::vector<double> R;     ///< by rows: its directions length, width and height in the world
    std::vector<double> size;  ///< length, width and height, m; of an arrow in the unit of what it measures
};

/// The shapes of a run's mechanical parts with their poses over time.
struct Animation {
    std::string model;
    std::vector<double> time;             ///< s
    std::map<std::string, double> scale;  ///< by what arrows measure: how much of it a length of 1 m stands for
    std::vector<AnimatedShape> shapes;

    /// As `bondgraph run --animation` writes it: the sizes of arrows are lengths there, m.
    [[nodiscard]] std::string json() const;
};

struct Statistics {
    long steps = 0;
    long evaluations = 0;
    long jacobians = 0;
    int time_events = 0;
    int state_events = 0;
    int mode_changes = 0;
};

/// A run, whole or as far as it came.
struct Run {
    Series series;
    Energy energy;
    Statistics statistics;
    std::vector<Message> warnings;  ///< of the start and of what happened (BG-S005 to BG-S009)
    std::optional<Error> failure;   ///< why it ended before its stop; rows up to there are in `series`
    /// Where RunOptions::energy_account asked for it; of a run that failed there is none.
    std::optional<EnergyAccount> account = {};
    std::optional<Animation> animation = {};  ///< where RunOptions::animation asked for it
};

/// dx/dt = A x + B u, y = C x + D u, matrices by rows.
struct LinearModel {
    std::vector<std::string> states;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<double> A, B, C, D;
    std::vector<std::complex<double>> eigenvalues;
};

struct LinearizeOptions {
    Values values = {};
    std::optional<double> at = {};  ///< s; none: the start
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
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

/// What determines what: strokes with their reasons, and what follows from them. Of a model with switches that at the
/// start.
struct Causality {
    std::vector<CausalBond> bonds;
    std::vector<CausalStorage> storages;
    std::vector<CausalPath> paths;  ///< by elements in the order of the file, at most CausalityOptions::most_paths
    std::vector<AlgebraicLoop> algebraic_loops;
    /// Shortest first; nothing where `no_loops_because` says why not.
    std::optional<std::vector<CausalLoop>> causal_loops;
    std::string no_loops_because;
    std::vector<GainParameter> parameters;  ///< that gains are made of
    bool wrapped = false;                   ///< there are parts inside of others (joints, bodies)
};

/// A parameter of the model itself or of its components, by the name under which it can be set.
struct Parameter {
    std::string name;
    std::string unit;             ///< SI; empty where unknown
    std::optional<double> value;  ///< where it is a single known number
    Place place;
};

/// A run that is taken step by step. It keeps what it needs of its model. Used by one thread at a time.
class Simulation {
   public:
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;
    ~Simulation();

    [[nodiscard]] const std::vector<Series::Column>& columns() const;
    /// The time of the last row; before the first advance() that of the start.
    [[nodiscard]] double time() const;
    /// The outputs there, in the order of columns(). Valid until the next advance().
    [[nodiscard]] std::span<const double> values() const;
    /// Whether the stop has been reached, or the simulation can't go on.
    [[nodiscard]] bool done() const;
    /// Goes on to that time (at most to the stop) and returns the outputs there, after the events on the way. An
    /// exception of on_event or progress comes out as it is; the simulation can't go on then.
    Result<std::span<const double>> advance(double time);
    /// Gives parameters new values at the time reached, and returns the outputs there afterwards: states stay what they
    /// are, what follows from parameters changes, as an event of which a row is kept. Parameters that were in the
    /// values of start(), with numbers other than 0, and are inputs can be set so. After an error the simulation goes
    /// on as before: kind usage or model where a value can't be taken, run where there is no way on with it. What the
    /// energy stored changes by is booked as taken by events.
    Result<std::span<const double>> set(const Values& values);
    /// All rows so far and the energy account. The simulation can't go on afterwards; its last values stay.
    Run finish();

   private:
    friend class Model;
    struct Impl;
    explicit Simulation(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

struct LoadOptions {
    std::vector<std::string> import_folders = {};  ///< where imports are looked for that are not beside the model
    Values values = {};                            ///< as in the file from now on
};

/// A model, read and compiled. It may be used by several threads at once: no call changes it, as far as can be seen
/// from outside. What has been compiled for one run is kept for the next: values of parameters that stand in the
/// equations as numbers are inputs of what was compiled, and only those that decide what the equations are (sizes,
/// choices, a 0) make it compile again.
class Model {
   public:
    /// Reads and checks a file with what it imports; the model itself is compiled when first run.
    static Result<Model> load(const std::string& file, const LoadOptions& options = {});
    /// The same of a text; `name` stands for the file in messages, and imports are looked for beside it.
    static Result<Model> parse(const std::string& text, const std::string& name = "model.yaml",
                               const LoadOptions& options = {});
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] const std::string& description() const;
    [[nodiscard]] const std::vector<Message>& warnings() const;
    /// All that can be set, in the order of the file: the model's own first.
    [[nodiscard]] std::vector<Parameter> parameters() const;
    /// The names of the default outputs: the model's `outputs:`, or its states and the efforts and flows of its bonds.
    [[nodiscard]] Result<std::vector<std::string>> outputs() const;

    /// Causality, equations and start are looked at: what `bondgraph check` would refuse is an error here.
    [[nodiscard]] Result<std::vector<Message>> check(const Values& values = {}) const;
    /// Runs from start to stop. A failure on the way is part of the run; an error is what keeps it from beginning.
    [[nodiscard]] Result<Run> run(const RunOptions& options = {}) const;
    /// The same step by step.
    [[nodiscard]] Result<Simulation> start(const RunOptions& options = {}) const;
    [[nodiscard]] Result<LinearModel> linearize(const LinearizeOptions& options = {}) const;

    /// Strokes, storages, paths and loops. An error where there is no causality.
    [[nodiscard]] Result<Causality> causality(const CausalityOptions& options = {}) const;
    /// As `bondgraph equations` shows them. Kind usage for symbols in a model whose equations need numbers.
    [[nodiscard]] Result<Equations> equations(const EquationsOptions& options = {}) const;
    /// Checks the model against its `expect:`; what it is not as expected is no error. Kind usage for values that can't
    /// be set, cancelled where it was.
    [[nodiscard]] Result<Verdict> test(const TestOptions& options = {}) const;

    /// How often it has been compiled.
    [[nodiscard]] std::size_t compilations() const;
    /// Parameters that have been set and are no inputs of the equations: changing one of them compiles again.
    [[nodiscard]] std::vector<std::string> deciding() const;

   private:
    struct Impl;
    explicit Model(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

/// The same as Model::test of a file that need not be a model at all: `expect:` may name the error that it is to give.
/// Kind usage where it can't be read.
Result<Verdict> test(const std::string& file, const LoadOptions& options = {},
                     const std::atomic<bool>* cancel = nullptr);

}  // namespace bondgraph::api
