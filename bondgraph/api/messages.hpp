#pragma once

#include <functional>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// Diagnostics as they leave the library.
std::vector<Message> messages_of(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources);

Place place_of(SourcePosition position, const SourceMap& sources);

/// Texts that belong to no place.
Error plain_error(Error::Kind kind, const std::vector<std::string>& texts);

/// Thrown where a run does not get past its start for numerical reasons.
struct StartFailure {
    Error error;
};

/// Why a run ended before its stop.
Error error_of(const simulation::Failure& failure, const SourceMap& sources);

/// What the exception that is being handled says, in terms of the session. Exceptions that are no mistake of a model or
/// a call are thrown on.
Error error_of_current_exception(const Session& session);

}  // namespace bondgraph::api
