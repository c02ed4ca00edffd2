#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// A model compiled for some parameters: those that have become inputs of its equations may get other values, the
/// others are as they were.
struct Variant {
    Session session;
    std::map<std::string, std::string> closed;  ///< parameters that have been set but are no inputs, with their texts
    std::vector<std::string> open;              ///< those that are, in the order of BondGraph::adjustable
    bool perturbed = false;                     ///< its equations have inputs to linearize by
    std::vector<Message> warnings = {};         ///< of its start

    /// What runs with the same options share.
    struct Plan {
        std::optional<Value> stop, interval, tolerance;
        std::vector<std::string> outputs;
        simulation::Settings settings;
        std::vector<simulation::Signal> signals;
    };
    std::vector<Plan> plans = {};
    std::optional<std::vector<bool>> of_start_only = {};  ///< model::of_start_only(), once somebody has asked
};

/// A variant and the values of its inputs for one run.
struct Prepared {
    std::shared_ptr<Variant> variant;
    std::vector<double> adjustable;
};

/// On the way to a variant.
struct Making {
    std::shared_ptr<Variant> failed = {};       ///< whose files the messages point into where something is thrown
    const std::atomic<bool>* cancel = nullptr;  ///< true ends it with simulation::Interrupted
};

/// What all variants of a model are made from.
struct ModelSource {
    std::string file;
    std::optional<std::string> text = {};
    std::vector<std::filesystem::path> import_folders = {};
    io::FileAccess access = {};
    std::map<std::string, std::string> values = {};  ///< set when the model was loaded
    std::vector<std::string> settings = {};          ///< the same as texts "NAME=VALUE"
    bool command_line = false;                       ///< of which these texts are options
};

/// What models loaded with these options may read.
io::FileAccess access_of(const LoadOptions& options);

/// The compiled forms of one model, by what has been set. What was compiled last is kept. Safe for threads.
class Variants {
   public:
    explicit Variants(ModelSource source);
    /// To be called once, before all else. Throws as api::read() does.
    void read_base();

    /// The model as it was loaded: read, and compiled only where the file was.
    [[nodiscard]] const Session& base() const { return base_->session; }
    /// What `values` ask for, compiled. Throws what api::read() and api::compile_to() throw.
    Prepared prepare(const Values& values, Making& making);
    /// The same with nothing left open: for what has failed with inputs, and for what asks for all numbers.
    Prepared prepare_closed(const Values& values, Making& making, bool perturb_sources = false);
    /// The same for one use only: whoever has it may change it. Its session is taken to `last`. It may be the model as
    /// it was read, where nothing else has been made of that and `may_be_base`: its expressions are to be held then.
    std::shared_ptr<Variant> make_apart(const Values& values, Making& making, Stage last, bool may_be_base = false);
    /// From now on these parameters are no inputs any more.
    void close(const std::vector<std::string>& names);

    /// The model's file, to be read once more.
    [[nodiscard]] std::unique_ptr<Session> fresh_session() const;
    /// Compiles a fresh session; gives its bytes and those of the wanted inputs that have become ones. Throws as
    /// compile_with_inputs() does.
    StoredModel store(Session& session, const SaveOptions& options);

    [[nodiscard]] std::size_t compilations() const;
    [[nodiscard]] std::vector<std::string> deciding() const;
    [[nodiscard]] std::vector<Parameter> parameters() const;
    // What the model as it was read tells; see Model.
    [[nodiscard]] Result<std::vector<std::string>> results(const std::string& name) const;
    [[nodiscard]] Result<double> seconds(const std::string& text, const std::string& called) const;
    [[nodiscard]] Result<double> start_time() const;
    [[nodiscard]] Result<Experiment> experiment(const RunOptions& options);
    /// `now`, the values of a variant's inputs, with others in their place. Throws UsageError for what is no input or
    /// has no number that an input can have.
    [[nodiscard]] std::vector<double> changed_inputs(Variant& variant, std::vector<double> now,
                                                     const Values& values) const;
    /// The settings and signals of a run. Throws ModelError for an experiment that can't be run, and UsageError for
    /// outputs that the options name in vain.
    Variant::Plan plan(Variant& variant, const RunOptions& options) const;
    /// What the exception that is being handled says of a session.
    [[nodiscard]] Error error_of_current_exception(const Session& session) const;
    [[nodiscard]] Error error_of(const simulation::Failure& failure, const Session& session) const;
    [[nodiscard]] std::vector<Message> messages_of(const std::vector<Diagnostic>& diagnostics,
                                                   const Session& session) const;

   private:
    /// What the model as it was loaded has of this name; null for start values.
    [[nodiscard]] const model::SettableParameter* settable(const std::string& name) const;
    [[nodiscard]] std::optional<double> number_of(const Value& value, const model::AdjustableParameter& parameter,
                                                  const model::BondGraph& graph) const;
    void take_source(Session& session) const;
    /// The values that the model was loaded with and these laid over them.
    [[nodiscard]] Preparation preparation(const Values& values, const std::vector<std::string>& adjustable) const;
    /// Of a compiled variant: its inputs, and the warnings of its start.
    void note_open(Variant& variant) const;
    /// Why it can't be set on the way.
    [[nodiscard]] std::string no_input(const Variant& variant, const std::string& name) const;
    std::shared_ptr<Variant> make(const Values& values, const std::vector<std::string>& adjustable,
                                  bool perturb_sources, Making& making, Stage last = Stage::compiled,
                                  bool may_be_base = true);
    std::shared_ptr<Variant> make_open(const Values& values, Making& making);
    void find_deciding(const Values& values, const std::vector<std::string>& candidates,
                       const std::atomic<bool>* cancel);
    [[nodiscard]] std::optional<std::vector<double>> inputs(const Variant& variant, const Values& values) const;
    void keep(std::shared_ptr<Variant> variant);

    ModelSource source_;
    Environment environment_;
    std::shared_ptr<Variant> base_ = std::make_shared<Variant>();
    mutable std::recursive_mutex mutex_;
    std::vector<std::shared_ptr<Variant>> kept_;  ///< the one used last comes last
    std::set<std::string> deciding_;
    bool fresh_ = false;  ///< the model as it was read can still be compiled where it lies
    std::size_t compilations_ = 0;
};

}  // namespace bondgraph::api
