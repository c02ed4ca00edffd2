#include "bondgraph/structure/verify.hpp"

#include <algorithm>

namespace bondgraph::structure {

namespace {

bool names(const Incidence& rows, std::uint32_t row, std::uint32_t column) {
    const auto entries = rows.row(row);
    return std::ranges::find(entries, column) != entries.end();
}

bool contains(std::span<const std::uint32_t> ascending, std::uint32_t value) {
    return std::ranges::binary_search(ascending, value);
}

/// The number of vertices that `start` reaches, itself included.
std::size_t reached(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t start) {
    std::vector<bool> seen(successors.size(), false);
    std::vector<std::uint32_t> queue{start};
    seen[start] = true;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const std::uint32_t w : successors[queue[head]]) {
            if (seen[w]) continue;
            seen[w] = true;
            queue.push_back(w);
        }
    }
    return queue.size();
}

/// Strongly connected: one vertex reaches all, forwards and backwards.
bool connected_both_ways(const Incidence& rows, std::span<const std::uint32_t> block_rows,
                         std::span<const std::uint32_t> block_columns) {
    std::vector<std::vector<std::uint32_t>> forward(block_rows.size());
    std::vector<std::vector<std::uint32_t>> backward(block_rows.size());
    for (std::uint32_t k = 0; k < block_rows.size(); ++k) {
        for (std::uint32_t other = 0; other < block_rows.size(); ++other) {
            if (!names(rows, block_rows[k], block_columns[other])) continue;
            forward[k].push_back(other);
            backward[other].push_back(k);
        }
    }
    return reached(forward, 0) == block_rows.size() && reached(backward, 0) == block_rows.size();
}

}  // namespace

bool is_matching(const Incidence& rows, std::size_t column_count, const Matching& matching) {
    if (matching.column_of.size() != rows.rows() || matching.row_of.size() != column_count) return false;
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        const std::uint32_t c = matching.column_of[r];
        if (c != kUnmatched && (c >= column_count || matching.row_of[c] != r || !names(rows, r, c))) return false;
    }
    for (std::uint32_t c = 0; c < column_count; ++c) {
        const std::uint32_t r = matching.row_of[c];
        if (r != kUnmatched && (r >= rows.rows() || matching.column_of[r] != c)) return false;
    }
    return true;
}

bool is_cover(const Incidence& rows, std::size_t column_count, const Cover& cover) {
    std::vector<bool> row(rows.rows(), false);
    std::vector<bool> column(column_count, false);
    for (const std::uint32_t r : cover.rows) row[r] = true;
    for (const std::uint32_t c : cover.columns) column[c] = true;
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        if (row[r]) continue;
        for (const std::uint32_t c : rows.row(r)) {
            if (!column[c]) return false;
        }
    }
    return true;
}

Cover koenig_cover(const Incidence& rows, std::size_t column_count, const Matching& matching) {
    std::vector<bool> column_reached(column_count, false);
    std::vector<bool> row_reached(rows.rows(), false);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        if (matching.column_of[r] == kUnmatched) queue.push_back(r);
    }
    for (const std::uint32_t r : queue) row_reached[r] = true;
    Cover cover;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const std::uint32_t c : rows.row(queue[head])) {
            if (column_reached[c]) continue;
            column_reached[c] = true;
            cover.columns.push_back(c);
            const std::uint32_t partner = matching.row_of[c];
            if (partner == kUnmatched || row_reached[partner]) continue;
            row_reached[partner] = true;
            queue.push_back(partner);
        }
    }
    std::ranges::sort(cover.columns);
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        if (!row_reached[r]) cover.rows.push_back(r);
    }
    return cover;
}

bool is_maximum_matching(const Incidence& rows, std::size_t column_count, const Matching& matching) {
    if (!is_matching(rows, column_count, matching)) return false;
    const Cover cover = koenig_cover(rows, column_count, matching);
    const auto size = static_cast<std::size_t>(
        std::ranges::count_if(matching.column_of, [](std::uint32_t c) { return c != kUnmatched; }));
    return is_cover(rows, column_count, cover) && cover.rows.size() + cover.columns.size() == size;
}

bool is_hall_violator(const Incidence& rows, std::size_t column_count, std::span<const std::uint32_t> subset) {
    std::vector<bool> named(column_count, false);
    std::size_t count = 0;
    std::vector<std::uint32_t> distinct(subset.begin(), subset.end());
    std::ranges::sort(distinct);
    if (std::ranges::adjacent_find(distinct) != distinct.end()) return false;
    for (const std::uint32_t r : distinct) {
        for (const std::uint32_t c : rows.row(r)) {
            if (named[c]) continue;
            named[c] = true;
            ++count;
        }
    }
    return count < distinct.size();
}

