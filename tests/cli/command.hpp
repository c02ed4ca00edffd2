// Runs the real program in a folder of its own and keeps what it said.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bondgraph::cli {

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

// A new folder that is removed with everything in it at the end of the scope.
class Folder {
   public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    // Writes a file (folders are made) and gives its name relative to this folder.
    std::string write(const std::string& name, const std::string& text) const;
    [[nodiscard]] std::string read(const std::string& name) const;
    [[nodiscard]] bool has(const std::string& name) const;
    // Runs `bondgraph arguments…` with this folder as working directory. `variables` ("NAME=value") are added to the
    // environment.
    [[nodiscard]] Outcome run(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& variables = {}) const;
    // The same with another program.
    [[nodiscard]] Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& variables = {}) const;

   private:
    std::filesystem::path path_;
};

// The numbers of a column of CSV text, by its name in the head. Fails the test when there is no such column.
std::vector<double> csv_column(const std::string& text, const std::string& name);

// R and C in series on 10 V: the capacitor charges with a time constant of 1 ms.
inline constexpr const char* kCharging = R"(model: charging
parameters: {U: 10 V}
components:
  source: {type: Se, e: U}
  loop: {type: 1}
  R1: {type: R, R: 1 kohm}
  C1: {type: C, C: 1 uF, initial: {e: 0 V}}
bonds:
  - source -> loop
  - loop -> R1
  - feed: loop -> C1
experiment: {stop: 5 ms, tolerance: 1e-9, interval: 1 ms}
outputs: [C1.e, feed.power]
)";

// x' = x² from 1: x = 1/(1 − t) leaves every bound at t = 1.
inline constexpr const char* kEscaping = R"(model: escaping
types:
  Escape:
    ports: {p: {domain: generic}}
    variables: {x: {start: 1}}
    equations: [der(x) = x^2, p.e = x]
components:
  a: {type: Escape}
  n: {type: 0}
  r: {type: R, R: 1}
bonds: [n -> a, n -> r]
experiment: {stop: 2 s, interval: 0.1 s}
outputs: [a.x]
)";

/// Options of `run` that are wrong, and what is said to them.
struct WrongOption {
    std::vector<std::string> arguments;
    const char* message;
};
// Runs a model with them: wrong usage with that message, and no results.
void expect_refused_before_anything_is_written(const WrongOption& wrong);

}  // namespace bondgraph::cli
