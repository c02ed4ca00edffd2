#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/compile/time_functions.hpp"
#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// Where a model's powers, and what it wraps in smooth(), bend or jump with its unknowns without an event: at relations
/// inside noEvent() and smooth(), `abs`, `sign`, `min`, `max`, `floor`, `ceil` and points of tables. Steps pass these.
struct Bends {
    explicit Bends(const compile::CompiledModel& model);

    struct Bend {
        compile::TimeFunctions::Kink::At at = compile::TimeFunctions::Kink::At::zero;
        std::vector<double> points;  ///< ascending

        /// Between which two of its places a value of the argument lies: another number for each.
        [[nodiscard]] double cell(double argument) const;
        /// The first of them on the way from one value to another.
        [[nodiscard]] double place(double argument, double towards) const;
    };
    std::vector<Bend> bends;
    expression::Tape arguments;          ///< of the bends
    std::vector<std::uint32_t> watched;  ///< unknowns and rates among its inputs
    bool closely = false;                ///< of these, what steps give less exactly than the states

    /// An expression in smooth(k, …) with k ≥ 0.
    struct Promise {
        std::string text;
        SourcePosition position;
        std::string element;
    };
    std::vector<Promise> promises;
    expression::Tape promised;  ///< their values
};

/// Looks along the steps for the instants at which such an expression bends or jumps.
class BendWatch {
   public:
    explicit BendWatch(const Settings& settings) : settings_(settings) {}

    using Interpolate = Events::Interpolate;
    /// The instants inside a part of a step, ascending: a time just before and one just after each. `roughly` gives the
    /// unknowns inside the step as interpolated, `exactly` with algebraic ones corrected. Notes what was promised not
    /// to jump and does.
    /// No more than kMostPassed.
    struct Pass {
        double before = 0.0;
        double after = 0.0;
    };
    static constexpr std::size_t kMostPassed = 1000;
    [[nodiscard]] std::vector<Pass> passed(Mode& mode, double from, double to, const Interpolate& roughly,
                                           const Interpolate& exactly, const Events::Enclose& enclose,
                                           std::vector<BrokenPromise>& broken);

    /// What smooth() says is continuous, at a point and a little to one side of it; empty where there is nothing.
    struct Beside {
        std::vector<double> near;
        std::vector<double> far;
    };
    /// Before an event of time (side −1), to be compared with what it is after it.
    [[nodiscard]] Beside promised(Mode& mode, const Point& point, double side);
    void compare(Mode& mode, const Beside& before, const Point& point, std::vector<BrokenPromise>& broken);

   private:
    /// What is known of a mode's expressions so far.
    struct Course {
        const Bends* bends = nullptr;
        std::vector<double> work, promised_work;
        std::vector<double> reached;    ///< the largest size of each argument
        std::vector<double> magnitude;  ///< of each promised value
        std::optional<expression::Enclosures> bounds;
        std::vector<expression::Enclosure> over;
    };
    struct Look;

    Course& course_of(Mode& mode);
    void check(Course& course, Mode& mode, const Pass& pass, double from, double to, const Interpolate& exactly,
               std::vector<BrokenPromise>& broken) const;
    void note(Course& course, std::size_t promise, double time, double before, double after,
              std::vector<BrokenPromise>& broken) const;

    const Settings& settings_;
    std::map<const Mode*, Course> courses_;
};

}  // namespace bondgraph::simulation
