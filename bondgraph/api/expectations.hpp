#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// What a test is of.
struct TestSubject {
    std::function<Session&()> compiled;       ///< takes it to Stage::compiled; throws as compile_to() does
    std::function<const Session&()> session;  ///< what messages point into, also where `compiled` has thrown
    std::vector<std::string> errors = {};     ///< codes that are expected: the other entries are not looked at
    const std::atomic<bool>* interrupted = nullptr;
};

/// Checks a model against its `expect:`.
///
/// Values at a time: the model is run to the later of its `stop` and the last `at`; a value passes when it differs from
/// the expected one by no more than tolerance (default 1e-4) times the greater of the expected value and the largest
/// magnitude of that result in the run. Poles are compared as multisets, each within tolerance (default 1e-5) times the
/// greater of its magnitude and a thousandth of the largest eigenvalue's: a pole at the origin is only as exact as the
/// largest one lets it be. Counts are exact. `error: CODE` passes when any stage up to the end of the simulation gives
/// a diagnostic with that code. Throws UsageError, model::UnknownOverride and simulation::Interrupted.
Verdict check_expectations(const TestSubject& subject);

/// The same of a session's file, which need not be a model: codes of `error:` entries are looked for in its text.
/// Throws UsageError where it can't be read.
Verdict check_file(Session& session, const Preparation& how, const std::atomic<bool>* interrupted);

/// Reports the entries of a prepared model's `expect:` that no run could meet: names that are no results, values that
/// can't be read, tolerances and times outside their bounds. Throws ModelError. Models made to fail are left alone.
void check_entries(Session& session);

}  // namespace bondgraph::api
