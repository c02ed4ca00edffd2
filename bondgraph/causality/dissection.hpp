#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bondgraph/causality/composition.hpp"

namespace bondgraph::causality {

/// The bonds between the two halves of junctions that were divided, numbered from where those given end.
class CutBonds {
   public:
    explicit CutBonds(std::uint32_t given) : given_(given) {}

    /// A new bond, of a junction of this kind with that end.
    std::uint32_t add(Piece::Kind kind, const PieceEnd& end) {
        const std::uint32_t common = kind == Piece::Kind::junction0 ? 0 : 1;
        same_.push_back(variable_given(2 * end.bond + common));
        return given_ + static_cast<std::uint32_t>(same_.size()) - 1;
    }
    [[nodiscard]] bool is_given(std::uint32_t variable) const { return variable / 2 < given_; }
    /// A variable (2·bond + 1 for flows) of a bond given; of a new one that its junction has in common, the same or its
    /// negative at a bond given, else itself.
    [[nodiscard]] std::uint32_t variable_given(std::uint32_t variable) const {
        if (is_given(variable)) return variable;
        const std::uint32_t same = same_[variable / 2 - given_];
        return same % 2 == variable % 2 ? same : variable;
    }
    /// A place for a number by bond, kNoPiece everywhere; who writes there takes it back.
    std::vector<std::uint32_t>& piece_at() {
        piece_at_.resize(given_ + same_.size(), kNoPiece);
        return piece_at_;
    }
    static constexpr std::uint32_t kNoPiece = 0xffffffffU;

   private:
    std::uint32_t given_;
    std::vector<std::uint32_t> same_;
    std::vector<std::uint32_t> piece_at_;
};

/// Divides pieces into two parts of similar size with few bonds between. A junction with several bonds across becomes
/// two with one new bond.
std::pair<std::vector<Piece>, std::vector<Piece>> divide(std::vector<Piece> pieces, CutBonds& cuts);

/// The pieces in an order in which neighbours follow each other, junctions taken apart into some of that many ends.
std::vector<Piece> in_small_steps(std::vector<Piece> pieces, std::size_t most_ends, CutBonds& cuts);

}  // namespace bondgraph::causality
