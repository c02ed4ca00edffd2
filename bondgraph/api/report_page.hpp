#pragma once

// A page for browsers that shows a model's bond graph, equations, run, energy and motion at the same instant.

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

struct ReportOptions {
    enum class Content {
        page,  ///< all of it, as HTML
        data,  ///< the same as the page's data alone, which empty_page() can show
        run    ///< of these only the run: what a change of a parameter needs at once
    };
    Values values = {};
    Content content = Content::page;
    /// False: without strokes, their reasons, and equations, which somebody is to find first.
    bool solved = true;
    /// Of a run alone: the results that it records, as Report::results had them. Empty: they are found anew, which
    /// takes drawing the graph.
    std::vector<std::string> results = {};
    bool energy = true;  ///< of a run alone: with the account of energy, without which it takes less time
    bool space = true;   ///< of a run alone: with what moves in space
    /// Of a run alone: its numbers as bytes in Report::numbers in place of base64. The JSON has {"bytes": [from, size]}
    /// for each of them.
    bool as_bytes = false;
    std::optional<Value> stop = {};  ///< as of RunOptions
    std::optional<Value> interval = {};
    std::optional<Value> tolerance = {};
    /// How many numbers the efforts and flows of bonds, and poses in space, may take each: of longer runs rows are left
    /// out at even distances. The first 60 of the model's own outputs are kept whole.
    std::size_t most_numbers = 600'000;
    /// Results of which the page is to show how they depend on each parameter; see SensitivityOptions::results.
    std::vector<std::string> sensitivities = {};
    std::function<bool(double time)> progress = {};
    const std::atomic<bool>* cancel = nullptr;
};

/// What came of it. A page there is of every model that can be flattened; of one that has no causality or does not run,
/// it shows what there is, and why there is no more.
struct Report {
    std::string page;               ///< HTML, whole: it loads nothing; or JSON
    std::string numbers;            ///< where ReportOptions::as_bytes asked for them
    std::optional<Error> conflict;  ///< why there is no causality, or are no equations
    std::optional<Error> failure;   ///< why there is no run, or one that ended before its stop
    /// Why there are no sensitivities: kind usage for a name that is no result, and what a run of them said.
    std::optional<Error> no_sensitivities;
    std::vector<Message> warnings;
    std::vector<std::string> results;  ///< that the run has recorded
    std::size_t rows = 0;
    std::size_t columns = 0;
};

/// The page without a model. In a frame of another page it waits for data by a message, and takes further runs so.
/// Empty where the library was built without it.
std::string_view empty_page();

}  // namespace bondgraph::api
