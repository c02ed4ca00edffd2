#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/api/usage_error.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/io/text_file.hpp"
#include "bondgraph/model/circuit.hpp"
#include "bondgraph/model/flatten.hpp"
#include "bondgraph/model/layout_declaration.hpp"
#include "bondgraph/model/model.hpp"
#include "bondgraph/model/stages.hpp"
#include "bondgraph/simulation/shared_modes.hpp"

namespace bondgraph::api {

/// What stands before the name of a value set by a call where a message points into it.
inline constexpr const char* kOfValues = "value of ";

/// What every model of a process shares.
struct Environment {
    UnitSystem units;
    model::Catalogue catalogue;
};

Environment standard_environment();

/// A model on its way from the file to numbers. Every stage refers to the ones before, so they live at fixed addresses.
struct Session {
    const Environment* environment = nullptr;
    std::string file;
    std::optional<std::string> text = {};                    ///< of the file where it is not to be read
    std::vector<std::filesystem::path> import_folders = {};  ///< where imports are looked for that are not beside it
    io::FileAccess access = {};                              ///< to what it and its settings name
    SourceMap sources;
    bool command_line = false;  ///< messages about texts that are set point into the options of one ("--set R")
    std::vector<std::string> settings = {};            ///< texts of --set that it has been read with
    std::vector<std::string> tables_of_settings = {};  ///< files that lists in these come from
    bool stored = false;  ///< its stages up to the last come from a file as store() makes them
    /// Of its adjustable parameters, in their order, for its runs; empty: as it was compiled.
    std::vector<double> inputs = {};
    model::Model model;
    model::LayoutDeclaration layout;
    std::unique_ptr<model::BondGraph> graph;
    std::unique_ptr<causality::CausalGraph> causal;
    std::unique_ptr<compile::SortedSystem> system;
    std::unique_ptr<compile::CompiledModel> compiled;
    std::shared_ptr<simulation::SharedModes> shared;  ///< what its runs have compiled and found out
};

enum class Stage : std::uint8_t { flattened, causal, sorted, compiled };

/// What a file is compiled with.
struct Preparation {
    std::vector<std::string> settings = {};    ///< texts of --set: "motor.R=3 ohm"
    bool perturb_sources = false;              ///< the equations have inputs to linearize by
    std::vector<std::string> adjustable = {};  ///< parameters that shall stay inputs (model::ParameterWishes)
    bool list_parameters = false;
    bool inputs_fit = false;  ///< of a stored model: it may be taken with its inputs, which settings are values for
};

/// Reads and flattens the session's file, which may be a stored model: its mistakes of form and of content are thrown
/// together, each once and in the order of the file. Throws ModelError, model::UnknownOverride, and UsageError when the
/// file can't be read or a setting has no form.
void read(Session& session, const Preparation& how);

/// Throws ModelError where types that the model has and does not use are wrong. Those of the library of parts are not
/// looked at.
void check_unused_types(const Session& session);

/// The same of a session whose model is there already: it gets its bond graph.
void flatten_again(Session& session, const Preparation& how);

/// What the session's model consists of after a stage of flattening.
std::string text_after(Session& session, model::Stage stage);

/// The circuit of the session's model.
model::Circuit circuit_of(Session& session);

/// Takes a session that has been read through the stages up to `last`, if it has not come from a file with all of them.
/// Throws ModelError, and simulation::Interrupted where `asked` is true between two of them.
void compile_to(Session& session, Stage last, bool perturb_sources = false, const std::atomic<bool>* asked = nullptr);

/// The equations once more with perturbed sources, for linearization; the session's own stay as they are.
compile::CompiledModel perturbed(const Session& session);

/// The files the session's model and its settings were read from, with those it imports and their tables: none of them
/// may become an output.
std::vector<std::string> files_read(const Session& session);

}  // namespace bondgraph::api
