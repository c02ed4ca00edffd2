#include "bondgraph/api/expectations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <optional>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/api/stored.hpp"
#include "bondgraph/api/structure.hpp"
#include "bondgraph/io/text_file.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/impulse_names.hpp"
#include "bondgraph/simulation/interruption.hpp"

namespace bondgraph::api {
namespace {

constexpr double kValueTolerance = 1e-4;
constexpr double kPoleTolerance = 1e-5;
constexpr double kLeastPole = 1e-12;
constexpr Dimension kSecond{.second = 1};
const model::Measure kNumber = model::Measure::of(Dimension{});

using model::Expectation;

/// A check of a value at a time.
struct ValueCheck {
    const model::Setting* setting = nullptr;
    double at = 0.0;
    SourcePosition at_position;
    double expected = 0.0;
    double tolerance = 0.0;
    double within = 0.0;  ///< allowed whatever the size of the values
};

class Checker {
   public:
    Checker(Session& session, Verdict& verdict, const std::atomic<bool>* interrupted = nullptr)
        : session_(session), verdict_(verdict), interrupted_(interrupted) {}

    void structure(const Expectation& expectation) {
        count(expectation.states, "states", session_.system->states.size());
        count(expectation.dependent_storages, "dependent_storages", dependent_storages(*session_.system).size());
        count(expectation.algebraic_loops, "algebraic_loops", session_.system->loops.size());
    }

    /// Tolerances and times that no run could meet.
    void bounds(Diagnostics& diagnostics) {
        const double start = start_time(session_);
        for (const Expectation& e : session_.model.expectations) {
            attempt(diagnostics, [&] {
                if (!e.tolerance || number(*e.tolerance, kNumber) > 0.0) return;
                diagnostics.error(
                    "BG-M013", e.tolerance->position(),
                    fmt::format("'tolerance' must be greater than 0, it is {}", e.tolerance->scalar.text));
            });
            attempt(diagnostics, [&] {
                if (!e.within || is_point_on_scale(*e.within, diagnostics)) return;
                if (number(*e.within, std::nullopt) > 0.0) return;
                diagnostics.error("BG-M013", e.within->position(),
                                  fmt::format("'within' must be greater than 0, it is {}", e.within->scalar.text));
            });
            attempt(diagnostics, [&] {
                if (!e.at || number(*e.at, model::Measure::of(kSecond)) >= start) return;
                diagnostics.error("BG-M013", e.at->position(),
                                  fmt::format("'at' must not be before the start of the run at {:.6g} s, it is {}",
                                              start, e.at->scalar.text));
            });
        }
    }

    /// Names that are no results or several, and values that can't be read.
    void names_and_values(Diagnostics& diagnostics) {
        for (const Expectation& e : session_.model.expectations) {
            for (const model::Setting& setting : e.values) {
                attempt(diagnostics, [&] { static_cast<void>(signals({setting.key})); });
                attempt(diagnostics, [&] {
                    static_cast<void>(number_of(setting, setting.value, number(*e.at, model::Measure::of(kSecond))));
                });
                attempt(diagnostics, [&] {
                    if (e.within) static_cast<void>(number_of(setting, *e.within, std::nullopt));
                });
            }
        }
    }

    void poles(const Expectation& expectation) {
        ++verdict_.checks;
        const double tolerance = tolerance_of(expectation, kPoleTolerance);
        const double within = expectation.within ? number(*expectation.within, std::nullopt) : 0.0;
        if (eigenvalues_.empty()) {
            const compile::CompiledModel model = perturbed(session_);
            const simulation::Point start = simulation::start_point(model, settings());
            eigenvalues_ = analysis::linearize(start).eigenvalues;
        }
        const auto expected = complex_list(*expectation.poles);
        const SourcePosition position =
            expectation.poles->position().known() ? expectation.poles->position() : expectation.position;
        if (expected.size() != eigenvalues_.size()) {
            fail(position, fmt::format("poles: expected {}, got {}: {}", expected.size(), eigenvalues_.size(),
                                       list_text(eigenvalues_)));
            return;
        }
        match_poles(position, expected, tolerance, within);
    }

    void collect_values(const Expectation& expectation) {
        if (expectation.values.empty()) return;
        const double at = number(*expectation.at, model::Measure::of(kSecond));
        const double tolerance = tolerance_of(expectation, kValueTolerance);
        Diagnostics diagnostics;
        for (const model::Setting& setting : expectation.values) {
            try {
                const double within = expectation.within ? number_of(setting, *expectation.within, std::nullopt) : 0.0;
                checks_.push_back({&setting, at, expectation.at->position(), number_of(setting, setting.value, at),
                                   tolerance, within});
            } catch (const ModelError& e) {
                diagnostics.append(e.diagnostics());
            }
        }
        verdict_.wrong = verdict_.wrong || diagnostics.has_errors();
        diagnostics.throw_if_errors();
    }

