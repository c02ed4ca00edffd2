#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/json_text.hpp"
#include "bondgraph/cli/linear_report.hpp"
#include "bondgraph/cli/readable_equations.hpp"
#include "bondgraph/cli/structure_report.hpp"

namespace bondgraph::cli {
namespace {

using expression::PrintStyle;

constexpr std::size_t kMostStates = 20;

struct Options {
    std::string model;
    std::string format = "text";
    bool expand = false;
    std::vector<std::string> settings;
};

/// A and B where the model is linear, has states, and few enough to read. A model that has no consistent start or no
/// proper state space has none to show either; the commands that need it say why.
std::optional<analysis::LinearModel> state_space(const Session& session) {
    const std::size_t states = session.system->states.size();
    if (!session.compiled->linear || states == 0 || states > kMostStates) return std::nullopt;
    try {
        const compile::CompiledModel model = perturbed(session);
        return analysis::linearize(model, simulation::initialize(model, session.graph->start_time));
    } catch (const ModelError&) {
        return std::nullopt;
    }
}

std::string element_name(const Session& session, model::ElementId id) {
    return id.valid() ? session.graph->elements[id.index()].name : "";
}

std::string equations_json(const Session& session, const ReadableSystem& readable,
                           const std::optional<analysis::LinearModel>& linear) {
    using Json = nlohmann::ordered_json;
    const auto name = [&](model::VariableId id) { return variable_text(*session.system, id, PrintStyle::text); };
    const auto text = [&](expression::Expr e) { return equation_text(*session.system, e, PrintStyle::text); };
    Json report{{"assignments", Json::array()}, {"states", Json::array()}, {"implicit", Json::array()}};
    for (const ReadableEquation& e : readable.assignments) {
        report["assignments"].push_back({{"variable", name(e.variable)},
                                         {"expression", text(e.value)},
                                         {"element", element_name(session, e.element)}});
    }
    for (const ReadableEquation& e : readable.states) {
        report["states"].push_back({{"state", name(e.variable)}, {"derivative", text(e.value)}});
    }
    for (const ReadableEquation& e : readable.implicit) {
        const std::string unknown =
            e.rate ? derivative_text(*session.system, e.variable, PrintStyle::text) : name(e.variable);
        report["implicit"].push_back({{"variable", unknown}, {"residual", text(e.value)}});
    }
    report["discrete"] = Json::array();
    for (const ReadableEquation& e : readable.updates) {
        report["discrete"].push_back({{"variable", name(e.variable)},
                                      {"expression", text(e.value)},
                                      {"element", element_name(session, e.element)}});
    }
    report["when"] = Json::array();
    for (const ReadableWhen& w : readable.whens) {
        Json when{{"if", text(w.condition)}, {"reinit", Json::object()}, {"set", Json::object()}};
        for (const ReadableWhen::Action& a : w.reinit) when["reinit"][a.target] = text(a.value);
        for (const ReadableWhen::Action& a : w.set) when["set"][a.target] = text(a.value);
        report["when"].push_back(std::move(when));
    }
    report["modes"] = mode_json(*session.causal);
    report["state_space"] = nullptr;
    if (linear) {
        report["state_space"] = {{"states", linear->states},
                                 {"inputs", linear->inputs},
                                 {"A", matrix_json(linear->A)},
                                 {"B", matrix_json(linear->B)}};
    }
    return json_text(report);
}

std::string whens_text(const compile::SortedSystem& system, const std::vector<ReadableWhen>& whens) {
    std::string text;
    for (const ReadableWhen& w : whens) {
        text += fmt::format("  when {}\n", equation_text(system, w.condition, PrintStyle::text));
        Table actions({Align::left, Align::left, Align::left});
        const auto add = [&](const char* what, const std::vector<ReadableWhen::Action>& list) {
            for (const ReadableWhen::Action& a : list)
                actions.add(
                    {fmt::format("  {} {}", what, a.target), "=", equation_text(system, a.value, PrintStyle::text)});
        };
        add("reinit", w.reinit);
        add("set", w.set);
        text += actions.text();
    }
    return text;
}

std::string equations_text(const Session& session, const ReadableSystem& readable,
                           const std::optional<analysis::LinearModel>& linear) {
    const compile::SortedSystem& system = *session.system;
    constexpr PrintStyle kText = PrintStyle::text;
    std::string text;
    if (const std::string mode = mode_text(*session.causal); !mode.empty())
        text += fmt::format("Structure with {}\n", mode);
    const auto section = [&](const char* title, const Table& table) {
        if (!table.empty()) text += heading(title) + table.text();
    };
    Table sorted({Align::right, Align::left, Align::left});
    for (const ReadableEquation& e : readable.assignments) {
        sorted.add({variable_text(system, e.variable, kText), "=", equation_text(system, e.value, kText)});
    }
    section("Sorted equations", sorted);
    Table states({Align::right, Align::left, Align::left});
    for (const ReadableEquation& e : readable.states) {
        states.add({derivative_text(system, e.variable, kText), "=", equation_text(system, e.value, kText)});
    }
    section("State equations", states);
    Table implicit({Align::right, Align::left, Align::left, Align::left});
    for (const ReadableEquation& e : readable.implicit) {
        const std::string unknown =
            e.rate ? derivative_text(system, e.variable, kText) : variable_text(system, e.variable, kText);
        implicit.add({"0", "=", equation_text(system, e.value, kText), fmt::format("for {}", unknown)});
    }
    section("Implicit equations (solved together)", implicit);
    Table updates({Align::right, Align::left, Align::left});
    for (const ReadableEquation& e : readable.updates) {
        updates.add({variable_text(system, e.variable, kText), "=", equation_text(system, e.value, kText)});
    }
    section("Discrete variables (at events)", updates);
    if (!readable.whens.empty()) text += heading("As a condition becomes true") + whens_text(system, readable.whens);
    if (linear) text += heading("State space (linear model): dx/dt = A x + B u") + state_space_text(*linear);
    return text;
}

std::string aligned(const std::vector<std::string>& lines) {
    std::string text = "\\begin{align*}\n";
    for (std::size_t k = 0; k < lines.size(); ++k) text += "  " + lines[k] + (k + 1 < lines.size() ? " \\\\\n" : "\n");
    return text + "\\end{align*}\n";
}

std::string latex_number(double value) {
    const double number = value + 0.0;  // −0 becomes 0
    return expression::to_text(expression::Expr(number), {}, PrintStyle::latex);
}

std::string latex_matrix(const Eigen::MatrixXd& matrix) {
    std::string text = "\\begin{bmatrix}";
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
        text += r == 0 ? " " : " \\\\ ";
        for (Eigen::Index c = 0; c < matrix.cols(); ++c) text += (c == 0 ? "" : " & ") + latex_number(matrix(r, c));
    }
    return text + " \\end{bmatrix}";
}

std::string latex_vector(const std::vector<std::string>& names) {
    std::string text = "\\begin{bmatrix}";
    for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? " " : " \\\\ ") + expression::latex_name(names[k]);
    return text + " \\end{bmatrix}";
}

