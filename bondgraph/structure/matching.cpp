#include "bondgraph/structure/matching.hpp"

#include <algorithm>
#include <cassert>

namespace bondgraph::structure {

namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// One object per call: the phases share the distance and cursor arrays.
class PhaseSearch {
   public:
    PhaseSearch(const Incidence& rows, Matching& matching)
        : rows_(rows), matching_(matching), distance_(rows.rows()), next_(rows.rows()) {}

    /// Sets each row's distance from the unmatched rows along alternating paths, up to the distance of the nearest
    /// unmatched column; false if none can be reached (the matching is maximum).
    bool layer() {
        queue_.clear();
        for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
            const bool is_free = matching_.column_of[r] == kUnmatched;
            distance_[r] = is_free ? 0 : kFar;
            if (is_free) queue_.push_back(r);
        }
        last_ = kFar;
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            const std::uint32_t r = queue_[head];
            if (distance_[r] >= last_) break;
            for (const std::uint32_t column : rows_.row(r)) {
                const std::uint32_t partner = matching_.row_of[column];
                if (partner == kUnmatched) {
                    last_ = distance_[r];
                } else if (distance_[partner] == kFar) {
                    distance_[partner] = distance_[r] + 1;
                    queue_.push_back(partner);
                }
            }
        }
        return last_ != kFar;
    }

    /// Augments along a maximal set of disjoint shortest paths.
    void augment_all() {
        std::copy(rows_.starts.begin(), rows_.starts.end() - 1, next_.begin());
        for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
            if (matching_.column_of[r] == kUnmatched) augment_from(r);
        }
    }

   private:
    void augment_from(std::uint32_t root) {
        path_.assign(1, root);
        while (!path_.empty()) {
            const std::uint32_t r = path_.back();
            if (next_[r] == rows_.starts[r + 1]) {
                distance_[r] = kFar;  // a dead end for the rest of the phase
                path_.pop_back();
                if (!path_.empty()) ++next_[path_.back()];
                continue;
            }
            const std::uint32_t partner = matching_.row_of[rows_.columns[next_[r]]];
            if (partner == kUnmatched) {
                flip();
                return;
            }
            if (distance_[r] < last_ && distance_[partner] == distance_[r] + 1) {
                path_.push_back(partner);
            } else {
                ++next_[r];
            }
        }
    }

    /// Every row of the path takes the column it looks at; the rows leave the phase so that paths stay disjoint.
    void flip() {
        for (const std::uint32_t r : path_) {
            const std::uint32_t column = rows_.columns[next_[r]];
            matching_.column_of[r] = column;
            matching_.row_of[column] = r;
            distance_[r] = kFar;
        }
    }

    const Incidence& rows_;
    Matching& matching_;
    std::vector<std::uint32_t> distance_;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> queue_;
    std::vector<std::uint32_t> path_;
    std::uint32_t last_ = kFar;  ///< distance of the rows next to the nearest unmatched column
};

[[maybe_unused]] bool agrees(const Matching& matching) {
    for (std::size_t r = 0; r < matching.column_of.size(); ++r) {
        const std::uint32_t column = matching.column_of[r];
        if (column != kUnmatched && matching.row_of[column] != r) return false;
    }
    const auto matched = [](const std::vector<std::uint32_t>& partners) {
        return static_cast<std::ptrdiff_t>(partners.size()) - std::ranges::count(partners, kUnmatched);
    };
    return matched(matching.row_of) == matched(matching.column_of);
}

/// The vertices of both sides on alternating paths that start with the unmatched vertices of the near side:
/// near → any neighbour → its partner. `neighbours` lists the far side by near vertex.
void reach(const Incidence& neighbours, const std::vector<std::uint32_t>& far_of_near,
           const std::vector<std::uint32_t>& near_of_far, std::vector<std::uint32_t>& near,
           std::vector<std::uint32_t>& far) {
    std::vector<bool> far_seen(near_of_far.size(), false);
    for (std::uint32_t v = 0; v < far_of_near.size(); ++v) {
        if (far_of_near[v] == kUnmatched) near.push_back(v);
    }
    for (std::size_t head = 0; head < near.size(); ++head) {
        for (const std::uint32_t w : neighbours.row(near[head])) {
            if (far_seen[w]) continue;
            far_seen[w] = true;
            far.push_back(w);
            assert(near_of_far[w] != kUnmatched && "the matching is not maximum");
            near.push_back(near_of_far[w]);
        }
    }
    std::ranges::sort(near);
    std::ranges::sort(far);
}

}  // namespace

std::size_t Matching::size() const {
    return column_of.size() - static_cast<std::size_t>(std::ranges::count(column_of, kUnmatched));
}

Matching maximum_matching(const Incidence& rows, std::size_t column_count, Matching start) {
    assert(start.column_of.size() <= rows.rows() && start.row_of.size() <= column_count);
    start.column_of.resize(rows.rows(), kUnmatched);
    start.row_of.resize(column_count, kUnmatched);
    assert(agrees(start));

    PhaseSearch search(rows, start);
    while (search.layer()) search.augment_all();
    return start;
}

SingularParts singular_parts(const Incidence& rows, std::size_t column_count, const Matching& matching) {
    assert(matching.column_of.size() == rows.rows() && matching.row_of.size() == column_count);
    SingularParts parts;
    reach(rows, matching.column_of, matching.row_of, parts.overdetermined_rows, parts.overdetermined_columns);
    reach(rows.transposed(column_count), matching.row_of, matching.column_of, parts.underdetermined_columns,
          parts.underdetermined_rows);
    return parts;
}

}  // namespace bondgraph::structure
