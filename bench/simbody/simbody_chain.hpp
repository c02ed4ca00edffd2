#pragma once

#include <memory>
#include <vector>

#include "bench/chains.hpp"

namespace bondgraph::bench {

/// A run and what it took.
struct SimbodyRun {
    std::vector<double> y;
    double seconds = 0.0;
    long steps = 0;
    long evaluations = 0;
    bool complete = false;
};

/// A chain as a Simbody system, with its positions q and speeds u in one vector y. Simbody's headers are no C++20, so
/// they stay behind this interface.
class SimbodyChain {
   public:
    explicit SimbodyChain(const Chain& chain);
    ~SimbodyChain();

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::vector<double> start() const;
    /// Where in y a joint's angular velocity about z is.
    [[nodiscard]] std::size_t speed(std::size_t joint) const;

    /// rates = dy/dt = f(y), everything from positions to accelerations; both of length size().
    void derivative(const double* y, double* rates);
    [[nodiscard]] Position tip(const std::vector<double>& y);
    [[nodiscard]] double energy(const std::vector<double>& y);

    /// With the integrator that suits these chains best among Simbody's own: Adams' method of variable order.
    [[nodiscard]] SimbodyRun simulate_with_adams(double stop, double tolerance) const;

   private:
    struct System;
    std::unique_ptr<System> system_;
};

/// With IDA on y' − f(y) = 0 and a dense Jacobian by differences: Simbody has no other.
SimbodyRun simulate_with_ida(SimbodyChain& chain, double stop, double tolerance);

}  // namespace bondgraph::bench
