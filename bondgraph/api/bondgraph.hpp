#pragma once

// The library's interface: load a model, set parameters, run it whole or step by step, linearize it, see its causality,
// equations and energy, test it. With calls.hpp and reports.hpp, which come with it, it is all there is: nothing of the
// library's inside is needed.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/reports.hpp"

namespace bondgraph::api {

/// "0.2.0"
std::string_view version();

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

struct SaveOptions {
    Values values = {};  ///< as in the file from now on
    /// Parameters and start values that shall get other values later without compiling, as far as the equations allow.
    std::vector<std::string> inputs = {};
};

/// A model, read and compiled. It may be used by several threads at once: no call changes it, as far as can be seen
/// from outside. What has been compiled for one run is kept for the next: values of parameters that stand in the
/// equations as numbers are inputs of what was compiled, and only those that decide what the equations are (sizes,
/// choices, a 0) make it compile again.
class Model {
   public:
    /// Reads and checks a file with what it imports; the model itself is compiled when first run. The file may also be
    /// one that save() has written: then it is there as it was compiled.
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

    /// Causality, equations, start and the entries of `expect:` are looked at: what `bondgraph check` would refuse is
    /// an error here.
    [[nodiscard]] Result<std::vector<Message>> check(const Values& values = {}) const;
    /// Runs from start to stop. A failure on the way is part of the run; an error is what keeps it from beginning.
    [[nodiscard]] Result<Run> run(const RunOptions& options = {}) const;
    /// The same step by step.
    [[nodiscard]] Result<Simulation> start(const RunOptions& options = {}) const;
    [[nodiscard]] Result<LinearModel> linearize(const LinearizeOptions& options = {}) const;

    /// From every input to every output, by inputs first; outputs that are not named are those of the model, else its
    /// states. Kind usage where there is no input.
    [[nodiscard]] Result<std::vector<Transfer>> transfer_functions(const LinearizeOptions& options = {}) const;
    /// States and what is none, loops, and how many there are of what. An error where the model can't be compiled.
    [[nodiscard]] Result<Structure> structure(const Values& values = {}) const;
    /// Strokes, storages, paths and loops. An error where there is no causality.
    [[nodiscard]] Result<Causality> causality(const CausalityOptions& options = {}) const;
    /// As `bondgraph equations` shows them. Kind usage for symbols in a model whose equations need numbers.
    [[nodiscard]] Result<Equations> equations(const EquationsOptions& options = {}) const;
    /// Checks the model against its `expect:`; what it is not as expected is no error. Kind usage for values that can't
    /// be set, cancelled where it was.
    [[nodiscard]] Result<Verdict> test(const TestOptions& options = {}) const;
    /// Compiles the model and writes it to a file that load() and the program take in place of it, and that nothing has
    /// to be compiled of again. Gives those of `options.inputs` that have become inputs. An existing file is replaced
    /// once the new one is whole.
    [[nodiscard]] Result<std::vector<std::string>> save(const std::string& file, const SaveOptions& options = {}) const;

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
