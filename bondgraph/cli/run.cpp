#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/audit.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/interruption.hpp"
#include "bondgraph/cli/models.hpp"
#include "bondgraph/cli/result_file.hpp"
#include "bondgraph/cli/run_report.hpp"

namespace bondgraph::cli {
namespace {

using api::OutputFile;

struct RunOptions {
    std::string model;
    std::string output;
    std::string plot;
    std::string animation;
    std::optional<std::string> stop;
    std::optional<std::string> tolerance;
    std::optional<std::string> interval;
    std::vector<std::string> settings;
    bool all_errors = false;
    AuditOptions audit;
    bool quiet = false;
};

std::string output_name(const RunOptions& options) {
    if (!options.output.empty()) return options.output;
    return std::filesystem::path(options.model).stem().string() + ".csv";
}

/// A line on the terminal that says how far a run is, rewritten a few times a second.
class ProgressLine {
   public:
    explicit ProgressLine(const api::Experiment& run) : run_(run) { begin(""); }

    void begin(const char* label) {
        label_ = label;
        next_ = Clock::now() + std::chrono::milliseconds(300);
    }
    void show(double time) {
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(100);
        const double share = (time - run_.start) / (run_.stop - run_.start);
        say(fmt::format("\r{}{:3.0f} %  t = {:<14.6g}", label_, std::floor(100.0 * share), time));
    }
    static void clear() { say(fmt::format("\r{:50}\r", "")); }

   private:
    using Clock = std::chrono::steady_clock;
    api::Experiment run_;
    const char* label_ = "";
    Clock::time_point next_;
};

/// The files of a run, claimed before it and written after it.
class Outputs {
   public:
    Outputs(const RunOptions& options, Audit& audit)
        : options_(options),
          audit_(audit),
          format_(result_format_of(options.output)),
          picture_(picture_format_of(options.plot)) {}

    void open(const api::Model& model) {
        audit_.open_files(model);
        animation_ = api::output_file(options_.animation, model.files());
        results_ = std::make_unique<OutputFile>(output_name(options_), model.files());
        plot_ = api::output_file(options_.plot, model.files());
    }

    // A run that failed at its start, which is said elsewhere, has nothing to write: earlier files stay.
    void write(const api::Model& model, const api::Run& run) {
        any_ = run.series.rows() > 0;
        if (any_ || results_->is_standard_output()) write_results(*results_, format_, run.series, model.name());
        drawn_ = !plot_ || !any_ || draw_into(*plot_, *run.plot, picture_);
        if (animation_ && any_) animation_->write(run.animation->json());
        const std::vector<std::string> audits = audit_.report(model, run);
        if (any_ && !results_->is_standard_output()) {
            written_.push_back(fmt::format("{} ({}, {})", results_->name(), counted(run.series.rows(), "row"),
                                           counted(run.series.columns().size() + 1, "column")));
        }
        if (animation_ && any_ && !animation_->is_standard_output()) written_.push_back(animation_->name());
        if (plot_ && any_ && drawn_ && !plot_->is_standard_output()) written_.push_back(plot_->name());
        written_.insert(written_.end(), audits.begin(), audits.end());
    }

    [[nodiscard]] bool any() const { return any_; }
    [[nodiscard]] bool drawn() const { return drawn_; }
    /// The files, described.
    [[nodiscard]] const std::vector<std::string>& written() const { return written_; }

   private:
    const RunOptions& options_;
    Audit& audit_;
    api::ResultFormat format_;
    api::PictureFormat picture_;
    std::unique_ptr<OutputFile> results_;
    std::unique_ptr<OutputFile> plot_;
    std::unique_ptr<OutputFile> animation_;
    bool any_ = false;
    bool drawn_ = true;
    std::vector<std::string> written_;
};

int run(const RunOptions& options) {
    api::refuse_shared_output({{options.output.empty() ? "the results" : "-o", output_name(options)},
                               {"--plot", options.plot},
                               {"--animation", options.animation},
                               {"--audit-json", options.audit.json},
                               {"--sankey", options.audit.sankey}});
    result_format_of(options.output);
    picture_format_of(options.plot);
    const api::Model model = load_and_warn(options.model, options.settings);
    refuse(model.compile());  // which comes before mistakes of options
    api::RunOptions asked{.values = {},
                          .stop = typed(options.stop),
                          .interval = typed(options.interval),
                          .tolerance = typed(options.tolerance)};
    asked.plots = !options.plot.empty();
    asked.animation = !options.animation.empty();
    asked.look_again = !options.quiet;
    Audit audit(model, options.audit, asked);
    Outputs outputs(options, audit);
    std::optional<Interruption> interruption;
    asked.cancel = &Interruption::asked();
    asked.on_ready = [&](const api::Expected& expected) {
        if (asked.animation && !expected.animated)
            say("warning: the model has nothing to animate: shapes come from the parts of 3-D mechanics\n");
        outputs.open(model);
        interruption.emplace();
    };
    std::optional<ProgressLine> progress;
    if (terminal_on_stderr() && !options.quiet) {
        progress.emplace(value_of(model.experiment(asked)));
        asked.progress = [&](double time) {
            progress->show(time);
            return true;
        };
    }
    asked.on_end = [&](const api::Run& done) {
        if (progress) {
            ProgressLine::clear();
            progress->begin("comparing ");
        }
        outputs.write(model, done);
    };
    const api::Run done = value_of(model.run(asked));
    if (progress) ProgressLine::clear();
    if (!options.quiet) say(summary_text(model.name(), done, outputs.written()) + all_of(done.warnings));
    if (done.failure) {
        if (const char* signal = interruption->signal_name())
            say(fmt::format("warning: {} asked for the end of the run\n", signal));
        say(failure_text(*done.failure, outputs.any()));
        return kFailed;
    }
    return outputs.drawn() ? kDone : kWrongUsage;
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
    command->add_option("--stop", options->stop, "End of the simulation, as in 2s")->type_name("TIME");
    command->add_option("--tolerance", options->tolerance, "Relative tolerance, as in 1e-8")->type_name("NUMBER");
    command->add_option("--interval", options->interval, "Time between rows of the output")->type_name("TIME");
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
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
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return run(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
