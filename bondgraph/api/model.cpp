#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/api/animation.hpp"
#include "bondgraph/api/energy_account.hpp"
#include "bondgraph/api/expectations.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/linearization.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/model_reports.hpp"
#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/api/variants.hpp"
#include "bondgraph/simulation/simulation.hpp"

namespace bondgraph::api {

/// What a run is asked for beside its rows and books.
struct Extras {
    std::size_t outputs = 0;  ///< columns; those behind are the animation's
    bool by_element = false;
    bool account = false;
    bool animation = false;
};

namespace {

/// Lets a run record what its animation needs, behind the outputs.
Extras add_extras(const RunOptions& options, const Session& session, std::vector<simulation::Signal>& signals) {
    const Extras extras{signals.size(), options.energy_by_element, options.energy_account, options.animation};
    if (!options.animation) return extras;
    const auto hold = session.graph->expressions->hold();
    for (simulation::Signal& s : animation_signals(*session.graph)) signals.push_back(std::move(s));
    return extras;
}

Series series_of(const simulation::Result& result, std::size_t outputs) {
    std::vector<Series::Column> columns;
    for (const simulation::Signal& s : std::span(result.signals).first(outputs))
        columns.push_back({s.name, s.unit, s.description});
    if (outputs == result.signals.size()) return {std::move(columns), result.time, result.data};
    std::vector<double> data;
    for (std::size_t row = 0; row < result.time.size(); ++row) {
        for (std::size_t c = 0; c < outputs; ++c) data.push_back(result.at(row, c));
    }
    return {std::move(columns), result.time, data};
}

Energy energy_of(const simulation::EnergyBalance& b, bool by_element) {
    Energy energy = energy_in_all(b);
    if (!by_element) return energy;
    for (const simulation::EnergyOfElement& e : b.elements)
        energy.elements.push_back(
            {e.element, e.type, e.absorbed, e.supplied, e.stored, e.dissipated, e.other, e.events});
    return energy;
}

Statistics statistics_of(const simulation::Summary& s) {
    return {s.steps, s.residual_evaluations, s.jacobian_evaluations, s.time_events, s.state_events, s.mode_changes};
}

/// Throws UsageError for a window that is no part of the run.
void check_window(const RunOptions& options, const simulation::Settings& settings) {
    if (!options.account_window) return;
    const auto [from, to] = *options.account_window;
    if (!options.energy_account) throw UsageError("a window of the energy account needs energy_account");
    if (!(from < to && from >= settings.start && to <= settings.stop)) {
        throw UsageError(fmt::format(
            "the window of the energy account, {:g} s to {:g} s, is no part of the run, which goes from {:g} "
            "s to {:g} s",
            from, to, settings.start, settings.stop));
    }
}

simulation::Settings settings_of(const Variant::Plan& plan, const RunOptions& options, std::vector<double> adjustable) {
    simulation::Settings settings = plan.settings;
    settings.adjustable = std::move(adjustable);
    check_window(options, settings);
    settings.energy_by_element = options.energy_by_element || options.energy_account;
    settings.energy = options.energy || settings.energy_by_element;
    settings.audit_window = options.account_window;
    settings.interrupted = options.cancel;
    if (options.on_event) {
        settings.on_event = [told = options.on_event](const simulation::Happening& h) {
            told({h.time, h.of_time, h.jumped, h.mode_changes, h.cause});
        };
    }
    return settings;
}

Run run_of(const Variants& variants, const Variant& variant, const simulation::Run& run,
           const std::vector<Diagnostic>& warnings, const Extras& extras) {
    Run result{series_of(run.result, extras.outputs),
               energy_of(run.summary.energy, extras.by_element),
               statistics_of(run.summary),
               variant.warnings,
               {}};
    for (Message& m : variants.messages_of(warnings, variant.session)) result.warnings.push_back(std::move(m));
    const model::BondGraph& graph = *variant.session.graph;
    if (run.summary.failure) result.failure = variants.error_of(*run.summary.failure, variant.session);
    if (extras.account && !result.failure) result.account = energy_account(graph, run.summary.audited);
    if (extras.animation) {
        const auto hold = graph.expressions->hold();
        result.animation = animation_of(graph, run.result, extras.outputs);
    }
    return result;
}

}  // namespace

std::string_view version() { return BONDGRAPH_VERSION; }

Series::Series(std::vector<Column> columns, std::vector<double> time, std::span<const double> by_row)
    : columns_(std::move(columns)), time_(std::move(time)), data_(by_row.size()) {
    const std::size_t rows = time_.size();
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns_.size(); ++c) data_[c * rows + r] = by_row[r * columns_.size() + c];
    }
}

