#pragma once

#include <atomic>
#include <limits>
#include <span>
#include <vector>

#include "bondgraph/compile/time_functions.hpp"
#include "bondgraph/expression/enclosures.hpp"
#include "bondgraph/simulation/calendar.hpp"

namespace bondgraph::simulation {

/// A stretch of a run.
struct Stretch {
    double from = 0.0;
    double to = 0.0;

    [[nodiscard]] double length() const { return to - from; }
};

/// The times at which functions of time bend or jump, found in the order of time and no further than asked for. A
/// stretch is proven to hold none, or one function is proven to go one way in it, or to have one extremum; otherwise it
/// is halved (Moore, Kearfott, Cloud: Introduction to Interval Analysis, section 8.1). Roots are then located to the
/// last digit.
class Kinks {
   public:
    /// Times from `start` to `stop` are of interest, both included. Where `asked` turns true, a search ends with
    /// Interrupted.
    Kinks(const compile::TimeFunctions& functions, double start, double stop, const std::atomic<bool>* asked = nullptr);

    /// Values of TimeFunctions::held, from a time on: what was found beyond it is forgotten where they are new.
    void hold(std::span<const double> values, double from);
    /// Those near `time` and at least the next one after it, ascending and apart.
    std::span<const Jump> around(double time);
    /// A function for which nothing could be proven: from then on its sign is compared at points 1/5000 of the run
    /// apart. Its node in the expression graph, kNoNode while there is none.
    [[nodiscard]] std::uint32_t unproven() const { return unproven_; }

   private:
    /// One function, as far as it is known.
    struct Search {
        const compile::TimeFunctions::Kink* kink;
        std::vector<Stretch> open;  ///< what lies beyond, the nearest one last
        std::vector<double> work;
        expression::Enclosures bounds;
        double reached;
        double progress;    ///< when something last came of looking
        long effort = 0;    ///< stretches looked at since then
        double coarse = 0;  ///< stretches that are no longer halved
    };

    void advance();
    void look(Search& search, const Stretch& s);
    bool decide(Search& search, const Stretch& s);
    void compare_ends(Search& search, const Stretch& s);
    double value(Search& search, double time);
    static expression::Enclosure bounds(Search& search, const Stretch& s);
    void find_targets(const Search& search, expression::Interval values);
    void locate(Search& search, double target, const Stretch& s);
    [[nodiscard]] double clear_of(Search& search, double target, double end, double towards, int side);
    void keep(Jump jump);
    void begin(double from, double to);

    double start_;
    double stop_;
    const std::atomic<bool>* asked_;
    std::vector<Search> searches_;
    std::vector<std::size_t> order_;  ///< a heap of searches, the one that has reached least at its top
    std::vector<Jump> found_;         ///< ascending and apart
    std::vector<Jump> located_;       ///< in the stretch at hand
    std::vector<double> targets_;
    std::vector<double> inputs_;
    std::uint32_t unproven_ = expression::kNoNode;
};

/// How long steps may be so that no term of time alone passes by unseen: over each panel of time every term stays
/// within a share of its range from a straight line, by bounds of its derivatives.
class Panels {
   public:
    /// `asked`: as of Kinks.
    Panels(const compile::TimeFunctions& functions, double start, double stop, double tolerance,
           const std::atomic<bool>* asked = nullptr);

    void hold(std::span<const double> values, double from);
    /// The latest end of a step from `time` on; `kinks` know where terms bend.
    double limit(double time, Kinks& kinks);
    /// The longest part of a step that limit() has allowed over which Gauss's rule with three points gives the integral
    /// of what follows time to a tenth of the tolerance.
    [[nodiscard]] double longest_for_gauss() const;

   private:
    void learn_ranges();
    [[nodiscard]] std::vector<double> smallest_sums(std::span<const expression::Interval> ranges) const;
    void next(Kinks& kinks);
    [[nodiscard]] bool resolved(const Stretch& s);
    void evaluate(const Stretch& s);

    const compile::TimeFunctions& functions_;
    double start_;
    double stop_;
    double tolerance_;
    const std::atomic<bool>* asked_;
    bool ranges_known_ = false;
    std::vector<double> allowed_;  ///< deviation from a straight line, per term; infinite where the term is too small
    bool any_ = false;
    Stretch first_, second_;  ///< the panel at hand and the one after it
    double length_ = 0.0;     ///< to try next
    bool bent_ = true;        ///< whether a bend is where the panels end
    long given_up_ = 0;
    long fine_ = 0;  ///< panels shorter than the usual ones
    expression::Enclosures bounds_;
    std::vector<expression::Enclosure> over_;
};

/// What a model's functions of time are going to do.
struct Foresight {
    Foresight(const compile::TimeFunctions& functions, double start, double stop, double tolerance,
              const std::atomic<bool>* asked)
        : held_of(functions.held),
          kinks(functions, start, stop, asked),
          panels(functions, start, stop, tolerance, asked),
          held(held_of.size(), 0.0) {}

    /// All held values of the model, from a time on.
    void hold(std::span<const double> all, double from);

    const std::vector<std::uint32_t>& held_of;
    Kinks kinks;
    Panels panels;
    std::vector<double> held;
};

}  // namespace bondgraph::simulation