    /// One run for all values.
    void values() {
        if (checks_.empty()) return;
        verdict_.checks += checks_.size();
        simulation::Settings settings = this->settings();
        check_times(settings);
        std::vector<model::Text> names;
        for (const ValueCheck& check : checks_) {
            names.push_back(check.setting->key);
            settings.stop = std::max(settings.stop, check.at);
            settings.also_at.push_back(check.at);
        }
        const auto run = simulation::simulate(*session_.compiled, settings, signals(names));
        if (const auto& failure = run.summary.failure) {
            if (failure->by_user) throw simulation::Interrupted{};
            fail({failure_diagnostic(*failure)});
        }
        for (std::size_t k = 0; k < checks_.size(); ++k) compare(checks_[k], run.result, k);
    }

    void run_only() {
        const auto run = simulation::simulate(*session_.compiled, settings(), output_signals(session_));
        if (run.summary.failure && run.summary.failure->by_user) throw simulation::Interrupted{};
    }

   private:
    /// Whether a deviation is written as a point on a scale, 274.15 K for 1 degC; reported then.
    [[nodiscard]] bool is_point_on_scale(const model::Value& value, Diagnostics& diagnostics) const {
        const std::string& text = value.scalar.text;
        const auto blank = text.find_last_of("0123456789. ");
        const auto unit = blank == std::string::npos
                              ? std::nullopt
                              : session_.environment->units.parse(std::string_view(text).substr(blank + 1));
        if (!unit || unit->offset == 0.0) return false;
        diagnostics.error("BG-U004", value.position(), fmt::format("'{}' is a point on a scale, no deviation", text),
                          {{"try", "give differences of temperatures in K"}});
        return true;
    }

    [[nodiscard]] simulation::Settings settings() {
        simulation::Settings settings = experiment_settings(session_, {});
        settings.energy = false;
        settings.interrupted = interrupted_;
        return settings;
    }

    void check_times(const simulation::Settings& settings) {
        Diagnostics diagnostics;
        for (const ValueCheck& check : checks_) api::check_reach(settings, check.at, check.at_position, diagnostics);
        verdict_.wrong = diagnostics.has_errors();
        diagnostics.throw_if_errors();
    }

    static void attempt(Diagnostics& diagnostics, const std::function<void()>& action) {
        try {
            action();
        } catch (const ModelError& e) {
            diagnostics.append(e.diagnostics());
        }
    }

    double number(const model::Value& value, std::optional<model::Measure> measure) {
        return model::number_in(value, *session_.graph, session_.environment->units, measure);
    }

    /// A value of a result, in its unit where it has one.
    double number_of(const model::Setting& setting, const model::Value& value, std::optional<double> at) {
        const UnitSystem& units = session_.environment->units;
        const auto named = model::resolve_result(*session_.graph, setting.key.text);
        const auto unit = named && !named->unit.empty() ? units.parse(named->unit) : std::nullopt;
        const auto measure = unit ? std::optional(model::Measure::of(*unit)) : std::nullopt;
        return model::number_in(value, *session_.graph, units, measure, at, unit ? named->unit : "");
    }

    /// Where only an absolute deviation is given, there is no relative one.
    double tolerance_of(const Expectation& expectation, double otherwise) {
        if (expectation.tolerance) return number(*expectation.tolerance, kNumber);
        return expectation.within ? 0.0 : otherwise;
    }

    void fail(SourcePosition position, const std::string& text) {
        Message& message = verdict_.failures.emplace_back();
        message.text = text;
        message.place = place_of(position, session_.sources);
        const Place& p = message.place;
        message.shown = p.line > 0 ? fmt::format("{}:{}:{}: {}\n", p.file, p.line, p.column, text) : text + '\n';
    }

    void fail(const std::vector<Diagnostic>& diagnostics) {
        for (Message& m : messages_of(diagnostics, session_.sources)) verdict_.failures.push_back(std::move(m));
    }

    void count(const std::optional<model::Value>& expected, const char* what, std::size_t got) {
        if (!expected) return;
        ++verdict_.checks;
        const double number_expected = number(*expected, kNumber);
        if (number_expected == static_cast<double>(got)) return;
        fail(expected->position(), fmt::format("{}: expected {}, got {}", what, number_expected, got));
    }

    static std::string pole_text(std::complex<double> pole) {
        return pole.imag() == 0.0 ? fmt::format("{:.9g}", pole.real())
                                  : fmt::format("[{:.9g}, {:.9g}]", pole.real(), pole.imag());
    }

