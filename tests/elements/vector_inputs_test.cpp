// What takes a single value and is given a vector: over all signal blocks and all types of the library of parts.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bondgraph/elements/catalogue.hpp"
#include "bondgraph/io/load_model.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;

/// A vector of three, which is a result: it changes with time.
constexpr const char* kVectorSource =
    "components:\n  vector: {type: Se, size: 3, e: [1, 2, 'sin(time)']}\n  load: {type: R, R: 1}\n";
constexpr const char* kVectorBond = "bonds: [vector -> load]\n";

std::vector<Diagnostic> errors_of(const std::string& text) {
    try {
        Pipeline("model: m\n" + text).graph();
    } catch (const ModelError& e) {
        std::vector<Diagnostic> errors;
        for (const Diagnostic& d : e.diagnostics()) {
            if (d.severity == Severity::error) errors.push_back(d);
        }
        return errors;
    }
    return {};
}

std::uint32_t line_with(const std::string& text, const std::string& what) {
    // Behind 'model:'.
    return 2 + static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + text.find(what), '\n'));
}

/// The settings that an example has behind its type.
std::string settings_of_example(std::string_view example) {
    const auto comma = example.find(',');
    return comma == std::string_view::npos ? "" : std::string(example.substr(comma, example.rfind('}') - comma));
}

struct SingleInput {
    std::string type;
    std::string input;
    std::vector<std::string> others;
    std::string settings;
};

std::vector<SingleInput> inputs_of_blocks() {
    std::vector<SingleInput> all;
    const model::Catalogue catalogue = elements::standard_catalogue();
    for (const model::ComponentType* type : catalogue.types()) {
        if (type->structure != model::Structure::block || type->inputs.empty() || !type->connectors.empty()) continue;
        for (const model::SignalSpec& s : type->inputs) {
            if (!s.many) {
                all.push_back({std::string(type->name), std::string(s.name), {}, settings_of_example(type->example)});
                continue;
            }
            for (const char* input : {"u1", "u2"})
                all.push_back({std::string(type->name), input, {input == std::string("u1") ? "u2" : "u1"}, ""});
        }
    }
    return all;
}

void expect_refused(const std::string& text, const std::string& at, const SingleInput& s, const char* what) {
    const std::vector<Diagnostic> errors = errors_of(text);
    ASSERT_EQ(errors.size(), 1U) << what << ": " << text << (errors.empty() ? "" : errors[0].message);
    EXPECT_EQ(errors[0].code, "BG-M020") << text;
    EXPECT_THAT(errors[0].message, HasSubstr("a vector of 3")) << text;
    EXPECT_THAT(errors[0].message, HasSubstr("x." + s.input)) << text;
    EXPECT_EQ(errors[0].position.line, line_with(text, at)) << text;
    EXPECT_GT(errors[0].position.column, 1U) << text;
}

// By a signal, by an expression, as a value of the component, through an own type's input; the other inputs are right.
TEST(VectorInputs, NoBlockTakesAVectorForASingleValue) {
    ASSERT_GE(inputs_of_blocks().size(), 10U);
    for (const SingleInput& s : inputs_of_blocks()) {
        std::string others;
        for (const std::string& other : s.others) others += fmt::format("  - vector.e[1] -> x.{}\n", other);
        const std::string block = fmt::format("  x: {{type: {}{}}}\n", s.type, s.settings);
        const auto with = [&](const std::string& source) {
            return kVectorSource + block + kVectorBond + "signals:\n" + others +
                   fmt::format("  - \"{} -> x.{}\"\n", source, s.input);
        };
        EXPECT_TRUE(errors_of(with("vector.e[3]")).empty()) << s.type;
        expect_refused(with("vector.e"), "vector.e -> x." + s.input, s, "a result");
        expect_refused(with("2*vector.e"), "2*vector.e", s, "an expression");
        expect_refused(kVectorSource +
                           fmt::format("  x: {{type: {}{}, {}: [1, 2, 3]}}\n", s.type, s.settings, s.input) +
                           kVectorBond + (others.empty() ? "" : "signals:\n" + others),
                       "[1, 2, 3]", s, "a value");
    }
}

TEST(VectorInputs, OfAnOwnTypeAreRefusedWhereTheyComeToASingleValue) {
    const std::string text = std::string(
                                 "types:\n  Own:\n    inputs: [u]\n    outputs: [y]\n    components: {g: {type: "
                                 "Gain, k: 2}}\n    signals: [u -> g.u, g.y -> y]\n") +
                             kVectorSource + "  x: {type: Own}\n" + kVectorBond + "signals: [vector.e -> x.u]\n";
    const std::vector<Diagnostic> errors = errors_of(text);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].message, "the input 'x.g.u' is a single value, 'u' is a vector of 3");
}

