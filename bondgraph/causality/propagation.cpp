#include "bondgraph/causality/propagation.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace bondgraph::causality {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

enum class Relation : std::uint8_t { junction0, junction1, transformer, gyrator, other };

/// Σ row(2k)·e + row(2k + 1)·f = 0 of two ends: efforts with efforts, or each effort with the other's flow.
Relation relation_of(const Piece& piece) {
    if (piece.kind == Piece::Kind::junction0) return Relation::junction0;
    if (piece.kind == Piece::Kind::junction1) return Relation::junction1;
    if (piece.ends.size() != 2 || piece.rows.size() != 2) return Relation::other;
    std::array<unsigned, 2> named{};
    for (std::size_t r = 0; r < 2; ++r) {
        if (piece.rows[r].size() != 4) return Relation::other;
        for (unsigned c = 0; c < 4; ++c) named[r] |= piece.rows[r][c].is_zero() ? 0U : 1U << c;
    }
    const auto are = [&](unsigned one, unsigned two) {
        return (named[0] == one && named[1] == two) || (named[0] == two && named[1] == one);
    };
    if (are(0b0101, 0b1010)) return Relation::transformer;
    return are(0b1001, 0b0110) ? Relation::gyrator : Relation::other;
}

/// An end of a bond at a piece, and where the bond's other one is; a port has none.
struct Place {
    std::uint32_t bond = 0;
    std::uint32_t piece = 0;
    std::uint32_t other = kNowhere;
    enum class Effort : std::uint8_t { open, arrives, leaves } effort = Effort::open;  ///< as the piece sees it
};

class Propagation {
   public:
    explicit Propagation(std::span<const Piece> pieces) {
        for (const Piece& piece : pieces) {
            relations_.push_back(relation_of(piece));
            if (relations_.back() == Relation::other) possible_ = false;
            firsts_.push_back(static_cast<std::uint32_t>(places_.size()));
            for (const PieceEnd& end : piece.ends)
                places_.push_back({.bond = end.bond, .piece = static_cast<std::uint32_t>(relations_.size()) - 1});
        }
        firsts_.push_back(static_cast<std::uint32_t>(places_.size()));
        if (possible_) join();
    }

    std::optional<std::vector<bool>> run(std::span<const Wish> wishes) {
        if (!possible_) return std::nullopt;
        std::vector<bool> granted;
        for (const Wish& wish : wishes) {
            const auto at = port(wish.bond);
            if (!at) return std::nullopt;
            const auto wished = wish.effort ? Place::Effort::arrives : Place::Effort::leaves;
            if (places_[*at].effort == Place::Effort::open) {
                decide(*at, wished);
                follow();
                if (!possible_) return std::nullopt;
            }
            granted.push_back(places_[*at].effort == wished);
        }
        const auto open = [](const Place& p) { return p.effort == Place::Effort::open; };
        if (std::ranges::any_of(places_, open)) return std::nullopt;
        return granted;
    }

   private:
    /// The place of a port; nothing where no end, or a second one, has that bond.
    [[nodiscard]] std::optional<std::uint32_t> port(std::uint32_t bond) const {
        const auto at =
            std::ranges::lower_bound(by_bond_, bond, {}, [&](std::uint32_t place) { return places_[place].bond; });
        if (at == by_bond_.end() || places_[*at].bond != bond || places_[*at].other != kNowhere) return std::nullopt;
        return *at;
    }

    void join() {
        for (std::uint32_t k = 0; k < places_.size(); ++k) by_bond_.push_back(k);
        std::ranges::sort(by_bond_, {}, [&](std::uint32_t k) { return std::pair(places_[k].bond, k); });
        for (std::size_t k = 0; k + 1 < by_bond_.size(); ++k) {
            Place &one = places_[by_bond_[k]], &two = places_[by_bond_[k + 1]];
            if (one.bond != two.bond) continue;
            one.other = by_bond_[k + 1];
            two.other = by_bond_[k];
        }
        open_.resize(relations_.size());
        strong_.assign(relations_.size(), false);
        for (std::size_t k = 0; k < relations_.size(); ++k) open_[k] = firsts_[k + 1] - firsts_[k];
    }

    /// The end where one of a kind is: the effort's at a 0-junction, the flow's at a 1-junction.
    [[nodiscard]] bool is_strong(std::uint32_t place) const {
        const Place& p = places_[place];
        const bool arrives = p.effort == Place::Effort::arrives;
        return relations_[p.piece] == Relation::junction0 ? arrives : !arrives;
    }

    void set(std::uint32_t place, Place::Effort effort) {
        Place& p = places_[place];
        p.effort = effort;
        --open_[p.piece];
        if (relations_[p.piece] <= Relation::junction1 && is_strong(place)) {
            if (strong_[p.piece]) possible_ = false;
            strong_[p.piece] = true;
        }
        waiting_.push_back(p.piece);
    }

    void decide(std::uint32_t place, Place::Effort effort) {
        const bool arrives = effort == Place::Effort::arrives;
        set(place, effort);
        if (const std::uint32_t other = places_[place].other; other != kNowhere)
            set(other, arrives ? Place::Effort::leaves : Place::Effort::arrives);
    }

    void follow() {
        while (!waiting_.empty() && possible_) {
            const std::uint32_t piece = waiting_.back();
            waiting_.pop_back();
            if (relations_[piece] <= Relation::junction1)
                follow_junction(piece);
            else
                follow_two_port(piece);
        }
    }

    void follow_junction(std::uint32_t piece) {
        if (open_[piece] == 0) {
            if (!strong_[piece]) possible_ = false;
            return;
        }
        const bool last = open_[piece] == 1 && !strong_[piece];
        if (!strong_[piece] && !last) return;
        const bool arrives = (relations_[piece] == Relation::junction0) == last;
        for (std::uint32_t k = firsts_[piece]; k < firsts_[piece + 1] && possible_; ++k) {
            if (places_[k].effort == Place::Effort::open)
                decide(k, arrives ? Place::Effort::arrives : Place::Effort::leaves);
        }
    }

    void follow_two_port(std::uint32_t piece) {
        const std::uint32_t one = firsts_[piece], two = one + 1;
        const bool same = relations_[piece] == Relation::gyrator;
        if (open_[piece] == 0) {
            if ((places_[one].effort == places_[two].effort) != same) possible_ = false;
            return;
        }
        const std::uint32_t known = places_[one].effort == Place::Effort::open ? two : one;
        const bool arrives = (places_[known].effort == Place::Effort::arrives) == same;
        decide(known == one ? two : one, arrives ? Place::Effort::arrives : Place::Effort::leaves);
    }

    std::vector<Relation> relations_;
    std::vector<std::uint32_t> firsts_;  ///< places of each piece, and where the last end
    std::vector<Place> places_;
    std::vector<std::uint32_t> by_bond_;  ///< places in the order of bonds
    std::vector<std::uint32_t> open_;     ///< ends of a piece without an answer
    std::vector<bool> strong_;
    std::vector<std::uint32_t> waiting_;
    bool possible_ = true;
};

}  // namespace

std::optional<std::vector<bool>> propagate_inputs(std::span<const Piece> pieces, std::span<const Wish> wishes) {
    return Propagation(pieces).run(wishes);
}

}  // namespace bondgraph::causality
