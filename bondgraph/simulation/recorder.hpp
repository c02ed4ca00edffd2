#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bondgraph/simulation/modes.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// The rows of a result: when they are due, and what stands in them.
class Recorder {
   public:
    /// The row of the start is not among those that are due.
    Recorder(const Settings& settings, Result& result);
    /// From here on the impulses that jumps have added to the variables of bonds are these.
    void take_impulses(const model::BondGraph& graph, const std::vector<double>& impulses);

    /// The time of the next row; infinity where none is left.
    [[nodiscard]] double next() const;
    /// The rows that are due strictly between two times.
    [[nodiscard]] std::span<const double> between(double from, double to) const;
    /// A row at that time as well, where it has not passed. Returns the row's time, which may differ by rounding.
    double ask(double time);
    /// Rows up to that time are no longer due.
    void pass(double time);

    /// The row of a point, not yet part of the result.
    void compute(Mode& mode, const Point& point);
    [[nodiscard]] const std::vector<double>& row() const { return row_; }
    void restore(std::vector<double> row) { row_ = std::move(row); }
    /// Where the result has come to, to go back there: what has been added since is taken away.
    struct Place {
        std::size_t rows = 0;
        std::size_t next = 0;
        std::vector<double> impulses;
    };
    [[nodiscard]] Place place() const { return {result_.time.size(), next_, impulses_}; }
    void go_back(Place place);
    /// Makes it part of the result. A value that is not finite is a failure, and there is no row then, unless the run
    /// has failed already.
    void append(double time, std::optional<Failure>& failure);
    /// Throws ModelError BG-I002 when already the first row has a value that is not finite.
    void record(Mode& mode, const Point& point, std::optional<Failure>& failure);

   private:
    Result& result_;
    std::vector<double> times_;
    std::size_t next_ = 1;
    std::vector<double> row_;
    std::vector<std::size_t> impulsive_;  ///< signals that are impulses, and their values
    std::vector<double> impulses_;
};

}  // namespace bondgraph::simulation
