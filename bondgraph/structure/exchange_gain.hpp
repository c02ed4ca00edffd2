#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bondgraph/structure/dummy_derivatives.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::structure {

struct ChoiceLevel;

/// How much better a neighbouring choice of dummies could be: the largest entry of (Jacobian by the dummies)⁻¹ ·
/// (Jacobian by the other candidates), rows and columns scaled. Taking a candidate for a dummy multiplies the
/// determinant by such an entry, and where none is large the choice is near the best (Gu, Eisenstat: Efficient
/// algorithms for computing a strong rank-revealing QR factorization, SIAM J. Sci. Comput. 17, 1996). What depends on
/// the choice alone is prepared once; at a point it costs a sparse factorization, far less than dummy_conditions().
class ExchangeGain {
   public:
    /// `pattern`: columns of the differentiated equations, row `row_of[equation]` (or kNone) for each of the plan's.
    /// `keep`: as for choose_dummies(); an entry that would give up a state for one that is wanted less counts by
    /// DummyTolerances::preferred only.
    ExchangeGain(const IndexReduction& plan, const DummyChoice& choice, const Incidence& pattern,
                 std::span<const std::uint32_t> row_of, std::span<const std::int16_t> keep);

    /// `entries` in the order of the pattern. Infinity: the dummies are not determined.
    [[nodiscard]] double at(std::span<const double> entries);

   private:
    /// An entry of the pattern in a row of a block, to be scaled by that row's largest and a magnitude.
    struct Scaled {
        std::uint32_t entry;
        std::uint32_t row;  ///< of largest_
        double magnitude;
    };
    struct Place {
        std::uint32_t row;     ///< of the level
        std::uint32_t scaled;  ///< index into scaled_
    };
    struct Candidate {
        std::vector<Place> places;
        std::int16_t wanted = 0;
    };
    struct Level {
        std::size_t size = 0;
        std::vector<std::uint32_t> chosen;         ///< indices into scaled_, in the order of the square's pattern
        std::unique_ptr<SparseFactors> square;     ///< nothing for a single dummy
        std::vector<std::int16_t> wanted_dummies;  ///< by column of the square
        std::vector<Candidate> others;
    };

    void add(const ChoiceLevel& level, const std::vector<std::vector<Place>>& columns, std::size_t block_rows,
             std::span<const std::int16_t> keep);
    [[nodiscard]] double gain(Level& level);

    bool square_ = true;  ///< as many dummies as rows, in every level
    std::vector<Scaled> scaled_;
    std::vector<Level> levels_;
    std::vector<double> largest_, values_, work_;
};

}  // namespace bondgraph::structure
