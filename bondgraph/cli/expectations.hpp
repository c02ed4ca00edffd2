#pragma once

#include <string>
#include <vector>

#include "bondgraph/cli/session.hpp"

namespace bondgraph::cli {

/// What came out of checking one model.
struct Verdict {
    bool skipped = false;  ///< nothing is expected of this file
    bool wrong = false;    ///< what is expected is no matter of the run: it can't be checked
    std::size_t checks = 0;
    std::vector<std::string> failures;  ///< texts for people, each with its place in the file
    [[nodiscard]] bool passed() const { return failures.empty(); }
};

/// Checks a model file against its `expect:`.
///
/// Values at a time: the model is run to the later of its `stop` and the last `at`; a value passes when it differs from
/// the expected one by no more than tolerance (default 1e-4) times the greater of the expected value and the largest
/// magnitude of that result in the run. Poles are compared as multisets, each within tolerance (default 1e-5) times the
/// greater of its magnitude and a thousandth of the largest eigenvalue's: a pole at the origin is only as exact as the
/// largest one lets it be. Counts are exact. `error: CODE` passes when any stage up to the end of the simulation gives
/// a diagnostic with that code; the other entries of such a model are not looked at.
Verdict check_expectations(const Environment& environment, const std::string& file);

/// Reports the entries of a prepared model's `expect:` that no run could meet: names that are no results, values that
/// can't be read, tolerances and times outside their bounds. Throws ModelError. Models made to fail are left alone.
void check_entries(Session& session);

}  // namespace bondgraph::cli
