#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bondgraph/api/equations_report.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/linear_report.hpp"
#include "bondgraph/api/linearization.hpp"
#include "bondgraph/api/mode_report.hpp"
#include "bondgraph/api/structure.hpp"

namespace bondgraph::api {
namespace {

using expression::PrintStyle;
using Json = nlohmann::ordered_json;

Json matrix_of_texts(const std::vector<analysis::LaurentRatio>& values, const std::vector<std::string>& names,
                     std::size_t rows) {
    const auto texts = entries(values, names, PrintStyle::text);
    Json matrix = Json::array();
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t columns = texts.size() / rows;
        Json row = Json::array();
        for (std::size_t c = 0; c < columns; ++c) row.push_back(texts[r * columns + c]);
        matrix.push_back(std::move(row));
    }
    return matrix;
}

Json state_space_json(const std::optional<StateSpace>& space) {
    if (!space) return nullptr;
    const LinearModel n = linear_values(space->numbers);
    const std::size_t states = n.states.size();
    const std::size_t inputs = n.inputs.size();
    const std::size_t outputs = n.outputs.size();
    Json report{{"states", n.states},
                {"inputs", n.inputs},
                {"outputs", n.outputs},
                {"A", matrix_json(n.A, states, states)},
                {"B", matrix_json(n.B, states, inputs)},
                {"C", matrix_json(n.C, outputs, states)},
                {"D", matrix_json(n.D, outputs, inputs)},
                {"symbolic", nullptr}};
    if (!space->symbols) return report;
    const auto matrix = [&](const std::vector<analysis::LaurentRatio>& values, std::size_t rows) {
        return matrix_of_texts(values, space->names, rows);
    };
    report["symbolic"] = {{"A", matrix(space->symbols->A, n.states.size())},
                          {"B", matrix(space->symbols->B, n.states.size())},
                          {"C", matrix(space->symbols->C, n.outputs.size())},
                          {"D", matrix(space->symbols->D, n.outputs.size())}};
    return report;
}

}  // namespace

std::string equations_json(const EquationsReport& r) {
    const compile::SortedSystem& system = *r.system;
    const auto name = [&](model::VariableId id) { return variable_text(system, id, PrintStyle::text); };
    const auto text = [&](expression::Expr e) { return equation_text(system, e, PrintStyle::text, r.parameters); };
    const auto element = [&](model::ElementId id) {
        return id.valid() ? system.graph().elements[id.index()].name : std::string();
    };
    const auto latex = [&](expression::Expr e) { return equation_text(system, e, PrintStyle::latex, r.parameters); };
    const auto latex_name_of = [&](model::VariableId id) { return variable_text(system, id, PrintStyle::latex); };
    Json report{{"abbreviations", Json::array()},
                {"assignments", Json::array()},
                {"states", Json::array()},
                {"implicit", Json::array()}};
    const auto typeset = [&](const char* section, std::string equation) {
        if (r.typeset) report[section].back()["latex"] = std::move(equation);
    };
    for (std::size_t k = 0; k < r.abbreviations.size(); ++k) {
        report["abbreviations"].push_back(
            {{"name", fmt::format("s{}", k + 1)}, {"expression", text(r.abbreviations[k])}});
        typeset("abbreviations", fmt::format("s_{{{}}} = ", k + 1) + latex(r.abbreviations[k]));
    }
    for (const ReadableEquation& e : r.readable.assignments) {
        report["assignments"].push_back(
            {{"variable", name(e.variable)}, {"expression", text(e.value)}, {"element", element(e.element)}});
        typeset("assignments", latex_name_of(e.variable) + " = " + latex(e.value));
    }
    for (const ReadableEquation& e : r.readable.states) {
        report["states"].push_back(
            {{"state", name(e.variable)}, {"derivative", text(e.value)}, {"element", element(e.element)}});
        typeset("states", derivative_text(system, e.variable, PrintStyle::latex) + " = " + latex(e.value));
    }
    for (const ReadableEquation& e : r.readable.implicit) {
        const std::string unknown = e.rate ? derivative_text(system, e.variable, PrintStyle::text) : name(e.variable);
        report["implicit"].push_back(
            {{"variable", unknown}, {"residual", text(e.value)}, {"element", element(e.element)}});
        typeset("implicit", "0 = " + latex(e.value));
    }
    report["discrete"] = Json::array();
    for (const ReadableEquation& e : r.readable.updates) {
        report["discrete"].push_back(
            {{"variable", name(e.variable)}, {"expression", text(e.value)}, {"element", element(e.element)}});
        typeset("discrete", latex_name_of(e.variable) + " := " + latex(e.value));
    }
    report["when"] = Json::array();
    for (const ReadableWhen& w : r.readable.whens) {
        Json when{{"if", text(w.condition)}, {"reinit", Json::object()}, {"set", Json::object()}};
        for (const ReadableWhen::Action& a : w.reinit) when["reinit"][a.target] = text(a.value);
        for (const ReadableWhen::Action& a : w.set) when["set"][a.target] = text(a.value);
        report["when"].push_back(std::move(when));
    }
    report["modes"] = mode_json(mode_of(*system.causal));
    report["parameters"] = Json::object();
    for (const analysis::Symbol& s : r.parameters) report["parameters"][s.name] = s.value;
    report["state_space"] = state_space_json(r.state_space);
    return json_text(report);
}

}  // namespace bondgraph::api
