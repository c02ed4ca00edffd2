#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <memory>
#include <span>
#include <vector>

#include "bondgraph/simulation/vector_sums.hpp"
#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::simulation {

// Owners of SUNDIALS objects: each frees what it holds.

class Context {
   public:
    Context() { SUNContext_Create(nullptr, &context_); }
    ~Context() { SUNContext_Free(&context_); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    [[nodiscard]] SUNContext get() const { return context_; }

   private:
    SUNContext context_ = nullptr;
};

class Vector {
   public:
    Vector(std::size_t n, const Context& context) : v_(N_VNew_Serial(static_cast<sunindextype>(n), context.get())) {
        N_VEnableFusedOps_Serial(v_, SUNTRUE);
        v_->ops->nvlinearcombination = linear_combination;  // sums over IDA's history; clones inherit it
        v_->ops->nvwrmsnorm = weighted_norm;
        N_VConst(0.0, v_);
    }
    ~Vector() { N_VDestroy(v_); }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    [[nodiscard]] N_Vector get() const { return v_; }
    [[nodiscard]] double* data() const { return NV_DATA_S(v_); }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(NV_LENGTH_S(v_)); }
    [[nodiscard]] std::span<double> span() const { return {data(), size()}; }

   private:
    N_Vector v_;
};

struct LinearSolverDelete {
    void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
};
using LinearSolver = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, LinearSolverDelete>;

struct NonlinearSolverDelete {
    void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
};
using NonlinearSolver = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, NonlinearSolverDelete>;

/// A CSC matrix with the pattern of the residual; entries come in row order.
class SparseMatrix {
   public:
    SparseMatrix(const structure::Incidence& pattern, std::size_t n, const Context& context)
        : place_(pattern.columns.size()) {
        const auto size = static_cast<sunindextype>(n);
        starts_.assign(n + 1, 0);
        for (const std::uint32_t c : pattern.columns) ++starts_[c + 1];
        for (std::size_t c = 0; c < n; ++c) starts_[c + 1] += starts_[c];
        rows_.resize(pattern.columns.size());
        std::vector<sunindextype> next(starts_.begin(), starts_.end() - 1);
        std::size_t entry = 0;
        for (std::size_t r = 0; r < pattern.rows(); ++r) {
            for (const std::uint32_t c : pattern.row(r)) {
                const sunindextype at = next[c]++;
                rows_[static_cast<std::size_t>(at)] = static_cast<sunindextype>(r);
                place_[entry++] = at;
            }
        }
        matrix_ = SUNSparseMatrix(size, size, static_cast<sunindextype>(rows_.size()), CSC_MAT, context.get());
    }
    ~SparseMatrix() { SUNMatDestroy(matrix_); }
    SparseMatrix(const SparseMatrix&) = delete;
    SparseMatrix& operator=(const SparseMatrix&) = delete;
    [[nodiscard]] SUNMatrix get() const { return matrix_; }

    /// Writes pattern and entries (SUNDIALS clears both before each Jacobian).
    void fill(SUNMatrix m, std::span<const double> entries) const {
        std::copy(starts_.begin(), starts_.end(), SUNSparseMatrix_IndexPointers(m));
        std::copy(rows_.begin(), rows_.end(), SUNSparseMatrix_IndexValues(m));
        double* data = SUNSparseMatrix_Data(m);
        for (std::size_t i = 0; i < entries.size(); ++i) data[place_[i]] = entries[i];
    }

   private:
    std::vector<sunindextype> starts_;
    std::vector<sunindextype> rows_;
    std::vector<sunindextype> place_;
    SUNMatrix matrix_ = nullptr;
};

}  // namespace bondgraph::simulation
