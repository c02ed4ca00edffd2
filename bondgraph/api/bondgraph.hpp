#pragma once

// The library's interface: load a model, set parameters, run it whole or step by step, linearize it. Nothing of the
// library's inside is needed beside it.

#include <atomic>
#include <complex>
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
    /// Run a second time at a tenth of the tolerance where the run's own record gives reason to, and warn if results
    /// differ (BG-S005). Not of runs step by step.
    bool look_again = true;
    /// Called now and then with the time reached; false ends the run.
    std::function<bool(double time)> progress = {};
    std::function<void(const Event&)> on_event = {};
    const std::atomic<bool>* cancel = nullptr;  ///< looked at in searches and steps: true ends the run
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

    /// How often it has been compiled.
    [[nodiscard]] std::size_t compilations() const;
    /// Parameters that have been set and are no inputs of the equations: changing one of them compiles again.
    [[nodiscard]] std::vector<std::string> deciding() const;

   private:
    struct Impl;
    explicit Model(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace bondgraph::api
