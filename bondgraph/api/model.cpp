#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/api/comparison.hpp"
#include "bondgraph/api/expectations.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/linearization.hpp"
#include "bondgraph/api/mason_rules.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/model_reports.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/api/reductions.hpp"
#include "bondgraph/api/run_values.hpp"
#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/api/variants.hpp"
#include "bondgraph/simulation/simulation.hpp"

namespace bondgraph::api {

std::string_view version() { return BONDGRAPH_VERSION; }

// ---- Simulation

struct Simulation::Impl {
    Impl(std::shared_ptr<const Variants> from, std::shared_ptr<Variant> of, Variant::Plan plan,
         const RunOptions& options, std::vector<double> adjustable)
        : variants(std::move(from)),
          variant(std::move(of)),
          extras(add_extras(options, variant->session, plan.signals)),
          inputs(std::move(adjustable)),
          settings(settings_of(plan, options, inputs)),
          progress(options.progress),
          inner(*variant->session.compiled, settings, std::move(plan.signals), progress) {}

    [[nodiscard]] const simulation::Result& result() const { return inner.so_far().result; }

    std::shared_ptr<const Variants> variants;
    std::shared_ptr<Variant> variant;
    Extras extras;
    std::vector<double> inputs;  ///< as they are now
    simulation::Settings settings;
    simulation::Progress progress;
    simulation::Simulation inner;
    std::vector<Series::Column> columns;
    std::optional<Run> finished;     ///< what the run has come to, once it is over
    std::vector<double> last;        ///< its time and outputs then
    std::optional<Error> left = {};  ///< why it can't go on although no step has failed
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
    for (const simulation::Signal& s : std::span(impl_->result().signals).first(impl_->extras.outputs))
        impl_->columns.push_back({s.name, s.unit, s.description});
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const std::vector<Series::Column>& Simulation::columns() const { return impl_->columns; }

double Simulation::time() const { return impl_->finished ? impl_->last.front() : impl_->result().time.back(); }

std::span<const double> Simulation::values() const {
    const std::size_t outputs = impl_->columns.size();
    if (impl_->finished) return std::span(impl_->last).last(outputs);
    const simulation::Result& result = impl_->result();
    return std::span(result.data).last(result.signals.size()).first(outputs);
}

bool Simulation::done() const {
    return impl_->finished || impl_->left || impl_->inner.so_far().summary.failure || time() >= impl_->settings.stop;
}

Result<std::span<const double>> Simulation::advance(double time) {
    if (impl_->finished) return plain_error(Error::Kind::usage, {"the simulation has been finished"});
    if (impl_->left) return *impl_->left;
    if (std::isnan(time))
        return plain_error(Error::Kind::usage, {"a simulation can't go on to a time that is no number"});
    const auto& failure = impl_->inner.so_far().summary.failure;
    if (!failure && time < this->time())
        return plain_error(Error::Kind::usage, {"a simulation doesn't go back in time"});
    try {
        if (!failure && time > this->time()) impl_->inner.advance(std::min(time, impl_->settings.stop));
    } catch (const ModelError&) {
        impl_->left = impl_->variants->error_of_current_exception(impl_->variant->session);
        return *impl_->left;
    } catch (...) {  // of somebody's on_event or progress: an event may be half done
        impl_->left = plain_error(Error::Kind::run, {"the simulation was left by an exception and can't go on"});
        throw;
    }
    if (failure) return impl_->variants->error_of(*failure, impl_->variant->session);
    return values();
}

namespace {

/// "'R.R' is set to 3, 'C.C' to 2 uF"
std::string text_of(const Values& values) {
    std::string text;
    for (const auto& [name, value] : values)
        text +=
            fmt::format("{}'{}' {}to {}", text.empty() ? "" : ", ", name, text.empty() ? "is set " : "", value.text());
    return text;
}

/// Of values with which there is no way on: the simulation itself has not failed.
Error refusal(const Variants& variants, const Variant& variant, const simulation::Failure& why) {
    if (why.by_user) return variants.error_of(why, variant.session);
    Diagnostic d = failure_diagnostic(why);
    d.message = fmt::format("with what is set there is no way on at t = {:.9g} s: {}", why.time, why.message);
    return Error{Error::Kind::run, variants.messages_of({d}, variant.session)};
}

}  // namespace

Result<std::span<const double>> Simulation::set(const Values& values) {
    if (impl_->finished) return plain_error(Error::Kind::usage, {"the simulation has been finished"});
    if (impl_->left) return *impl_->left;
    const auto& failure = impl_->inner.so_far().summary.failure;
    if (failure) return impl_->variants->error_of(*failure, impl_->variant->session);
    try {
        std::vector<double> inputs = impl_->variants->changed_inputs(*impl_->variant, impl_->inputs, values);
        if (!values.empty()) {
            if (const auto refused = impl_->inner.set(inputs, text_of(values)))
                return refusal(*impl_->variants, *impl_->variant, *refused);
        }
        impl_->inputs = std::move(inputs);
    } catch (const ModelError& e) {
        // The text that a value had at the start is not the one that is wrong now.
        std::vector<Diagnostic> found = e.diagnostics();
        for (Diagnostic& d : found) d.position = {};
        return Error{Error::Kind::model, impl_->variants->messages_of(found, impl_->variant->session)};
    } catch (const UsageError&) {
        return impl_->variants->error_of_current_exception(impl_->variant->session);
    } catch (...) {  // of somebody's on_event
        impl_->left = plain_error(Error::Kind::run, {"the simulation was left by an exception and can't go on"});
        throw;
    }
    return this->values();
}

Run Simulation::finish() {
    if (impl_->finished) return *impl_->finished;
    impl_->last.push_back(time());
    impl_->last.insert(impl_->last.end(), values().begin(), values().end());
    const simulation::Run run = impl_->inner.end();
    Run result = run_of(*impl_->variants, *impl_->variant, impl_->settings, run, impl_->extras);
    if (!result.failure) result.failure = impl_->left;
    impl_->finished = result;
    return result;
}

// ---- Model

struct Model::Impl {
    explicit Impl(ModelSource source) : variants(std::make_shared<Variants>(std::move(source))) {}

