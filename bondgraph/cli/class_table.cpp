#include "bondgraph/cli/class_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

namespace fs = std::filesystem;

std::string plain_name(std::string name) {
    for (char& c : name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c == '-' || c == ' ') c = '_';
    }
    return name;
}

/// The folders on the way to a file and its own name, without ending.
std::vector<std::string> way_to(const std::string& folder, const std::string& file) {
    std::vector<std::string> way;
    for (const fs::path& part : fs::path(file).lexically_relative(folder)) way.push_back(part.string());
    if (!way.empty()) way.back() = fs::path(way.back()).stem().string();
    return way;
}

/// What is left of a name beside an exercise that stands before or after it.
std::optional<std::string> beside(const std::string& name, const std::string& exercise) {
    const std::string plain = plain_name(name);
    const std::string wanted = plain_name(exercise);
    if (plain.starts_with(wanted + "_")) return name.substr(wanted.size() + 1);
    if (plain.ends_with("_" + wanted)) return name.substr(0, name.size() - wanted.size() - 1);
    return std::nullopt;
}

std::string joined_way(const std::vector<std::string>& way, std::size_t place, const std::string& instead) {
    std::string text;
    for (std::size_t k = 0; k < way.size(); ++k) {
        const std::string& part = k == place ? instead : way[k];
        if (!part.empty()) text += (text.empty() ? "" : "/") + part;
    }
    return text;
}

std::optional<Answer> answer_of(const std::string& folder, const std::string& file,
                                const std::vector<std::string>& exercises) {
    const std::vector<std::string> way = way_to(folder, file);
    for (std::size_t k = way.size(); k-- > 0;) {
        for (const std::string& exercise : exercises) {
            if (plain_name(way[k]) == plain_name(exercise)) return Answer{file, joined_way(way, k, ""), exercise};
        }
    }
    for (std::size_t k = way.size(); k-- > 0;) {
        std::optional<Answer> best;
        for (const std::string& exercise : exercises) {
            const auto rest = beside(way[k], exercise);
            if (rest && (!best || exercise.size() > best->exercise.size()))
                best = Answer{file, joined_way(way, k, *rest), exercise};
        }
        if (best) return best;
    }
    return std::nullopt;
}

std::vector<std::string> students_of(const std::vector<ClassCell>& cells) {
    std::set<std::string> students;
    for (const ClassCell& c : cells) students.insert(c.answer.student);
    return {students.begin(), students.end()};
}

std::vector<std::string> exercises_of(const std::vector<ClassCell>& cells) {
    std::set<std::string> exercises;
    for (const ClassCell& c : cells) exercises.insert(c.answer.exercise);
    return {exercises.begin(), exercises.end()};
}

using Grid = std::map<std::pair<std::string, std::string>, const ClassCell*>;  ///< by exercise and student

Grid grid_of(const std::vector<ClassCell>& cells) {
    Grid grid;
    for (const ClassCell& c : cells) grid.emplace(std::pair{c.answer.exercise, c.answer.student}, &c);
    return grid;
}

std::size_t count_equal(const std::vector<ClassCell>& cells, const std::string& student) {
    return static_cast<std::size_t>(
        std::ranges::count_if(cells, [&](const ClassCell& c) { return c.equal && c.answer.student == student; }));
}

/// "3 of 4", "3 of 4, 1 wrong".
std::string found_text(const FoundByHand& found) {
    if (found.of == 0 && !found.remark.empty()) return "not judged";
    std::string text = fmt::format("{} of {}", found.right, found.of);
    if (found.wrong > 0) text += fmt::format(", {} wrong", found.wrong);
    return text;
}

struct Stage {
    const char* name;
    std::optional<FoundByHand> ClassCell::*found;
};
constexpr std::array kStages{Stage{"strokes", &ClassCell::strokes}, Stage{"equations", &ClassCell::equations}};

/// Whether anybody has answered it.
bool has_stage(const std::vector<ClassCell>& cells, const std::string& exercise, const Stage& stage) {
    return std::ranges::any_of(
        cells, [&](const ClassCell& c) { return c.answer.exercise == exercise && (c.*stage.found).has_value(); });
}