std::string equations_latex(const Session& session, const ReadableSystem& readable,
                            const std::optional<analysis::LinearModel>& linear) {
    const compile::SortedSystem& system = *session.system;
    constexpr PrintStyle kLatex = PrintStyle::latex;
    std::vector<std::string> sorted;
    std::vector<std::string> states;
    std::vector<std::string> implicit;
    for (const ReadableEquation& e : readable.assignments) {
        sorted.push_back(
            fmt::format("{} &= {}", variable_text(system, e.variable, kLatex), equation_text(system, e.value, kLatex)));
    }
    for (const ReadableEquation& e : readable.states) {
        states.push_back(fmt::format("{} &= {}", derivative_text(system, e.variable, kLatex),
                                     equation_text(system, e.value, kLatex)));
    }
    for (const ReadableEquation& e : readable.implicit) {
        implicit.push_back(fmt::format(
            "0 &= {} && \\text{{for }} {}", equation_text(system, e.value, kLatex),
            e.rate ? derivative_text(system, e.variable, kLatex) : variable_text(system, e.variable, kLatex)));
    }
    std::vector<std::string> updates;
    for (const ReadableEquation& e : readable.updates) {
        updates.push_back(
            fmt::format("{} &= {}", variable_text(system, e.variable, kLatex), equation_text(system, e.value, kLatex)));
    }
    std::vector<std::string> whens;
    for (const ReadableWhen& w : readable.whens) {
        const auto add = [&](const std::vector<ReadableWhen::Action>& list) {
            for (const ReadableWhen::Action& a : list) {
                whens.push_back(fmt::format("{} &:= {} && \\text{{as }} {}", expression::latex_name(a.target),
                                            equation_text(system, a.value, kLatex),
                                            equation_text(system, w.condition, kLatex)));
            }
        };
        add(w.reinit);
        add(w.set);
    }
    std::string text;
    if (const std::string mode = mode_text(*session.causal); !mode.empty())
        text += fmt::format("% Structure with {}\n", mode);
    if (!sorted.empty()) text += "% Sorted equations\n" + aligned(sorted);
    if (!states.empty()) text += "% State equations\n" + aligned(states);
    if (!implicit.empty()) text += "% Implicit equations, solved together\n" + aligned(implicit);
    if (!updates.empty()) text += "% Discrete variables, at events\n" + aligned(updates);
    if (!whens.empty()) text += "% As a condition becomes true\n" + aligned(whens);
    if (linear) {
        std::string line = fmt::format("\\frac{{\\mathrm{{d}}}}{{\\mathrm{{d}}t}} {0} &= {1} {0}",
                                       latex_vector(linear->states), latex_matrix(linear->A));
        if (!linear->inputs.empty()) {
            line += fmt::format(" + {} {}", latex_matrix(linear->B), latex_vector(linear->inputs));
        }
        text += "% State space\n" + aligned({line});
    }
    return text;
}

int equations(Session& session, const Options& options) {
    prepare(session, options.settings, Stage::compiled);
    ReadableSystem readable = without_aliases(*session.system);
    if (!options.expand) readable = collapsed(std::move(readable), *session.compiled);
    const auto linear = state_space(session);
    if (options.format == "json") {
        put(equations_json(session, readable, linear));
    } else if (options.format == "latex") {
        put(equations_latex(session, readable, linear));
    } else {
        put(equations_text(session, readable, linear));
    }
    return kDone;
}

}  // namespace

void add_equations(Commands& commands) {
    CLI::App* command =
        commands.application.add_subcommand("equations", "Show the sorted equations and the state-space form");
    const auto options = std::make_shared<Options>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command->add_option("--format", options->format, "text, latex or json")
        ->check(CLI::IsMember({"text", "latex", "json"}));
    command->add_flag("--expand", options->expand, "Show the equations inside joints, bodies and other wrapped parts");
    add_set_option(*command, options->settings);
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return equations(session, *options); });
    };
}

}  // namespace bondgraph::cli
