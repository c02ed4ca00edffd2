#include "bondgraph/api/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/simulation/interruption.hpp"

namespace bondgraph::api {

Place place_of(SourcePosition position, const SourceMap& sources) {
    if (!position.known() || position.file >= sources.size()) return {};
    return {sources.name(position.file), static_cast<int>(position.line), static_cast<int>(position.column)};
}

namespace {

Message message_of(const Diagnostic& d, const SourceMap& sources) {
    Message message;
    message.warning = d.severity != Severity::error;
    message.code = d.code;
    message.text = d.message;
    message.place = place_of(d.position, sources);
    message.shown = render(d, sources);
    for (const DiagnosticNote& note : d.notes) message.notes.push_back({note.label, note.text});
    return message;
}

}  // namespace

namespace {

std::vector<std::string> without_option(std::vector<std::string> texts) {
    constexpr std::string_view kOption = "--set: ";
    for (std::string& text : texts) {
        if (text.starts_with(kOption)) text.erase(0, kOption.size());
    }
    return texts;
}

}  // namespace

Error plain_error(Error::Kind kind, const std::vector<std::string>& texts) {
    Error error;
    error.kind = kind;
    for (const std::string& text : texts) {
        Message& message = error.messages.emplace_back();
        message.text = text;
        message.shown = fmt::format("error: {}\n", message.text);
    }
    return error;
}

std::vector<Message> messages_of(const std::vector<Diagnostic>& diagnostics, const SourceMap& sources) {
    std::vector<Message> messages;
    for (const Diagnostic& d : diagnostics) messages.push_back(message_of(d, sources));
    return messages;
}

Error error_of(const simulation::Failure& failure, const SourceMap& sources) {
    Error error;
    error.kind = failure.by_user ? Error::Kind::cancelled : Error::Kind::run;
    error.messages.push_back(message_of(failure_diagnostic(failure), sources));
    return error;
}

Error error_of_current_exception(const Session& session) {
    try {
        throw;
    } catch (const ModelError& e) {
        Error error;
        // What points nowhere is about an option of the call.
        if (std::ranges::none_of(e.diagnostics(), [](const Diagnostic& d) { return d.position.known(); }))
            error.kind = Error::Kind::usage;
        error.messages = messages_of(e.diagnostics(), session.sources);
        return error;
    } catch (const model::UnknownOverride& e) {
        // Values are set by a call where there is no command line.
        return plain_error(Error::Kind::usage, session.command_line ? e.messages() : without_option(e.messages()));
    } catch (const UsageError& e) {
        return plain_error(Error::Kind::usage, {e.what()});
    } catch (const StartFailure& e) {
        return e.error;
    } catch (const std::invalid_argument& e) {
        return plain_error(Error::Kind::usage, {e.what()});
    } catch (const simulation::Interrupted&) {
        return plain_error(Error::Kind::cancelled, {"ended by the user"});
    }
}

std::string Error::text() const {
    std::string all;
    for (const Message& message : messages) all += message.shown;
    return all;
}

}  // namespace bondgraph::api
