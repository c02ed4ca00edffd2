#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "bondgraph/api/animation.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/audit.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/interruption.hpp"
#include "bondgraph/cli/plots.hpp"
#include "bondgraph/cli/result_file.hpp"
#include "bondgraph/cli/run_report.hpp"

namespace bondgraph::cli {
namespace {

struct RunOptions {
    std::string model;
    std::string output;
    std::string plot;
    std::string animation;
    api::ExperimentOptions experiment;
    std::vector<std::string> settings;
    AuditOptions audit;
    bool quiet = false;
};

std::string output_name(const RunOptions& options) {
    if (!options.output.empty()) return options.output;
    return std::filesystem::path(options.model).stem().string() + ".csv";
}

/// A line on the terminal that says how far the run is, rewritten a few times a second.
simulation::Progress progress_line(const simulation::Settings& settings, std::string_view label = "") {
    using Clock = std::chrono::steady_clock;
    return [=, next = Clock::now() + std::chrono::milliseconds(300)](double time) mutable {
        const auto now = Clock::now();
        if (now < next) return true;
        next = now + std::chrono::milliseconds(100);
        const double share = (time - settings.start) / (settings.stop - settings.start);
        say(fmt::format("\r{}{:3.0f} %  t = {:<14.6g}", label, std::floor(100.0 * share), time));
        return true;
    };
}

void clear_progress_line() { say(fmt::format("\r{:50}\r", "")); }

/// Looks closer where the run gives reason to; empty where there is nothing to say.
std::string doubts(const Session& session, const simulation::Settings& settings, const simulation::Run& done,
                   bool progress) {
    const auto doubt = simulation::look_again(*session.compiled, settings, done,
                                              progress ? progress_line(settings, "comparing ") : nullptr);
    if (progress) clear_progress_line();
    return doubt ? render(api::doubt_diagnostic(settings, *doubt), session.sources) : "";
}

int run(Session& session, const RunOptions& options) {
    refuse_shared_output({{options.output.empty() ? "the results" : "-o", output_name(options)},
                          {"--plot", options.plot},
                          {"--animation", options.animation},
                          {"--audit-json", options.audit.json},
                          {"--sankey", options.audit.sankey}});
    const io::ResultFormat format = result_format_of(options.output);
    const io::PlotFormat drawing = plot_format_of(options.plot);
    prepare_run(session, options.settings);
    simulation::Settings settings = experiment_settings(session, options.experiment);
    Audit audit(session, options.audit, settings);
    std::vector<simulation::Signal> signals = output_signals(session);
    std::vector<std::string> names;
    for (const simulation::Signal& signal : signals) names.push_back(signal.name);
    std::vector<io::Panel> panels;
    if (!options.plot.empty()) panels = plot_panels(session, signals);

    const std::size_t first_of_animation = signals.size();
    std::unique_ptr<OutputFile> animation;
    if (!options.animation.empty()) {
        animation = output_file(options.animation, files_read(session));
        for (simulation::Signal& s : api::animation_signals(*session.graph)) signals.push_back(std::move(s));
        if (signals.size() == first_of_animation)
            say("warning: the model has nothing to animate: shapes come from the parts of 3-D mechanics\n");
    }

    OutputFile file(output_name(options), files_read(session));
    const auto plot = output_file(options.plot, files_read(session));
    const Interruption interruption;
    settings.interrupted = &interruption.asked();
    const bool progress = terminal_on_stderr() && !options.quiet;
    const simulation::Run done = simulation::simulate(*session.compiled, settings, std::move(signals),
                                                      progress ? progress_line(settings) : nullptr);
    if (progress) clear_progress_line();

    // Columns beyond the outputs are there for the plots only.
    const io::TimeSeries series{names, done.result.time, done.result.data, done.result.signals.size()};
    std::vector<io::ColumnMeaning> meanings;
    for (std::size_t k = 0; k < names.size(); ++k)
        meanings.push_back({done.result.signals[k].unit, done.result.signals[k].description});
    // A run that failed at its start, which is said elsewhere, has nothing to write: earlier files stay.
    const bool any = !series.time.empty();
    if (any || file.is_standard_output()) write_results(file, format, {series, meanings, session.graph->model_name});
    const bool drawn = !plot || !any || draw_into(*plot, series, panels, {.format = drawing});
    if (animation && any) animation->write(api::animation_of(*session.graph, done.result, first_of_animation).json());
    const std::vector<std::string> audits = audit.report(session, done.summary);
    if (!options.quiet) {
        std::vector<std::string> written;
        if (any && !file.is_standard_output()) {
            written.push_back(fmt::format("{} ({}, {})", file.name(), counted(series.time.size(), "row"),
                                          counted(names.size() + 1, "column")));
        }
        if (animation && any && !animation->is_standard_output()) written.push_back(animation->name());
        if (plot && any && drawn && !plot->is_standard_output()) written.push_back(plot->name());
        written.insert(written.end(), audits.begin(), audits.end());
        say(summary_text(session, settings, done, written) +
            render_all(api::start_warnings(*session.system), session.sources) +
            render_all(api::run_warnings(done.summary), session.sources) + doubts(session, settings, done, progress));
    }
    if (done.summary.failure) {
        if (const char* signal = interruption.signal_name())
            say(fmt::format("warning: {} asked for the end of the run\n", signal));
        say(failure_text(session, *done.summary.failure, any));
        return kFailed;
    }
    return drawn ? kDone : kWrongUsage;
}

}  // namespace

void add_run(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("run", "Simulate a model");
    const auto options = std::make_shared<RunOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command
        ->add_option(
            "-o,--output", options->output,
            "Where results go: FILE.csv, FILE.mat or FILE.h5, or - for CSV on standard output (default: MODEL.csv)")
        ->type_name("FILE");
    command->add_option("--stop", options->experiment.stop, "End of the simulation, as in 2s")->type_name("TIME");
    command->add_option("--tolerance", options->experiment.tolerance, "Relative tolerance, as in 1e-8")
        ->type_name("NUMBER");
    command->add_option("--interval", options->experiment.interval, "Time between rows of the output")
        ->type_name("TIME");
    add_set_option(*command, options->settings);
    command->add_option("--plot", options->plot, "Draw the model's plots (or its states) as SVG or PNG")
        ->type_name("FILE");
    command->add_option("--animation", options->animation, "Shapes of the mechanical parts with their poses, as JSON")
        ->type_name("FILE");
    command->add_flag("--audit", options->audit.table, "Show where the energy went: by element, junction and domain");
    command->add_option("--audit-json", options->audit.json, "The same as JSON")->type_name("FILE");
    command->add_option("--sankey", options->audit.sankey, "The same as a Sankey diagram (SVG)")->type_name("FILE");
    command->add_option("--window", options->audit.window, "Audit this part of the run only, as in 0.5s,2s")
        ->type_name("FROM,TO");
    command->add_flag("--quiet", options->quiet, "No progress, no summary");
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return run(session, *options); });
    };
}

}  // namespace bondgraph::cli
