#include "bondgraph/api/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>

#include "bondgraph/api/stored.hpp"
#include "bondgraph/io/importable_files.hpp"
#include "bondgraph/io/load_model.hpp"
#include "bondgraph/io/part_library.hpp"
#include "bondgraph/model/experiment.hpp"
#include "bondgraph/model/results.hpp"
#include "bondgraph/model/unused_types.hpp"
#include "bondgraph/simulation/interruption.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::api {
namespace {

void check_readable(const std::string& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) {
        throw UsageError(
            fmt::format("can't read '{}': {}", file, error ? error.message() : "No such file or directory"));
    }
    if (std::filesystem::is_directory(status)) throw UsageError(fmt::format("can't read '{}': it is a folder", file));
}

std::vector<model::ParsedOverride> parse_overrides(const Preparation& how, Session& session, Diagnostics& found) {
    std::vector<model::ParsedOverride> overrides;
    for (const std::string& setting : how.settings) {
        try {
            overrides.push_back(io::parse_override(setting, session.sources,
                                                   session.command_line ? "--set " : kOfValues,
                                                   &session.tables_of_settings, session.access));
        } catch (const ModelError& e) {
            found.append(e.diagnostics());
        } catch (const std::invalid_argument& e) {
            throw UsageError(e.what());
        }
    }
    return overrides;
}

}  // namespace

