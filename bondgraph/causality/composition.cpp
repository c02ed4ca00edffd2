// Junction structures put together piece by piece.

#include "bondgraph/causality/composition.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "bondgraph/causality/dissection.hpp"

namespace bondgraph::causality {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Σ column·variable = 0 for each row. A column is 2·bond + (0 effort, 1 flow).
struct Part {
    std::vector<std::uint32_t> columns;
    std::vector<ExactNumber> numbers;  ///< row by row
    std::size_t rows = 0;

    [[nodiscard]] std::span<ExactNumber> row(std::size_t r) {
        return std::span(numbers).subspan(r * columns.size(), columns.size());
    }
    [[nodiscard]] std::span<const ExactNumber> row(std::size_t r) const {
        return std::span(numbers).subspan(r * columns.size(), columns.size());
    }
    void add_rows(std::size_t count) {
        rows += count;
        numbers.resize(rows * columns.size());
    }
};

/// What one wish is about to become.
enum class Verdict : std::uint8_t { open, granted, refused };

class Composition {
   public:
    Composition(const std::vector<Wish>& wishes, std::uint32_t bonds)
        : wishes_(wishes), cuts_(bonds), wish_of_(bonds, kNone), verdicts_(wishes.size(), Verdict::open) {
        for (std::uint32_t k = 0; k < wishes.size(); ++k) wish_of_[wishes[k].bond] = k;
    }

    Inputs run(std::vector<Piece> pieces) {
        std::vector<Piece> again = pieces;
        compose(std::move(pieces));
        if (undetermined_ && undetermined_of_division()) {
            // Undivided, so that it shows at a bond that was given.
            divides_ = false;
            undetermined_.reset();
            compose(std::move(again));
        }
        Inputs inputs;
        if (undetermined_) inputs.undetermined = undetermined_of_division() ? 0 : *undetermined_;
        for (const Verdict v : verdicts_) inputs.granted.push_back(v == Verdict::granted);
        return inputs;
    }

   private:
    Part compose(std::vector<Piece> pieces) {
        if (undetermined_) return {};
        constexpr std::size_t kFew = 12;
        if (divides_ && pieces.size() > kFew) {
            const std::size_t all = pieces.size();
            auto parts = divide(pieces, cuts_);
            // Where junctions on the cut make the parts no smaller, dividing leads nowhere.
            if (10 * std::max(parts.first.size(), parts.second.size()) < 9 * all) {
                pieces.clear();
                Part first = compose(std::move(parts.first));
                return joined(std::move(first), compose(std::move(parts.second)));
            }
        }
        Part whole;
        const std::size_t ends = divides_ ? 4 : 200;
        for (const Piece& p : in_small_steps(std::move(pieces), ends, cuts_)) whole = joined(std::move(whole), part(p));
        return whole;
    }

    [[nodiscard]] bool undetermined_of_division() const { return !cuts_.is_given(*undetermined_); }

    static Part part(const Piece& piece) {
        Part p;
        const std::size_t n = piece.ends.size();
        for (const PieceEnd& e : piece.ends) {
            p.columns.push_back(2 * e.bond);
            p.columns.push_back(2 * e.bond + 1);
        }
        if (piece.kind == Piece::Kind::equations) {
            for (const auto& row : piece.rows) p.numbers.insert(p.numbers.end(), row.begin(), row.end());
            p.rows = piece.rows.size();
            return p;
        }
        const std::size_t common = piece.kind == Piece::Kind::junction0 ? 0 : 1;
        const auto sign = [&](std::size_t k) { return piece.ends[k].sign; };
        p.add_rows(n);
        for (std::size_t k = 0; k + 1 < n; ++k) {
            p.row(k)[2 * k + common] = ExactNumber(common == 0 ? 1 : sign(k));
            p.row(k)[2 * k + 2 + common] = ExactNumber(common == 0 ? -1 : -sign(k + 1));
        }
        for (std::size_t k = 0; k < n; ++k)
            p.row(n - 1)[2 * k + 1 - common] = ExactNumber(piece.ends[k].into * (common == 0 ? 1 : sign(k)));
        return p;
    }

