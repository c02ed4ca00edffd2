#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// Whether constraints depend on each other at a point so far that no choice of states there has a condition better
/// than `worst`, or more of them seem implied by others than where the present states were chosen.
bool constraints_depend(const compile::CompiledModel& model, const compile::ChoicePoint& at, double worst);

/// Watches for positions in which constraints depend on each other (links in line), where the motion may branch. A run
/// may step across one as if nothing were there, but the determinant of the Jacobian by the dummies has another sign
/// beyond: so it has, too, where only this choice of dummies is a bad one, which the best choice there tells apart.
class BranchingWatch {
   public:
    using PointAt = std::function<compile::ChoicePoint(double time)>;

    explicit BranchingWatch(double tolerance);

    /// A mode is entered, at a point.
    void begin(Mode& mode, const compile::ChoicePoint& at);
    /// To be looked at after every step: a determinant is far below the largest that it has been.
    [[nodiscard]] bool near() const { return near_; }
    /// Looks at the end of a step, where the choice's coefficients are these (compile::coefficients_at), between its
    /// ends where a determinant has changed its sign, and back at where the mode was entered: a condition that said
    /// nothing there, and does now, had nothing to determine rates by.
    [[nodiscard]] std::optional<Branching> look(Mode& mode, double from, double to,
                                                std::span<const double> coefficients, const PointAt& point);

   private:
    struct Watched {
        structure::Determinant last;
        double usual = 1.0;  ///< logarithm by which it varies where nothing is about to depend
        double largest = -std::numeric_limits<double>::infinity();  ///< logarithm
        double checked = std::numeric_limits<double>::infinity();   ///< the smallest that was looked at closely
    };

    void remember(const std::vector<structure::Determinant>& now);
    [[nodiscard]] std::optional<Branching> emerged(Mode& mode, std::span<const double> coefficients) const;
    [[nodiscard]] std::optional<double> passed(Mode& mode, double from, double to, const PointAt& point,
                                               std::size_t which, double sign) const;
    [[nodiscard]] bool close(Mode& mode, double time, const PointAt& point, std::size_t which);
    [[nodiscard]] bool depends(Mode& mode, const compile::ChoicePoint& at, std::size_t which, double worst) const;

    double closest_;  ///< the condition from which on the steps don't tell on which side of such a position they pass
    std::vector<Watched> watched_;
    std::vector<double> begun_;  ///< per row of the coefficients its largest entry where the mode's states were chosen
    std::vector<double> begun_shares_;  ///< the same beside the largest in the same column
    bool near_ = false;
};

}  // namespace bondgraph::simulation
