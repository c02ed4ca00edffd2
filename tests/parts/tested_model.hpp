#pragma once

// What the test models of the library of parts are made of: which parameters there are to change, and what to.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/model.hpp"

namespace bondgraph::parts {

/// A parameter or start value of a test model, by the name under which it can be set.
struct Changeable {
    std::string name;                       ///< "motor.R", "motor.fluid.density", "v.p0"
    std::string declared;                   ///< of a parameter of the tested type what it is there: "fluid.density"
    std::optional<double> value;            ///< in SI units, where it is a single number
    bool plain = false;                     ///< without a dimension, as far as is known
    const model::Value* written = nullptr;  ///< as the test model has it, if it does
    bool derived = false;                   ///< follows from other parameters of its type, unless it is set
    bool start = false;                     ///< a start value
    bool tested = false;                    ///< of an instance of the type that the file is named after
};

/// A test model as it was read, with all that can be changed from outside of its parts: parameters of the model, of its
/// components (not of parts inside these), and start values that it gives; of the tested type also those of instances
/// in other parts.
struct TestedModel {
    std::string file;
    std::string type;  ///< which it tests, by the name of the file; empty where the file has no such type
    model::Model model;
    std::vector<Changeable> changeable;
};

/// `folders` are those in which imports are looked for. Throws ModelError where the file is no model.
TestedModel read_tested_model(const std::filesystem::path& file, const std::vector<std::string>& folders);

/// The text of a value as written, times `factor`: a number with its unit, a list entry by entry, an expression in
/// parentheses. Nothing of a word or a condition.
std::optional<std::string> times(const model::Value& value, double factor);

/// As times(), of the single numbers in a list (row by row): one text for each, in which that one alone is changed. A
/// zero becomes a tenth of the largest number of the list. Of what is no list there is one text.
std::vector<std::string> one_by_one(const model::Value& value, double factor);

/// Random numbers that are the same on every machine (SplitMix64).
class Random {
   public:
    Random(std::uint64_t seed, std::string_view salt);
    /// From 0 up to 1.
    double uniform();

   private:
    std::uint64_t state_;
};

/// Test models below files and folders, in alphabetical order.
std::vector<std::string> test_models(const std::vector<std::string>& places);

}  // namespace bondgraph::parts
