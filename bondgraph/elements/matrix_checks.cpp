#include "bondgraph/elements/matrix_checks.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace bondgraph::elements {

using model::Element;
using model::LawContext;

namespace {

constexpr double kMatrixRounding = 1e-9;

/// A parameter's matrix of known numbers, rows and columns divided by the same factors so that its diagonal is 1: the
/// ports may have different units, and what is asked of the matrix does not depend on them.
struct ScaledMatrix {
    Eigen::MatrixXd given;
    Eigen::MatrixXd scaled;
    SourcePosition position;
};

Eigen::VectorXd scales_of(const Eigen::MatrixXd& m) {
    Eigen::VectorXd scales = Eigen::VectorXd::Ones(m.rows());
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
        if (m(i, i) > 0.0) scales(i) = 1.0 / std::sqrt(m(i, i));
    }
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
        if (m(i, i) > 0.0) continue;
        const Eigen::VectorXd across = (m.row(i).transpose().cwiseAbs() + m.col(i).cwiseAbs()).cwiseProduct(scales);
        if (across.maxCoeff() > 0.0) scales(i) = 1.0 / across.maxCoeff();
    }
    return scales;
}

/// Nothing where there is nothing to judge. A diagonal below 0 is outside the parameter's bounds, which has been
/// reported.
std::optional<ScaledMatrix> known_matrix(const Element& e, std::string_view name) {
    const auto spec = std::find_if(e.type->parameters.begin(), e.type->parameters.end(),
                                   [&](const model::ParameterSpec& p) { return p.name == name; });
    if (spec == e.type->parameters.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(spec - e.type->parameters.begin());
    if (!e.parameters[index]) return std::nullopt;
    const expression::ExprMatrix& value = e.parameters[index]->value;
    if (value.rows() < 2 || value.rows() != value.cols()) return std::nullopt;
    ScaledMatrix m{Eigen::MatrixXd(value.rows(), value.cols()), {}, e.parameter_positions[index]};
    for (Eigen::Index i = 0; i < value.size(); ++i) {
        if (!value.data()[i].is_constant() || !std::isfinite(value.data()[i].constant())) return std::nullopt;
        m.given.data()[i] = value.data()[i].constant();
    }
    if (m.given.diagonal().minCoeff() < 0.0) return std::nullopt;
    const Eigen::VectorXd scales = scales_of(m.given);
    m.scaled = scales.asDiagonal() * m.given * scales.asDiagonal();
    return m;
}

/// In a pseudo domain effort times flow is no power, and energy asks nothing of a matrix.
bool is_power(const Element& e) { return e.ports.empty() || model::domains()[e.ports.front().domain].power; }

double smallest_eigenvalue(const ScaledMatrix& m) {
    const Eigen::MatrixXd symmetric = 0.5 * (m.scaled + m.scaled.transpose());
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()(0);
}

/// True where it had to be said.
bool report_asymmetry(const Element& e, std::string_view name, const ScaledMatrix& m, Diagnostics& diagnostics) {
    Eigen::Index i = 0;
    Eigen::Index j = 0;
    const double difference = (m.scaled - m.scaled.transpose()).cwiseAbs().maxCoeff(&i, &j);
    if (difference <= kMatrixRounding * m.scaled.cwiseAbs().maxCoeff()) return false;
    if (j < i) std::swap(i, j);
    diagnostics.error("BG-M061", m.position,
                      fmt::format("'{}' of '{}' is not symmetric: entry [{}, {}] is {:.9g}, entry [{}, {}] is {:.9g}",
                                  name, e.name, i + 1, j + 1, m.given(i, j), j + 1, i + 1, m.given(j, i)),
                      {{"because", "going round in a circle of its states would create energy"},
                       {"try", "give both entries, which are one coupling, the same value"}});
    return true;
}

}  // namespace

void check_storage_matrices(const LawContext& context, Diagnostics& diagnostics) {
    const Element& e = context.element();
    if (!is_power(e)) return;
    for (const std::string_view name : {"C", "K", "I"}) {
        const auto m = known_matrix(e, name);
        if (!m || report_asymmetry(e, name, *m, diagnostics)) continue;
        const double smallest = smallest_eigenvalue(*m);
        if (smallest >= -kMatrixRounding * m->scaled.cwiseAbs().maxCoeff()) continue;
        diagnostics.error("BG-M062", m->position,
                          fmt::format("'{}' of '{}' is not positive definite: scaled to a diagonal of 1, its smallest "
                                      "eigenvalue is {:.6g}",
                                      name, e.name, smallest),
                          {{"because", "in some states the energy stored would be negative, without limit"},
                           {"try",
                            "the square of [i, j] is at most [i, i] times "
                            "[j, j], and less where several are large"}});
    }
}

void check_resistor_matrices(const LawContext& context, Diagnostics& diagnostics) {
    const Element& e = context.element();
    if (!is_power(e)) return;
    for (const std::string_view name : {"R", "G"}) {
        const auto m = known_matrix(e, name);
        if (!m) continue;
        const double smallest = smallest_eigenvalue(*m);
        if (smallest >= -kMatrixRounding * m->scaled.cwiseAbs().maxCoeff()) continue;
        diagnostics.warning(
            "BG-M063", m->position,
            fmt::format("'{}' of '{}' delivers power for some {}: the symmetric part of the matrix, scaled to a "
                        "diagonal of 1, has the eigenvalue {:.6g}",
                        name, e.name, name == "R" ? "flows" : "efforts", smallest),
            {{"try",
              "check signs and magnitudes off the diagonal; entries [i, j] and [j, i] of opposite signs "
              "only gyrate"}});
    }
}

}  // namespace bondgraph::elements