    static Result<Model> make(ModelSource source) {
        auto impl = std::make_shared<Impl>(std::move(source));
        const Session& base = impl->variants->base();
        try {
            impl->variants->read_base();
        } catch (...) {
            return error_of_current_exception(base);
        }
        impl->warnings = messages_of(base.graph->warnings, base.sources);
        impl->files = files_read(base);
        return Model(std::move(impl));
    }

    /// What `action` makes of a model compiled for the values of `options`; nothing where it does not get past the
    /// start. Where it does not with inputs, they may have been none: it is tried with their values in the equations,
    /// which also says what is wrong with a value.
    template <class T, class Action>
    Result<T> with(const RunOptions& options, const Action& action) const {
        const Values& values = options.values;
        Making making{.cancel = options.cancel};
        std::shared_ptr<Variant>& used = making.failed;
        try {
            Prepared prepared = variants->prepare(values, making);
            used = prepared.variant;
            const std::vector<std::string> open = used->open;
            // A program runs a stored model with the inputs that it has.
            const bool last = open.empty() || (values.empty() && used->session.command_line);
            try {
                if (auto done = action(prepared, last)) return *std::move(done);
            } catch (const ModelError&) {
                if (last) throw;
            }
            prepared = variants->prepare_closed(values, making);
            used = prepared.variant;
            auto done = action(prepared, true);
            if (got_past_start(*done)) variants->close(open);
            return *std::move(done);
        } catch (...) {
            return variants->error_of_current_exception(used ? used->session : variants->base());
        }
    }

    /// What `action` makes of a model that has all numbers in its equations.
    template <class T, class Action>
    Result<T> closed(const Values& values, bool perturb_sources, const Action& action) const {
        Making making;
        std::shared_ptr<Variant>& used = making.failed;
        try {
            used = variants->prepare_closed(values, making, perturb_sources).variant;
            return action(*used);
        } catch (...) {
            return variants->error_of_current_exception(used ? used->session : variants->base());
        }
    }

    static bool got_past_start(const Run& run) { return run.series.rows() > 0; }
    static bool got_past_start(const Simulation&) { return true; }

