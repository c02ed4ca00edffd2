#include "bondgraph/simulation/error_norm.hpp"

#include <cstdlib>
#include <new>

namespace bondgraph::simulation {
namespace {

/// A serial vector's content with the norm behind it. SUNDIALS allocates and frees contents as C does.
struct Content {
    _N_VectorContent_Serial serial;
    ErrorNorm norm;
};

double norm_of(N_Vector error, N_Vector weights, N_Vector counted) {
    const ErrorNorm& norm = static_cast<const Content*>(error->content)->norm;
    return norm.of(norm.self, error, weights, counted);
}

N_Vector clone(N_Vector vector);

void extend(N_Vector vector, const ErrorNorm& norm) {
    void* content = std::realloc(vector->content, sizeof(Content));
    if (content == nullptr) throw std::bad_alloc();
    vector->content = content;
    static_cast<Content*>(content)->norm = norm;
    vector->ops->nvclone = clone;
    vector->ops->nvwrmsnormmask = norm_of;
}

N_Vector clone(N_Vector vector) {
    N_Vector copy = N_VClone_Serial(vector);
    if (copy != nullptr) extend(copy, static_cast<const Content*>(vector->content)->norm);
    return copy;
}

}  // namespace

void judge_errors_by(N_Vector vector, const ErrorNorm& norm) { extend(vector, norm); }

}  // namespace bondgraph::simulation
