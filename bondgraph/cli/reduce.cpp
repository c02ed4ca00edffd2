#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

using api::Reduction;

struct ReduceOptions {
    std::string model;
    std::string keep = "0.98";
    std::optional<std::string> stop;
    std::optional<std::string> interval;
    std::optional<std::string> tolerance;
    std::string file;
    std::string format = "text";
    std::vector<std::string> settings;
    bool all_errors = false;
};

/// "0.98", "98%" or "98 %".
double share_of(const std::string& text) {
    double number = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    std::string_view rest(stop, static_cast<std::size_t>(end - stop));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    const bool hundredths = rest == "%";
    const double share = hundredths ? number / 100.0 : number;
    if (error == std::errc{} && (rest.empty() || hundredths) && share > 0.0 && share <= 1.0) return share;
    throw UsageError(fmt::format(
        "'--keep {}' is no share of the activity: write a number above 0 and at most 1, as in '--keep 0.98', "
        "or a percentage, '--keep 98%'",
        text));
}

std::string percent(double share) { return fmt::format("{:.4g} %", 100.0 * share); }

std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string activities_text(const std::string& name, const Reduction& r) {
    std::string text = heading(fmt::format("Activity of {} from {:.6g} s to {:.6g} s, in joule", name, r.from, r.to));
    Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::left});
    table.add({"element", "type", "activity", "share", "cumulative"});
    for (const api::ElementActivity& e : r.elements) {
        table.add({e.name, e.type, fmt::format("{:.6g}", e.activity), percent(e.share), percent(e.cumulative),
                   e.removed  ? "left out"
                   : e.little ? "stays"
                              : ""});
    }
    return text + table.text();
}

std::string cuts_text(const Reduction& r) {
    std::string text;
    Table gone({Align::left, Align::left});
    for (const api::Cut& c : r.cuts)
        gone.add({joined_names(c.components),
                  fmt::format("sets the {} of '{}' there to 0: it was {:.3g} of the largest (rms)",
                              c.effort ? "effort" : "flow", c.junction, c.ratio)});
    if (!gone.empty()) text += heading("Left out") + gone.text();
    Table stays({Align::left, Align::left});
    for (const api::ElementActivity& e : r.elements) {
        if (e.little && !e.removed) stays.add({e.name, e.remark});
    }
    if (!stays.empty()) text += heading("Stays, though it moves little") + stays.text();
    return text;
}

std::string deviations_text(const Reduction& r) {
    if (r.cuts.empty()) return "Nothing can be left out.\n";
    std::string text =
        heading(fmt::format("The reduced model beside the model, by the range of each output: {} of the "
                            "activity, {} state{}",
                            percent(r.kept), r.states, r.states == 1 ? "" : "s"));
    Table table({Align::left, Align::right, Align::right, Align::right});
    table.add({"output", "range", "largest", "rms"});
    for (const api::OutputDeviation& d : r.outputs) {
        table.add({d.name, fmt::format("{:.6g}{}{}", d.range, d.unit.empty() ? "" : " ", d.unit),
                   percent(d.largest_share()), percent(d.rms_share())});
    }
    text += r.outputs.empty() ? "  no output is left to compare\n" : table.text();
    if (!r.outputs_gone.empty()) text += fmt::format("  no outputs any more: {}\n", joined_names(r.outputs_gone));
    if (!r.states_gone.empty()) text += fmt::format("  no states any more: {}\n", joined_names(r.states_gone));
    return text;
}

std::string reduction_json(const Reduction& r) {
    using Json = nlohmann::ordered_json;
    Json report{{"from", r.from}, {"to", r.to}, {"total", r.total}, {"keep", r.keep}, {"kept", r.kept}};
    report["elements"] = Json::array();
    for (const api::ElementActivity& e : r.elements) {
        report["elements"].push_back({{"name", e.name},
                                      {"type", e.type},
                                      {"activity", e.activity},
                                      {"share", e.share},
                                      {"cumulative", e.cumulative},
                                      {"little", e.little},
                                      {"removed", e.removed},
                                      {"remark", e.remark}});
    }
    report["cuts"] = Json::array();
    for (const api::Cut& c : r.cuts)
        report["cuts"].push_back({{"junction", c.junction},
                                  {"sets_to_zero", c.effort ? "effort" : "flow"},
                                  {"ratio", c.ratio},
                                  {"components", c.components}});
    report["states"] = r.cuts.empty() ? Json(nullptr) : Json(r.states);
    report["states_gone"] = r.states_gone;
    report["outputs"] = Json::array();
    for (const api::OutputDeviation& d : r.outputs)
        report["outputs"].push_back(
            {{"name", d.name}, {"unit", d.unit}, {"range", d.range}, {"largest", d.largest}, {"rms", d.rms}});
    report["outputs_gone"] = r.outputs_gone;
    return api::json_text(report);
}

int reduce(const ReduceOptions& options) {
    const double keep = share_of(options.keep);
    const api::Model model = load_and_warn(options.model, options.settings);
    const auto file = api::output_file(options.file, model.files());
    const Reduction r = value_of(model.reduce({.values = {},
                                               .keep = keep,
                                               .stop = typed(options.stop),
                                               .interval = typed(options.interval),
                                               .tolerance = typed(options.tolerance)}));
    say(all_of(r.warnings));
    const bool to_standard_output = file && file->is_standard_output();
    if (!to_standard_output) {
        put(options.format == "json" ? reduction_json(r)
                                     : activities_text(model.name(), r) + cuts_text(r) + deviations_text(r));
    }
    if (r.failure)
        say(fmt::format("warning: the reduced model's run ended early: {}\n", r.failure->messages.front().text));
    if (!file) return kDone;
    if (r.cuts.empty()) throw UsageError(fmt::format("'{}' is not written: nothing can be left out", options.file));
    file->write(r.text);
    if (!to_standard_output) say(fmt::format("{}\n  written     {}\n", model.name(), options.file));
    return kDone;
}

}  // namespace

void add_reduce(Commands& commands) {
    CLI::App* command =
        commands.application.add_subcommand("reduce", "Which elements move little energy, and the model without them");
    const auto options = std::make_shared<ReduceOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command
        ->add_option("--keep", options->keep,
                     "Share of all activity that what is kept has, as 0.98 or 98% (default: 0.98)")
        ->type_name("SHARE");
    command->add_option("-o,--output", options->file, "Write the reduced model to FILE (- for standard output)")
        ->type_name("FILE");
    command->add_option("--stop", options->stop, "Stop time of the runs")->type_name("TIME");
    command->add_option("--interval", options->interval, "Time between rows that are compared")->type_name("TIME");
    command->add_option("--tolerance", options->tolerance, "Relative tolerance of the runs")->type_name("NUMBER");
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return reduce(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
