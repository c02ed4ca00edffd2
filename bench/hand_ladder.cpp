#include "bench/hand_ladder.hpp"

#include <fmt/format.h>
#include <ida/ida.h>
#include <sunlinsol/sunlinsol_klu.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "bondgraph/simulation/sundials.hpp"

namespace bondgraph::bench {

namespace {

using simulation::Context;
using simulation::LinearSolver;
using simulation::Vector;

void check(int status, const char* what) {
    if (status < 0) throw std::runtime_error(fmt::format("{} failed with {}", what, status));
}

class HandProgram {
   public:
    HandProgram(const Ladder& ladder, std::span<const double> magnitudes, bool energy)
        : ladder_(ladder),
          n_(ladder.sections),
          resistance_(ladder.resistance()),
          capacitance_(ladder.capacitance()),
          rate_(1.0 / ladder.capacitance() / ladder.resistance()),
          magnitudes_(magnitudes.begin(), magnitudes.end()),
          y_(n_, context_),
          yp_(n_, context_),
          id_(n_, context_),
          inner_(n_, context_),
          energy_(energy) {
        const auto size = static_cast<sunindextype>(n_);
        matrix_ = SUNSparseMatrix(size, size, 3 * size - 2, CSC_MAT, context_.get());
        solver_.reset(SUNLinSol_KLU(y_.get(), matrix_, context_.get()));
        yp_.data()[0] = ladder.voltage / resistance_;
        N_VConst(1.0, id_.get());
        ida_ = IDACreate(context_.get());
        check(IDAInit(ida_, residual, 0.0, y_.get(), yp_.get()), "IDAInit");
        check(IDASetUserData(ida_, this), "IDASetUserData");
        check(IDAWFtolerances(ida_, weights), "IDAWFtolerances");
        check(IDASetId(ida_, id_.get()), "IDASetId");
        check(IDASetMaxNumSteps(ida_, -1), "IDASetMaxNumSteps");
        check(IDASetMaxErrTestFails(ida_, 20), "IDASetMaxErrTestFails");
        check(IDASetMaxConvFails(ida_, 20), "IDASetMaxConvFails");
        check(IDASetLinearSolver(ida_, solver_.get(), matrix_), "IDASetLinearSolver");
        check(IDASetJacFn(ida_, jacobian), "IDASetJacFn");
    }
    ~HandProgram() {
        IDAFree(&ida_);
        SUNMatDestroy(matrix_);
    }
    HandProgram(const HandProgram&) = delete;
    HandProgram& operator=(const HandProgram&) = delete;

    HandRun run() {
        HandRun result;
        record(0.0, result);
        check(IDASetStopTime(ida_, ladder_.stop), "IDASetStopTime");
        double time = 0.0;
        for (std::size_t k = 1; time < ladder_.stop;) {
            const double before = time;
            check(IDASolve(ida_, ladder_.stop, &time, y_.get(), yp_.get(), IDA_ONE_STEP), "IDASolve");
            if (energy_) integrate_powers(before, time);
            for (; output_time(k) <= time && output_time(k) < ladder_.stop; ++k) {
                check(IDAGetDky(ida_, output_time(k), 0, y_.get()), "IDAGetDky");
                record(output_time(k), result);
            }
        }
        check(IDAGetDky(ida_, ladder_.stop, 0, y_.get()), "IDAGetDky");
        record(ladder_.stop, result);
        IDAGetNumSteps(ida_, &result.steps);
        IDAGetNumResEvals(ida_, &result.residual_evaluations);
        IDAGetNumJacEvals(ida_, &result.jacobian_evaluations);
        if (energy_) result.energy_imbalance = imbalance();
        return result;
    }

   private:
    struct Powers {
        double supplied = 0.0;
        double dissipated = 0.0;
        double moved = 0.0;
    };

    /// The last point is the stop itself, which rounding must not turn into two.
    [[nodiscard]] double output_time(std::size_t k) const {
        const double time = static_cast<double>(k) * ladder_.interval;
        return time >= ladder_.stop - 1e-9 * ladder_.interval ? ladder_.stop : time;
    }

    void record(double time, HandRun& result) {
        result.time.push_back(time);
        result.charges.insert(result.charges.end(), y_.data(), y_.data() + n_);
    }

    double imbalance() {
        double stored = 0.0;
        for (std::size_t k = 0; k < n_; ++k) stored += y_.data()[k] * y_.data()[k] / (2.0 * capacitance_);
        return integrals_.supplied - integrals_.dissipated - stored;
    }

