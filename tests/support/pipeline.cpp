#include "tests/support/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "bondgraph/io/load_model.hpp"
#include "mechanics3d/catalogue.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sweep.hpp"

namespace bondgraph::test {
namespace {

std::string with_name(std::string_view text) {
    std::string whole(text);
    if (whole.find("model:") == std::string::npos) whole = "model: test\n" + whole;
    return whole;
}

}  // namespace

Pipeline::Pipeline(std::string_view text)
    : model_(io::load_model_text(with_name(text), "test.yaml", sources_)), catalogue_(mechanics3d::full_catalogue()) {}

Pipeline::Pipeline(model::Model model) : model_(std::move(model)), catalogue_(mechanics3d::full_catalogue()) {}

Pipeline& Pipeline::set(const std::string& override_text) {
    overrides_.push_back(io::parse_override(override_text, sources_));
    return *this;
}

Pipeline& Pipeline::rank_limit(std::size_t limit) {
    rank_limit_ = limit;
    return *this;
}

const model::BondGraph& Pipeline::graph() {
    if (!graph_) graph_ = model::flatten(model_, catalogue_, units_, overrides_);
    return *graph_;
}

const causality::CausalGraph& Pipeline::causal() {
    if (!causal_) causal_ = causality::assign_causality(graph(), rank_limit_);
    return *causal_;
}

const compile::SortedSystem& Pipeline::sorted() {
    (void)causal();
    if (!sorted_) sorted_ = compile::sort_start(*causal_);
    return *sorted_;
}

const compile::CompiledModel& Pipeline::compiled() {
    if (!compiled_) compiled_ = compile::compile(sorted());
    return *compiled_;
}

const compile::CompiledModel& Pipeline::perturbed() {
    if (!perturbed_) perturbed_ = compile::compile(compile::sort_equations(causal(), true));
    return *perturbed_;
}

simulation::Point Pipeline::start() { return simulation::start_point(compiled(), settings()); }

analysis::LinearModel Pipeline::linear(const std::vector<std::string>& inputs,
                                       const std::vector<std::string>& outputs) {
    return analysis::linearize(simulation::start_point(perturbed(), settings()), inputs, outputs);
}

analysis::LinearModel Pipeline::linear_at_end(const simulation::Settings& settings,
                                              const std::vector<std::string>& inputs,
                                              const std::vector<std::string>& outputs) {
    return analysis::linearize(simulation::simulate_to(perturbed(), settings), inputs, outputs);
}

simulation::Settings Pipeline::settings() {
    simulation::Settings settings;
    const auto number = [&](const std::optional<model::Value>& value, double otherwise) {
        return value ? model::number_in(*value, graph(), units_, std::nullopt) : otherwise;
    };
    settings.start = number(model_.experiment.start, 0.0);
    settings.stop = number(model_.experiment.stop, 1.0);
    settings.tolerance = number(model_.experiment.tolerance, 1e-6);
    settings.interval = number(model_.experiment.interval, 0.0);
    return settings;
}

simulation::Run Pipeline::run(const simulation::Settings& settings, const std::vector<std::string>& names) {
    std::vector<simulation::Signal> signals;
    model::NameLookup lookup(graph());
    for (const std::string& name : names) {
        auto signal = simulation::find_signal(lookup, name);
        if (!signal) signal = simulation::find_impulse(graph(), name);
        if (!signal) throw std::invalid_argument("no result named " + name);
        signals.push_back(*std::move(signal));
    }
    return simulation::simulate(compiled(), settings, std::move(signals));
}

Eigen::SparseMatrix<double> matrix_of(const structure::Incidence& pattern, std::span<const double> entries) {
    const auto n = static_cast<Eigen::Index>(pattern.rows());
    std::vector<Eigen::Triplet<double>> triplets;
    std::size_t entry = 0;
    for (std::size_t row = 0; row < pattern.rows(); ++row) {
        for (const std::uint32_t column : pattern.row(row))
            triplets.emplace_back(static_cast<int>(row), static_cast<int>(column), entries[entry++]);
    }
    Eigen::SparseMatrix<double> result(n, n);
    result.setFromTriplets(triplets.begin(), triplets.end());
    return result;
}

std::vector<std::string> errors_of(const std::function<void()>& action) {
    std::vector<std::string> codes;
    try {
        action();
    } catch (const ModelError& error) {
        for (const Diagnostic& d : error.diagnostics()) {
            if (d.severity == Severity::error) codes.push_back(d.code);
        }
    }
    return codes;
}

std::vector<std::string> errors_in(std::string_view text) {
    return errors_of([&] { Pipeline(text).start(); });
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const ModelError& error) {
        return error.diagnostics().front().message;
    }
    return {};
}

std::string message_in(std::string_view text) {
    return message_of([&] { Pipeline(text).start(); });
}

simulation::EnergyBalance audited(Pipeline& p, simulation::Settings settings) {
    settings.energy_by_element = true;
    const auto run = p.run(settings, {});
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    return run.summary.audited;
}

const simulation::EnergyOfElement& of(const simulation::EnergyBalance& b, const std::string& name) {
    static const simulation::EnergyOfElement kNone;
    for (const simulation::EnergyOfElement& e : b.elements) {
        if (e.element == name) return e;
    }
    ADD_FAILURE() << "no element " << name;
    return kNone;
}

std::vector<std::string> model_files() {
    return model_files_below(std::filesystem::path(test::source_folder()) / "models");
}

std::string model_path(std::string_view file) {
    return (std::filesystem::path(test::source_folder()) / "models" / file).string();
}

model::Model load_file(const std::string& path) {
    SourceMap sources;
    return io::load_model(path, sources);
}

bool must_fail(const model::Model& model) {
    return std::any_of(model.expectations.begin(), model.expectations.end(),
                       [](const auto& e) { return e.error.has_value(); });
}

std::vector<std::string> component_results(const model::BondGraph& graph) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const model::Element& e = graph.elements[i];
        const auto add = [&](const std::string& name, std::size_t size) {
            if (size == 1) return names.push_back(name);
            for (std::size_t k = 1; k <= size; ++k) names.push_back(name + "[" + std::to_string(k) + "]");
        };
        if (e.is_junction()) continue;
        for (const model::Port& p : e.ports) {
            const std::string port = e.ports.size() == 1 ? e.name : e.name + "." + p.name;
            add(port + ".e", p.size);
            add(port + ".f", p.size);
        }
        for (const model::Element::Slot& s : e.slots) add(e.name + "." + s.name, s.size);
    }
    return names;
}

}  // namespace bondgraph::test
