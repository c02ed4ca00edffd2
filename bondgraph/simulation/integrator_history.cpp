// The memory of a BDF method, taken from one set of unknowns to another one: IDA has no function for it, so its fields
// are read and set here, as IDASolve() and IDAStep() do (SUNDIALS 6; Brenan, Campbell, Petzold: Numerical Solution of
// Initial-Value Problems in Differential-Algebraic Equations, SIAM 1996, section 5.2.2, for what they mean).

#include <ida/ida_impl.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/integrator.hpp"

// What IDASolve() calls before its first step; IDA's own files declare it where they need it.
extern "C" int IDAInitialSetup(IDAMem memory);

namespace bondgraph::simulation {

// phi_j is the divided difference of the last j + 1 points times the distances of the last one from the others, psi_j.
StepHistory Integrator::history() const {
    const auto& memory = *static_cast<const IDAMemRec*>(ida_);
    StepHistory past;
    if (memory.ida_nst == 0 || std::abs(memory.ida_tn - time_) > 1e-3 * memory.ida_hused) return past;
    past.next = memory.ida_hh;
    const int order = std::min(memory.ida_kused, memory.ida_kk);
    const auto before = [&](int j) { return j == 0 ? 0.0 : memory.ida_psi[j - 1]; };
    for (int point = 0; point <= order; ++point) {
        Point p{.time = memory.ida_tn - before(point),
                .y = std::vector<double>(ev_.size(), 0.0),
                .yp = std::vector<double>(ev_.size(), 0.0)};
        double factor = 1.0;
        double slope = 0.0;
        for (int j = 0; j <= memory.ida_kused; ++j) {
            const double* phi = N_VGetArrayPointer(memory.ida_phi[j]);
            for (std::size_t i = 0; i < ev_.size(); ++i) {
                p.y[i] += factor * phi[i];
                p.yp[i] += slope * phi[i];
            }
            const double reach = before(j + 1);
            slope = (slope * (before(j) - before(point)) + factor) / reach;
            factor *= (before(j) - before(point)) / reach;
        }
        past.points.push_back(std::move(p));
    }
    return past;
}

void Integrator::resume(const StepHistory& past) {
    const std::vector<Point>& points = past.points;
    auto* memory = static_cast<IDAMem>(ida_);
    if (memory->ida_nst > 0 || time_ != points.front().time) restart(points.front());
    if (points.size() < 2 || IDAInitialSetup(memory) != IDA_SUCCESS) return;
    memory->ida_SetupDone = SUNTRUE;
    const std::size_t order = points.size() - 1;
    std::vector<double> difference(points.size());
    for (std::size_t i = 0; i < ev_.size(); ++i) {
        for (std::size_t j = 0; j <= order; ++j) difference[j] = points[j].y[i];
        double distances = 1.0;
        for (std::size_t j = 1; j <= order; ++j) {
            for (std::size_t k = order; k >= j; --k)
                difference[k] = (difference[k] - difference[k - 1]) / (points[k].time - points[k - j].time);
            distances *= points[0].time - points[j].time;
            N_VGetArrayPointer(memory->ida_phi[j])[i] = distances * difference[j];
        }
    }
    for (std::size_t j = 1; j <= order; ++j) memory->ida_psi[j - 1] = points[0].time - points[j].time;
    memory->ida_kk = memory->ida_kused = memory->ida_knew = static_cast<int>(order);
    memory->ida_hused = memory->ida_h0u = memory->ida_psi[0];
    memory->ida_hh = past.next;
    memory->ida_ns = 0;
    memory->ida_phase = 1;
    memory->ida_nst = 1;
    --before_.steps;  // it was taken with other unknowns, and is counted there
    memory->ida_tretlast = memory->ida_tn;
    // A new matrix at the first step, and convergence as after any.
    memory->ida_cjold = 0.0;
    memory->ida_cjlast = 0.0;
    memory->ida_epsNewt = memory->ida_epcon;
    memory->ida_toldel = 1e-4 * memory->ida_epsNewt;
}

}  // namespace bondgraph::simulation