std::span<const double> Series::operator[](std::string_view name) const {
    const auto at = std::ranges::find(columns_, name, &Column::name);
    if (at == columns_.end()) throw std::out_of_range("no column '" + std::string(name) + "'");
    return column(static_cast<std::size_t>(at - columns_.begin()));
}

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
    Run result = run_of(*impl_->variants, *impl_->variant, run, run_warnings(run.summary), impl_->extras);
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
            try {
                if (auto done = action(prepared, open.empty())) return *std::move(done);
            } catch (const ModelError&) {
                if (open.empty()) throw;
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
};

Model::Model(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

namespace {

ModelSource source_of(const std::string& file, std::optional<std::string> text, const LoadOptions& options) {
    ModelSource source{.file = file, .text = std::move(text)};
    for (const std::string& folder : options.import_folders) source.import_folders.emplace_back(folder);
    for (const auto& [name, value] : options.values) source.values.emplace(name, value.text());
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

std::vector<Parameter> Model::parameters() const {
    const Session& base = impl_->variants->base();
    std::vector<Parameter> list;
    for (const model::SettableParameter& p : base.graph->settable) {
        Parameter shown;
        shown.name = p.name;
        shown.place = place_of(p.position, base.sources);
        if (p.value.measure.known()) shown.unit = model::unit_name(p.value.measure);
        if (p.value.is_scalar() && p.value.value(0, 0).is_constant()) shown.value = p.value.value(0, 0).constant();
        list.push_back(std::move(shown));
    }
    return list;
}

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
        const auto hold = variant.session.compiled->hold();
        check_entries(variant.session);
        return impl_->variants->messages_of(variant.session.graph->warnings, variant.session);
    });
}

Result<Run> Model::run(const RunOptions& options) const {
    return impl_->with<Run>(options, [&](const Prepared& prepared, bool last) -> std::optional<Run> {
        const Variants& variants = *impl_->variants;
        const Session& session = prepared.variant->session;
        Variant::Plan plan = variants.plan(*prepared.variant, options);
        const simulation::Settings settings = settings_of(plan, options, prepared.adjustable);
        const Extras extras = add_extras(options, session, plan.signals);
        const simulation::Run run =
            simulation::simulate(*session.compiled, settings, std::move(plan.signals), options.progress);
        const auto& failure = run.summary.failure;
        if (!last && failure && !failure->by_user && run.result.time.empty()) return std::nullopt;
        std::vector<Diagnostic> warnings = run_warnings(run.summary);
        if (options.look_again) {
            if (const auto doubt = simulation::look_again(*session.compiled, settings, run, options.progress))
                warnings.push_back(doubt_diagnostic(settings, *doubt));
        }
        return run_of(variants, *prepared.variant, run, warnings, extras);
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
        const simulation::Settings settings = impl_->variants->plan(variant, {}).settings;
        const compile::CompiledModel& model = *variant.session.compiled;
        const simulation::Point point = linearization_point(model, settings, options.at);
        const auto hold = model.hold();
        return linear_model(analysis::linearize(point, options.inputs, options.outputs));
    });
}

Result<std::vector<Transfer>> Model::transfer_functions(const LinearizeOptions& options) const {
    return impl_->closed<std::vector<Transfer>>(options.values, true, [&](Variant& variant) {
        const simulation::Settings settings = impl_->variants->plan(variant, {}).settings;
        const compile::CompiledModel& model = *variant.session.compiled;
        const simulation::Point point = linearization_point(model, settings, options.at);
        const auto hold = model.hold();
        const auto outputs = options.outputs.empty() ? transfer_outputs(variant.session) : options.outputs;
        return api::transfer_functions(variant.session, analysis::linearize(point, options.inputs, outputs));
    });
}

Result<Structure> Model::structure(const Values& values) const { return structure_of(*impl_->variants, values); }
Result<Causality> Model::causality(const CausalityOptions& options) const {
    return causality_of(*impl_->variants, options);
}
Result<Equations> Model::equations(const EquationsOptions& options) const {
    return equations_of(*impl_->variants, options);
}
Result<Verdict> Model::test(const TestOptions& options) const { return verdict_of(*impl_->variants, options); }

Result<std::vector<std::string>> Model::save(const std::string& file, const SaveOptions& options) const {
    auto session = impl_->variants->fresh_session();
    try {
        return impl_->variants->save(*session, file, options);
    } catch (...) {
        return impl_->variants->error_of_current_exception(*session);
    }
}

std::size_t Model::compilations() const { return impl_->variants->compilations(); }
std::vector<std::string> Model::deciding() const { return impl_->variants->deciding(); }

}  // namespace bondgraph::api
