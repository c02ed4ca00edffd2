#pragma once

#include "bondgraph/expression/tape.hpp"
#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::simulation {

/// A tape's derivatives as one sparse matrix, however many inputs an output depends on: values on the way that depend
/// on many columns and are used more than once are "cut", that is, they get a column and a row of their own.
///
///     [ ∂outputs/∂columns   ∂outputs/∂cuts  ]      Eliminating the cuts (solving with 0 on the right of their rows)
///     [ ∂cuts/∂columns      ∂cuts/∂cuts − 1 ]      gives the tape's Jacobian.
///
/// For a chain of bodies the Jacobian is full, and this matrix a band. A cut depends on columns and earlier cuts only:
/// the last block is triangular with −1 on its diagonal. (Griewank, Walther: Evaluating Derivatives, 2nd ed., ch. 9 and
/// 10: the extended Jacobian, with some of its intermediates already eliminated.) Derivatives are those of Jet,
/// 0·∞ = 0 included.
class CutTangents {
   public:
    /// Input `input` moves with column `column`; several inputs may move together.
    struct Seed {
        std::uint32_t input;
        std::uint32_t column;
    };

    /// `tape` must outlive it. `columns` are numbered from 0; at most one seed per input. A value with more entries
    /// than `wide` is cut when it is used more than once.
    CutTangents(const expression::Tape& tape, std::vector<Seed> seeds, std::uint32_t columns, std::size_t wide = kWide);

    static constexpr std::size_t kWide = 8;

    /// Columns of each row: of the outputs first, then of the cuts. Columns of cuts follow those of the seeds.
    [[nodiscard]] const structure::Incidence& pattern() const { return pattern_; }
    [[nodiscard]] std::uint32_t columns() const { return columns_; }
    [[nodiscard]] std::uint32_t cuts() const { return cuts_; }

    /// Evaluates the tape at `inputs`; each seeded input moves by the entry of `speeds` for that seed. Writes the
    /// matrix in the order of the pattern. False when a value or entry is not finite.
    bool evaluate(std::span<const double> inputs, std::span<const double> speeds, std::span<double> entries);
    [[nodiscard]] double value(std::size_t output) const { return values_[tape_->output_registers()[output]]; }
    [[nodiscard]] const std::vector<Seed>& seeds() const { return seeds_; }

   private:
    /// How an instruction passes derivatives on.
    struct Flow {
        std::uint8_t count = 0;               ///< of operands that carry derivatives
        std::uint8_t width = 0;               ///< entries of the result
        bool cut = false;                     ///< the result's entries are a row of the matrix, from first_entry on
        bool merges = false;                  ///< operands have fewer entries than the result: places_ says which
        std::array<std::uint8_t, 3> index{};  ///< which of the instruction's operands …
        std::array<std::uint32_t, 3> from{};  ///< … and their registers
        std::uint32_t places = 0;             ///< offset into places_: width times count numbers
        std::uint32_t first_entry = 0;
    };
    using Partials = std::array<double, 3>;

    class Layout;
    template <bool careful>
    void run(std::span<double> entries);
    template <bool careful>
    void propagate(const Flow& flow, const Partials& partials, double* into) const;

    const expression::Tape* tape_;
    std::vector<Seed> seeds_;
    std::uint32_t columns_ = 0;
    std::uint32_t cuts_ = 0;
    structure::Incidence pattern_;
    std::vector<Flow> flows_;  // per instruction
    std::vector<std::uint8_t> places_;
    struct Row {
        std::uint32_t from;  ///< register
        std::uint32_t first_entry;
        std::uint32_t width;
    };
    std::vector<Row> outputs_;
    std::uint32_t stride_ = 1;  ///< entries kept per register; the last one is always 0
    std::vector<double> values_;
    std::vector<double> slopes_;
};

}  // namespace bondgraph::simulation
