#pragma once

#include <Eigen/SparseCore>
#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/model/flatten.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::test {

/// All stages of one model, each made when it is first asked for. Stays where it is: later stages refer to earlier
/// ones.
class Pipeline {
   public:
    /// A model text; the keys `model:` is added in front when missing.
    explicit Pipeline(std::string_view text);
    explicit Pipeline(model::Model model);
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    /// `PATH=VALUE` as on the command line; before graph() is asked for.
    Pipeline& set(const std::string& override_text);
    Pipeline& rank_limit(std::size_t limit);

    const model::Model& model() const { return model_; }
    const SourceMap& sources() const { return sources_; }
    const UnitSystem& units() const { return units_; }
    const model::BondGraph& graph();
    const causality::CausalGraph& causal();
    const compile::SortedSystem& sorted();
    const compile::CompiledModel& compiled();
    /// The same with perturbed sources.
    const compile::CompiledModel& perturbed();
    simulation::Point start();
    /// Around the start, or where a run with these settings ends.
    analysis::LinearModel linear(const std::vector<std::string>& inputs = {},
                                 const std::vector<std::string>& outputs = {});
    analysis::LinearModel linear_at_end(const simulation::Settings& settings,
                                        const std::vector<std::string>& inputs = {},
                                        const std::vector<std::string>& outputs = {});

    /// Times and tolerance of `experiment:`.
    simulation::Settings settings();
    /// Runs with these settings and records the named results.
    simulation::Run run(const simulation::Settings& settings, const std::vector<std::string>& names);

   private:
    SourceMap sources_;
    model::Model model_;
    UnitSystem units_;
    model::Catalogue catalogue_;
    std::vector<model::ParsedOverride> overrides_;
    std::size_t rank_limit_ = causality::kRankLimit;
    std::optional<model::BondGraph> graph_;
    std::optional<causality::CausalGraph> causal_;
    std::optional<compile::SortedSystem> sorted_;
    std::optional<compile::CompiledModel> compiled_;
    std::optional<compile::CompiledModel> perturbed_;
};

/// A matrix with these entries in the row order of its pattern.
Eigen::SparseMatrix<double> matrix_of(const structure::Incidence& pattern, std::span<const double> entries);

/// The codes of the errors that `action` throws as ModelError, in their order; empty when it throws none.
std::vector<std::string> errors_of(const std::function<void()>& action);
/// The message of the first diagnostic that `action` throws; empty when it throws none.
std::string message_of(const std::function<void()>& action);
/// The codes of the errors of a model text up to its consistent start.
std::vector<std::string> errors_in(std::string_view text);
/// The message of the first error.
std::string message_in(std::string_view text);

/// The energies of a run with settings, by element; a run that stops before its end fails the test.
simulation::EnergyBalance audited(Pipeline& p, simulation::Settings settings);
/// One of them; a name that isn't there fails the test.
const simulation::EnergyOfElement& of(const simulation::EnergyBalance& b, const std::string& name);

/// Every file under models/, in alphabetical order.
std::vector<std::string> model_files();
/// A file of models/ by its path below that folder.
std::string model_path(std::string_view file);
model::Model load_file(const std::string& path);

/// Whether a model file declares that it must fail.
bool must_fail(const model::Model& model);

/// All scalar results: states, outputs and ports of all components (no bonds).
std::vector<std::string> component_results(const model::BondGraph& graph);

}  // namespace bondgraph::test
