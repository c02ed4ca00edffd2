// Where to cut a junction structure.

#include "bondgraph/causality/dissection.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

namespace bondgraph::causality {
namespace {

constexpr std::size_t kHub = 24;  ///< more neighbours than that: no layer shall be made of them

/// Calls `what` with each bond that has both ends here, and with the pieces of these.
template <class What>
void for_each_bond(const std::vector<Piece>& pieces, CutBonds& cuts, const What& what) {
    auto& at = cuts.piece_at();
    for (std::uint32_t p = 0; p < pieces.size(); ++p) {
        for (const PieceEnd& e : pieces[p].ends) {
            if (at[e.bond] == CutBonds::kNoPiece) {
                at[e.bond] = p;
            } else {
                what(e.bond, at[e.bond], p);
            }
        }
    }
    for (const Piece& piece : pieces) {
        for (const PieceEnd& e : piece.ends) at[e.bond] = CutBonds::kNoPiece;
    }
}

/// Breadth-first search over pieces that share bonds. Hubs are gone through last, one neighbour at a time: the rails of
/// a network would otherwise put everything into one layer.
class Layers {
   public:
    Layers(const std::vector<Piece>& pieces, CutBonds& cuts) : first_(pieces.size() + 1, 0) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;
        for_each_bond(pieces, cuts, [&](std::uint32_t, std::uint32_t a, std::uint32_t b) {
            if (a != b) joined.emplace_back(a, b);
        });
        for (const auto& [a, b] : joined) {
            ++first_[a + 1];
            ++first_[b + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        neighbours_.resize(first_.back());
        std::vector<std::uint32_t> next = first_;
        for (const auto& [a, b] : joined) {
            neighbours_[next[a]++] = b;
            neighbours_[next[b]++] = a;
        }
    }

    std::vector<std::uint32_t> order() const {
        const auto there = from(0);
        return from(there.back());
    }

   private:
    struct Hub {
        std::uint32_t piece;
        std::size_t next = 0;
    };

    std::vector<std::uint32_t> from(std::uint32_t start) const {
        std::vector<std::uint32_t> order;
        std::vector<bool> seen(first_.size() - 1, false);
        std::vector<Hub> hubs;
        std::uint32_t unseen = 0;
        std::size_t head = 0;
        const auto take = [&](std::uint32_t p) {
            seen[p] = true;
            order.push_back(p);
        };
        take(start);
        while (true) {
            if (head < order.size()) {
                const std::uint32_t p = order[head++];
                if (around(p).size() > kHub) {
                    hubs.push_back({p});
                    continue;
                }
                for (const std::uint32_t q : around(p)) {
                    if (!seen[q]) take(q);
                }
            } else if (!hubs.empty()) {
                Hub& hub = hubs.back();
                const auto all = around(hub.piece);
                while (hub.next < all.size() && seen[all[hub.next]]) ++hub.next;
                if (hub.next < all.size()) {
                    take(all[hub.next]);
                } else {
                    hubs.pop_back();
                }
            } else {
                while (unseen < seen.size() && seen[unseen]) ++unseen;
                if (unseen == seen.size()) return order;
                take(unseen);
            }
        }
    }

    [[nodiscard]] std::span<const std::uint32_t> around(std::uint32_t p) const {
        return std::span(neighbours_).subspan(first_[p], first_[p + 1] - first_[p]);
    }

    std::vector<std::uint32_t> first_;  ///< of each piece, in neighbours_
    std::vector<std::uint32_t> neighbours_;
};

/// The ends given move to a piece of their own, joined by a new bond.
Piece split(Piece& piece, std::vector<PieceEnd> moved, CutBonds& cuts) {
    const std::uint32_t bond = cuts.add(piece.kind, moved.front());
    Piece other{.kind = piece.kind, .ends = std::move(moved)};
    other.ends.push_back({.bond = bond, .into = 1});
    piece.ends.push_back({.bond = bond, .into = -1});
    return other;
}

}  // namespace

std::pair<std::vector<Piece>, std::vector<Piece>> divide(std::vector<Piece> pieces, CutBonds& cuts) {
    const auto order = Layers(pieces, cuts).order();
    std::vector<bool> second(pieces.size(), false);
    for (std::size_t k = pieces.size() / 2; k < order.size(); ++k) second[order[k]] = true;
    std::vector<bool> across(cuts.piece_at().size(), false);
    for_each_bond(pieces, cuts,
                  [&](std::uint32_t bond, std::uint32_t a, std::uint32_t b) { across[bond] = second[a] != second[b]; });
    const auto crosses = [&](const PieceEnd& e) { return e.bond < across.size() && across[e.bond]; };
    const auto crossing = [&](const Piece& piece) { return std::ranges::count_if(piece.ends, crosses); };
    // Most crossings first: the rails of a network are divided, not each of the branches between them.
    std::vector<std::pair<std::ptrdiff_t, std::uint32_t>> candidates;
    for (std::uint32_t p = 0; p < pieces.size(); ++p) {
        const auto count = pieces[p].kind == Piece::Kind::equations ? 0 : crossing(pieces[p]);
        if (count > 1) candidates.emplace_back(-count, p);
    }
    std::ranges::sort(candidates);
    std::pair<std::vector<Piece>, std::vector<Piece>> parts;
    for (const auto& [count, p] : candidates) {
        Piece& piece = pieces[p];
        if (crossing(piece) < 2) continue;
        std::vector<PieceEnd> moved;
        std::ranges::copy_if(piece.ends, std::back_inserter(moved), crosses);
        std::erase_if(piece.ends, crosses);
        // Nothing of these bonds crosses the cut any more.
        for (const PieceEnd& e : moved) across[e.bond] = false;
        (second[p] ? parts.first : parts.second).push_back(split(piece, std::move(moved), cuts));
    }
    for (std::uint32_t p = 0; p < pieces.size(); ++p)
        (second[p] ? parts.second : parts.first).push_back(std::move(pieces[p]));
    return parts;
}

std::vector<Piece> in_small_steps(std::vector<Piece> pieces, std::size_t most_ends, CutBonds& cuts) {
    std::vector<Piece> result;
    for (const std::uint32_t p : Layers(pieces, cuts).order()) {
        if (pieces[p].kind == Piece::Kind::equations || pieces[p].ends.size() <= most_ends) {
            result.push_back(std::move(pieces[p]));
            continue;
        }
        const std::vector<PieceEnd>& ends = pieces[p].ends;
        Piece part{.kind = pieces[p].kind};
        for (std::size_t k = 0; k < ends.size(); ++k) {
            if (part.ends.size() + 1 == most_ends && k + 1 < ends.size()) {
                const std::uint32_t bond = cuts.add(part.kind, ends[k]);
                part.ends.push_back({.bond = bond, .into = -1});
                result.push_back(std::exchange(part, Piece{.kind = pieces[p].kind}));
                part.ends.push_back({.bond = bond, .into = 1});
            }
            part.ends.push_back(ends[k]);
        }
        result.push_back(std::move(part));
    }
    return result;
}

}  // namespace bondgraph::causality
