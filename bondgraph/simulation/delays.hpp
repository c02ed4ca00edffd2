#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

class Evaluator;
struct Point;

/// What the inputs of a model's delays were, and when what happened to them comes out.
///
/// The past is kept in polynomials, piece by piece as the run goes on: over each the input is resolved to a share of
/// the tolerance. An event may bend an input or let it jump; a delay later its output does the same, which is an event
/// again. What passes a storage is smoother by one derivative than what came in (Bellen, Zennaro: Numerical Methods for
/// Delay Differential Equations, Oxford 2003, chapter 2): as many such events are followed as the integrator has
/// orders. No step is longer than the shortest delay, so that what comes out during a step is known when it begins.
class Delays {
   public:
    Delays(const compile::CompiledModel& first, const Settings& settings);

    [[nodiscard]] bool empty() const { return first_.delays.empty(); }

    /// Sets the values that come out among a model's inputs, the others being known. `work`: of its tape of times.
    void fill(const compile::CompiledModel& model, std::span<double> inputs, std::vector<double>& work);
    /// What comes out at a point.
    [[nodiscard]] std::vector<double> values(Evaluator& evaluator, const Point& point) const;
    /// Whether the last fill() asked for what has not been yet: a step that is too long for a delay that has shrunk.
    [[nodiscard]] bool beyond() const { return beyond_; }

    /// A point inside a part of the run that has been computed.
    using Inside = std::function<void(double time, Point& p)>;
    /// Keeps what the inputs were over a part of the run.
    void record(Evaluator& evaluator, double from, double to, const Inside& inside);
    /// A point just before an event.
    struct Before {
        const compile::CompiledModel* model = nullptr;
        std::vector<double> inputs;
    };
    [[nodiscard]] Before before(Evaluator& evaluator, const Point& point) const;
    /// What an event is, beside what it has changed.
    struct Cause {
        bool time_jumps = false;      ///< expressions of time jump or bend
        std::optional<int> out = {};  ///< the lowest order of what came out of delays there
    };
    /// At an event what goes in jumps, or bends where something that it comes from has changed, and comes out a delay
    /// later. An event elsewhere in the model is none here.
    void broke(Evaluator& evaluator, const Point& point, const Cause& cause, const Before& before);
    /// The same at the start.
    void begin(Evaluator& evaluator, const Point& point);

    /// The next time, beyond what has passed, at which something comes out of a delay whose time is fixed.
    [[nodiscard]] double next_due() const;
    /// What comes out until `time`, rounding included, has come out. The lowest order among that; nothing where there
    /// was none.
    std::optional<int> pass(double time);
    /// When something comes out of a delay whose time varies, within a part of the run.
    struct Passing {
        double time;
        std::size_t delay;
    };
    [[nodiscard]] std::optional<Passing> passing(Evaluator& evaluator, double from, double to, const Inside& inside);
    int pass(const Passing& passing);

    /// The latest end of a step from a point on.
    [[nodiscard]] double limit(double from) const;
    /// Learns how long the delays are at a point. What is wrong with that, or nothing.
    std::optional<Failure> look(Evaluator& evaluator, const Point& point);

   private:
    static constexpr std::size_t kDegree = 6;
    struct Piece {
        double from;
        double to;
        std::vector<double> coefficients;  ///< kDegree + 1 of Chebyshev's polynomials, per delay
    };
    struct Break {
        double at;  ///< when it came in
        int order;  ///< 0: the value jumps; 1: the slope; …
    };
    struct Line {
        double time = 0.0;     ///< how long it takes now
        double shrinks = 0.0;  ///< by so many seconds per second
        double looked_at = 0.0;
        double largest = 0.0;                                      ///< input so far
        double passed = -std::numeric_limits<double>::infinity();  ///< what came in up to here has come out
        std::deque<Break> ahead;
    };

    [[nodiscard]] double value(std::size_t delay, double at);
    [[nodiscard]] double at_piece(const Piece& piece, std::size_t delay, double at) const;
    [[nodiscard]] bool resolved(const Piece& piece) const;
    void record_piece(Evaluator& evaluator, double from, double to, const Inside& inside, int depth);
    void forget();
    [[nodiscard]] bool apart(double a, double b, double size) const;
    void note(std::size_t delay, double time, int order);
    [[nodiscard]] std::optional<int> order_of(std::size_t delay, Evaluator& evaluator, const Cause& cause,
                                              const Before& before, std::span<const double> now) const;
    [[nodiscard]] std::vector<double> times_at(Evaluator& evaluator, const Point& point) const;
    [[nodiscard]] std::vector<double> inputs_at(Evaluator& evaluator, const Point& point) const;
    [[nodiscard]] Failure failure(std::size_t delay, std::string message, double time) const;

    const compile::CompiledModel& first_;
    const Settings& settings_;
    std::deque<Piece> pieces_;
    std::vector<Line> lines_;
    std::vector<double> times_;  ///< scratch
    bool beyond_ = false;
    double forgotten_ = -std::numeric_limits<double>::infinity();
};

}  // namespace bondgraph::simulation
