#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/expression/gradients.hpp"
#include "bondgraph/expression/tangents.hpp"
#include "bondgraph/simulation/algebraic_loops.hpp"
#include "bondgraph/simulation/findings.hpp"

namespace bondgraph::simulation {

/// Between two time events, expressions of time are evaluated strictly inside (after, before): a jump at an event
/// belongs to neither side of it.
struct Segment {
    double after = -std::numeric_limits<double>::infinity();
    double before = std::numeric_limits<double>::infinity();

    [[nodiscard]] double inside(double time) const {
        constexpr double kTiny = std::numeric_limits<double>::min();  // beside 0, no denormals
        if (time <= after)
            return std::max(std::nextafter(after, std::numeric_limits<double>::infinity()), after + kTiny);
        if (time >= before)
            return std::min(std::nextafter(before, -std::numeric_limits<double>::infinity()), before - kTiny);
        return time;
    }
};

/// Gauss's rule with three points on [−1, 1] (weights for an interval of length 1): exact to degree 5.
inline constexpr std::array<std::pair<double, double>, 3> kGauss3{
    {{-0.7745966692414834, 5.0 / 18.0}, {0.0, 8.0 / 18.0}, {0.7745966692414834, 5.0 / 18.0}}};

struct RateFactors;
class Delays;

/// How a model's Jacobian is found: columns that no row names together in one evaluation, rows that name very many one
/// by one.
struct JacobianPlan {
    explicit JacobianPlan(const compile::CompiledModel& model);

    struct Place {
        std::uint32_t entry;
        std::uint32_t row;
        std::uint32_t lane;
    };
    /// Columns that are found in one evaluation: a seed for y_j and one for y'_j each.
    struct Pass {
        expression::Tangents tangents;  ///< to be copied
        std::vector<std::uint32_t> columns;
        std::vector<Place> places;
    };
    /// Rows that name far more unknowns than the others: else their columns would take a pass each.
    struct WideRow {
        std::uint32_t row;
        std::uint32_t first_entry;
    };
    std::vector<Pass> passes;
    std::vector<WideRow> wide_rows;
    std::optional<expression::Gradients> gradients;  ///< of the wide rows; to be copied

   private:
    [[nodiscard]] structure::Colouring colour_narrow_rows(const compile::CompiledModel& model);
};

/// Numbers of a CompiledModel: residual, compressed Jacobian and further tapes, with their scratch space.
class Evaluator {
   public:
    explicit Evaluator(const compile::CompiledModel& model);
    /// With what earlier ones have found out about the model, and for later ones.
    explicit Evaluator(std::shared_ptr<const Findings> findings);

    [[nodiscard]] const Findings& findings() const { return *findings_; }
    [[nodiscard]] const std::shared_ptr<const Findings>& shared_findings() const { return findings_; }
    [[nodiscard]] const compile::CompiledModel& model() const { return model_; }
    [[nodiscard]] std::size_t size() const { return model_.size(); }

    /// F(t, y, y'); false when an entry is not finite.
    bool residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out);
    /// Entries of Σ_j (alpha_j ∂F/∂y_j + beta_j ∂F/∂y'_j) in the order of the pattern; false when not finite.
    bool jacobian(double time, std::span<const double> y, std::span<const double> yp, std::span<const double> alpha,
                  std::span<const double> beta, std::span<double> entries);
    /// The same with one factor for all columns.
    bool jacobian(double time, std::span<const double> y, std::span<const double> yp, double alpha, double beta,
                  std::span<double> entries);
    /// Solves for the algebraic unknowns in nonlinear loops, beginning with the values in y; see AlgebraicLoops. False
    /// where there is no solution near these.
    bool solve_loops(double time, std::span<double> y, std::span<const double> yp);
    [[nodiscard]] AlgebraicLoops& loops();
    /// Runs another tape of the model at a point; u = 0.
    void run(const expression::Tape& tape, std::vector<double>& workspace, double time, std::span<const double> y,
             std::span<const double> yp, std::span<double> out);
    /// The values that change at events only; 0 at first.
    [[nodiscard]] std::span<double> held() { return std::span(inputs_).subspan(model_.first_held()); }
    void set_held(std::span<const double> values) { std::copy(values.begin(), values.end(), held().begin()); }
    /// The inputs vector [t | y | y' | 0 | held] of a point.
    std::span<const double> inputs(double time, std::span<const double> y, std::span<const double> yp);

    Segment segment;
    const std::atomic<bool>* interrupted = nullptr;   ///< looked at by searches that may be long
    std::shared_ptr<const RateFactors> rate_factors;  ///< what solve_rates() leaves for the next time
    Delays* delays = nullptr;                         ///< of the run: what comes out of the model's delays

   private:
    std::shared_ptr<const Findings> findings_;
    const compile::CompiledModel& model_;
    std::vector<double> inputs_;
    std::vector<double> work_;
    std::vector<double> delay_work_;
    std::vector<double> alpha_;
    std::vector<double> beta_;
    // Made with the first Jacobian.
    const JacobianPlan* plan_ = nullptr;
    std::vector<expression::Tangents> passes_;
    std::vector<double> speeds_;
    std::optional<expression::Gradients> gradients_;
    std::optional<AlgebraicLoops> loops_;
};

}  // namespace bondgraph::simulation
