#include "bondgraph/analysis/linearize.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/linear_report.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/mason_report.hpp"
#include "bondgraph/cli/result_file.hpp"
#include "bondgraph/cli/structure_report.hpp"
#include "bondgraph/cli/transfer_report.hpp"

namespace bondgraph::cli {
namespace {

struct LinearizeOptions {
    std::string model;
    std::optional<std::string> at;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::string file;
    bool transfer = false;
    bool mason = false;
    std::string bode;
    std::string step;
    std::vector<std::string> settings;

    [[nodiscard]] bool wants_plots() const { return !bode.empty() || !step.empty(); }
    [[nodiscard]] bool wants_channels() const { return transfer || mason || wants_plots(); }
};

/// A row or column twice says nothing more, and its transfer functions can't be told apart.
void refuse_repeated(const std::vector<std::string>& names, const char* option) {
    std::set<std::string> seen;
    for (const std::string& name : names) {
        if (!seen.insert(name).second) throw UsageError(fmt::format("{}: '{}' is named twice", option, name));
    }
}

/// The names of the signals to see: those typed, else the model's outputs; multibonds by component.
std::vector<std::string> output_names(const Session& session, const std::vector<std::string>& typed) {
    std::vector<std::string> names;
    if (typed.empty()) {
        for (const simulation::Signal& signal : find_signals(session, session.model.outputs)) {
            if (!signal.impulse) names.push_back(signal.name);  // jumps are no part of a linear model
        }
        return names;
    }
    for (const std::string& name : typed) {
        try {
            for (const simulation::Signal& signal : find_signals(session, {{name, {}, false}}))
                names.push_back(signal.name);
        } catch (const ModelError& e) {
            throw UsageError(fmt::format("--outputs: {}", e.diagnostics().front().message));
        }
    }
    return names;
}

/// The times of --at, in the order given; the start where there is none.
std::vector<double> times_of(Session& session, const std::optional<std::string>& at) {
    const double start = start_time(session);
    if (!at) return {start};
    std::vector<double> times;
    for (std::size_t begin = 0; begin <= at->size();) {
        const std::size_t end = std::min(at->find(',', begin), at->size());
        const std::string text = CLI::detail::trim_copy(at->substr(begin, end - begin));
        if (text.empty()) throw UsageError("--at takes times separated by commas, as in --at 1ms,2ms");
        times.push_back(option_time(session, text, "--at"));
        if (!(times.back() >= start))
            throw UsageError(fmt::format("--at: {:.6g} s is before the start at {:.6g} s", times.back(), start));
        begin = end + 1;
    }
    return times;
}

simulation::Point point_at(Session& session, double time) {
    simulation::Settings settings = experiment_settings(session, {.rows = false});
    if (time == settings.start) return simulation::start_point(*session.compiled, settings);
    settings.stop = time;
    return simulation::simulate_to(*session.compiled, settings);
}

/// What transfer functions lead to: the outputs, or the states of a model that names none.
std::vector<std::string> transfer_outputs(const Session& session, const LinearizeOptions& options) {
    std::vector<std::string> names = output_names(session, options.outputs);
    if (names.empty() && options.wants_channels()) names = state_names(*session.system);
    return names;
}

std::vector<std::string> units_of(const Session& session, const std::vector<std::string>& outputs) {
    std::vector<std::string> units;
    for (const std::string& name : outputs) units.push_back(find_signals(session, {{name, {}, false}}).front().unit);
    return units;
}

/// An extension that is no drawing's is refused before anything is computed.
std::unique_ptr<OutputFile> drawing_file(const std::string& name, const Session& session) {
    plot_format_of(name);
    return output_file(name, files_read(session));
}

/// False when the drawing could not be made, which has been said then.
bool draw(OutputFile* file, Drawing drawing) {
    if (file == nullptr) return true;
    drawing.options.format = plot_format_of(file->name());
    return draw_into(*file, drawing.series(), drawing.panels, drawing.options);
}

/// Where nothing acts there is no curve.
void check_curves(const std::vector<NamedTransfer>& transfers) {
    const auto dead = [](const NamedTransfer& t) { return t.function.gain == 0.0; };
    if (std::all_of(transfers.begin(), transfers.end(), dead))
        throw UsageError("no input acts on any of the outputs: there is nothing to draw");
    for (const NamedTransfer& t : transfers) {
        if (dead(t)) say(fmt::format("note: {} does not act on {}, which has no curve for it\n", t.input, t.output));
    }
}

/// The same in both forms, each only where it is written: matrices of thousands of states take their time as text.
struct Reports {
    bool to_file = false;
    bool to_reader = false;
    nlohmann::ordered_json json = {};
    std::string text = {};
};

Reports base_reports(const analysis::LinearModel& linear, const OutputFile* file) {
    Reports reports{.to_file = file != nullptr, .to_reader = file == nullptr || !file->is_standard_output()};
    if (reports.to_file) reports.json = api::linear_json(linear);
    if (reports.to_reader) reports.text = api::linear_text(linear, file == nullptr ? "" : file->name(), heading);
    return reports;
}

void add_transfers(Reports& reports, const std::vector<NamedTransfer>& transfers) {
    if (reports.to_file) reports.json["transfer_functions"] = transfers_json(transfers);
    if (reports.to_reader) reports.text += transfers_text(transfers);
}

/// The same model seen by its linear outputs only: a power has no gain. Of the others it is said that they are left
/// out. Throws NoGains where none remains.
analysis::LinearModel with_gains(const Session& session, const causality::CausalGraph& causal,
                                 analysis::LinearModel linear) {
    try {
        api::flow_of(session, causal, linear.outputs, analysis::Dynamics::transfer);
        return linear;
    } catch (const analysis::NoGains&) {  // which of them, if not all, is seen one by one
    }
    std::vector<Eigen::Index> rows;
    std::vector<std::string> names;
    std::vector<analysis::NoGains> without;
    for (std::size_t o = 0; o < linear.outputs.size(); ++o) {
        try {
            api::flow_of(session, causal, {linear.outputs[o]}, analysis::Dynamics::transfer);
            rows.push_back(static_cast<Eigen::Index>(o));
            names.push_back(linear.outputs[o]);
        } catch (const analysis::NoGains& why) {
            without.push_back(why);
        }
    }
    if (names.empty()) throw analysis::NoGains(without.front());
    for (const analysis::NoGains& why : without) say(fmt::format("warning: --mason leaves one out: {}\n", why.what()));
    linear.C = Eigen::MatrixXd(linear.C(rows, Eigen::all));
    linear.D = Eigen::MatrixXd(linear.D(rows, Eigen::all));
    linear.outputs = std::move(names);
    return linear;
}

void add_mason(Reports& reports, const Session& session, const causality::CausalGraph& causal,
               const analysis::LinearModel& linear) {
    try {
        const analysis::LinearModel shown = with_gains(session, causal, linear);
        const analysis::SignalFlow flow = api::flow_of(session, causal, shown.outputs, analysis::Dynamics::transfer);
        const auto rules = mason_reports(flow, shown);
        reports.json["mason"] = mason_json(flow, rules);
        reports.text += mason_text(flow, rules);
    } catch (const analysis::NoGains& why) {
        throw UsageError(fmt::format("--mason: {}; --tf gives the transfer function around a point", why.what()));
    }
}

/// What was found at one time.
struct PointReport {
    double time = 0.0;
    Reports reports;
    std::vector<NamedTransfer> transfers;
};

void say_left_out(const analysis::LinearModel& linear, const LinearizeOptions& options, bool has_outputs) {
    for (const std::string& input : linear.left_out)
        say(fmt::format(
            "warning: '{}' is no input here: the model depends on its derivative, as a storage follows this "
            "source rigidly\n",
            input));
    if (!options.wants_channels()) return;
    if (linear.inputs.empty() && !linear.left_out.empty())
        throw UsageError("a transfer function begins at a source, and the model depends on the derivatives of all");
    if (linear.inputs.empty()) throw UsageError("a transfer function begins at a source, and the model has none");
    if (!has_outputs) throw UsageError("a transfer function ends at a result: name one with --outputs");
}

/// Nothing where the run fails, which has been said then.
std::optional<PointReport> report_at(Session& session, const LinearizeOptions& options,
                                     const std::vector<std::string>& outputs, double time, const OutputFile* file) {
    simulation::Point point;
    try {
        point = point_at(session, time);
    } catch (const ModelError&) {
        throw;
    } catch (const UsageError&) {
        throw;
    } catch (const std::runtime_error& e) {
        say(fmt::format("error: the simulation up to the point of linearization failed: {}\n", e.what()));
        return std::nullopt;
    }
    analysis::LinearModel linear;
    try {
        linear = analysis::linearize(point, options.inputs, outputs);
    } catch (const std::invalid_argument& e) {
        throw UsageError(e.what());
    }
    say_left_out(linear, options, !outputs.empty());
    PointReport at{.time = time};
    if (options.transfer || options.wants_plots())
        at.transfers = transfer_functions(linear, units_of(session, outputs));
    if (options.wants_plots()) check_curves(at.transfers);
    at.reports = base_reports(linear, file);
    if (options.transfer) add_transfers(at.reports, at.transfers);
    if (options.mason) add_mason(at.reports, session, *point.model->causal, linear);
    return at;
}

/// Of one time its report alone, of several a list of them.
Reports joined(std::vector<PointReport>& points) {
    if (points.size() == 1) return std::move(points.front().reports);
    Reports all{.to_file = points.front().reports.to_file, .to_reader = points.front().reports.to_reader};
    for (PointReport& p : points) {
        if (all.to_reader) all.text += heading(fmt::format("At t = {:.6g} s", p.time)) + p.reports.text;
        if (!all.to_file) continue;
        nlohmann::ordered_json point{{"time", p.time}};
        point.update(p.reports.json);
        all.json["points"].push_back(std::move(point));
    }
    return all;
}

/// The transfer functions of all times, those from one input beside each other, told apart by their time.
std::vector<NamedTransfer> joined_transfers(std::vector<PointReport>& points) {
    std::vector<NamedTransfer> all;
    const std::size_t count = points.front().transfers.size();
    for (std::size_t k = 0; k < count; ++k) {
        for (PointReport& p : points) {
            if (k >= p.transfers.size()) continue;  // an input that is left out at this time
            NamedTransfer& t = p.transfers[k];
            if (points.size() > 1) t.output += fmt::format(" at {:.6g} s", p.time);
            all.push_back(std::move(t));
        }
    }
    return all;
}

int linearize(Session& session, const LinearizeOptions& options) {
    refuse_shared_output({{"-o", options.file}, {"--bode", options.bode}, {"--step", options.step}});
    refuse_repeated(options.inputs, "--inputs");
    prepare(session, options.settings, Stage::compiled, true);
    const auto outputs = transfer_outputs(session, options);
    if (!options.outputs.empty()) refuse_repeated(outputs, "--outputs");
    const auto file = output_file(options.file, files_read(session));
    const auto bode = drawing_file(options.bode, session);
    const auto step = drawing_file(options.step, session);
    std::vector<PointReport> points;
    for (const double time : times_of(session, options.at)) {
        auto point = report_at(session, options, outputs, time, file.get());
        if (!point) return kFailed;
        points.push_back(*std::move(point));
    }
    const std::vector<NamedTransfer> transfers = joined_transfers(points);
    const Reports reports = joined(points);
    if (file) file->write(api::json_text(reports.json));
    const bool drawn_there = options.bode == "-" || options.step == "-";
    if (reports.to_reader && !drawn_there) put(reports.text);
    const bool drawn =
        (!bode || draw(bode.get(), bode_plot(transfers))) && (!step || draw(step.get(), step_plot(transfers)));
    return drawn ? kDone : kWrongUsage;
}

}  // namespace

void add_linearize(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("linearize", "Matrices and eigenvalues around a point");
    const auto options = std::make_shared<LinearizeOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command
        ->add_option("--at", options->at,
                     "Simulate up to this time first, or to several, separated by commas (default: the start)")
        ->type_name("TIME");
    add_names_option(
        *command, "--inputs", options->inputs,
        "Sources and signal blocks, separated by commas (default: all sources whose derivative isn't needed)")
        ->allow_extra_args(false);
    add_names_option(*command, "--outputs", options->outputs,
                     "Results, separated by commas (default: the model's outputs)")
        ->allow_extra_args(false);
    command->add_flag("--tf", options->transfer, "Transfer functions from every input to every output");
    command->add_flag("--mason", options->mason, "Explain them by Mason's rule, in the model's parameters");
    command->add_option("--bode", options->bode, "Draw their frequency responses as SVG or PNG")->type_name("FILE");
    command->add_option("--step", options->step, "Draw the answers to unit steps as SVG or PNG")->type_name("FILE");
    command->add_option("-o,--output", options->file, "Write JSON to FILE (- for standard output)")->type_name("FILE");
    add_set_option(*command, options->settings);
    commands.actions[command] = [options](const Environment& environment) {
        options->inputs = whole_names(options->inputs);
        options->outputs = whole_names(options->outputs);
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return linearize(session, *options); });
    };
}

}  // namespace bondgraph::cli
