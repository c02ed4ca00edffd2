#include "bondgraph/structure/sparse_reflections.hpp"

#include <algorithm>
#include <cmath>

namespace bondgraph::structure {

using Eigen::Index;

SparseReflections::SparseReflections(const Eigen::MatrixXd& matrix)
    : rows_(matrix.rows()),
      columns_(at(matrix.cols())),
      in_row_(at(matrix.rows())),
      place_(at(matrix.rows())),
      row_at_(at(matrix.rows())),
      touched_(at(matrix.cols()), true),
      gone_(at(matrix.cols()), false),
      mirror_(at(matrix.rows()), 0.0),
      looked_(at(matrix.cols()), 0),
      filled_(at(matrix.rows()), 0) {
    for (std::uint32_t r = 0; r < place_.size(); ++r) place_[r] = row_at_[r] = r;
    for (Index c = 0; c < matrix.cols(); ++c) {
        for (Index r = 0; r < rows_; ++r) {
            if (matrix(r, c) == 0.0) continue;
            columns_[at(c)].push_back({static_cast<std::uint32_t>(r), matrix(r, c)});
            in_row_[at(r)].push_back(static_cast<std::uint32_t>(c));
        }
    }
    rest_.assign(columns_.size(), 0.0);
    for (Index c = 0; c < matrix.cols(); ++c) length_.push_back(rest(c));
}

double SparseReflections::rest(Index column) {
    const std::size_t c = at(column);
    if (touched_[c]) {
        double square = 0.0;
        for (const Entry& e : columns_[c]) square += e.value * e.value;
        rest_[c] = std::sqrt(square);
        touched_[c] = false;
    }
    return rest_[c];
}

// Rows change places first, so that the column's largest entry is the one that stays: what is sparse then fills as
// little as in elimination.
void SparseReflections::take(Index column) {
    const double norm = rest(column);  // while the column is there
    Column v = std::move(columns_[at(column)]);
    columns_[at(column)].clear();
    const auto first_place = static_cast<std::uint32_t>(rank());
    gone_[at(column)] = true;
    taken_.push_back(column);
    if (v.empty()) return;
    std::ranges::sort(v, {}, [&](const Entry& e) { return place_[e.row]; });
    const auto largest = std::ranges::max_element(v, {}, [](const Entry& e) { return std::abs(e.value); });
    const std::uint32_t pivot = largest->row;
    largest->value += largest->value >= 0.0 ? norm : -norm;
    double square = 0.0;
    for (const Entry& e : v) square += e.value * e.value;
    for (Entry& e : v) e.value /= std::sqrt(square);
    const std::uint32_t displaced = row_at_[first_place];
    std::swap(row_at_[first_place], row_at_[place_[pivot]]);
    std::swap(place_[displaced], place_[pivot]);

    for (const Entry& e : v) mirror_[e.row] = e.value;
    for (const Entry& e : v) {
        // Reflections fill rows: the lists are read by number. Columns that were taken leave them.
        std::vector<std::uint32_t>& list = in_row_[e.row];
        std::size_t kept = 0;
        for (std::size_t k = 0; k < list.size(); ++k) {
            const std::uint32_t c = list[k];
            if (gone_[c]) continue;
            list[kept++] = c;
            if (looked_[c] == taken_.size()) continue;
            looked_[c] = static_cast<std::uint32_t>(taken_.size());
            reflect(c, v, pivot);
        }
        list.resize(kept);
    }
    for (const Entry& e : v) mirror_[e.row] = 0.0;
    in_row_[pivot].clear();
}

/// A column mirrored by the reflector, without its entry in the row that the pivot has taken.
void SparseReflections::reflect(std::uint32_t column, const Column& reflector, std::uint32_t pivot) {
    Column& entries = columns_[column];
    touched_[column] = true;
    double shared = 0.0;
    for (const Entry& e : entries) shared += mirror_[e.row] * e.value;
    if (shared == 0.0) {  // it is across the reflector: no more than the pivot's row goes
        std::erase_if(entries, [&](const Entry& e) { return e.row == pivot; });
        return;
    }
    ++fill_;
    std::size_t kept = 0;
    for (const Entry& e : entries) {
        filled_[e.row] = fill_;
        if (e.row != pivot) entries[kept++] = {e.row, e.value - 2.0 * shared * mirror_[e.row]};
    }
    entries.resize(kept);
    for (const Entry& e : reflector) {
        if (filled_[e.row] == fill_ || e.row == pivot) continue;
        entries.push_back({e.row, -2.0 * shared * e.value});
        in_row_[e.row].push_back(column);
    }
}

}  // namespace bondgraph::structure
