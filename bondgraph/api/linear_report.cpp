#include "bondgraph/api/linear_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

/// Adding zero turns −0 into 0.
double plain(double value) { return value + 0.0; }

struct Mode {
    double frequency_hz = 0.0;
    std::optional<double> damping;  ///< none at the origin, where it has no meaning
};

Mode oscillation(std::complex<double> eigenvalue) {
    const double magnitude = std::abs(eigenvalue);
    Mode mode{magnitude / (2.0 * std::numbers::pi), {}};
    if (magnitude > 0.0) mode.damping = plain(-eigenvalue.real() / magnitude);
    return mode;
}

std::string numbers_text(const char* name, const std::vector<double>& by_rows, const std::vector<std::string>& rows,
                         const std::vector<std::string>& columns) {
    return matrix_text(name, rows, columns, [&](std::size_t r, std::size_t c) {
        return fmt::format("{:.6g}", plain(by_rows[r * columns.size() + c]));
    });
}

}  // namespace

std::string matrix_text(const char* name, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                        const std::function<std::string(std::size_t row, std::size_t column)>& entry) {
    constexpr std::size_t kMostColumns = 100;  // more are a file, not a table
    if (rows.empty() || columns.empty()) return "";
    if (columns.size() > kMostColumns)
        return fmt::format("  {}  {} x {}: too wide to be shown; linearize -o FILE writes it\n", name, rows.size(),
                           columns.size());
    std::vector<Align> alignment(columns.size() + 1, Align::right);
    alignment[0] = Align::left;
    Table table(alignment);
    std::vector<std::string> head{name};
    head.insert(head.end(), columns.begin(), columns.end());
    table.add(head);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<std::string> row{rows[r]};
        for (std::size_t c = 0; c < columns.size(); ++c) row.push_back(entry(r, c));
        table.add(row);
    }
    return table.text();
}

Json matrix_json(const std::vector<double>& by_rows, std::size_t rows, std::size_t columns) {
    Json list = Json::array();
    for (std::size_t r = 0; r < rows; ++r) {
        Json row = Json::array();
        for (std::size_t c = 0; c < columns; ++c) row.push_back(plain(by_rows[r * columns + c]));
        list.push_back(row);
    }
    return list;
}

Json linear_json(const LinearModel& linear) {
    const std::size_t states = linear.states.size();
    const std::size_t inputs = linear.inputs.size();
    const std::size_t outputs = linear.outputs.size();
    Json report;
    report["states"] = linear.states;
    report["inputs"] = linear.inputs;
    report["outputs"] = linear.outputs;
    report["A"] = matrix_json(linear.A, states, states);
    report["B"] = matrix_json(linear.B, states, inputs);
    report["C"] = matrix_json(linear.C, outputs, states);
    report["D"] = matrix_json(linear.D, outputs, inputs);
    report["eigenvalues"] = Json::array();
    for (const std::complex<double>& eigenvalue : linear.eigenvalues) {
        const Mode mode = oscillation(eigenvalue);
        report["eigenvalues"].push_back({{"re", plain(eigenvalue.real())},
                                         {"im", plain(eigenvalue.imag())},
                                         {"frequency_hz", mode.frequency_hz},
                                         {"damping", mode.damping ? Json(*mode.damping) : Json(nullptr)}});
    }
    return report;
}

std::string state_space_text(const LinearModel& linear) {
    return numbers_text("A", linear.A, linear.states, linear.states) +
           numbers_text("B", linear.B, linear.states, linear.inputs) +
           numbers_text("C", linear.C, linear.outputs, linear.states) +
           numbers_text("D", linear.D, linear.outputs, linear.inputs);
}

std::string linear_text(const LinearModel& linear, const std::string& file, const Heading& heading) {
    constexpr std::size_t kMostShown = 100;
    std::string text = heading("State space: dx/dt = A x + B u, y = C x + D u");
    if (linear.states.size() > kMostShown) {
        return text + fmt::format(
                          "  {} states, {} inputs, {} outputs: matrices and eigenvalues are too large to be "
                          "shown; {}\n",
                          linear.states.size(), linear.inputs.size(), linear.outputs.size(),
                          file.empty() ? "-o FILE writes them" : fmt::format("'{}' has them", file));
    }
    text += state_space_text(linear);
    if (linear.eigenvalues.empty()) return text + heading("Eigenvalues: none");
    Table table({Align::right, Align::right, Align::right, Align::right});
    table.add({"re [1/s]", "im [rad/s]", "frequency [Hz]", "damping"});
    for (const std::complex<double>& eigenvalue : linear.eigenvalues) {
        const Mode mode = oscillation(eigenvalue);
        table.add({fmt::format("{:.9g}", plain(eigenvalue.real())), fmt::format("{:.9g}", plain(eigenvalue.imag())),
                   fmt::format("{:.6g}", mode.frequency_hz),
                   mode.damping ? fmt::format("{:.6g}", *mode.damping) : "-"});
    }
    return text + heading("Eigenvalues") + table.text();
}

}  // namespace bondgraph::api
