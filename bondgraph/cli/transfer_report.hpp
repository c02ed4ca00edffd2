#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/analysis/transfer_function.hpp"
#include "bondgraph/api/reports.hpp"
#include "bondgraph/io/plot.hpp"

namespace bondgraph::cli {

/// A transfer function and what it is of.
struct NamedTransfer : api::Transfer {
    analysis::SingleChannel channel;
    analysis::TransferFunction function;
};

/// From every input to every output, by inputs first. `units` are those of the outputs.
std::vector<NamedTransfer> transfer_functions(const analysis::LinearModel& linear,
                                              const std::vector<std::string>& units);

/// A list of: input, output, poles, zeros (re, im, multiplicity), gain, static_gain (null: infinite),
/// high_frequency_gain, numerator, denominator (null beyond kMostDegrees), cancelled, disagreement.
nlohmann::ordered_json transfers_json(const std::vector<NamedTransfer>& transfers);
std::string transfers_text(const std::vector<NamedTransfer>& transfers);

/// "s^2 + 3 s + 2" from coefficients, highest power first.
std::string polynomial_text(const std::vector<double>& coefficients);

/// What draw_plot takes.
struct Drawing {
    std::vector<std::string> names;
    std::vector<double> abscissa;
    std::vector<double> data;
    std::vector<io::Panel> panels;
    io::PlotOptions options;

    [[nodiscard]] io::TimeSeries series() const { return {names, abscissa, data, names.size()}; }
};

/// Magnitude in dB above phase in degrees, over the angular frequency.
Drawing bode_plot(const std::vector<NamedTransfer>& transfers);
/// The answers to a unit step of each input: one panel per input.
Drawing step_plot(const std::vector<NamedTransfer>& transfers);

}  // namespace bondgraph::cli