bool is_block_triangular(const Incidence& rows, std::size_t column_count, const BlockTriangular& order) {
    // Places: over-determined 0, blocks 1 …, under-determined the last.
    constexpr std::uint32_t kNowhere = kNone;
    const auto last = static_cast<std::uint32_t>(order.rows.rows() + 1);
    std::vector<std::uint32_t> row_place(rows.rows(), kNowhere);
    std::vector<std::uint32_t> column_place(column_count, kNowhere);
    bool once = order.columns.rows() == order.rows.rows();
    const auto put = [&](std::vector<std::uint32_t>& place, std::span<const std::uint32_t> members, std::uint32_t at) {
        for (const std::uint32_t m : members) {
            once = once && m < place.size() && place[m] == kNowhere;
            if (once) place[m] = at;
        }
    };
    put(row_place, order.parts.overdetermined_rows, 0);
    put(column_place, order.parts.overdetermined_columns, 0);
    put(row_place, order.parts.underdetermined_rows, last);
    put(column_place, order.parts.underdetermined_columns, last);
    for (std::uint32_t b = 0; once && b < order.rows.rows(); ++b) {
        put(row_place, order.rows.row(b), b + 1);
        put(column_place, order.columns.row(b), b + 1);
        const auto block_rows = order.rows.row(b);
        const auto block_columns = order.columns.row(b);
        if (!once || block_rows.empty() || block_rows.size() != block_columns.size()) return false;
        for (std::size_t k = 0; k < block_rows.size(); ++k) {
            if (!names(rows, block_rows[k], block_columns[k])) return false;
        }
        if (!connected_both_ways(rows, block_rows, block_columns)) return false;
    }
    if (!once) return false;
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        if (row_place[r] == kNowhere) return false;
        for (const std::uint32_t c : rows.row(r)) {
            if (column_place[c] > row_place[r]) return false;
        }
    }
    return std::ranges::find(column_place, kNowhere) == column_place.end();
}

bool leaves_no_cycle(const Incidence& successors, std::span<const std::uint32_t> component, const Tearing& tearing) {
    enum : std::uint8_t { outside, waiting, done };
    std::vector<std::uint8_t> state(successors.rows(), outside);
    for (const std::uint32_t v : component) state[v] = waiting;
    if (tearing.torn.size() + tearing.order.size() != component.size()) return false;
    for (const std::uint32_t v : tearing.torn) {
        if (state[v] != waiting) return false;
        state[v] = done;
    }
    for (const std::uint32_t v : tearing.order) {
        if (state[v] != waiting) return false;
        for (const std::uint32_t w : successors.row(v)) {
            if (state[w] == waiting) return false;
        }
        state[v] = done;
    }
    return true;
}

bool is_dummy_choice(const IndexReduction& plan, const DummyChoice& choice) {
    const std::size_t columns = plan.derivative_of.size();
    std::vector<bool> dummy(columns, false);
    std::vector<bool> has_lower(columns, false);
    for (const std::uint32_t d : plan.derivative_of) {
        if (d != kNone) has_lower[d] = true;
    }
    for (const std::uint32_t d : choice.dummies) {
        if (d >= columns || !has_lower[d] || dummy[d]) return false;
        dummy[d] = true;
    }
    std::vector<std::uint32_t> states;
    std::vector<std::vector<std::uint32_t>> by_level;  // variables (base columns) with that many dummies or more
    for (std::uint32_t base = 0; base < columns; ++base) {
        if (has_lower[base]) continue;
        std::uint32_t count = 0;
        for (std::uint32_t c = base; plan.derivative_of[c] != kNone; c = plan.derivative_of[c]) {
            const bool is_dummy = dummy[plan.derivative_of[c]];
            if (!is_dummy) states.push_back(c);
            if (!is_dummy && count > 0) return false;  // an integral of a dummy's integral would be a state again
            if (is_dummy) ++count;
        }
        for (std::uint32_t level = 0; level < count; ++level) {
            if (by_level.size() <= level) by_level.emplace_back();
            by_level[level].push_back(base);
        }
    }
    std::ranges::sort(states);
    if (!std::ranges::equal(states, choice.states)) return false;

    std::vector<std::uint32_t> dropped;
    for (const auto& r : choice.redundant) dropped.push_back(r.equation);
    std::ranges::sort(dropped);
    // Variables by their highest derivatives, so that the pattern of the highest equations serves every order.
    std::vector<std::uint32_t> base_of(columns, kNone);
    for (std::uint32_t base = 0; base < columns; ++base) {
        if (has_lower[base]) continue;
        for (std::uint32_t c = base; c != kNone; c = plan.derivative_of[c]) base_of[c] = base;
    }
    for (std::uint32_t level = 1;; ++level) {
        Incidence pattern;
        std::vector<std::uint32_t> row;
        for (std::uint32_t r = 0; r < plan.equation_derivative.size(); ++r) {
            if (plan.equation_derivative[r] != kNone || plan.order[r] < level || contains(dropped, plan.origin[r]))
                continue;
            row.clear();
            for (const std::uint32_t c : plan.rows.row(r)) {
                if (plan.derivative_of[c] != kNone || by_level.size() < level) continue;
                if (contains(by_level[level - 1], base_of[c])) row.push_back(base_of[c]);
            }
            pattern.add_row(row);
        }
        const std::size_t wanted = by_level.size() < level ? 0 : by_level[level - 1].size();
        if (pattern.rows() != wanted) return false;
        if (wanted == 0) return true;
        if (maximum_matching(pattern, columns).size() != wanted) return false;
    }
}

}  // namespace bondgraph::structure
