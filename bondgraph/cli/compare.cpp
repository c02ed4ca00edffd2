#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/model_files.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/class_table.hpp"
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

const std::vector<std::string> kModelEndings{".yaml", ".yml"};

/// A file of a folder, and what came of it.
struct Row {
    std::string file;
    std::string verdict;
    std::string difference;
    Likeness likeness = Likeness::different;
    bool wrong = false;  ///< it has a mistake

    [[nodiscard]] bool equal() const { return !wrong && likeness != Likeness::different; }
};

Row row_of(const std::string& file, const api::Model& reference, bool reveal) {
    Row row{.file = file, .verdict = {}, .difference = {}};
    const auto fail = [&](const api::Error& error) {
        row.wrong = true;
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
    row.likeness = found->likeness;
    row.verdict = api::likeness_text(found->likeness);
    row.difference = found->equal() ? found->behaviour : difference_text(*found, reveal);
    return row;
}

int compare_folder(const CompareOptions& options, const api::Model& reference) {
    if (options.format == "json")
        throw UsageError("'--format json' is for a single model; of a folder '--output' writes the table as CSV");
    const std::vector<std::string> files = model_files({options.mine}, kModelEndings);
    if (files.empty()) throw UsageError(fmt::format("no model was found in '{}'", options.mine));
    std::vector<std::string> inputs = reference.files();
    inputs.insert(inputs.end(), files.begin(), files.end());
    const auto output = api::output_file(options.output, inputs);
    bool equal = true;
    bool wrong = false;
    std::string csv = "file,verdict,difference\n";
    Table table({Align::left, Align::left, Align::left});
    for (const std::string& file : files) {
        const Row row = row_of(file, reference, options.reveal);
        equal = equal && row.equal();
        wrong = wrong || row.wrong;
        csv += fmt::format("{},{},{}\n", csv_field(row.file), csv_field(row.verdict), csv_field(row.difference));
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

/// A reference that can't be read or put together. Its lines are for who may know it.
struct WrongReference {
    std::string file;
    api::Error error;
};

int report_reference(const WrongReference& wrong, const CompareOptions& options) {
    if (options.reveal || !std::filesystem::is_regular_file(wrong.file)) return report_error(wrong.error, wrong.file);
    say(fmt::format("error: the reference '{}' has mistakes\n  try:     --reveal shows them, with its lines\n",
                    wrong.file));
    return kWrongModel;
}

/// Throws WrongReference.
api::Model load_reference(const std::string& file) {
    auto reference = api::Model::load(file, {.import_folders = import_folders(), .values = {}, .settings = {}});
    if (!reference) throw WrongReference{file, reference.error()};
    const auto read = reference->flattened(api::FlatteningStage::evaluated);
    if (!read) throw WrongReference{file, read.error()};
    return std::move(reference).value();
}

/// The verdict in a word.
std::string brief_verdict(const Row& row) {
    if (row.wrong) return "mistake";
    switch (row.likeness) {
        case Likeness::same:
            return "same";
        case Likeness::simplified:
            return "simplified";
        case Likeness::behaviour:
            return "behaviour";
        case Likeness::one_run:
            return "one run";
        case Likeness::different:
            break;
    }
    return "different";
}

nlohmann::ordered_json found_json(const FoundByHand& found) {
    return {{"right", found.right}, {"of", found.of}, {"wrong", found.wrong}, {"remark", found.remark}};
}

std::string class_json(const std::vector<ClassCell>& cells, const ClassFiles& files) {
    nlohmann::ordered_json report;
    report["answers"] = nlohmann::ordered_json::array();
    for (const ClassCell& c : cells) {
        if (!c.is_answer()) continue;
        report["answers"].push_back({{"student", c.answer.student},
                                     {"exercise", c.answer.exercise},
                                     {"file", c.answer.file},
                                     {"equal", c.equal},
                                     {"verdict", c.verdict},
                                     {"difference", c.difference}});
        if (c.strokes) report["answers"].back()["strokes"] = found_json(*c.strokes);
        if (c.equations) report["answers"].back()["equations"] = found_json(*c.equations);
    }
    report["alone"] = nlohmann::ordered_json::array();
    for (const Answer& a : files.alone)
        report["alone"].push_back({{"student", a.student}, {"exercise", a.exercise}, {"file", a.file}});
    report["others"] = files.others;
    return api::json_text(report);
}

/// The exercises, by the names of the files in a folder of references.
std::map<std::string, std::string> references_in(const std::string& folder) {
    std::map<std::string, std::string> references;
    for (const std::string& file : model_files({folder}, kModelEndings)) {
        const auto [at, first] = references.emplace(std::filesystem::path(file).stem().string(), file);
        if (!first)
            throw UsageError(
                fmt::format("two references have the name '{}': '{}' and '{}'", at->first, at->second, file));
    }
    if (references.empty()) throw UsageError(fmt::format("no model was found in '{}'", folder));
    return references;
}

/// What lies beside an answer: "ann/rc_circuit.strokes" of "ann/rc_circuit.yaml", and ".equations". `wrong`: the answer
/// has a mistake.
void add_stages(ClassCell& cell, bool wrong) {
    const auto beside = [&](const char* ending) {
        return std::filesystem::path(cell.answer.file).replace_extension(ending).string();
    };
    const std::string strokes = beside(".strokes");
    const std::string equations = beside(".equations");
    const bool placed = std::filesystem::is_regular_file(strokes);
    const bool derived = std::filesystem::is_regular_file(equations);
    if (!placed && !derived) return;
    if (wrong) {
        const FoundByHand unknown{.remark = "the answer has a mistake"};
        if (placed) cell.strokes = unknown;
        if (derived) cell.equations = unknown;
        return;
    }
    const auto model = api::Model::load(cell.answer.file, {.import_folders = import_folders()});
    if (!model) return;
    std::vector<api::PlacedStroke> accepted;
    const auto judged = [](const auto& judge) -> FoundByHand {
        try {
            return judge();
        } catch (const api::UsageError& e) {
            return {.remark = e.what()};
        }
    };
    if (placed) cell.strokes = judged([&] { return strokes_in(*model, strokes, accepted); });
    if (derived) cell.equations = judged([&] { return equations_in(*model, equations, accepted); });
}

/// What is not in the table, or not as one may think.
void warn_of(const ClassFiles& found, const std::vector<std::string>& files) {
    for (const std::string& file : found.others)
        say(fmt::format("warning: '{}' is left out: neither it nor a folder on its way has the name of a reference\n",
                        file));
    for (const Answer& a : found.alone)
        say(fmt::format("warning: '{}' is left out: there is no answer beside it\n", a.file));
    for (const auto& [one, other] : of_one_name(files))
        say(fmt::format("warning: '{}' and '{}' have the same name: each stands for itself\n", one, other));
}

int compare_class(const CompareOptions& options) {
    if (!std::filesystem::is_directory(options.mine))
        throw UsageError(fmt::format("'{}' is a folder of references: '{}' has to be a folder of answers to them",
                                     options.reference, options.mine));
    const std::map<std::string, std::string> references = references_in(options.reference);
    std::vector<std::string> exercises;
    std::vector<std::string> inputs;
    for (const auto& [name, file] : references) {
        exercises.push_back(name);
        inputs.push_back(file);
    }
    const std::vector<std::string> files = model_files({options.mine}, kModelEndings);
    const std::vector<std::string> by_hand = api::files_below(options.mine, {".strokes", ".equations"});
    const ClassFiles found = answers_in(options.mine, files, by_hand, exercises);
    if (found.answers.empty())
        throw UsageError(
            fmt::format("no file in '{}' is an answer to '{}': neither a file nor a folder has the name of "
                        "a reference in '{}'",
                        options.mine, exercises.front(), options.reference));
    inputs.insert(inputs.end(), files.begin(), files.end());
    inputs.insert(inputs.end(), by_hand.begin(), by_hand.end());
    const auto output = api::output_file(options.output, inputs);
    warn_of(found, files);
    std::map<std::string, api::Model> loaded;
    std::vector<ClassCell> cells;
    bool equal = true;
    bool wrong = false;
    for (const Answer& answer : found.answers) {
        if (!loaded.contains(answer.exercise))
            loaded.emplace(answer.exercise, load_reference(references.at(answer.exercise)));
        const Row row = row_of(answer.file, loaded.at(answer.exercise), options.reveal);
        equal = equal && row.equal();
        wrong = wrong || row.wrong;
        cells.push_back({answer, row.verdict, brief_verdict(row), row.difference, row.equal()});
        add_stages(cells.back(), row.wrong);
    }
    add_alone(cells, found.alone, options.mine);
    if (output) output->write(class_csv(cells));
    if (!output || !output->is_standard_output())
        put(options.format == "json" ? class_json(cells, found) : class_text(cells));
    if (wrong) return kWrongModel;
    return equal ? kDone : kWrongUsage;
}

int compare(const CompareOptions& options) {
    if (std::filesystem::is_directory(options.reference)) return compare_class(options);
    const api::Model reference = load_reference(options.reference);
    if (std::filesystem::is_directory(options.mine)) return compare_folder(options, reference);
    if (!options.output.empty()) throw UsageError("'--output' is for a folder of models");
    const api::Model mine = load_and_warn(options.mine, {});
    const Comparison found = value_of(mine.compare(reference));
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
    command
        ->add_option("REFERENCE", options->reference,
                     "The model file it is compared with, or a folder of such files: exercises by students")
        ->required();
    command->add_flag("--reveal", options->reveal, "Also tell names and values of the reference");
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    command
        ->add_option("-o,--output", options->output, "Where the table of a folder goes, as CSV; - is standard output")
        ->type_name("FILE");
    commands.actions[command] = [options] {
        return report_mistakes(options->mine, [&] {
            try {
                return compare(*options);
            } catch (const WrongReference& wrong) {
                return report_reference(wrong, *options);
            }
        });
    };
}

}  // namespace bondgraph::cli
