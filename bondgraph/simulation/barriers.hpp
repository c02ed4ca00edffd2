#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// What a model has of such positions, and a tape of their vectors.
struct BarrierTape {
    explicit BarrierTape(const compile::CompiledModel& model);

    struct Watched {
        std::size_t element = 0;
        std::string what;
        std::string remedy;
        Eigen::Index first = 0;
        Eigen::Index size = 0;
    };
    expression::Tape tape;
    std::vector<Watched> watched;
};

/// Positions in which a component's description ends (a wheel that lies flat), watched from step to step: their vectors
/// have length 1 far from there, vanish there and turn round where a step passes them.
class Barriers {
   public:
    /// Starts to watch at a point. Throws BG-I004 where that is such a position.
    void begin(Evaluator& evaluator, const Point& point);
    /// What a step that ends at this point has passed; nothing if it may go on.
    std::optional<Failure> passed(Evaluator& evaluator, const Point& point);

   private:
    const BarrierTape& tape_of(const Evaluator& evaluator);
    Eigen::VectorXd values(Evaluator& evaluator, const Point& point);

    std::shared_ptr<const Findings> of_;  ///< of the mode looked at last
    const BarrierTape* tape_ = nullptr;   ///< one of its findings
    Eigen::VectorXd before_;
};

}  // namespace bondgraph::simulation
