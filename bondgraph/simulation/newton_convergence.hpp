#pragma once

namespace bondgraph::simulation {

/// When Newton's iteration is done. IDA takes the contraction it saw last for that of the next step, also when it was
/// seen with a Jacobian just made, where it tells nothing of later steps: a stiff bearing that turns with its bodies
/// then has steps accepted after one iteration that contracts by no more than a half, and what is left adds up. Here
/// the contraction grows with the age of the Jacobian, up to twice the age at which it was seen, and one that isn't
/// known is found by a second iteration.
class NewtonConvergence {
   public:
    enum class Verdict : unsigned char { done, next, fails };
    static constexpr double kNoCorrection = 1e-4;  ///< share of the tolerance that needs no more

    /// A Jacobian was made for this time.
    void jacobian_made(double time);
    [[nodiscard]] bool made_for(double time) const { return made_at_ == time; }
    /// The correction's norm in an iteration, from 0 on, of a step to `time`; `c` before the rates. `tolerance` is what
    /// the error of the solution may be, in the same norm.
    Verdict judge(int iteration, double correction, double tolerance, double time, double c);

   private:
    double made_at_ = 0.0;
    double first_ = 0.0;         ///< norm of the first correction of this step
    double contraction_ = -1.0;  ///< per unit of the Jacobian's age; negative: not known
    double seen_at_age_ = 0.0;   ///< of the Jacobian
    double c_ = 0.0;             ///< with which it was found
};

}  // namespace bondgraph::simulation
