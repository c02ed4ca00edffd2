#include "bondgraph/cli/transfer_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bondgraph/analysis/responses.hpp"
#include "bondgraph/api/linearization.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

using Json = nlohmann::ordered_json;

Json roots_json(const std::vector<api::Root>& roots) {
    Json list = Json::array();
    for (const api::Root& r : roots)
        list.push_back({{"re", r.value.real()}, {"im", r.value.imag()}, {"multiplicity", r.multiplicity}});
    return list;
}

/// "-1 (twice), -0.5 ± 2j"
std::string roots_text(const std::vector<api::Root>& roots) {
    std::string text;
    for (const api::Root& r : roots) {
        if (r.value.imag() < 0.0) continue;  // told with its conjugate
        if (!text.empty()) text += ", ";
        const double re = r.value.real();
        if (r.value.imag() == 0.0)
            text += fmt::format("{:.6g}", re);
        else if (re == 0.0)
            text += fmt::format("± {:.6g}j", r.value.imag());
        else
            text += fmt::format("{:.6g} ± {:.6g}j", re, r.value.imag());
        if (r.multiplicity == 2) text += " (twice)";
        if (r.multiplicity > 2) text += fmt::format(" ({} times)", r.multiplicity);
    }
    return text.empty() ? "none" : text;
}

std::string power_text(std::size_t power) {
    if (power == 0) return "";
    return power == 1 ? "s" : fmt::format("s^{}", power);
}

}  // namespace

std::vector<NamedTransfer> transfer_functions(const analysis::LinearModel& linear,
                                              const std::vector<std::string>& units) {
    std::vector<NamedTransfer> result;
    for (std::size_t i = 0; i < linear.inputs.size(); ++i) {
        for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
            analysis::SingleChannel channel = analysis::channel(linear, i, o);
            analysis::TransferFunction function = analysis::transfer_function(channel, &linear.eigenvalues);
            api::Transfer named = api::transfer_of(linear.inputs[i], linear.outputs[o], units[o], function);
            result.push_back({std::move(named), std::move(channel), std::move(function)});
        }
    }
    return result;
}

Json transfers_json(const std::vector<NamedTransfer>& transfers) {
    Json list = Json::array();
    for (const NamedTransfer& t : transfers) {
        const bool ratio = !t.denominator.empty();
        list.push_back({{"input", t.input},
                        {"output", t.output},
                        {"poles", roots_json(t.poles)},
                        {"zeros", roots_json(t.zeros)},
                        {"gain", t.gain},
                        {"static_gain", t.static_gain ? Json(*t.static_gain) : Json(nullptr)},
                        {"high_frequency_gain", t.high_frequency_gain},
                        {"numerator", ratio ? Json(t.numerator) : Json(nullptr)},
                        {"denominator", ratio ? Json(t.denominator) : Json(nullptr)},
                        {"cancelled", roots_json(t.cancelled)},
                        {"disagreement", t.disagreement}});
    }
    return list;
}

std::string polynomial_text(const std::vector<double>& coefficients) {
    std::string text;
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
        const double c = coefficients[k];
        if (c == 0.0) continue;
        const std::string power = power_text(coefficients.size() - 1 - k);
        const std::string number = fmt::format("{:.6g}", std::abs(c));
        if (text.empty())
            text += c < 0.0 ? "-" : "";
        else
            text += c < 0.0 ? " - " : " + ";
        if (power.empty())
            text += number;
        else
            text += number == "1" ? power : number + " " + power;
    }
    return text.empty() ? "0" : text;
}

std::string transfers_text(const std::vector<NamedTransfer>& transfers) {
    std::string text;
    for (const NamedTransfer& t : transfers) {
        text += heading(fmt::format("Transfer function {} / {}", t.output, t.input));
        if (t.gain == 0.0) {
            text += fmt::format("  0: {} does not act on {}\n", t.input, t.output);
            continue;
        }
        Table table({Align::left, Align::left});
        if (!t.denominator.empty()) {
            table.add({"numerator", polynomial_text(t.numerator)});
            table.add({"denominator", polynomial_text(t.denominator)});
        }
        table.add({"poles [1/s]", roots_text(t.poles)});
        table.add({"zeros [1/s]", roots_text(t.zeros)});
        table.add({"gain factor", fmt::format("{:.6g}", t.gain)});
        table.add({"static gain", t.static_gain ? fmt::format("{:.6g}", *t.static_gain) : "infinite (it integrates)"});
        table.add({"high-frequency gain", fmt::format("{:.6g}", t.high_frequency_gain)});
        if (!t.cancelled.empty()) table.add({"cancelled", roots_text(t.cancelled)});
        if (!(t.disagreement <= analysis::kTrusted))
            table.add({"CAUTION", fmt::format("differs by {:.2g} from the matrices: ill-conditioned", t.disagreement)});
        text += table.text();
    }
    return text;
}

namespace {

std::vector<analysis::TransferFunction> functions_of(const std::vector<NamedTransfer>& transfers) {
    std::vector<analysis::TransferFunction> functions;
    for (const NamedTransfer& t : transfers) functions.push_back(t.function);
    return functions;
}

}  // namespace

Drawing bode_plot(const std::vector<NamedTransfer>& transfers) {
    Drawing drawing{.options = {.time_label = "angular frequency [rad/s]", .logarithmic = true}};
    drawing.abscissa = analysis::bode_frequencies(functions_of(transfers));
    io::Panel magnitude{"Magnitude", {}};
    io::Panel phase{"Phase", {}};
    for (const NamedTransfer& t : transfers) {
        const std::string label = fmt::format("{} / {}", t.output, t.input);
        magnitude.curves.push_back({drawing.names.size(), label, "dB"});
        drawing.names.push_back(label + " [dB]");
        phase.curves.push_back({drawing.names.size(), label, "deg"});
        drawing.names.push_back(label + " [deg]");
    }
    double least = 0.0;
    double greatest = 0.0;
    for (const double w : drawing.abscissa) {
        for (const NamedTransfer& t : transfers) {
            const analysis::BodePoint point = analysis::bode_point(t.function, w);
            drawing.data.push_back(point.magnitude_db);
            drawing.data.push_back(t.function.gain == 0.0 ? std::nan("") : point.phase_deg);
            least = std::min(least, point.phase_deg);
            greatest = std::max(greatest, point.phase_deg);
        }
    }
    phase.tick = greatest - least > 225.0 ? 90.0 : 45.0;
    drawing.panels = {std::move(magnitude), std::move(phase)};
    return drawing;
}

Drawing step_plot(const std::vector<NamedTransfer>& transfers) {
    constexpr std::size_t kPoints = 1001;
    Drawing drawing;
    const double duration = analysis::step_duration(functions_of(transfers));
    for (std::size_t k = 0; k < kPoints; ++k)
        drawing.abscissa.push_back(duration * static_cast<double>(k) / static_cast<double>(kPoints - 1));
    std::vector<std::vector<double>> columns;
    for (const NamedTransfer& t : transfers) {
        const std::string title = fmt::format("Answer to a unit step of {}", t.input);
        if (drawing.panels.empty() || drawing.panels.back().title != title) drawing.panels.push_back({title, {}});
        drawing.panels.back().curves.push_back({columns.size(), t.output, t.output_unit});
        drawing.names.push_back(t.output);
        columns.push_back(analysis::step_response(t.channel, duration, kPoints));
    }
    for (std::size_t k = 0; k < kPoints; ++k) {
        for (const std::vector<double>& column : columns) drawing.data.push_back(column[k]);
    }
    return drawing;
}

}  // namespace bondgraph::cli