std::string stage_text(const Grid& grid, const std::string& exercise, const std::string& student, const Stage& stage,
                       const char* without) {
    const auto at = grid.find({exercise, student});
    if (at == grid.end() || !(at->second->*stage.found)) return without;
    return found_text(*(at->second->*stage.found));
}

/// Students side by side, as many as a line takes.
std::vector<std::vector<std::string>> blocks_of_students(const std::vector<std::string>& students, std::size_t names,
                                                         std::size_t widest) {
    constexpr std::size_t kLine = 100;
    std::vector<std::vector<std::string>> blocks;
    std::size_t width = 0;
    for (const std::string& student : students) {
        const std::size_t own = std::max(widest, utf8_count(student)) + 2;
        if (blocks.empty() || width + own > kLine) {
            blocks.emplace_back();
            width = names + 2;
        }
        width += own;
        blocks.back().push_back(student);
    }
    return blocks;
}

std::string block_text(const std::vector<ClassCell>& cells, const Grid& grid, const std::vector<std::string>& exercises,
                       const std::vector<std::string>& students) {
    Table table(std::vector<Align>(students.size() + 1, Align::left));
    std::vector<std::string> head{""};
    head.insert(head.end(), students.begin(), students.end());
    table.add(head);
    for (const std::string& exercise : exercises) {
        std::vector<std::string> row{exercise};
        for (const std::string& student : students) {
            const auto found = grid.find({exercise, student});
            row.emplace_back(found == grid.end() ? "-" : found->second->brief);
        }
        table.add(std::move(row));
        for (const Stage& stage : kStages) {
            if (!has_stage(cells, exercise, stage)) continue;
            std::vector<std::string> found{fmt::format("  {}", stage.name)};
            for (const std::string& student : students)
                found.push_back(stage_text(grid, exercise, student, stage, "-"));
            table.add(std::move(found));
        }
    }
    std::vector<std::string> sums{"equal"};
    for (const std::string& student : students)
        sums.push_back(fmt::format("{} of {}", count_equal(cells, student), exercises.size()));
    table.add(std::move(sums));
    return table.text();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> of_one_name(const std::vector<std::string>& files) {
    std::map<std::string, std::string> first;
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string& file : files) {
        const auto [at, is_first] = first.emplace(fs::path(file).replace_extension().string(), file);
        if (!is_first) pairs.emplace_back(at->second, file);
    }
    return pairs;
}

ClassFiles answers_in(const std::string& folder, const std::vector<std::string>& files,
                      const std::vector<std::string>& found_by_hand, const std::vector<std::string>& exercises) {
    ClassFiles found;
    std::set<std::string> models;
    for (const std::string& file : files) models.insert(fs::path(file).replace_extension().string());
    for (const std::string& file : found_by_hand) {
        if (models.contains(fs::path(file).replace_extension().string())) continue;
        auto answer = answer_of(folder, file, exercises);
        if (!answer) {
            found.others.push_back(file);
            continue;
        }
        if (answer->student.empty()) answer->student = fs::path(file).lexically_relative(folder).string();
        found.alone.push_back(*std::move(answer));
    }
    for (const std::string& file : files) {
        if (auto answer = answer_of(folder, file, exercises))
            found.answers.push_back(*std::move(answer));
        else
            found.others.push_back(file);
    }
    std::map<std::pair<std::string, std::string>, int> count;
    for (const Answer& a : found.answers) ++count[{a.exercise, a.student}];
    for (Answer& a : found.answers) {
        if (a.student.empty() || count.at({a.exercise, a.student}) > 1)
            a.student = fs::path(a.file).lexically_relative(folder).string();
    }
    return found;
}