namespace {

/// The name that stands at a place.
std::string_view name_at(const SourceMap& sources, SourcePosition position) {
    std::string_view line = sources.line(position);
    if (position.column == 0 || position.column > line.size()) return {};
    line.remove_prefix(position.column - 1);
    const auto end = std::ranges::find_if(line, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
    return line.substr(0, static_cast<std::size_t>(end - line.begin()));
}

/// The import that brings a type; nothing where none would. Files of the user's own come before those of the library,
/// as for `import:`.
std::string import_to_try(const std::string& type, const std::vector<std::filesystem::path>& import_folders) {
    const auto own = io::importable_files_with(type, import_folders);
    if (!own.empty())
        return fmt::format("'import: [{}]' brings it from {} (BONDGRAPH_PATH)", own.front().name,
                           own.front().path.string());
    const auto files = io::library_files_with(type);
    if (files.empty()) return {};
    return fmt::format("'import: [{}]' for the part of the library that has this name", files.front());
}

/// Where a type that is not known is in a file that can be imported, that comes before all advice.
Diagnostics with_imports_to_try(const Diagnostics& found, const Session& session) {
    const SourceMap& sources = session.sources;
    std::map<std::string, std::string> imports;  // by type: files are read once for all components of one
    Diagnostics result;
    for (Diagnostic d : found.items()) {
        const bool unknown =
            d.code == "BG-M001" && d.position.file < sources.size() && d.message.starts_with("unknown component type");
        if (unknown) {
            const std::string type(name_at(sources, d.position));
            const auto [import, first] = imports.try_emplace(type);
            if (first) import->second = import_to_try(type, session.import_folders);
            if (!import->second.empty()) d.notes = {{"try", import->second}};
        }
        result.append(std::span(&d, 1));
    }
    return result;
}

}  // namespace

Environment standard_environment() { return {UnitSystem{}, mechanics3d::full_catalogue()}; }

namespace {

/// The session's model as a bond graph, with the settings laid over it; nothing where `found` has mistakes.
void flatten_model(Session& session, const Preparation& how, const std::vector<model::ParsedOverride>& overrides,
                   Diagnostics& found) {
    const auto& [units, catalogue] = *session.environment;
    try {
        session.graph = std::make_unique<model::BondGraph>(model::flatten(
            session.model, catalogue, units, overrides, {.adjustable = how.adjustable, .listed = how.list_parameters}));
    } catch (const ModelError& e) {
        found.append(e.diagnostics());
    }
}

}  // namespace

void flatten_again(Session& session, const Preparation& how) {
    Diagnostics found;
    const auto overrides = parse_overrides(how, session, found);
    found.throw_if_errors();
    flatten_model(session, how, overrides, found);
    if (session.graph != nullptr) model::check_results(session.model, *session.graph, found);
    found.throw_if_errors();
}

std::string text_after(Session& session, model::Stage stage) {
    Diagnostics found;
    const auto overrides = parse_overrides({.settings = session.settings}, session, found);
    found.throw_if_errors();
    const auto& [units, catalogue] = *session.environment;
    return model::text_after(stage, session.model, catalogue, units, overrides);
}

model::Circuit circuit_of(Session& session) {
    Diagnostics found;
    const auto overrides = parse_overrides({.settings = session.settings}, session, found);
    found.throw_if_errors();
    const auto& [units, catalogue] = *session.environment;
    return model::circuit_of(session.model, session.layout, catalogue, units, overrides);
}

void read(Session& session, const Preparation& how) {
    session.settings = how.settings;
    if (!session.text) check_readable(session.file);
    if (!session.text && is_stored(session.file)) return read_stored(session, how);
    io::ReadModel read =
        session.text
            ? io::read_model_text(*session.text, session.file, session.sources, session.import_folders, session.access)
            : io::read_model(session.file, session.sources, session.import_folders, session.access);
    Diagnostics& found = read.diagnostics;
    if (!read.readable) found.throw_if_errors();
    session.model = std::move(read.model);
    session.layout = std::move(read.layout);
    const auto overrides = parse_overrides(how, session, found);
    const auto& [units, catalogue] = *session.environment;
    if (found.has_errors()) {
        found.append(model::find_mistakes(session.model, catalogue, units, overrides));
    } else {
        flatten_model(session, how, overrides, found);
    }
    if (session.graph != nullptr)
        model::check_results(session.model, *session.graph, found);
    else
        found.append(model::find_unknown_results(session.model, catalogue, units));
    if (found.has_errors()) model::check_experiment(session.model, units, found);
    if (found.has_errors()) found = with_imports_to_try(found, session);
    found.throw_if_errors();
}

void check_unused_types(const Session& session) {
    const auto& [units, catalogue] = *session.environment;
    Diagnostics found;
    const auto of_user = [&](std::uint32_t file) {
        return file >= session.model.files.size() || !io::library_text(session.model.files[file]);
    };
    found.append(model::mistakes_in_unused_types(session.model, catalogue, units, of_user));
    found.throw_if_errors();
}

namespace {

/// What comes after a stage was made of what is there: who takes a session only so far may put others in its place.
void keep_stages(Session& session, Stage last) {
    if (last < Stage::compiled) {
        session.shared.reset();
        session.compiled.reset();
    }
    if (last < Stage::sorted) session.system.reset();
    if (last < Stage::causal) session.causal.reset();
}

}  // namespace

void compile_to(Session& session, Stage last, bool perturb_sources, const std::atomic<bool>* asked) {
    if (session.stored && !perturb_sources) return keep_stages(session, last);
    if (last == Stage::flattened) return;
    simulation::end_if_asked(asked);
    session.causal = std::make_unique<causality::CausalGraph>(causality::assign_causality(*session.graph));
    if (last == Stage::causal) return;
    simulation::end_if_asked(asked);
    session.system = std::make_unique<compile::SortedSystem>(compile::sort_start(*session.causal, perturb_sources));
    if (last == Stage::sorted) return;
    simulation::end_if_asked(asked);
    session.compiled = std::make_unique<compile::CompiledModel>(compile::compile(*session.system));
    session.shared = std::make_shared<simulation::SharedModes>(*session.compiled);
}

compile::CompiledModel perturbed(const Session& session) {
    return compile::compile(compile::sort_equations(*session.causal, true));
}

std::vector<std::string> files_read(const Session& session) {
    std::vector<std::string> files{session.file};
    std::ranges::remove_copy(session.model.files, std::back_inserter(files), session.file);
    files.insert(files.end(), session.tables_of_settings.begin(), session.tables_of_settings.end());
    return files;
}

}  // namespace bondgraph::api
