#pragma once

#include <limits>
#include <optional>
#include <string>

#include "bondgraph/expression/enclosures.hpp"
#include "bondgraph/simulation/error_filter.hpp"
#include "bondgraph/simulation/newton_convergence.hpp"
#include "bondgraph/simulation/newton_matrix.hpp"
#include "bondgraph/simulation/rate_block.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/sundials.hpp"

namespace bondgraph::simulation {

/// What a BDF method of order k remembers: k + 1 points, the last one first, and the step it planned.
struct StepHistory {
    std::vector<Point> points;
    double next = 0.0;
};

/// What is integrated along the steps: `books` are the first outputs of `all`, or all of them. Of what `all` has beyond
/// these the middle of a step is enough.
struct Quadrature {
    const expression::Tape& all;
    const expression::Tape& books;
};

/// Algebraic unknowns of one kind in mechanisms with closed loops: forces, torques; rates, accelerations.
struct SolvedKind {
    std::vector<std::size_t> unknowns;
    bool effort = false;
    double at_first = 0.0;  ///< the largest of them at the start, …
    double most = 0.0;      ///< … and so far
};

/// What unknowns are to an integration.
struct UnknownKinds {
    explicit UnknownKinds(const compile::CompiledModel& model);

    std::vector<std::vector<std::size_t>> vectors;           ///< unknowns that share one magnitude
    std::vector<SolvedKind> kinds;                           ///< as they are before a run
    std::vector<std::pair<std::uint32_t, double>> followed;  ///< algebraic unknowns and the least magnitude of each
    std::vector<bool> judged;                                ///< by the error test
    bool mechanism = false;
};

/// rows_of_rates_together() of a model.
struct RowsTogether {
    explicit RowsTogether(const Findings& findings);
    std::vector<std::uint32_t> rows;
};

/// IDA on one model: variable-order BDF with the exact Jacobian, weights from learned magnitudes, and quadratures
/// along the dense output of every step.
class Integrator {
   public:
    /// The quadrature may have no outputs.
    Integrator(Evaluator& evaluator, const Settings& settings, const Point& start, const Quadrature& quadrature);
    ~Integrator();
    Integrator(const Integrator&) = delete;
    Integrator& operator=(const Integrator&) = delete;

    enum class Outcome : std::uint8_t { stepped, stopped, failed };
    /// One step, at most to `stop`. `limit`: of this step's end, for it alone.
    Outcome step(double stop, double limit = std::numeric_limits<double>::infinity());
    /// Adds the quadratures over a part of the last step; false, and nothing is added, where powers swing within it.
    [[nodiscard]] bool integrate(double from, double to);
    /// y and y' at p.time inside the last step, as good as the quadratures need them.
    void interpolate_for_powers(Point& p);
    /// y and y' at p.time inside the last step, algebraic unknowns as the equations have them.
    void interpolate_all(Point& p);
    /// y and y' at the end of the last step.
    void current(Point& point) const;
    /// y and y' at a time inside the last step.
    void interpolate(double time, std::span<double> y, std::span<double> yp);
    /// Bounds over a part of the last step: of y_j (input 1 + j) and y'_j (input 1 + size + j) for those of `which`.
    void enclose(double from, double to, std::span<const std::uint32_t> which, std::span<expression::Enclosure> inputs);
    /// How far the states at a time inside the last step, as interpolated, are from satisfying the equations, in the
    /// measure of the error test: what a step of Newton's method would change, by the weights there.
    [[nodiscard]] double defect(double time, std::span<const double> y, std::span<const double> yp);
    /// Starts anew from a consistent point (after an event); quadratures go on.
    void restart(const Point& point);
    /// The same after a failure, where nothing has happened. `cautious`: with low order and a small first step, where
    /// the usual way failed.
    void recover(const Point& point, bool cautious);
    /// The points that the last steps led to. None after a restart.
    [[nodiscard]] StepHistory history() const;
    /// Goes on from points found with other unknowns of the same motion, in the order and with the steps of those.
    void resume(const StepHistory& past);
    /// The last step again from the point where it began, no longer than `first`.
    void retake(const Point& point, double first);
    /// The quadratures at the time reached.
    [[nodiscard]] const std::vector<double>& quadratures() const { return integral_; }
    /// When what they integrate first had no finite value.
    [[nodiscard]] std::optional<double> not_finite_at() const { return not_finite_at_; }

    [[nodiscard]] double time() const { return time_; }
    /// What the last step may have added to the error of each state, estimated; algebraic unknowns follow them. Until
    /// the next call of anything here.
    [[nodiscard]] std::span<const double> local_errors();
    /// The unknowns at the end of the last step, those of loops as interpolated.
    [[nodiscard]] std::span<const double> values() const { return {y_.data(), y_.size()}; }
    /// The largest magnitude each unknown has had.
    [[nodiscard]] const std::vector<double>& magnitudes() const { return magnitude_; }
    /// Whether the last failure was one of the solver (and not of the model's own numbers).
    [[nodiscard]] bool may_recover() const;
    /// Continues the counts and quadratures of another one on the same model.
    void take_over(const Integrator& other);
    void statistics(Summary& summary) const;
    /// What went wrong, in the user's terms.
    [[nodiscard]] Failure failure();

