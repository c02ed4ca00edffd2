#pragma once

// Which elements of a model move little energy, and the model without them.

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

struct ReduceOptions {
    Values values = {};
    double keep = 0.98;  ///< share of all activity that the elements kept have at least, above 0 and at most 1
    std::optional<Value> stop = {};  ///< of the runs, as in RunOptions
    std::optional<Value> interval = {};
    std::optional<Value> tolerance = {};
    const std::atomic<bool>* cancel = nullptr;  ///< true ends it with an error
};

/// What an element did in the run. Its activity is ∫ |power into it| dt, in joule (Louca, Stein, Hulbert, Sprague:
/// Proper model generation: an energy-based methodology, ICBGM 1997).
struct ElementActivity {
    std::string name;
    std::string type;
    double activity = 0.0;
    double share = 0.0;       ///< of the sum of all
    double cumulative = 0.0;  ///< of it and all before it
    bool little = false;      ///< the share wanted is reached without it
    bool removed = false;     ///< it is not in the reduced model
    std::string remark;       ///< of one with little activity: how it is left out, or why it stays
};

/// A place where the reduced model ends: a bond that is gone with all that hung on it.
struct Cut {
    std::string junction;
    bool effort = false;  ///< a 1-junction: what the bond's effort was is 0 now; else its flow
    /// Root mean square of what is 0 now, over the largest that another bond of the junction has.
    double ratio = 0.0;
    std::vector<std::string> components;  ///< what is gone, junctions and two-ports included
};

/// How far an output of the reduced model is from that of the model, at the rows of the run.
struct OutputDeviation {
    std::string name;
    std::string unit;
    double range = 0.0;    ///< of the model's, largest less smallest; of a constant one its size
    double largest = 0.0;  ///< absolute
    double rms = 0.0;
    [[nodiscard]] double largest_share() const { return range > 0.0 ? largest / range : largest; }
    [[nodiscard]] double rms_share() const { return range > 0.0 ? rms / range : rms; }
};

struct Reduction {
    double from = 0.0;  ///< s
    double to = 0.0;
    double total = 0.0;  ///< activity, J
    double keep = 0.0;
    double kept = 0.0;  ///< share of the activity that the reduced model's elements had
    /// Elements that store or lose energy, the most active first; sources give it and are not among them.
    std::vector<ElementActivity> elements;
    std::vector<Cut> cuts;  ///< none: there is no reduced model
    std::string text;       ///< of the reduced model's file: that of the model without what is gone
    std::vector<OutputDeviation> outputs;
    std::vector<std::string> outputs_gone;  ///< that named what is gone
    std::vector<std::string> states_gone;
    std::size_t states = 0;             ///< of the reduced model
    std::vector<Message> warnings;      ///< of both runs
    std::optional<Error> failure = {};  ///< why the reduced model's run ended early; outputs are compared up to there
};

}  // namespace bondgraph::api