    std::shared_ptr<Variants> variants;
    std::vector<Message> warnings;
    std::vector<std::string> files;  ///< that it was read from
};

Model::Model(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

namespace {

ModelSource source_of(const std::string& file, std::optional<std::string> text, const LoadOptions& options) {
    ModelSource source{.file = file, .text = std::move(text)};
    for (const std::string& folder : options.import_folders) source.import_folders.emplace_back(folder);
    source.access = access_of(options);
    for (const auto& [name, value] : options.values) source.values.emplace(name, value.text());
    source.settings = options.settings;
    source.command_line = options.command_line;
    return source;
}

}  // namespace

Result<Model> Model::load(const std::string& file, const LoadOptions& options) {
    return Impl::make(source_of(file, std::nullopt, options));
}

Result<Model> Model::parse(const std::string& text, const std::string& name, const LoadOptions& options) {
    return Impl::make(source_of(name, text, options));
}

const std::string& Model::name() const { return impl_->variants->base().model.name.text; }
const std::string& Model::description() const { return impl_->variants->base().model.description; }
const std::vector<Message>& Model::warnings() const { return impl_->warnings; }

std::vector<Parameter> Model::parameters() const { return impl_->variants->parameters(); }
std::vector<std::string> Model::files() const { return impl_->files; }
Result<std::vector<std::string>> Model::results(const std::string& name) const {
    return impl_->variants->results(name);
}
Result<double> Model::seconds(const std::string& text, const std::string& called) const {
    return impl_->variants->seconds(text, called);
}
Result<double> Model::start_time() const { return impl_->variants->start_time(); }
Result<Experiment> Model::experiment(const RunOptions& options) const { return impl_->variants->experiment(options); }

Result<std::vector<std::string>> Model::outputs() const {
    return impl_->closed<std::vector<std::string>>({}, false, [&](Variant& variant) {
        std::vector<std::string> names;
        for (const auto& signal : impl_->variants->plan(variant, {}).signals) names.push_back(signal.name);
        return names;
    });
}

Result<std::vector<Message>> Model::check(const Values& values) const {
    return impl_->closed<std::vector<Message>>(values, false, [&](Variant& variant) {
        try {
            simulation::start_point(*variant.session.compiled, impl_->variants->plan(variant, {}).settings);
        } catch (const ModelError&) {
            throw;
        } catch (const std::runtime_error&) {  // a numerical failure, which a run describes
        }
        {
            const auto hold = variant.session.compiled->hold();
            check_entries(variant.session);
            check_unused_types(variant.session);
        }
        return impl_->variants->messages_of(variant.session.graph->warnings, variant.session);
    });
}

Result<Run> Model::run(const RunOptions& options) const {
    bool told = false;
    return impl_->with<Run>(options, [&](const Prepared& prepared, bool last) -> std::optional<Run> {
        const Variants& variants = *impl_->variants;
        const Session& session = prepared.variant->session;
        Variant::Plan plan = variants.plan(*prepared.variant, options);
        const simulation::Settings settings = settings_of(plan, options, prepared.adjustable);
        const Extras extras = add_extras(options, session, plan.signals);
        if (options.on_ready && !std::exchange(told, true)) options.on_ready(expected_of(plan.signals, extras));
        const simulation::Run run =
            simulation::simulate(*session.compiled, settings, std::move(plan.signals), options.progress);
        const auto& failure = run.summary.failure;
        if (!last && failure && !failure->by_user && run.result.time.empty()) return std::nullopt;
        Run done = run_of(variants, *prepared.variant, settings, run, extras);
        if (options.on_end) options.on_end(done);
        if (!options.look_again) return done;
        if (const auto doubt = simulation::look_again(*session.compiled, settings, run, options.progress)) {
            for (Message& m : variants.messages_of({doubt_diagnostic(settings, *doubt)}, session))
                done.warnings.push_back(std::move(m));
        }
        return done;
    });
}

Result<Simulation> Model::start(const RunOptions& options) const {
    return impl_->with<Simulation>(options, [&](const Prepared& prepared, bool last) -> std::optional<Simulation> {
        Variant::Plan plan = impl_->variants->plan(*prepared.variant, options);
        // Without an interval of its own, the rows are those asked for.
        if (!options.interval) plan.settings.interval = plan.settings.stop - plan.settings.start;
        auto impl = std::make_unique<Simulation::Impl>(impl_->variants, prepared.variant, std::move(plan), options,
                                                       prepared.adjustable);
        if (impl->inner.begin()) return Simulation(std::move(impl));
        const simulation::Failure& failure = *impl->inner.so_far().summary.failure;
        if (!last && !failure.by_user) return std::nullopt;
        throw StartFailure{impl_->variants->error_of(failure, prepared.variant->session)};
    });
}

Result<LinearModel> Model::linearize(const LinearizeOptions& options) const {
    return impl_->closed<LinearModel>(options.values, true, [&](Variant& variant) {
        return linear_model(variant.session, linearized(variant.session, options));
    });
}

Result<std::vector<LinearModel>> Model::linearize_along(std::size_t instants, const LinearizeOptions& options) const {
    return impl_->closed<std::vector<LinearModel>>(options.values, true, [&](Variant& variant) {
        std::vector<LinearModel> models;
        for (const Linearized& one : linearized_along(variant.session, options, instants))
            models.push_back(linear_model(variant.session, one));
        return models;
    });
}

Result<std::vector<Transfer>> Model::transfer_functions(const LinearizeOptions& options) const {
    return impl_->closed<std::vector<Transfer>>(options.values, true, [&](Variant& variant) {
        LinearizeOptions asked = options;
        asked.or_states = true;
        const LinearModel linear = linear_model(variant.session, linearized(variant.session, asked));
        check_channels(linear);
        return api::transfer_functions(linear);
    });
}

Result<Mason> Model::mason(const LinearizeOptions& options) const {
    return impl_->closed<Mason>(options.values, true, [&](Variant& variant) {
        LinearizeOptions asked = options;
        asked.or_states = true;
        const Linearized linear = linearized(variant.session, asked);
        check_channels(linear_model(variant.session, linear));
        const auto hold = variant.session.compiled->hold();  // parameters get names meanwhile
        return mason_rules(variant.session, *linear.point.model->causal, linear.model);
    });
}

Result<Structure> Model::structure(const Values& values) const { return structure_of(*impl_->variants, values); }
Result<std::string> Model::flattened(FlatteningStage stage, const Values& values) const {
    return flattened_of(*impl_->variants, stage, values);
}
Result<Simplification> Model::simplification(const Values& values) const {
    return simplification_of(*impl_->variants, values);
}
Result<Causality> Model::causality(const CausalityOptions& options) const {
    return causality_of(*impl_->variants, options);
}
Result<JudgedStrokes> Model::judge(const StrokesOptions& options) const {
    return judgement_of(*impl_->variants, options);
}
Result<JudgedEquations> Model::judge(const DerivationsOptions& options) const {
    return judgement_of(*impl_->variants, options);
}
Result<Equations> Model::equations(const EquationsOptions& options) const {
    return equations_of(*impl_->variants, options);
}
Result<PortHamiltonian> Model::port_hamiltonian(const Values& values) const {
    return port_hamiltonian_of(*impl_->variants, values);
}
Result<Reduction> Model::reduce(const ReduceOptions& options) const {
    return reduction_of(*this, impl_->variants->base(), options);
}
Result<Inspection> Model::inspect(const InspectOptions& options) const {
    return inspection_of(*impl_->variants, options);
}
Result<Drawing> Model::draw(const DrawOptions& options) const { return drawing_of(*impl_->variants, options); }
Result<Comparison> Model::compare(const Model& reference) const {
    return comparison_of(*this, *impl_->variants, reference, *reference.impl_->variants);
}
Result<Verdict> Model::test(const TestOptions& options) const { return verdict_of(*impl_->variants, options); }

Result<StoredModel> Model::store(const SaveOptions& options) const {
    auto session = impl_->variants->fresh_session();
    try {
        return impl_->variants->store(*session, options);
    } catch (...) {
        return impl_->variants->error_of_current_exception(*session);
    }
}

Result<std::vector<std::string>> Model::save(const std::string& file, const SaveOptions& options) const {
    auto stored = store(options);
    if (!stored) return stored.error();
    try {
        OutputFile(file, files()).write(stored->bytes);
    } catch (const UsageError& e) {
        return plain_error(Error::Kind::usage, {e.what()});
    }
    return stored->inputs;
}

std::optional<Error> Model::compile(const Values& values, bool to_linearize) const {
    Making making;
    try {
        if (to_linearize)
            impl_->variants->prepare_closed(values, making, true);
        else
            impl_->variants->prepare(values, making);
        return std::nullopt;
    } catch (...) {
        return impl_->variants->error_of_current_exception(making.failed ? making.failed->session
                                                                         : impl_->variants->base());
    }
}

std::size_t Model::compilations() const { return impl_->variants->compilations(); }
std::vector<std::string> Model::deciding() const { return impl_->variants->deciding(); }

}  // namespace bondgraph::api