   private:
    static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* self);
    static int jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix j, void* self, N_Vector,
                        N_Vector, N_Vector);
    static int weights(N_Vector y, N_Vector w, void* self);
    bool learn(const double* value);
    void floor_of_kinds();
    void set_magnitudes(const Point& point);
    [[nodiscard]] double weight(std::size_t i, double value) const;
    [[nodiscard]] double first_distance(double stop, double limit) const;
    void look_at_rounding(const Point& point, bool of_algebraic = false);
    void take_rounding(std::span<const double> noise, bool of_algebraic = false);
    struct Powers {
        const expression::Tape* tape;
        std::vector<double> work;
        bool vary = false;     ///< they are not the same everywhere
        bool exactly = false;  ///< it takes more than the states as interpolated to know them
    };
    [[nodiscard]] Powers powers_of(const expression::Tape& tape) const;
    bool look_inside(double time, const Powers& powers);
    void interpolate_for(Point& p, const Powers& powers);
    void correct_inside(double time);
    void follow_loops();
    void set_linear_solver();
    void watch_jacobians();
    void watch_pace();
    static double error_norm(void* self, N_Vector error, N_Vector weights, N_Vector counted);
    void set_convergence_test();
    int judged_as_usual(SUNNonlinearSolver solver, N_Vector y, N_Vector correction, double tolerance, N_Vector weight);
    static int converged(SUNNonlinearSolver solver, N_Vector, N_Vector correction, double tolerance, N_Vector weight,
                         void* self);
    /// The unknowns with those of nonlinear loops solved for; nothing where that failed.
    [[nodiscard]] std::span<const double> exact(double time, std::span<const double> y, std::span<const double> yp);
    std::optional<Failure> failed_loop();
    void look_beyond();
    std::vector<double> last_solved();
    void begin_at(const Point& point);
    static int factorize(SUNLinearSolver solver, SUNMatrix);
    static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double);

    Evaluator& ev_;
    const UnknownKinds& kinds_of_;
    std::optional<NewtonMatrix> newton_;
    std::vector<std::uint32_t> rows_;    ///< of rates that stand together
    std::optional<RateBlock> rates_;     ///< where Jacobians of earlier steps don't serve
    std::optional<ErrorFilter> filter_;  ///< of mechanisms
    std::vector<double> passed_;         ///< errors on their way through it
    bool is_mechanism_ = false;
    bool stiff_ = false;      ///< it has taken most of an error away
    bool attempted_ = false;  ///< Newton's iteration has begun in this step
    NewtonConvergence convergence_;
    const Settings& settings_;
    Powers all_powers_;
    Powers books_;
    std::vector<double> integral_, rate_, part_, straight_;
    std::vector<double> taylor_, defect_;
    std::optional<double> not_finite_at_;
    Context context_;
    Vector y_, yp_, id_, inner_y_, inner_yp_;
    SUNMatrix stand_in_ = nullptr;  ///< for Newton's matrix
    LinearSolver solver_;
    SUNNonlinSolConvTestFn usual_test_ = nullptr;  ///< IDA's
    void* usual_data_ = nullptr;
    NonlinearSolver newton_iteration_;
    void* ida_ = nullptr;
    std::vector<double> magnitude_;
    std::vector<double> shown_;  ///< the same without floors that come from rounding
    std::vector<bool> guessed_;  ///< nothing has shown them so far
    bool in_loops_;              ///< the model is a mechanism with closed loops
    std::vector<SolvedKind> kinds_;
    std::vector<std::uint32_t> looped_;  ///< unknowns of nonlinear loops, solved for by themselves
    std::vector<bool> is_looped_;
    std::vector<double> exact_y_;        ///< y with these solved for, where the residual was last evaluated
    std::vector<double> learned_;        ///< y with these, where magnitudes are learned
    std::vector<double> loop_part_;      ///< of a right side
    double matrix_c_ = 0.0;              ///< c of Newton's matrix
    std::optional<double> unsolved_at_;  ///< where loops last had no solution
    double time_ = 0.0;
    int status_ = 0;
    double largest_at_first_ = 0.0;  ///< of all magnitudes
    long steps_ = 0;                 ///< since the last restart
    long next_look_ = 0;             ///< at rounding, by that count
    long look_after_ = 0;            ///< steps between the last two looks
    int watched_steps_ = 0;          ///< since the last restart
    int unserved_ = 0;               ///< Jacobians made because an earlier one no longer served, in the last steps
    double evaluated_at_ = std::numeric_limits<double>::quiet_NaN();  ///< times of the last residual …
    double solved_at_ = std::numeric_limits<double>::quiet_NaN();     ///< … and of the last Newton step
    int creeping_ = 0;                                                ///< steps in a row that hardly moved the time
    /// How far the last so many steps have come, and the Jacobians until then.
    struct Pace {
        double time = 0.0;
        double way = 0.0;
        long jacobians = 0;
    };
    Pace pace_;
    bool stalled_ = false;
    double bad_time_ = 0.0;
    std::vector<double> bad_y_, bad_yp_;  ///< where the residual was last not finite
    Summary before_;                      ///< counts up to the last restart
};

}  // namespace bondgraph::simulation
