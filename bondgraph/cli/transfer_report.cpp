#include "bondgraph/cli/transfer_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

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

Json transfers_json(const std::vector<api::Transfer>& transfers) {
    Json list = Json::array();
    for (const api::Transfer& t : transfers) {
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

std::string transfers_text(const std::vector<api::Transfer>& transfers) {
    std::string text;
    for (const api::Transfer& t : transfers) {
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
        if (!(t.disagreement <= api::kTrustedDisagreement))
            table.add({"CAUTION", fmt::format("differs by {:.2g} from the matrices: ill-conditioned", t.disagreement)});
        text += table.text();
    }
    return text;
}

}  // namespace bondgraph::cli