    static std::string list_text(const std::vector<std::complex<double>>& poles) {
        std::vector<std::string> texts;
        for (const auto& pole : poles) texts.push_back(pole_text(pole));
        return fmt::format("{}", fmt::join(texts, ", "));
    }

    std::vector<std::complex<double>> complex_list(const model::Value& list) {
        std::vector<std::complex<double>> result;
        if (!list.is_list) return {number(list, std::nullopt)};
        for (const model::Value& item : list.items) {
            if (item.is_list && item.items.size() == 2) {
                result.emplace_back(number(item.items[0], std::nullopt), number(item.items[1], std::nullopt));
            } else {
                result.emplace_back(number(item, std::nullopt), 0.0);
            }
        }
        return result;
    }

    void match_poles(SourcePosition position, const std::vector<std::complex<double>>& expected, double tolerance,
                     double within) {
        // A pole at 0 is found to rounding of the largest one.
        double largest = 0.0;
        for (const auto& pole : expected) largest = std::max(largest, std::abs(pole));
        std::vector<std::complex<double>> unused = eigenvalues_;
        for (const std::complex<double>& pole : expected) {
            const auto nearest = std::min_element(unused.begin(), unused.end(), [&](const auto& a, const auto& b) {
                return std::abs(a - pole) < std::abs(b - pole);
            });
            const double deviation = std::abs(*nearest - pole);
            const double allowed = std::max(within, tolerance * std::max({std::abs(pole), 1e-3 * largest, kLeastPole}));
            if (!(deviation <= allowed)) {
                fail(position, fmt::format("poles: expected {}, nearest is {}, deviation {:.3g}, tolerance {:.3g}",
                                           pole_text(pole), pole_text(*nearest), deviation, allowed));
            }
            unused.erase(nearest);
        }
    }

    /// Names of single results only, so that columns and checks run parallel.
    std::vector<simulation::Signal> signals(const std::vector<model::Text>& names) {
        auto found = find_signals(session_, names);
        if (found.size() == names.size()) return found;
        Diagnostics diagnostics;
        for (const model::Text& name : names) {
            if (find_signals(session_, {name}).size() == 1) continue;
            diagnostics.error("BG-O003", name.position,
                              fmt::format("'{}' has several components; one number can't be expected of it", name.text),
                              {{"try", fmt::format("name one of them, as in {}[1]", name.text)}});
        }
        diagnostics.throw_if_errors();
        return found;
    }

    void compare(const ValueCheck& check, const simulation::Result& result, std::size_t column) {
        double got = std::numeric_limits<double>::quiet_NaN();
        double nearest = std::numeric_limits<double>::infinity();
        double largest = std::abs(check.expected);
        for (std::size_t row = 0; row < result.time.size(); ++row) {
            const double value = result.at(row, column);
            if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
            const double distance = std::abs(result.time[row] - check.at);
            if (distance > nearest) continue;
            nearest = distance;  // of rows at the same time the last counts: the value after an event
            got = value;
        }
        const std::string name = check.setting->key.text;
        const SourcePosition position = check.setting->key.position;
        if (nearest > 1e-9 * std::max(std::abs(check.at), std::numeric_limits<double>::min())) {
            return fail(position, fmt::format("{}: the run did not reach t = {:.9g} s", name, check.at));
        }
        const double deviation = std::abs(got - check.expected);
        const double allowed = std::max(check.within, check.tolerance * largest);
        if (deviation <= allowed) return;
        fail(position, fmt::format("{} at {:.9g} s: expected {:.10g}, got {:.10g}, deviation {:.3g}, tolerance {:.3g}",
                                   name, check.at, check.expected, got, deviation, allowed));
    }