    [[nodiscard]] std::uint32_t wish_at(std::uint32_t column) const {
        return column / 2 < wish_of_.size() ? wish_of_[column / 2] : kNone;
    }

    /// Where a column stands among pivots: bonds inside, then of the ports what nobody wishes, then what is wished,
    /// latest wish first, then the border.
    [[nodiscard]] std::uint64_t place(std::uint32_t column) const {
        const std::uint32_t wish = wish_at(column);
        if (wish == kNone) return std::uint64_t{3} << 32U;
        const bool wished = (column % 2 == 0) == wishes_[wish].effort;
        return wished ? (std::uint64_t{2} << 32U) + (kNone - wish) : (std::uint64_t{1} << 32U) + wish;
    }

    /// The relation of both parts together: bonds between them are eliminated, ports that are certain are decided.
    Part joined(Part a, Part b) {
        if (undetermined_) return {};
        using Column = std::pair<std::uint64_t, std::uint32_t>;  // place and name
        std::vector<std::uint32_t> names = a.columns;
        names.insert(names.end(), b.columns.begin(), b.columns.end());
        std::ranges::sort(names);
        std::vector<Column> columns;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const bool both = k + 1 < names.size() && names[k + 1] == names[k];  // both ends are here
            columns.emplace_back(both ? 0 : place(names[k]), names[k]);
            if (both) ++k;
        }
        std::ranges::sort(columns);
        Part whole;
        whole.columns.reserve(columns.size());
        for (const Column& c : columns) whole.columns.push_back(c.second);
        whole.numbers.reserve((a.rows + b.rows) * columns.size());
        const auto inside = std::ranges::count_if(columns, [](const Column& c) { return c.first == 0; });
        const auto fill = [&](const Part& p) {
            std::vector<std::size_t> at;
            for (const std::uint32_t name : p.columns) {
                auto found = std::ranges::lower_bound(columns, Column(place(name), name));
                if (found == columns.end() || found->second != name)
                    found = std::ranges::lower_bound(columns, Column(0, name));
                at.push_back(static_cast<std::size_t>(found - columns.begin()));
            }
            const std::size_t first = whole.rows;
            whole.add_rows(p.rows);
            for (std::size_t r = 0; r < p.rows; ++r) {
                const auto full = whole.row(first + r);
                const auto row = p.row(r);
                for (std::size_t c = 0; c < row.size(); ++c) {
                    if (row[c].is_zero()) continue;
                    full[at[c]] = full[at[c]].is_zero() ? row[c] : full[at[c]] + row[c];
                }
            }
        };
        fill(a);
        fill(b);
        return reduced(std::move(whole), static_cast<std::size_t>(inside));
    }

    Part reduced(Part whole, std::size_t inside) {
        const std::size_t columns = whole.columns.size();
        std::vector<std::uint32_t> pivot_row(columns, kNone);
        std::size_t done = 0;
        for (std::size_t c = 0; c < columns && done < whole.rows; ++c) {
            if (!bring_pivot(whole, c, done)) {
                if (c < inside) return undetermined(std::move(whole), c);
                continue;
            }
            // Rows that solve for bonds inside are not kept: they need not be cleared.
            eliminate(whole, c, done, std::min(done, inside));
            pivot_row[c] = static_cast<std::uint32_t>(done++);
        }
        return without_decided(std::move(whole), inside, pivot_row);
    }

    /// A variable inside may take any value, and with it those whose rows name it: one of a bond that was given is
    /// told.
    Part undetermined(Part whole, std::size_t column) {
        for (std::size_t c = 0; c < column; ++c) {  // all of them are pivots, each of the row of its number
            for (std::size_t r = 0; r < c; ++r) {
                const ExactNumber factor = whole.row(r)[c];
                if (factor.is_zero()) continue;
                for (std::size_t k = c; k <= column; ++k) whole.row(r)[k] = whole.row(r)[k] - factor * whole.row(c)[k];
            }
        }
        undetermined_ = whole.columns[column];
        const auto moves = [&](std::size_t c) { return c == column || !whole.row(c)[column].is_zero(); };
        for (std::size_t c = 0; c <= column; ++c) {
            if (moves(c) && cuts_.is_given(whole.columns[c])) undetermined_ = whole.columns[c];
        }
        for (std::size_t c = 0; c <= column && undetermined_of_division(); ++c) {
            if (moves(c)) undetermined_ = cuts_.variable_given(whole.columns[c]);
        }
        return {};
    }

