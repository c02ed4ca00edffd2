#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/cli/by_hand.hpp"

namespace bondgraph::cli {

/// A file in which a student answers an exercise.
struct Answer {
    std::string file;
    std::string student;
    std::string exercise;
};

/// The files of a class, and those that belong to no exercise.
struct ClassFiles {
    std::vector<Answer> answers;
    std::vector<std::string> others;
    std::vector<Answer> alone = {};  ///< strokes and equations without the model that they are of
};

/// Which exercise each of the files below a folder answers, and who: an exercise is the name of the file or of a folder
/// on the way to it, or stands before or after another word in one of these ("alice/rc_circuit.yaml",
/// "rc_circuit/alice.yaml", "alice_rc_circuit.yaml"); the rest of the way is the student. Letters count as small and
/// '-' and ' ' as '_'. Where one student answers twice, each file stands for itself. `found`: files of strokes and
/// equations.
ClassFiles answers_in(const std::string& folder, const std::vector<std::string>& files,
                      const std::vector<std::string>& found, const std::vector<std::string>& exercises);

/// Pairs of files that only their endings tell apart.
std::vector<std::pair<std::string, std::string>> of_one_name(const std::vector<std::string>& files);

/// What came of an answer.
struct ClassCell {
    Answer answer;
    std::string verdict;  ///< in full, as "equal in behaviour"
    std::string brief;    ///< in a word, as "behaviour"
    std::string difference;
    bool equal = false;
    /// What is beside the answer: NAME.strokes and NAME.equations.
    std::optional<FoundByHand> strokes = {};
    std::optional<FoundByHand> equations = {};

    /// Not where strokes or equations are all there is.
    [[nodiscard]] bool is_answer() const { return !answer.file.empty(); }
};

/// Says of strokes and equations without an answer that they are: in the student's cell, which may be a new one.
void add_alone(std::vector<ClassCell>& cells, const std::vector<Answer>& alone, const std::string& folder);

/// Exercises by students, in blocks of as many students as a line takes, and what was found in the answers.
std::string class_text(const std::vector<ClassCell>& cells);

/// A row for each student: the verdicts, strokes and equations of exercises of which somebody has some, and how many
/// are equal.
std::string class_csv(const std::vector<ClassCell>& cells);

/// As text of CSV that is one field.
std::string csv_field(const std::string& text);

}  // namespace bondgraph::cli
