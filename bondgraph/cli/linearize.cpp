#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/linear_report.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/mason_report.hpp"
#include "bondgraph/cli/models.hpp"
#include "bondgraph/cli/result_file.hpp"
#include "bondgraph/cli/transfer_report.hpp"

namespace bondgraph::cli {
namespace {

using api::OutputFile;

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
    bool all_errors = false;

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

/// The names typed, multibonds by component.
std::vector<std::string> output_names(const api::Model& model, const std::vector<std::string>& typed) {
    std::vector<std::string> names;
    for (const std::string& name : typed) {
        const auto found = model.results(name);
        if (!found) throw UsageError(fmt::format("--outputs: {}", found.error().messages.front().text));
        names.insert(names.end(), found->begin(), found->end());
    }
    refuse_repeated(names, "--outputs");
    return names;
}

/// The times of --at, in the order given; nothing, which is the start, where there are none.
std::vector<std::optional<double>> times_of(const api::Model& model, const std::optional<std::string>& at) {
    if (!at) return {std::nullopt};
    std::vector<std::optional<double>> times;
    for (std::size_t begin = 0; begin <= at->size();) {
        const std::size_t end = std::min(at->find(',', begin), at->size());
        const std::string text = CLI::detail::trim_copy(at->substr(begin, end - begin));
        if (text.empty()) throw UsageError("--at takes times separated by commas, as in --at 1ms,2ms");
        times.emplace_back(time_at(model, text));
        begin = end + 1;
    }
    return times;
}

/// An extension that is no drawing's is refused before anything is computed.
std::unique_ptr<OutputFile> drawing_file(const std::string& name, const api::Model& model) {
    picture_format_of(name);
    return api::output_file(name, model.files());
}

/// Where nothing acts there is no curve.
void check_curves(const std::vector<api::Transfer>& transfers) {
    const auto dead = [](const api::Transfer& t) { return t.gain == 0.0; };
    if (std::all_of(transfers.begin(), transfers.end(), dead))
        throw UsageError("no input acts on any of the outputs: there is nothing to draw");
    for (const api::Transfer& t : transfers) {
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

Reports base_reports(const api::LinearModel& linear, const OutputFile* file) {
    Reports reports{.to_file = file != nullptr, .to_reader = file == nullptr || !file->is_standard_output()};
    if (reports.to_file) reports.json = api::linear_json(linear);
    if (reports.to_reader) reports.text = api::linear_text(linear, file == nullptr ? "" : file->name(), heading);
    return reports;
}

void add_transfers(Reports& reports, const std::vector<api::Transfer>& transfers) {
    if (reports.to_file) reports.json["transfer_functions"] = transfers_json(transfers);
    if (reports.to_reader) reports.text += transfers_text(transfers);
}

/// What is left out is said; it must not be all.
void check_mason(const api::Mason& mason) {
    constexpr const char* kWarning = "warning: --mason leaves one out: {}{}\n";
    constexpr const char* kAdvice = "; --tf gives the transfer function";
    const auto large = std::ranges::find_if(mason.left_out, &api::MasonGap::large);
    const bool none = mason.channels.empty() && !mason.left_out.empty();
    if (none && large == mason.left_out.end())
        throw UsageError(fmt::format("--mason: {}{} around a point", mason.left_out.front().because, kAdvice));
    for (const api::MasonGap& gap : mason.left_out) {
        if (!gap.large) say(fmt::format(kWarning, gap.because, ""));
    }
    if (none) throw UsageError(fmt::format("--mason: {}{}", large->because, kAdvice));
    for (const api::MasonGap& gap : mason.left_out) {
        if (gap.large) say(fmt::format(kWarning, gap.because, kAdvice));
    }
}

/// What was found at one time.
struct PointReport {
    api::LinearModel linear;
    Reports reports;
};

void say_left_out(const api::LinearModel& linear, const LinearizeOptions& options) {
    for (const std::string& input : linear.left_out)
        say(fmt::format(
            "warning: '{}' is no input here: the model depends on its derivative, as a storage follows this "
            "source rigidly\n",
            input));
    if (!options.wants_channels()) return;
    if (linear.inputs.empty() && !linear.left_out.empty())
        throw UsageError("a transfer function begins at a source, and the model depends on the derivatives of all");
    if (linear.inputs.empty()) throw UsageError("a transfer function begins at a source, and the model has none");
    if (linear.outputs.empty()) throw UsageError("a transfer function ends at a result: name one with --outputs");
}

/// Nothing where the run fails, which has been said then.
std::optional<PointReport> report_at(const api::Model& model, const LinearizeOptions& options,
                                     const api::LinearizeOptions& asked, const OutputFile* file) {
    auto linear = model.linearize(asked);
    if (!linear && linear.error().kind == api::Error::Kind::run) {
        say(fmt::format("error: the simulation up to the point of linearization failed: {}\n",
                        linear.error().messages.front().text));
        return std::nullopt;
    }
    PointReport at{value_of(std::move(linear)), {}};
    say_left_out(at.linear, options);
    std::vector<api::Transfer> transfers;
    if (options.transfer || options.wants_plots()) transfers = api::transfer_functions(at.linear);
    if (options.wants_plots()) check_curves(transfers);
    at.reports = base_reports(at.linear, file);
    if (options.transfer) add_transfers(at.reports, transfers);
    if (options.mason) {
        const api::Mason mason = value_of(model.mason(asked));
        check_mason(mason);
        at.reports.json["mason"] = mason_json(mason);
        at.reports.text += mason_text(mason);
    }
    return at;
}

/// Of one time its report alone, of several a list of them.
Reports joined(std::vector<PointReport>& points) {
    if (points.size() == 1) return std::move(points.front().reports);
    Reports all{.to_file = points.front().reports.to_file, .to_reader = points.front().reports.to_reader};
    for (PointReport& p : points) {
        if (all.to_reader) all.text += heading(fmt::format("At t = {:.6g} s", p.linear.time)) + p.reports.text;
        if (!all.to_file) continue;
        nlohmann::ordered_json point{{"time", p.linear.time}};
        point.update(p.reports.json);
        all.json["points"].push_back(std::move(point));
    }
    return all;
}

int linearize(const LinearizeOptions& options) {
    api::refuse_shared_output({{"-o", options.file}, {"--bode", options.bode}, {"--step", options.step}});
    refuse_repeated(options.inputs, "--inputs");
    const api::Model model = load_and_warn(options.model, options.settings);
    refuse(model.compile({}, true));  // which comes before mistakes of options that name its results
    api::LinearizeOptions asked{.values = {},
                                .at = {},
                                .inputs = options.inputs,
                                .outputs = output_names(model, options.outputs),
                                .or_states = options.wants_channels()};
    const auto file = api::output_file(options.file, model.files());
    const auto bode = drawing_file(options.bode, model);
    const auto step = drawing_file(options.step, model);
    std::vector<PointReport> points;
    for (const auto& time : times_of(model, options.at)) {
        asked.at = time;
        auto point = report_at(model, options, asked, file.get());
        if (!point) return kFailed;
        points.push_back(*std::move(point));
    }
    const Reports reports = joined(points);
    if (file) file->write(api::json_text(reports.json));
    const bool drawn_there = options.bode == "-" || options.step == "-";
    if (reports.to_reader && !drawn_there) put(reports.text);
    std::vector<api::LinearModel> linear;
    for (PointReport& p : points) linear.push_back(std::move(p.linear));
    const bool drawn = (!bode || draw_into(*bode, api::bode_plot(linear), picture_format_of(bode->name()))) &&
                       (!step || draw_into(*step, api::step_plot(linear), picture_format_of(step->name())));
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
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] {
        options->inputs = whole_names(options->inputs);
        options->outputs = whole_names(options->outputs);
        return report_mistakes(
            options->model, [&] { return linearize(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
