#pragma once

// The library's interface: load a model, set parameters, run it whole or step by step, linearize it, see its causality,
// equations and energy, draw it, test it. With the headers that it includes it is all there is: nothing of the
// library's inside is needed.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/energy.hpp"
#include "bondgraph/api/judgements.hpp"
#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/pictures.hpp"
#include "bondgraph/api/port_hamiltonian.hpp"
#include "bondgraph/api/reduction.hpp"
#include "bondgraph/api/reference.hpp"
#include "bondgraph/api/report_page.hpp"
#include "bondgraph/api/reports.hpp"
#include "bondgraph/api/results.hpp"
#include "bondgraph/api/runs.hpp"
#include "bondgraph/api/sensitivities.hpp"

namespace bondgraph::api {

/// "0.2.0"
std::string_view version();

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
    /// What imports and tables name is read only in these folders, those of `import_folders`, and the library of parts,
    /// not where links lead out of them, and nothing hidden: for models of others. Empty: wherever it is.
    std::vector<std::string> only_within = {};
    Values values = {};  ///< as in the file from now on
    /// The same as texts "NAME=VALUE" in the order in which they were typed.
    std::vector<std::string> settings = {};
    /// Messages about texts that are set point into the options of a command line ("--set R", "--stop") instead of
    /// "value of R" and "value of stop".
    bool command_line = false;
};

struct SaveOptions {
    Values values = {};  ///< as in the file from now on
    /// Parameters and start values that shall get other values later without compiling, as far as the equations allow.
    std::vector<std::string> inputs = {};
};

/// A compiled model as a file has it.
struct StoredModel {
    std::string bytes;
    std::vector<std::string> inputs;  ///< those of SaveOptions::inputs that have become inputs
    std::vector<Message> warnings;
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
    /// The files it was read from, with those it imports.
    [[nodiscard]] std::vector<std::string> files() const;
    /// All that can be set, in the order of the file: the model's own first.
    [[nodiscard]] std::vector<Parameter> parameters() const;
    /// The names of the default outputs: the model's `outputs:`, or its states and the efforts and flows of its bonds.
    [[nodiscard]] Result<std::vector<std::string>> outputs() const;
    /// The names of results that a name stands for: itself, or all components of a vector or an array. Kind usage where
    /// it is no result.
    [[nodiscard]] Result<std::vector<std::string>> results(const std::string& name) const;
    /// A time as a text, in seconds: "20 ms", or an expression in the model's parameters. Messages point into `called`.
    [[nodiscard]] Result<double> seconds(const std::string& text, const std::string& called = "time") const;
    /// When its experiment starts, s.
    [[nodiscard]] Result<double> start_time() const;
    /// The times and tolerance of a run with these options.
    [[nodiscard]] Result<Experiment> experiment(const RunOptions& options = {}) const;

    /// Causality, equations, start and the entries of `expect:` are looked at: what `bondgraph check` would refuse is
    /// an error here.
    [[nodiscard]] Result<std::vector<Message>> check(const Values& values = {}) const;
    /// Structure and check in one. An error where the model can't be compiled.
    [[nodiscard]] Result<Inspection> inspect(const InspectOptions& options = {}) const;
    /// Runs from start to stop. A failure on the way is part of the run; an error is what keeps it from beginning.
    [[nodiscard]] Result<Run> run(const RunOptions& options = {}) const;
    /// The same step by step.
    [[nodiscard]] Result<Simulation> start(const RunOptions& options = {}) const;
    [[nodiscard]] Result<LinearModel> linearize(const LinearizeOptions& options = {}) const;
    /// The same along one run: at its start and at ends of steps, about so many in all; of a model whose matrices never
    /// change at the start alone. Where there are no matrices it is left out. LinearizeOptions::at is not looked at.
    [[nodiscard]] Result<std::vector<LinearModel>> linearize_along(std::size_t instants,
                                                                   const LinearizeOptions& options = {}) const;

