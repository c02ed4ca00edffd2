#pragma once

#include <filesystem>
#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/serve/worker.hpp"

namespace bondgraph::serve {

/// Answers about models that are given as texts: what is wrong with one, what the page shows of it, a run with other
/// values of parameters, how it compares with the solution of an exercise, what strokes and equations that somebody has
/// found for it are worth, all types. The last models are kept, so that a parameter that changes doesn't compile again.
class Answers {
   public:
    explicit Answers(WorkerOptions options) : options_(std::move(options)) {}

    /// Of a request {"ask": "page", "name": …, "text": …, "values": {…}} the answer as JSON; of a run with
    /// "bytes" the length of the JSON, a line break, the JSON, and the numbers that it refers to. Never throws: what
    /// goes wrong is told in JSON as "error".
    [[nodiscard]] std::string answer(const std::string& request);

   private:
    struct Kept {
        std::string name;
        std::string text;
        std::vector<std::pair<std::string, std::filesystem::file_time_type>> files;  ///< that it imports
        api::Model model;
        std::vector<std::string> results = {};  ///< that its page has
    };

    api::Result<Kept*> model(const std::string& name, const std::string& text);
    [[nodiscard]] api::LoadOptions load_options() const;
    std::string page(const nlohmann::json& request, api::ReportOptions::Content content);
    std::string compare(const nlohmann::json& request);
    std::string strokes(const nlohmann::json& request);
    std::string derive(const nlohmann::json& request);

    WorkerOptions options_;
    UnitSystem units_;
    std::list<Kept> kept_;  ///< the last one first
};

}  // namespace bondgraph::serve
