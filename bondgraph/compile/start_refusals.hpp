#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/compile/start_givens.hpp"

namespace bondgraph::compile {

/// How near a search came to the first level that no attempt passed, and what is left there: if positions can't be met,
/// what is left of rates and forces says nothing.
struct NearestStart {
    std::vector<double> x{};
    std::size_t rows = 0;
    double violation = 0.0;
    std::uint32_t worst = 0;
    double left = 0.0;
};

/// Why no start was found, in the user's terms. All of them throw.
class StartRefusals {
   public:
    /// Both must outlive it.
    StartRefusals(const ReducedSystem& system, const StartGivens& givens)
        : s_(system), g_(system.graph()), givens_(givens) {}

    /// The equations alone can be met: BG-I001 with the fixed values that are missed most. `values`: what each of them
    /// misses where the search came nearest, and `when_closed`: where closed loops were brought together. Throws a
    /// PositionError where places are to blame.
    [[noreturn]] void contradiction(const NearestStart& reached, std::span<const double> values,
                                    std::span<const double> when_closed) const;
    /// BG-I003: not even the equations can.
    [[noreturn]] void no_solution(const NearestStart& reached, double time) const;
    /// BG-I003: more unknowns than the start is solved for.
    [[noreturn]] void too_large(std::size_t size) const;

   private:
    [[nodiscard]] bool of_place(const StartGivens::Condition& c) const;
    [[nodiscard]] std::optional<std::string> no_freedom() const;
    [[nodiscard]] std::optional<std::string> unfit_lengths(const StartGivens::Condition& given) const;
    [[nodiscard]] std::string met_beside(const StartGivens::Condition& missed) const;
    [[nodiscard]] std::string left_text(const NearestStart& n) const;

    const ReducedSystem& s_;
    const model::BondGraph& g_;
    const StartGivens& givens_;
};

}  // namespace bondgraph::compile
