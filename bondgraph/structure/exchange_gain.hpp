#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bondgraph/structure/dummy_derivatives.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::structure {

struct ChoiceLevel;

/// The largest exchange_gain() of a choice of dummies, rows and columns scaled, at many points: what depends on the
/// choice alone is prepared once, and at a point it costs a sparse factorization, far less than choice_gain().
class ExchangeGain {
   public:
    /// `pattern`: columns of the differentiated equations, row `row_of[equation]` (or kNone) for each of the plan's.
    /// `wishes`: as for choose_dummies().
    ExchangeGain(const IndexReduction& plan, const DummyChoice& choice, const Incidence& pattern,
                 std::span<const std::uint32_t> row_of, std::span<const StateWish> wishes);

    /// `entries` in the order of the pattern. Infinity: the dummies are not determined.
    [[nodiscard]] double at(std::span<const double> entries);
    /// Rows of a level that determine as many of its dummies by themselves, once others have determined the rest.
    struct Part {
        std::size_t block;  ///< and its level, as choice_levels() has them
        std::size_t level;
        std::size_t number;                    ///< of the block of the square
        std::vector<std::uint32_t> rows;       ///< numbers in the level's rows
        std::vector<Eigen::Index> candidates;  ///< that these rows name: columns of the block
    };
    /// Of a level those first whose dummies the rows of others name.
    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    /// Determinants of the Jacobians by the dummies, scaled, one for each part. Nothing where one of them is singular.
    /// They cost a part of what at() does.
    [[nodiscard]] std::vector<Determinant> determinants(std::span<const double> entries);
    /// Condition of the rows of a part, by its dummies and by what the other candidates do to them while the rows of
    /// earlier parts determine the dummies of these: large where no choice of states determines them. After
    /// determinants(), for the same entries, which gave something.
    [[nodiscard]] double condition(const Part& part);

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
        Eigen::Index column;  ///< of the block
        std::vector<Place> places;
        StateWish wish;
    };
    struct Level {
        std::size_t size = 0;
        std::vector<std::vector<Place>> rows;   ///< of the square: column of it and place
        std::vector<std::uint32_t> chosen;      ///< indices into scaled_, in the order of the square's pattern
        std::unique_ptr<SparseFactors> square;  ///< nothing for a single dummy
        std::vector<SparseFactors::Block> blocks;
        std::vector<Eigen::Index> dummies;  ///< columns of the block, by column of the square
        std::vector<StateWish> wishes;      ///< by column of the square
        std::vector<Candidate> others;
        std::vector<std::vector<Place>> left_out;  ///< rows that others imply, by column of the square
    };

    void add_parts(std::size_t block, std::size_t number);
    void add(const ChoiceLevel& level, const std::vector<std::vector<Place>>& columns, std::size_t block_rows,
             std::span<const StateWish> wishes);
    [[nodiscard]] bool scale(std::span<const double> entries);
    [[nodiscard]] bool factorize(Level& level);
    [[nodiscard]] double gain(Level& level);
    [[nodiscard]] double row_gain(Level& level);

    bool square_ = true;  ///< as many dummies as rows, in every level
    std::vector<Scaled> scaled_;
    std::vector<Level> levels_;
    std::vector<Part> parts_;
    std::vector<std::size_t> level_of_part_;  ///< in levels_
    std::vector<double> largest_, values_, work_;
};

}  // namespace bondgraph::structure
