#pragma once

#include <filesystem>
#include <string>

#include "bench/stopwatch.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/sorted_system.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::bench {

/// Seconds spent in each stage from file to tapes.
struct StageTimes {
    double yaml = 0.0;
    double flatten = 0.0;
    double causality = 0.0;
    double sort = 0.0;
    double compile = 0.0;
};

/// A model file taken through all stages, with every stage's result alive (later ones refer to earlier ones, so it
/// stays where it was made).
class Pipeline {
   public:
    /// Throws ModelError as the stages do.
    explicit Pipeline(const std::filesystem::path& file);
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    [[nodiscard]] const compile::CompiledModel& compiled() const { return compiled_; }
    [[nodiscard]] const StageTimes& seconds() const { return seconds_; }

   private:
    model::Catalogue catalogue_;
    UnitSystem units_;
    SourceMap sources_;
    model::Model model_;
    model::BondGraph graph_;
    causality::CausalGraph causal_;
    compile::SortedSystem sorted_;
    compile::CompiledModel compiled_;
    StageTimes seconds_;
};

/// A model file in the folder for temporary files, removed with this object.
class TemporaryFile {
   public:
    TemporaryFile(const std::string& name, const std::string& text);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

   private:
    std::filesystem::path path_;
};

}  // namespace bondgraph::bench