// A matrix, and parameters that a signal drives.
TEST(VectorInputs, OfOtherShapes) {
    const auto driven = [](const std::string& component, const std::string& signal) {
        const std::vector<Diagnostic> errors = errors_of(std::string(kVectorSource) + "  x: " + component + "\n" +
                                                         kVectorBond + "signals: [\"" + signal + "\"]\n");
        return errors.empty() ? "" : errors[0].message;
    };
    EXPECT_EQ(driven("{type: Gain, k: 1}", "[[1, 2], [3, 4]] -> x.u"),
              "the input 'x.u' is a single value, '[[1, 2], [3, 4]]' is a 2 x 2 matrix");
    EXPECT_EQ(driven("{type: Gain, u: 1}", "vector.e -> x.k"),
              "'k' of 'x' is a single value, 'vector.e' is a vector of 3");
    EXPECT_EQ(driven("{type: Sum, u1: 1, u2: 2}", "[vector.e, vector.e] -> x.k"),
              "'k' of 'x' is a list, '[vector.e, vector.e]' is a 2 x 3 matrix");
    EXPECT_EQ(driven("{type: TimeTable}", "[vector.e, vector.e] -> x.table"),
              "a time table is a list of at least two rows [time, value]");
    EXPECT_EQ(driven("{type: Sum, u1: 1, u2: 2, u3: 3}", "vector.e -> x.k"), "") << "a weight for each input";
}

TEST(VectorInputs, ThatNoFunctionTakesForASingleValue) {
    const auto message = [](const std::string& value) {
        const std::vector<Diagnostic> errors =
            errors_of(std::string(kVectorSource) + "  x: {type: Gain, u: 1, k: \"" + value + "\"}\n" + kVectorBond);
        return errors.empty() ? "" : errors[0].message;
    };
    EXPECT_EQ(message("smooth([0, 1], 3)"), "the order of smooth() is a scalar, not a vector of 2");
    EXPECT_EQ(message("size([1, 2], [1, 2])"), "the second argument of size() is a scalar, not a vector of 2");
    EXPECT_EQ(message("vector.e[[1, 2]]"), "an index is a scalar, not a vector of 2");
    EXPECT_EQ(message("[1, 2] > 1"), "'>' compares scalars, not a vector of 2 and a scalar");
    EXPECT_EQ(message("max(1, [1, 2])"), "max() takes scalars, not a scalar and a vector of 2");
    EXPECT_EQ(message("[1, 2]^2"), "'^' takes scalars, not a vector of 2 and a scalar");
    EXPECT_EQ(message("if [1, 0] then 1 else 2"), "the condition of 'if' must be a scalar, not a vector of 2");
}

/// Types of the library that are there for vectors, by the input.
const std::set<std::string> kForVectors{"Multiplexer.u", "VectorNorm.u", "MatrixGain.u", "StepSequencer.go"};

// Nothing of the library takes a vector silently. What it says of sizes stands in the user's file: where the
// vector is given, or at the component where it has been handed on inside.
TEST(VectorInputs, NoTypeOfTheLibraryTakesAVectorForASingleValue) {
    SourceMap sources;
    const model::Model library = io::load_part_library(sources);
    std::size_t looked_at = 0;
    std::size_t of_sizes = 0;
    for (const model::TypeDeclaration& type : library.types) {
        if (type.partial) continue;
        const std::string name = type.name.text.substr(type.name.text.rfind('.') + 1);
        const std::string file = std::filesystem::path(library.files[type.name.position.file]).stem().string();
        for (const model::VariableDeclaration& input : type.inputs) {
            std::string settings;
            for (const model::ParameterDeclaration& p : type.body.parameters) {
                if (!p.value && !p.record)
                    settings += fmt::format(", {}: {}", p.name.text, p.choices.empty() ? "1" : p.choices[0].text);
            }
            for (const model::VariableDeclaration& other : type.inputs) {
                if (other.name.text != input.name.text) settings += fmt::format(", {}: 1", other.name.text);
            }
            const std::string text = fmt::format("import: [{}]\n{}  x: {{type: {}{}}}\n{}signals: [vector.e -> x.{}]\n",
                                                 file, kVectorSource, name, settings, kVectorBond, input.name.text);
            const std::vector<Diagnostic> errors = errors_of(text);
            ++looked_at;
            EXPECT_EQ(errors.empty(), kForVectors.contains(name + "." + input.name.text)) << text;
            for (const Diagnostic& d : errors) {
                if (d.message.find("a vector of 3") == std::string::npos) continue;
                ++of_sizes;
                EXPECT_EQ(d.position.file, 0U) << d.message << "\n" << text;
                const std::set<std::uint32_t> places{line_with(text, "  x:"), line_with(text, "signals:")};
                EXPECT_TRUE(places.contains(d.position.line)) << d.message << "\n" << text;
            }
        }
    }
    EXPECT_GT(looked_at, 200U);
    EXPECT_GT(of_sizes, 80U) << "others lack connections, which is said first";
}

}  // namespace
}  // namespace bondgraph
