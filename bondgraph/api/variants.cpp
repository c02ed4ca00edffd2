#include "bondgraph/api/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/inputs.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/run_values.hpp"
#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/api/stored.hpp"
#include "bondgraph/model/start_only.hpp"
#include "bondgraph/simulation/interruption.hpp"

namespace bondgraph::api {

io::FileAccess access_of(const LoadOptions& options) {
    if (options.only_within.empty()) return {};
    std::vector<std::filesystem::path> folders;
    for (const auto* names : {&options.only_within, &options.import_folders}) {
        for (const std::string& name : *names) folders.emplace_back(name);
    }
    return {.folders = std::move(folders)};
}
namespace {

constexpr std::size_t kMostKept = 8;
constexpr std::size_t kMostPlans = 8;

}  // namespace

std::string Value::text() const {
    const double* si = number();
    return si != nullptr ? fmt::format("{}", *si) : std::get<std::string>(content_);
}

Variants::Variants(ModelSource source) : source_(std::move(source)), environment_(standard_environment()) {
    take_source(base_->session);
}

void Variants::take_source(Session& session) const {
    session.environment = &environment_;
    session.file = source_.file;
    session.text = source_.text;
    session.import_folders = source_.import_folders;
    session.access = source_.access;
    session.command_line = source_.command_line;
}

void Variants::read_base() {
    Preparation how{.list_parameters = true};
    for (const auto& [name, text] : source_.values) how.settings.push_back(name + "=" + text);
    how.settings.insert(how.settings.end(), source_.settings.begin(), source_.settings.end());
    how.inputs_fit = true;
    read(base_->session, how);
    fresh_ = !base_->session.stored;
    if (fresh_) return;
    note_open(*base_);
    kept_.push_back(base_);
}

void Variants::note_open(Variant& variant) const {
    const Session& session = variant.session;
    for (const model::AdjustableParameter& p : session.graph->adjustable) {
        if (p.open) variant.open.push_back(p.name);
    }
    if (session.system && session.system->reduced)
        variant.warnings = messages_of(start_warnings(*session.system), session);
}

namespace {

void check_names_and_numbers(const Values& values) {
    for (const auto& [name, value] : values) {
        if (name.empty()) throw UsageError("a value is set without a name");
        if (value.number() != nullptr && !std::isfinite(*value.number()))
            throw UsageError(fmt::format("'{}' is set to {}: a value has to be a finite number", name, value.text()));
    }
}

void check_finite(std::string_view name, const std::optional<Value>& value) {
    if (value && value->number() != nullptr && !std::isfinite(*value->number()))
        throw UsageError(fmt::format("the {} of a run has to be a finite number, not {}", name, value->text()));
}

/// The experiment of a run with these options.
simulation::Settings settings_in(Session& session, const RunOptions& options) {
    check_finite("stop", options.stop);
    check_finite("interval", options.interval);
    check_finite("tolerance", options.tolerance);
    return experiment_settings(session,
                               {.stop = options.stop, .tolerance = options.tolerance, .interval = options.interval});
}

}  // namespace

Prepared Variants::prepare(const Values& values, Making& making) {
    check_names_and_numbers(values);
    const std::scoped_lock lock(mutex_);
    for (std::size_t k = kept_.size(); k-- > 0;) {
        if (kept_[k]->perturbed) continue;
        auto found = inputs(*kept_[k], values);
        if (!found) continue;
        std::rotate(kept_.begin() + static_cast<std::ptrdiff_t>(k), kept_.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                    kept_.end());
        return {kept_.back(), *std::move(found)};
    }
    auto made = make_open(values, making);
    keep(made);
    auto found = inputs(*made, values);
    if (!found) return prepare_closed(values, making);
    return {std::move(made), *std::move(found)};
}

Prepared Variants::prepare_closed(const Values& values, Making& making, bool perturb_sources) {
    check_names_and_numbers(values);
    const std::scoped_lock lock(mutex_);
    for (const auto& variant : kept_) {
        if (variant->open.empty() && variant->perturbed == perturb_sources && inputs(*variant, values))
            return {variant, {}};
    }
    auto made = make(values, {}, perturb_sources, making);
    keep(made);
    return {std::move(made), {}};
}

std::shared_ptr<Variant> Variants::make_apart(const Values& values, Making& making, Stage last, bool may_be_base) {
    check_names_and_numbers(values);
    const std::scoped_lock lock(mutex_);
    return make(values, {}, false, making, last, may_be_base);
}

void Variants::close(const std::vector<std::string>& names) {
    const std::scoped_lock lock(mutex_);
    deciding_.insert(names.begin(), names.end());
    std::erase_if(kept_, [](const auto& variant) { return !variant->open.empty(); });
}

std::unique_ptr<Session> Variants::fresh_session() const {
    auto session = std::make_unique<Session>();
    take_source(*session);
    return session;
}

StoredModel Variants::store(Session& session, const SaveOptions& options) {
    check_names_and_numbers(options.values);
    const std::vector<std::string> none = compile_with_inputs(session, preparation(options.values, options.inputs));
    {
        const std::scoped_lock lock(mutex_);
        ++compilations_;
    }
    StoredModel stored{api::store(session), {}, api::messages_of(session.graph->warnings, session.sources)};
    for (const std::string& name : options.inputs) {
        if (std::ranges::find(none, name) == none.end()) stored.inputs.push_back(name);
    }
    return stored;
}

std::vector<Parameter> Variants::parameters() const {
    const std::scoped_lock lock(mutex_);
    const auto hold = base().graph->expressions->hold();
    std::vector<Parameter> list;
    for (const model::SettableParameter& p : base().graph->settable) {
        Parameter shown;
        shown.name = p.name;
        shown.place = place_of(p.position, base().sources);
        if (p.value.measure.known()) shown.unit = model::unit_name(p.value.measure);
        if (p.value.is_scalar() && p.value.value(0, 0).is_constant()) shown.value = p.value.value(0, 0).constant();
        list.push_back(std::move(shown));
    }
    return list;
}

Result<std::vector<std::string>> Variants::results(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    const auto hold = base().graph->expressions->hold();
    std::vector<std::string> names;
    try {
        for (const simulation::Signal& s : find_signals(base(), {{name, {}, false}})) names.push_back(s.name);
    } catch (const ModelError& e) {
        return plain_error(Error::Kind::usage, {e.diagnostics().front().message});
    }
    return names;
}

Result<double> Variants::seconds(const std::string& text, const std::string& called) const {
    const std::scoped_lock lock(mutex_);
    const auto hold = base().graph->expressions->hold();
    try {
        return option_time(base_->session, text, called);
    } catch (...) {
        return api::error_of_current_exception(base());
    }
}

Result<double> Variants::start_time() const {
    const std::scoped_lock lock(mutex_);
    const auto hold = base().graph->expressions->hold();
    try {
        return api::start_time(base_->session);
    } catch (...) {
        return api::error_of_current_exception(base());
    }
}

Result<Experiment> Variants::experiment(const RunOptions& options) {
    const std::scoped_lock lock(mutex_);
    const auto hold = base().graph->expressions->hold();
    try {
        return experiment_of(settings_in(base_->session, options));
    } catch (...) {
        return api::error_of_current_exception(base());
    }
}

std::size_t Variants::compilations() const {
    const std::scoped_lock lock(mutex_);
    return compilations_;
}

std::vector<std::string> Variants::deciding() const {
    const std::scoped_lock lock(mutex_);
    return {deciding_.begin(), deciding_.end()};
}

void Variants::keep(std::shared_ptr<Variant> variant) {
    if (kept_.size() >= kMostKept) kept_.erase(kept_.begin());
    kept_.push_back(std::move(variant));
}

Preparation Variants::preparation(const Values& values, const std::vector<std::string>& adjustable) const {
    Preparation how{.adjustable = adjustable};
    for (const auto& [name, text] : source_.values) {
        if (!values.contains(name)) how.settings.push_back(name + "=" + text);
    }
    for (const std::string& setting : source_.settings) {
        if (!values.contains(setting.substr(0, setting.find('=')))) how.settings.push_back(setting);
    }
    for (const auto& [name, value] : values) how.settings.push_back(name + "=" + value.text());
    return how;
}

std::shared_ptr<Variant> Variants::make(const Values& values, const std::vector<std::string>& adjustable,
                                        bool perturb_sources, Making& making, Stage last, bool may_be_base) {
    simulation::end_if_asked(making.cancel);
    const bool as_read = may_be_base && fresh_ && values.empty() && adjustable.empty();
    const auto variant = as_read ? base_ : std::make_shared<Variant>();
    making.failed = variant;
    Session& session = variant->session;
    if (as_read) {
        fresh_ = false;
    } else {
        take_source(session);
        read(session, preparation(values, adjustable));
    }
    ++compilations_;
    const auto hold = session.graph->expressions->hold();
    compile_to(session, last, perturb_sources, making.cancel);
    variant->perturbed = perturb_sources;
    note_open(*variant);
    for (const auto& [name, value] : values) {
        if (std::ranges::find(variant->open, name) == variant->open.end()) variant->closed.emplace(name, value.text());
    }
    making.failed = nullptr;
    return variant;
}

// What can be set otherwise is a start value, which may be 0.
const model::SettableParameter* Variants::settable(const std::string& name) const {
    return find_settable(*base().graph, name);
}

// A model whose states are chosen by numbers is made for those that decide about them.
std::shared_ptr<Variant> Variants::make_open(const Values& values, Making& making) {
    std::vector<std::string> wanted;
    for (const auto& [name, value] : values) {
        const bool vanishes = value.number() != nullptr && *value.number() == 0.0;
        if (!deciding_.contains(name) && !(vanishes && settable(name) != nullptr)) wanted.push_back(name);
    }
    if (wanted.empty()) return make(values, {}, false, making);
    std::set<std::string> unfit;  // this value of them; another one may be an input
    try {
        auto made = make(values, wanted, false, making);
        for (const model::AdjustableParameter& p : made->session.graph->adjustable) {
            if (p.unfit) unfit.insert(p.name);
        }
        const std::vector<std::string> decide = inputs_that_decide(made->session);
        if (made->open.size() + unfit.size() == wanted.size() && decide.empty()) return made;
        deciding_.insert(decide.begin(), decide.end());
        for (const std::string& name : wanted) {
            const bool open = std::ranges::find(made->open, name) != made->open.end();
            if (!open && !unfit.contains(name)) deciding_.insert(name);
        }
    } catch (const ModelError&) {
        auto closed = make(values, {}, false, making);  // which says what is wrong, if anything is
        find_deciding(values, wanted, making.cancel);
        keep(std::move(closed));
    }
    std::erase_if(wanted, [&](const std::string& name) { return deciding_.contains(name) || unfit.contains(name); });
    if (wanted.empty()) return make(values, {}, false, making);
    try {
        return make(values, wanted, false, making);
    } catch (const ModelError&) {  // they can only be known together
        deciding_.insert(wanted.begin(), wanted.end());
    }
    return make(values, {}, false, making);
}

void Variants::find_deciding(const Values& values, const std::vector<std::string>& candidates,
                             const std::atomic<bool>* cancel) {
    for (const std::string& name : candidates) {
        Making making{.cancel = cancel};
        try {
            make(values, {name}, false, making);
        } catch (const ModelError&) {
            deciding_.insert(name);
        }
    }
}

std::optional<double> Variants::number_of(const Value& value, const model::AdjustableParameter& parameter,
                                          const model::BondGraph& graph) const {
    if (const double* number = value.number()) return *number;
    return input_number(value.text(), parameter, settable(parameter.name), graph, environment_.units);
}

// Of what a stored model has as inputs, those that are not set keep the values it was stored with.
std::optional<std::vector<double>> Variants::inputs(const Variant& variant, const Values& values) const {
    const bool as_stored = &variant == base_.get();
    for (const auto& [name, text] : variant.closed) {
        const auto value = values.find(name);
        if (value == values.end() || value->second.text() != text) return std::nullopt;
    }
    const model::BondGraph& graph = *variant.session.graph;
    std::vector<double> numbers;
    std::size_t taken = variant.closed.size();
    for (const model::AdjustableParameter& p : graph.adjustable) {
        numbers.push_back(p.value);
        if (!p.open) continue;
        const auto value = values.find(p.name);
        if (value == values.end()) {
            if (!as_stored) return std::nullopt;
            continue;
        }
        const auto number = number_of(value->second, p, graph);
        if (!number || !fits_input(p, *number)) return std::nullopt;
        numbers.back() = *number;
        ++taken;
    }
    if (taken != values.size()) return std::nullopt;
    return numbers;
}

std::string Variants::no_input(const Variant& variant, const std::string& name) const {
    if (variant.closed.contains(name))
        return fmt::format(
            "'{}' can't be set on the way: by the value that it was started with it is no input, as a 0, an "
            "expression, or what decides what the equations are",
            name);
    if (settable(name) != nullptr)
        return fmt::format("'{}' can't be set on the way: give it a value in those of start(), which makes it an input",
                           name);
    std::vector<std::string> known;
    for (const model::SettableParameter& p : base().graph->settable) known.push_back(p.name);
    return fmt::format("the model has no parameter '{}'{}", name, did_you_mean(name, known));
}

std::vector<double> Variants::changed_inputs(Variant& variant, std::vector<double> now, const Values& values) const {
    check_names_and_numbers(values);
    const std::scoped_lock lock(mutex_);
    const model::BondGraph& graph = *variant.session.graph;
    if (!variant.of_start_only) {
        const auto hold = graph.expressions->hold();
        variant.of_start_only = model::of_start_only(graph);
    }
    for (const auto& [name, value] : values) {
        const auto at = std::ranges::find(graph.adjustable, name, &model::AdjustableParameter::name);
        if (at == graph.adjustable.end() || !at->open) throw UsageError(no_input(variant, name));
        if (at->may_vanish)
            throw UsageError(fmt::format("'{}' is a start value, and the simulation has started", name));
        if ((*variant.of_start_only)[static_cast<std::size_t>(at - graph.adjustable.begin())])
            throw UsageError(fmt::format(
                "'{}' can't be set on the way: only the start depends on it, and the simulation has started", name));
        const auto number = number_of(value, *at, graph);
        if (!number || !std::isfinite(*number)) {
            const std::string unit = model::unit_name(input_measure(*at, settable(name)));
            throw UsageError(fmt::format("'{}' can't be set to '{}' on the way: it takes a single number{}", name,
                                         value.text(), unit.empty() ? "" : " in " + unit));
        }
        if (*number == 0.0)
            throw UsageError(fmt::format("'{}' can't be set to 0 on the way: the equations would be others", name));
        now[static_cast<std::size_t>(at - graph.adjustable.begin())] = *number;
    }
    return now;
}

Variant::Plan Variants::plan(Variant& variant, const RunOptions& options) const {
    const std::scoped_lock lock(mutex_);
    for (const Variant::Plan& p : variant.plans) {
        if (p.stop == options.stop && p.interval == options.interval && p.tolerance == options.tolerance &&
            p.outputs == options.outputs)
            return p;
    }
    const auto hold = variant.session.graph->expressions->hold();
    Variant::Plan plan{
        .stop = options.stop, .interval = options.interval, .tolerance = options.tolerance, .outputs = options.outputs};
    plan.settings = settings_in(variant.session, options);
    if (options.outputs.empty()) {
        plan.signals = output_signals(variant.session);
    } else {
        std::vector<model::Text> names;
        for (const std::string& name : options.outputs) names.push_back({name, {}, false});
        try {
            plan.signals = find_signals(variant.session, names);
        } catch (const ModelError& e) {
            throw UsageError(e.diagnostics().front().message);
        }
    }
    if (variant.plans.size() >= kMostPlans) variant.plans.erase(variant.plans.begin());
    variant.plans.push_back(plan);
    return plan;
}

Error Variants::error_of_current_exception(const Session& session) const {
    const std::scoped_lock lock(mutex_);
    return api::error_of_current_exception(session);
}

std::vector<Message> Variants::messages_of(const std::vector<Diagnostic>& diagnostics, const Session& session) const {
    if (diagnostics.empty()) return {};
    const std::scoped_lock lock(mutex_);
    return api::messages_of(diagnostics, session.sources);
}

Error Variants::error_of(const simulation::Failure& failure, const Session& session) const {
    const std::scoped_lock lock(mutex_);
    return api::error_of(failure, session.sources);
}

}  // namespace bondgraph::api