    static int residual(double, N_Vector y, N_Vector yp, N_Vector r, void* user) {
        const auto& self = *static_cast<const HandProgram*>(user);
        const double* const q = N_VGetArrayPointer(y);
        const double* const dq = N_VGetArrayPointer(yp);
        double* const out = N_VGetArrayPointer(r);
        const std::size_t n = self.n_;
        double voltage = q[0] / self.capacitance_;
        double in = (self.ladder_.voltage - voltage) / self.resistance_;
        for (std::size_t k = 0; k + 1 < n; ++k) {
            const double next_voltage = q[k + 1] / self.capacitance_;
            const double next = (voltage - next_voltage) / self.resistance_;
            out[k] = dq[k] - (in - next);
            voltage = next_voltage;
            in = next;
        }
        out[n - 1] = dq[n - 1] - in;
        return 0;
    }

    static int jacobian(double, double cj, N_Vector, N_Vector, N_Vector, SUNMatrix j, void* user, N_Vector, N_Vector,
                        N_Vector) {
        const auto& self = *static_cast<const HandProgram*>(user);
        sunindextype* const starts = SUNSparseMatrix_IndexPointers(j);
        sunindextype* const rows = SUNSparseMatrix_IndexValues(j);
        double* const data = SUNSparseMatrix_Data(j);
        const auto n = static_cast<sunindextype>(self.n_);
        sunindextype at = 0;
        for (sunindextype k = 0; k < n; ++k) {
            starts[k] = at;
            if (k > 0) {
                rows[at] = k - 1;
                data[at++] = -self.rate_;
            }
            rows[at] = k;
            data[at++] = cj + (k + 1 < n ? 2.0 : 1.0) * self.rate_;
            if (k + 1 < n) {
                rows[at] = k + 1;
                data[at++] = -self.rate_;
            }
        }
        starts[n] = at;
        return 0;
    }

    static int weights(N_Vector y, N_Vector w, void* user) {
        auto& self = *static_cast<HandProgram*>(user);
        const double* const q = N_VGetArrayPointer(y);
        double* const weight = N_VGetArrayPointer(w);
        for (std::size_t k = 0; k < self.n_; ++k) {
            const double size = std::abs(q[k]);
            self.magnitudes_[k] = std::max(self.magnitudes_[k], size);
            weight[k] = 1.0 / (self.ladder_.tolerance * (size + 0.1 * self.magnitudes_[k]));
        }
        return 0;
    }

    /// Gauss's rule with three points on the interpolating polynomial of the step.
    void integrate_powers(double from, double to) {
        constexpr double kPlace = 0.7745966692414834;  // sqrt(3/5)
        constexpr std::array<std::array<double, 2>, 3> kRule{
            {{-kPlace, 5.0 / 18.0}, {0.0, 8.0 / 18.0}, {kPlace, 5.0 / 18.0}}};
        for (const auto& [place, weight] : kRule) {
            check(IDAGetDky(ida_, 0.5 * (from + to) + 0.5 * (to - from) * place, 0, inner_.get()), "IDAGetDky");
            const Powers now = powers(inner_.data());
            integrals_.supplied += weight * (to - from) * now.supplied;
            integrals_.dissipated += weight * (to - from) * now.dissipated;
            integrals_.moved += weight * (to - from) * now.moved;
        }
    }

    [[nodiscard]] Powers powers(const double* q) const {
        double before = ladder_.voltage;
        double voltage = q[0] / capacitance_;
        double in = (before - voltage) / resistance_;
        Powers now{.supplied = before * in, .moved = std::abs(before * in)};
        for (std::size_t k = 0; k < n_; ++k) {
            const double next_voltage = k + 1 < n_ ? q[k + 1] / capacitance_ : voltage;
            const double next = (voltage - next_voltage) / resistance_;
            const double loss = (before - voltage) * in;
            now.dissipated += loss;
            now.moved += std::abs(loss) + std::abs(voltage * (in - next));
            before = voltage;
            voltage = next_voltage;
            in = next;
        }
        now.moved *= 0.5;
        return now;
    }

    const Ladder ladder_;
    const std::size_t n_;
    const double resistance_;
    const double capacitance_;
    const double rate_;
    std::vector<double> magnitudes_;
    Context context_;
    Vector y_, yp_, id_, inner_;
    Powers integrals_;
    const bool energy_;
    SUNMatrix matrix_ = nullptr;
    LinearSolver solver_;
    void* ida_ = nullptr;
};

}  // namespace

HandRun simulate_by_hand(const Ladder& ladder, std::span<const double> magnitudes, bool energy) {
    return HandProgram(ladder, magnitudes, energy).run();
}

}  // namespace bondgraph::bench