    /// From every input to every output, by inputs first; outputs that are not named are those of the model, else its
    /// states. Kind usage where there is no input.
    [[nodiscard]] Result<std::vector<Transfer>> transfer_functions(const LinearizeOptions& options = {}) const;
    /// Mason's rule from every input to every output. What has no gains, as powers, or too many loops is left out, with
    /// the reason, though it be all. Kind usage where there is no input or no output.
    [[nodiscard]] Result<Mason> mason(const LinearizeOptions& options = {}) const;
    /// States and what is none, loops, and how many there are of what. An error where the model can't be compiled.
    [[nodiscard]] Result<Structure> structure(const Values& values = {}) const;
    /// What it consists of after a stage of flattening, a line for each component, bond and signal.
    [[nodiscard]] Result<std::string> flattened(FlatteningStage stage, const Values& values = {}) const;
    /// How textbook rules simplify its bond graph: grounded nodes, junctions of two bonds, neighbours of a kind, rings.
    [[nodiscard]] Result<Simplification> simplification(const Values& values = {}) const;
    /// Strokes, storages, paths and loops. An error where there is no causality.
    [[nodiscard]] Result<Causality> causality(const CausalityOptions& options = {}) const;
    /// Strokes that somebody has placed, one after the other. An error where there is no causality.
    [[nodiscard]] Result<JudgedStrokes> judge(const StrokesOptions& options) const;
    /// Derivatives of states that somebody has derived. An error where there is no causality, or are no equations.
    [[nodiscard]] Result<JudgedEquations> judge(const DerivationsOptions& options) const;
    /// As `bondgraph equations` shows them. Kind usage for symbols in a model whose equations need numbers.
    [[nodiscard]] Result<Equations> equations(const EquationsOptions& options = {}) const;
    /// Its matrices J, R, G and its stored energy, with the modes of its start. Kind usage where it has no such form:
    /// which of its parts keep it from that is told.
    [[nodiscard]] Result<PortHamiltonian> port_hamiltonian(const Values& values = {}) const;
    /// How much energy each element moves in a run, and the model without those that move least; how far that is from
    /// the model is measured. Kind usage for shares that are none, kind run where the model's own run fails.
    [[nodiscard]] Result<Reduction> reduce(const ReduceOptions& options = {}) const;
    /// The bond graph as `bondgraph draw` draws it. A causal conflict is drawn as well; it is no error here.
    [[nodiscard]] Result<Drawing> draw(const DrawOptions& options = {}) const;
    /// Whether it is the same bond graph as the reference, whatever names, order, arrow conventions and
    /// simplifications, or else behaves as that does; if not, the first difference in words about this model.
    [[nodiscard]] Result<Comparison> compare(const Model& reference) const;
    /// Checks the model against its `expect:`; what it is not as expected is no error. Kind usage for values that can't
    /// be set, cancelled where it was.
    [[nodiscard]] Result<Verdict> test(const TestOptions& options = {}) const;
    /// Compiles the model and writes it to a file that load() and the program take in place of it, and that nothing has
    /// to be compiled of again. Gives those of `options.inputs` that have become inputs. An existing file is replaced
    /// once the new one is whole.
    [[nodiscard]] Result<std::vector<std::string>> save(const std::string& file, const SaveOptions& options = {}) const;
    /// What save() would write.
    [[nodiscard]] Result<StoredModel> store(const SaveOptions& options = {}) const;

    /// Compiles it for runs with these values, or to be linearized, now and not when that is first asked for. Gives why
    /// it can't be, if so.
    [[nodiscard]] std::optional<Error> compile(const Values& values = {}, bool to_linearize = false) const;
    /// How often it has been compiled.
    [[nodiscard]] std::size_t compilations() const;
    /// Parameters that have been set and are no inputs of the equations: changing one of them compiles again.
    [[nodiscard]] std::vector<std::string> deciding() const;

   private:
    struct Impl;
    explicit Model(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

/// A page that shows the model. Errors are those of a model that can't be flattened; kind usage where the library was
/// built without the page.
Result<Report> report(const Model& model, const ReportOptions& options = {});

/// How much results depend on each parameter, from two runs each. Kind usage for a name that is no result or stands for
/// several, else what keeps the model from running as it is.
Result<Sensitivities> sensitivities(const Model& model, const SensitivityOptions& options);

/// The same as Model::test of a file that need not be a model at all: `expect:` may name the error that it is to give.
/// Kind usage where it can't be read.
Result<Verdict> test(const std::string& file, const LoadOptions& options = {},
                     const std::atomic<bool>* cancel = nullptr);

}  // namespace bondgraph::api