void add_alone(std::vector<ClassCell>& cells, const std::vector<Answer>& alone, const std::string& folder) {
    for (const Answer& a : alone) {
        const fs::path file = fs::path(a.file).lexically_relative(folder);
        const auto stage = std::ranges::find_if(
            kStages, [&](const Stage& s) { return file.extension() == fmt::format(".{}", s.name); });
        if (stage == kStages.end()) continue;
        Answer place{.file = "", .student = a.student, .exercise = a.exercise};
        const auto cell_of = [&] {
            return std::ranges::find_if(cells, [&](const ClassCell& c) {
                return c.answer.student == place.student && c.answer.exercise == place.exercise;
            });
        };
        auto cell = cell_of();
        if (cell != cells.end() && (*cell).*(stage->found)) {
            place.student = file.string();
            cell = cell_of();
        }
        if (cell == cells.end())
            cell =
                cells.insert(cell, {.answer = place, .verdict = "no answer", .brief = "no answer", .difference = {}});
        (*cell).*(stage->found) =
            FoundByHand{.remark = fmt::format("'{}' is of no answer: there is no '{}'", file.string(),
                                              fs::path(file).replace_extension(".yaml").string())};
    }
}

std::string class_text(const std::vector<ClassCell>& cells) {
    const std::vector<std::string> students = students_of(cells);
    const std::vector<std::string> exercises = exercises_of(cells);
    const Grid grid = grid_of(cells);
    std::size_t names = 0;
    for (const std::string& exercise : exercises) names = std::max(names, utf8_count(exercise));
    const auto answers = static_cast<std::size_t>(std::ranges::count_if(cells, &ClassCell::is_answer));
    std::string text = heading(fmt::format("{} to {} by {}", counted(answers, "answer"),
                                           counted(exercises.size(), "exercise"), counted(students.size(), "student")));
    constexpr std::size_t kVerdict = 10;  // the widest cells
    constexpr std::size_t kStage = 15;
    const bool stages = std::ranges::any_of(cells, [](const ClassCell& c) { return c.strokes || c.equations; });
    const auto blocks = blocks_of_students(students, names, stages ? kStage : kVerdict);
    for (std::size_t b = 0; b < blocks.size(); ++b)
        text += (b == 0 ? "" : "\n") + block_text(cells, grid, exercises, blocks[b]);
    Table table({Align::left, Align::left, Align::left, Align::left});
    for (const std::string& student : students) {
        for (const std::string& exercise : exercises) {
            const auto found = grid.find({exercise, student});
            if (found == grid.end()) continue;
            const ClassCell& cell = *found->second;
            if (!cell.difference.empty()) table.add({student, exercise, cell.verdict, cell.difference});
            for (const Stage& stage : kStages) {
                const auto& own = cell.*stage.found;
                if (own && !own->remark.empty()) table.add({student, exercise, stage.name, own->remark});
            }
        }
    }
    return table.empty() ? text : text + heading("What was found") + table.text();
}

std::string csv_field(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c == '\n' ? ' ' : c;
    }
    return result + '"';
}

std::string class_csv(const std::vector<ClassCell>& cells) {
    const std::vector<std::string> exercises = exercises_of(cells);
    const Grid grid = grid_of(cells);
    std::string csv = "student";
    for (const std::string& exercise : exercises) {
        csv += fmt::format(",{}", csv_field(exercise));
        for (const Stage& stage : kStages) {
            if (has_stage(cells, exercise, stage))
                csv += fmt::format(",{}", csv_field(fmt::format("{}, {}", exercise, stage.name)));
        }
    }
    csv += ",equal\n";
    for (const std::string& student : students_of(cells)) {
        csv += csv_field(student);
        for (const std::string& exercise : exercises) {
            const auto found = grid.find({exercise, student});
            csv += fmt::format(",{}", csv_field(found == grid.end() ? "" : found->second->verdict));
            for (const Stage& stage : kStages) {
                if (has_stage(cells, exercise, stage))
                    csv += fmt::format(",{}", csv_field(stage_text(grid, exercise, student, stage, "")));
            }
        }
        csv += fmt::format(",{}\n", count_equal(cells, student));
    }
    return csv;
}

}  // namespace bondgraph::cli