    Session& session_;
    Verdict& verdict_;
    const std::atomic<bool>* interrupted_;
    std::vector<ValueCheck> checks_;
    std::vector<std::complex<double>> eigenvalues_;
};

/// The codes of `error:` entries and whether anything is expected, read from the file itself: a model that can't be
/// loaded has no other way to say that this is as it should be.
struct WrittenExpectations {
    bool any = false;
    std::vector<std::string> errors;
};

/// Where the YAML itself is broken there is no tree: the lines after `expect:` are searched.
void search_lines(const std::string& text, WrittenExpectations& written) {
    const std::size_t start = text.starts_with("expect:") ? 0 : text.find("\nexpect:");
    if (start == std::string::npos) return;
    written.any = true;
    constexpr std::string_view kKey = "error: BG-";
    for (std::size_t at = text.find(kKey, start); at != std::string::npos; at = text.find(kKey, at + 1)) {
        const std::size_t code = at + kKey.size() - 3;
        written.errors.push_back(text.substr(code, text.find_first_not_of("BGCEIMOSUXYL-0123456789", code) - code));
    }
}

WrittenExpectations written_expectations(const std::string& text) {
    WrittenExpectations written;
    Diagnostics ignored;
    const io::YamlNode root = io::parse_yaml(text, 0, ignored);
    const io::YamlNode* expect = root.kind == io::YamlNode::Kind::map ? root.find("expect") : nullptr;
    if (expect == nullptr || ignored.has_errors()) {
        search_lines(text, written);
        written.any = written.any || expect != nullptr;
        return written;
    }
    written.any = true;
    for (const io::YamlNode& entry : expect->children) {
        if (entry.kind != io::YamlNode::Kind::map) continue;
        if (const io::YamlNode* error = entry.find("error")) written.errors.push_back(error->scalar);
    }
    return written;
}

/// The text of a model file, or of the one that a stored model was made of.
io::TextFile text_of_model(const Session& session) {
    if (!is_stored(session.file)) return io::read_text_file(session.file);
    Session stored{.environment = session.environment, .file = session.file};
    try {
        read(stored, {});
    } catch (const UsageError& e) {
        return {.text = {}, .failure = e.what()};
    }
    return {.text = stored.sources.text(stored.graph->model_position.file), .failure = {}};
}

void check_errors(const TestSubject& subject, Verdict& verdict) {
    verdict.checks = subject.errors.size();
    std::vector<Diagnostic> found;
    try {
        Checker(subject.compiled(), verdict, subject.interrupted).run_only();
    } catch (const ModelError& e) {
        found = e.diagnostics();
    }
    const Session& session = subject.session();
    for (const std::string& code : subject.errors) {
        const auto same = [&](const Diagnostic& d) { return d.code == code && d.severity == Severity::error; };
        if (std::any_of(found.begin(), found.end(), same)) continue;
        std::string got = found.empty() ? "no error was found" : "got\n";
        for (const Message& m : messages_of(found, session.sources)) got += m.shown;
        Message& message = verdict.failures.emplace_back();
        message.text = fmt::format("expected error {}, {}", code, got);
        message.place.file = session.file;
        message.shown = fmt::format("{}: {}", session.file, message.text);
        if (!message.shown.ends_with('\n')) message.shown += '\n';
    }
}

void check_all(Session& session, Verdict& verdict, const std::atomic<bool>* interrupted) {
    take_modes_of_start(session);
    Checker checker(session, verdict, interrupted);
    Diagnostics diagnostics;
    checker.bounds(diagnostics);
    verdict.wrong = diagnostics.has_errors();
    diagnostics.throw_if_errors();
    for (const Expectation& expectation : session.model.expectations) {
        checker.structure(expectation);
        if (expectation.poles) checker.poles(expectation);
        checker.collect_values(expectation);
    }
    checker.values();
}

}  // namespace

void check_entries(Session& session) {
    const auto& entries = session.model.expectations;
    if (std::any_of(entries.begin(), entries.end(), [](const Expectation& e) { return e.error.has_value(); })) return;
    Verdict unused;
    Checker checker(session, unused);
    Diagnostics diagnostics;
    checker.bounds(diagnostics);
    checker.names_and_values(diagnostics);
    diagnostics.throw_if_errors();
}

Verdict check_expectations(const TestSubject& subject) {
    Verdict verdict;
    try {
        if (!subject.errors.empty())
            check_errors(subject, verdict);
        else
            check_all(subject.compiled(), verdict, subject.interrupted);
    } catch (const ModelError& e) {
        verdict.wrong = true;
        for (Message& m : messages_of(e.diagnostics(), subject.session().sources))
            verdict.failures.push_back(std::move(m));
    } catch (const UsageError&) {
        throw;
    } catch (const model::UnknownOverride&) {
        throw;
    } catch (const std::exception& e) {
        Message& message = verdict.failures.emplace_back();
        message.text = e.what();
        message.place.file = subject.session().file;
        message.shown = fmt::format("{}: {}\n", message.place.file, message.text);
    }
    return verdict;
}

Verdict check_file(Session& session, const Preparation& how, const std::atomic<bool>* interrupted) {
    const io::TextFile text = text_of_model(session);
    if (!text.failure.empty()) throw UsageError(fmt::format("can't read '{}': {}", session.file, text.failure));
    const WrittenExpectations written = written_expectations(text.text);
    if (!written.any) return {.skipped = true};
    const auto compiled = [&]() -> Session& {
        read(session, how);
        compile_to(session, Stage::compiled);
        return session;
    };
    return check_expectations({.compiled = compiled,
                               .session = [&]() -> const Session& { return session; },
                               .errors = written.errors,
                               .interrupted = interrupted});
}

}  // namespace bondgraph::api
