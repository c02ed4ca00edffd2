#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/simulation/findings.hpp"

namespace bondgraph::simulation {

/// A model in one mode, as compiled, and what runs have found out about it.
struct CompiledMode {
    std::shared_ptr<const causality::CausalGraph> causal;    ///< of modes other than the first
    std::shared_ptr<const compile::CompiledModel> compiled;  ///< owns what it refers to, but for the first mode's
    std::shared_ptr<const Findings> findings;

    explicit operator bool() const { return compiled != nullptr; }
};

/// Modes that follow from a model and the values of its structural discrete variables alone, for all runs of it: what
/// one run has compiled the next finds. Modes whose states were chosen at a point are a run's own, so that no run
/// depends on those before. May be used by several threads.
class SharedModes {
   public:
    /// `first` and what it refers to must outlive this.
    explicit SharedModes(const compile::CompiledModel& first);

    [[nodiscard]] const CompiledMode& first() const { return first_; }
    /// By values of the structural discrete variables; nothing where nobody has entered it.
    [[nodiscard]] CompiledMode find(const std::vector<double>& key) const { return find_in(modes_, key); }
    void keep(const std::vector<double>& key, const CompiledMode& mode) { keep_in(modes_, key, mode); }
    /// The same of unreduced equations, by values of those that decide which conditions on positions are there.
    [[nodiscard]] CompiledMode find_raw(const std::vector<double>& key) const { return find_in(raw_, key); }
    void keep_raw(const std::vector<double>& key, const CompiledMode& mode) { keep_in(raw_, key, mode); }

   private:
    using Kept = std::map<std::vector<double>, CompiledMode>;
    [[nodiscard]] CompiledMode find_in(const Kept& kept, const std::vector<double>& key) const;
    void keep_in(Kept& kept, const std::vector<double>& key, const CompiledMode& mode);

    CompiledMode first_;
    mutable std::mutex guard_;
    Kept modes_;
    Kept raw_;
};

}  // namespace bondgraph::simulation
