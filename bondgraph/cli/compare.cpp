#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

using api::Comparison;
using api::Likeness;

struct CompareOptions {
    std::string mine;
    std::string reference;
    std::string format = "text";
    std::string output;
    bool reveal = false;
};

std::string difference_text(const Comparison& c, bool reveal) {
    if (!reveal || c.revealed.empty()) return c.difference;
    return fmt::format("{} ({})", c.difference, c.revealed);
}

std::string steps_text(const std::string& title, const std::vector<api::SimplificationStep>& steps) {
    if (steps.empty()) return "";
    Table table({Align::right, Align::left, Align::left});
    for (std::size_t k = 0; k < steps.size(); ++k) table.add({fmt::format("{}.", k + 1), steps[k].rule, steps[k].text});
    return heading(fmt::format("{}: {}", title, steps.size())) + table.text();
}

std::string comparison_text(const std::string& name, const Comparison& c, bool reveal) {
    std::string text = heading(name);
    text += fmt::format("  verdict     {}\n", api::likeness_text(c.likeness));
    if (!c.difference.empty()) text += fmt::format("  difference  {}\n", difference_text(c, reveal));
    if (!c.behaviour.empty()) text += fmt::format("  behaviour   {}\n", c.behaviour);
    if (c.likeness != Likeness::simplified) return text;
    text += steps_text("Steps that simplify it", c.steps);
    if (reveal) text += steps_text("Steps that simplify the reference", c.reference_steps);
    return text;
}

nlohmann::ordered_json steps_json(const std::vector<api::SimplificationStep>& steps) {
    auto list = nlohmann::ordered_json::array();
    for (const api::SimplificationStep& s : steps) list.push_back({{"rule", s.rule}, {"text", s.text}});
    return list;
}

std::string comparison_json(const Comparison& c, bool reveal) {
    nlohmann::ordered_json report;
    report["equal"] = c.equal();
    report["verdict"] = api::likeness_text(c.likeness);
    report["difference"] = c.difference;
    if (reveal) report["revealed"] = c.revealed;
    report["behaviour"] = c.behaviour;
    report["steps"] = steps_json(c.steps);
    if (reveal) report["reference_steps"] = steps_json(c.reference_steps);
    return api::json_text(report);
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c == '\n' ? ' ' : c;
    }
    return result + '"';
}

/// A file of a folder, and what came of it.
struct Row {
    std::string file;
    std::string verdict;
    std::string difference;
};

Row row_of(const std::string& file, const api::Model& reference, bool reveal, bool& equal, bool& wrong) {
    Row row{.file = file};
    const auto fail = [&](const api::Error& error) {
        equal = false;
        wrong = true;
        row.verdict = "mistake in the file";
        if (error.messages.empty()) return row;
        const api::Message& m = error.messages.front();
        row.difference = m.place.line > 0 ? fmt::format("line {}: {}", m.place.line, m.text) : m.text;
        return row;
    };
    const auto mine = api::Model::load(file, {.import_folders = import_folders(), .values = {}, .settings = {}});
    if (!mine) return fail(mine.error());
    const auto found = mine->compare(reference);
    if (!found) return fail(found.error());
    equal = equal && found->equal();
    row.verdict = api::likeness_text(found->likeness);
    row.difference = found->equal() ? found->behaviour : difference_text(*found, reveal);
    return row;
}

int compare_folder(const CompareOptions& options, const api::Model& reference) {
    if (options.format == "json")
        throw UsageError("'--format json' is for a single model; of a folder '--output' writes the table as CSV");
    const std::vector<std::string> files = model_files({options.mine});
    if (files.empty()) throw UsageError(fmt::format("no model was found in '{}'", options.mine));
    std::vector<std::string> inputs = reference.files();
    inputs.insert(inputs.end(), files.begin(), files.end());
    const auto output = api::output_file(options.output, inputs);
    bool equal = true;
    bool wrong = false;
    std::string csv = "file,verdict,difference\n";
    Table table({Align::left, Align::left, Align::left});
    for (const std::string& file : files) {
        const Row row = row_of(file, reference, options.reveal, equal, wrong);
        csv += fmt::format("{},{},{}\n", quoted(row.file), quoted(row.verdict), quoted(row.difference));
        table.add(
            {std::filesystem::path(row.file).lexically_relative(options.mine).string(), row.verdict, row.difference});
    }
    if (output) output->write(csv);
    if (!output || !output->is_standard_output())
        put(heading(fmt::format("{} compared with {}", counted(files.size(), "model"), options.reference)) +
            table.text());
    if (wrong) return kWrongModel;
    return equal ? kDone : kWrongUsage;
}

/// Lines of the reference are for who may know it.
int report_reference(const api::Error& error, const CompareOptions& options) {
    if (options.reveal || !std::filesystem::is_regular_file(options.reference))
        return report_error(error, options.reference);
    say(fmt::format("error: the reference '{}' has mistakes\n  try:     --reveal shows them, with its lines\n",
                    options.reference));
    return kWrongModel;
}

int compare(const CompareOptions& options) {
    const auto reference =
        api::Model::load(options.reference, {.import_folders = import_folders(), .values = {}, .settings = {}});
    if (!reference) return report_reference(reference.error(), options);
    const auto read = reference->flattened(api::FlatteningStage::evaluated);
    if (!read) return report_reference(read.error(), options);
    if (std::filesystem::is_directory(options.mine)) return compare_folder(options, *reference);
    if (!options.output.empty()) throw UsageError("'--output' is for a folder of models");
    const api::Model mine = load_and_warn(options.mine, {});
    const Comparison found = value_of(mine.compare(*reference));
    put(options.format == "json" ? comparison_json(found, options.reveal)
                                 : comparison_text(mine.name(), found, options.reveal));
    return found.equal() ? kDone : kWrongUsage;
}

}  // namespace

void add_compare(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand(
        "compare", "Tell whether two bond graphs are the same, and where they first differ");
    const auto options = std::make_shared<CompareOptions>();
    command->add_option("MODEL", options->mine, "The model file, or a folder of such files, which becomes a table")
        ->required();
    command->add_option("REFERENCE", options->reference, "The model file it is compared with")->required();
    command->add_flag("--reveal", options->reveal, "Also tell names and values of the reference");
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    command
        ->add_option("-o,--output", options->output, "Where the table of a folder goes, as CSV; - is standard output")
        ->type_name("FILE");
    commands.actions[command] = [options] { return report_mistakes(options->mine, [&] { return compare(*options); }); };
}

}  // namespace bondgraph::cli