    /// The row with the fewest entries, with a unit if there is one.
    static bool bring_pivot(Part& p, std::size_t column, std::size_t done) {
        std::size_t best = p.rows;
        std::pair<bool, std::size_t> cost;
        for (std::size_t r = done; r < p.rows; ++r) {
            const auto row = p.row(r);
            if (row[column].is_zero()) continue;
            const auto zero = [](const ExactNumber& x) { return x.is_zero(); };
            const auto entries = row.size() - static_cast<std::size_t>(std::ranges::count_if(row, zero));
            const std::pair mine(!row[column].is_unit(), entries);
            if (best < p.rows && mine >= cost) continue;
            best = r;
            cost = mine;
        }
        if (best == p.rows) return false;
        if (best != done) std::ranges::swap_ranges(p.row(done), p.row(best));
        return true;
    }

    static void eliminate(Part& p, std::size_t column, std::size_t pivot, std::size_t first) {
        const auto own = p.row(pivot);
        const ExactNumber scale = own[column].inverse();
        std::vector<std::uint32_t> entries;
        for (std::uint32_t c = 0; c < own.size(); ++c) {
            if (own[c].is_zero()) continue;
            own[c] = own[c] * scale;
            if (c != column) entries.push_back(c);
        }
        own[column] = ExactNumber(1.0);
        for (std::size_t r = first; r < p.rows; ++r) {
            const auto row = p.row(r);
            if (r == pivot || row[column].is_zero()) continue;
            const ExactNumber factor = row[column];
            for (const std::uint32_t c : entries) row[c] = row[c] - factor * own[c];
            row[column] = {};
        }
    }

    /// A wished variable that is no pivot does not follow from earlier ones and the border: granted. If the port's
    /// other variable is no pivot, the wished one follows from earlier ones alone: refused.
    Part without_decided(Part whole, std::size_t inside, const std::vector<std::uint32_t>& pivot_row) {
        std::vector<bool> drop_row(whole.rows, false);
        std::fill_n(drop_row.begin(), std::min(inside, whole.rows), true);
        std::unordered_map<std::uint32_t, Verdict> decided;
        for (std::size_t c = inside; c < whole.columns.size(); ++c) {
            const std::uint32_t wish = wish_at(whole.columns[c]);
            if (wish == kNone || pivot_row[c] != kNone) continue;
            const bool wished = (whole.columns[c] % 2 == 0) == wishes_[wish].effort;
            verdicts_[wish] = wished ? Verdict::granted : Verdict::refused;
            decided.emplace(whole.columns[c] / 2, verdicts_[wish]);
        }
        std::vector<std::size_t> keep;
        for (std::size_t c = inside; c < whole.columns.size(); ++c) {
            if (!decided.contains(whole.columns[c] / 2)) {
                keep.push_back(c);
            } else if (pivot_row[c] != kNone) {
                drop_row[pivot_row[c]] = true;  // it computes the port's output, which nobody here needs
            }
        }
        Part rest;
        for (const std::size_t c : keep) rest.columns.push_back(whole.columns[c]);
        for (std::size_t r = 0; r < whole.rows; ++r) {
            if (drop_row[r]) continue;
            const auto row = std::as_const(whole).row(r);
            for (const std::size_t c : keep) rest.numbers.push_back(row[c]);
            ++rest.rows;
        }
        return rest;
    }

    const std::vector<Wish>& wishes_;
    CutBonds cuts_;
    std::vector<std::uint32_t> wish_of_;
    std::vector<Verdict> verdicts_;
    std::optional<std::uint32_t> undetermined_;
    bool divides_ = true;
};

}  // namespace

Inputs choose_inputs(std::vector<Piece> pieces, const std::vector<Wish>& wishes, std::uint32_t bonds) {
    return Composition(wishes, bonds).run(std::move(pieces));
}

}  // namespace bondgraph::causality
