#include "bondgraph/structure/dummy_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/structure/block_triangular.hpp"
#include "bondgraph/structure/choice_levels.hpp"
#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::structure {

namespace {

std::vector<std::uint32_t> predecessors(std::span<const std::uint32_t> derivative) {
    std::vector<std::uint32_t> result(derivative.size(), kNone);
    for (std::uint32_t i = 0; i < derivative.size(); ++i) {
        if (derivative[i] != kNone) result[derivative[i]] = i;
    }
    return result;
}

Eigen::MatrixXd pick(const Eigen::MatrixXd& matrix, std::span<const Eigen::Index> rows,
                     std::span<const Eigen::Index> columns) {
    Eigen::MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < columns.size(); ++c)
            result(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = matrix(rows[r], columns[c]);
    }
    return result;
}

/// How much larger the rows are than the least that the chosen columns make of a direction: 1 is the best there is.
double relative_condition(const Eigen::MatrixXd& candidates, const Eigen::MatrixXd& chosen) {
    if (chosen.rows() == 0) return 1.0;
    if (chosen.rows() != chosen.cols()) return std::numeric_limits<double>::infinity();
    const double smallest = smallest_singular_value(chosen);
    return smallest > 0.0 ? largest_singular_value(candidates) / smallest : std::numeric_limits<double>::infinity();
}

StateWish wish_of(std::span<const StateWish> wishes, std::uint32_t state) {
    return state < wishes.size() ? wishes[state] : StateWish{};
}

/// Columns of a block that a single condition on coordinates names, and sizes; nothing where none has one. Conditions
/// are differentiated equations of columns of known size alone.
LoneColumns lone_columns(const IndexReduction& plan, const DerivativeBlock& block, std::span<const StateWish> wishes,
                         const std::vector<std::uint32_t>& lower) {
    LoneColumns result;
    bool any = false;
    for (const std::uint32_t c : block.columns) {
        result.size.push_back(lower[c] == kNone ? 0.0 : wish_of(wishes, lower[c]).size);
        any = any || result.size.back() > 0.0;
    }
    if (!any) return {};
    std::vector<std::size_t> named(block.columns.size(), 0);
    result.only_row.assign(block.columns.size(), LoneColumns::kNotLone);
    std::vector<std::pair<std::uint32_t, std::size_t>> local;
    for (std::size_t c = 0; c < block.columns.size(); ++c) local.emplace_back(block.columns[c], c);
    std::ranges::sort(local);
    std::vector<std::size_t> its;
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
        if (plan.order[block.rows[r]] == 0) continue;
        its.clear();
        for (const std::uint32_t column : plan.rows.row(block.rows[r])) {
            const auto at = std::ranges::lower_bound(local, std::pair(column, std::size_t{0}));
            if (at != local.end() && at->first == column) its.push_back(at->second);
        }
        if (std::ranges::any_of(its, [&](std::size_t c) { return !(result.size[c] > 0.0); })) continue;
        for (const std::size_t c : its)
            result.only_row[c] = named[c]++ == 0 ? static_cast<Eigen::Index>(r) : LoneColumns::kNotLone;
    }
    return result;
}

class Choosing {
   public:
    Choosing(const IndexReduction& plan, const BlockJacobian& jacobian, std::span<const StateWish> wishes,
             std::span<const std::int16_t> drop, std::span<const std::int16_t> release, DummyTolerances tolerances)
        : plan_(plan),
          jacobian_(jacobian),
          wishes_(wishes),
          drop_(drop),
          release_(release),
          tolerances_(tolerances),
          lower_(predecessors(plan.derivative_of)) {}

    DummyChoice run(std::span<const DerivativeBlock> blocks) {
        std::vector<bool> done(blocks.size(), false);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            if (!done[b] && differentiated(blocks[b]) && !choose_plainly(blocks[b]))
                choose(singular(blocks[b]) ? merged(blocks, b, done) : blocks[b]);
        }
        std::ranges::sort(choice_.dummies);
        std::ranges::sort(choice_.free_columns);
        for (std::uint32_t c = 0; c < plan_.derivative_of.size(); ++c) {
            const std::uint32_t d = plan_.derivative_of[c];
            if (d != kNone && !std::ranges::binary_search(choice_.dummies, d)) choice_.states.push_back(c);
        }
        return std::move(choice_);
    }

   private:
    [[nodiscard]] LoneColumns lone(const DerivativeBlock& block) const {
        return lone_columns(plan_, block, wishes_, lower_);
    }

    [[nodiscard]] bool differentiated(const DerivativeBlock& block) const {
        return std::ranges::any_of(block.rows, [&](std::uint32_t r) { return plan_.order[r] > 0; });
    }

    [[nodiscard]] std::vector<Eigen::Index> differentiated_rows(const DerivativeBlock& block) const {
        std::vector<Eigen::Index> rows;
        for (std::size_t r = 0; r < block.rows.size(); ++r) {
            if (plan_.order[block.rows[r]] > 0) rows.push_back(static_cast<Eigen::Index>(r));
        }
        return rows;
    }

    [[nodiscard]] bool singular(const DerivativeBlock& block) const {
        const Eigen::MatrixXd full = scaled(jacobian_(block.rows, block.columns));
        const std::vector<Eigen::Index> rows = differentiated_rows(block);
        const Eigen::MatrixXd transposed = full(rows, Eigen::all).transpose();
        return independent_columns(transposed, {}, tolerances_.rank, tolerances_.rank).size() < rows.size();
    }

    /// Block `b` with all that need its results, directly or not: these follow it.
    DerivativeBlock merged(std::span<const DerivativeBlock> blocks, std::size_t b, std::vector<bool>& done) const {
        DerivativeBlock result;
        std::vector<bool> inside(plan_.derivative_of.size(), false);
        for (std::size_t k = b; k < blocks.size(); ++k) {
            const auto needs = [&](std::uint32_t r) {
                return std::ranges::any_of(plan_.rows.row(r), [&](std::uint32_t c) { return inside[c]; });
            };
            if (done[k] || (k > b && std::ranges::none_of(blocks[k].rows, needs))) continue;
            done[k] = true;
            result.rows.insert(result.rows.end(), blocks[k].rows.begin(), blocks[k].rows.end());
            result.columns.insert(result.columns.end(), blocks[k].columns.begin(), blocks[k].columns.end());
            for (const std::uint32_t c : blocks[k].columns) inside[c] = true;
        }
        return result;
    }

    struct Chosen {
        std::vector<std::uint32_t> dummies;
        double worst = 1.0;  ///< condition of all orders
        double first = 1.0;  ///< of the highest one
    };

    /// Chooses where the differentiated rows are independent beyond doubt, because the chosen columns show it; nothing
    /// happens where they are not. What is left of each row beside the others is then at least the smallest singular
    /// value.
    bool choose_plainly(const DerivativeBlock& block) {
        constexpr double kBeyondDoubt = 1e3;
        const Eigen::MatrixXd unscaled = jacobian_(block.rows, block.columns);
        const Chosen chosen = choose_columns(block, scaled(unscaled, lone(block)), differentiated_rows(block));
        if (!(kBeyondDoubt * tolerances_.rank * chosen.first < 1.0)) return false;
        take(block, unscaled, chosen);
        return true;
    }

    void choose(const DerivativeBlock& block) {
        const Eigen::MatrixXd unscaled = jacobian_(block.rows, block.columns);
        const auto rows = independent_rows(block, scaled(unscaled), differentiated_rows(block));
        take(block, unscaled, choose_columns(block, scaled(unscaled, lone(block)), rows));
    }

    void take(const DerivativeBlock& block, const Eigen::MatrixXd& unscaled, const Chosen& chosen) {
        choice_.dummies.insert(choice_.dummies.end(), chosen.dummies.begin(), chosen.dummies.end());
        choice_.blocks.push_back(block);
        choice_.magnitudes.push_back(column_magnitudes(unscaled, lone(block)));
        choice_.condition.push_back(chosen.worst);
    }

    Chosen choose_columns(const DerivativeBlock& block, const Eigen::MatrixXd& full,
                          std::vector<Eigen::Index> rows) const {
        // Equations that were differentiated less often drop out on the way down; chosen columns move down with them.
        std::vector<Eigen::Index> columns;
        for (std::size_t c = 0; c < block.columns.size(); ++c) columns.push_back(static_cast<Eigen::Index>(c));
        std::vector<std::uint32_t> variable = block.columns;  // by local column: the derivative of the current order
        Chosen result;
        std::size_t regular = 0;  // rows of which the level above has chosen as many columns
        for (std::uint32_t level = 1; !rows.empty(); ++level) {
            std::erase_if(columns, [&](Eigen::Index c) { return lower_[variable[at(c)]] == kNone; });
            // Where all rows come down, all that was chosen of them does.
            if (rows.size() != regular || columns.size() != regular) {
                const Eigen::MatrixXd matrix = pick(full, rows, columns);
                std::vector<Eigen::Index> chosen;
                for (const Eigen::Index k : chosen_by_wishes(matrix, wishes_of(columns, variable)))
                    chosen.push_back(columns[at(k)]);
                std::ranges::sort(chosen);
                const double condition = relative_condition(matrix, pick(full, rows, chosen));
                if (level == 1) result.first = condition;
                result.worst = std::max(result.worst, condition);
                columns = std::move(chosen);
            }
            for (const Eigen::Index c : columns) {
                result.dummies.push_back(variable[at(c)]);
                variable[at(c)] = lower_[variable[at(c)]];
            }
            regular = rows.size() == columns.size() ? rows.size() : 0;
            std::erase_if(rows, [&](Eigen::Index r) { return plan_.order[block.rows[at(r)]] <= level; });
        }
        return result;
    }

    /// By column: what is wished of the variables one derivative below.
    [[nodiscard]] std::vector<StateWish> wishes_of(const std::vector<Eigen::Index>& columns,
                                                   const std::vector<std::uint32_t>& variable) const {
        std::vector<StateWish> wishes;
        for (const Eigen::Index c : columns) wishes.push_back(wish_of(wishes_, lower_[variable[at(c)]]));
        return wishes;
    }

    [[nodiscard]] std::vector<Eigen::Index> chosen_by_wishes(const Eigen::MatrixXd& matrix,
                                                             const std::vector<StateWish>& wishes) const {
        std::vector<std::int16_t> first;
        for (const StateWish& w : wishes) first.push_back(static_cast<std::int16_t>(-w.order));
        const auto weight = [&](Eigen::Index dummy, Eigen::Index other) {
            return exchange_weight(wishes[at(other)], wishes[at(dummy)]);
        };
        return exchanged(matrix, independent_columns(matrix, first, tolerances_.rank, tolerances_.preferred), weight);
    }

    /// The differentiated rows without those that the others imply; what then is left undetermined is set free.
    std::vector<Eigen::Index> independent_rows(const DerivativeBlock& block, const Eigen::MatrixXd& full,
                                               const std::vector<Eigen::Index>& rows) {
        std::vector<Eigen::Index> all(block.columns.size());
        for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<Eigen::Index>(c);
        const Eigen::MatrixXd transposed = pick(full, rows, all).transpose();
        std::vector<std::int16_t> first;
        for (const Eigen::Index r : rows) {
            const std::uint32_t equation = plan_.origin[block.rows[at(r)]];
            first.push_back(equation < drop_.size() ? static_cast<std::int16_t>(-drop_[equation]) : std::int16_t{0});
        }
        std::vector<Eigen::Index> kept = independent_columns(transposed, first, tolerances_.rank, tolerances_.rank);
        std::ranges::sort(kept);
        if (kept.size() == rows.size()) return rows;

        // Where every row vanishes (a singular position) nothing is kept that others could depend on.
        Eigen::MatrixXd by_kept(0, transposed.cols());
        if (!kept.empty()) by_kept = least_squares(pick(transposed, all, kept), transposed);
        std::vector<Eigen::Index> left;
        for (const Eigen::Index k : kept) left.push_back(rows[at(k)]);
        for (Eigen::Index r = 0; r < transposed.cols(); ++r) {
            if (std::ranges::binary_search(kept, r)) continue;
            record(block, rows[at(r)], left, by_kept.col(r));
        }
        set_free(block, full, left);
        return left;
    }

    void record(const DerivativeBlock& block, Eigen::Index row, std::span<const Eigen::Index> left,
                const Eigen::VectorXd& weights) {
        // The weights hold for scaled rows: undo the scaling by comparing with the original ones.
        std::vector<std::uint32_t> involved{block.rows[at(row)]};
        for (std::size_t k = 0; k < left.size(); ++k) {
            if (std::abs(weights(static_cast<Eigen::Index>(k))) > tolerances_.rank)
                involved.push_back(block.rows[at(left[k])]);
        }
        const Eigen::MatrixXd original = jacobian_(involved, block.columns);
        Eigen::VectorXd exact(0);
        if (involved.size() > 1)
            exact = least_squares(original.bottomRows(original.rows() - 1).transpose(), original.row(0).transpose());
        DummyChoice::Redundant redundant{plan_.origin[involved[0]], {{plan_.origin[involved[0]], 1.0}}, false};
        for (std::size_t k = 1; k < involved.size(); ++k)
            redundant.combination.emplace_back(plan_.origin[involved[k]], -exact(static_cast<Eigen::Index>(k) - 1));
        redundant.hidden = reaches_outside(block, involved, exact);
        std::ranges::sort(redundant.combination);
        choice_.redundant.push_back(std::move(redundant));
    }

    /// Whether a combination of rows restricts highest derivatives outside its block, beyond what the equations that
    /// determine those say of them.
    bool reaches_outside(const DerivativeBlock& block, std::span<const std::uint32_t> rows,
                         const Eigen::VectorXd& weights) const {
        std::vector<bool> inside(plan_.derivative_of.size(), false);
        for (const std::uint32_t c : block.columns) inside[c] = true;
        std::vector<std::uint32_t> outside;
        const auto collect = [&](std::uint32_t r) {
            for (const std::uint32_t c : plan_.rows.row(r)) {
                if (plan_.derivative_of[c] != kNone || inside[c]) continue;
                inside[c] = true;
                outside.push_back(c);
            }
        };
        for (const std::uint32_t r : rows) collect(r);
        if (outside.empty()) return false;
        // The differentiated equations that determine these columns, and those that determine what occurs there.
        std::vector<std::uint32_t> determining;
        for (std::size_t k = 0; k < outside.size(); ++k) {
            const std::uint32_t r = plan_.matching.row_of[outside[k]];
            if (r == kUnmatched || plan_.order[r] == 0) continue;
            determining.push_back(r);
            collect(r);
        }
        const Eigen::MatrixXd matrix = jacobian_(rows, outside);
        Eigen::RowVectorXd rest = matrix.row(0);
        Eigen::RowVectorXd size = matrix.row(0).cwiseAbs();
        for (Eigen::Index k = 0; k < weights.size(); ++k) {
            rest -= weights(k) * matrix.row(k + 1);
            size += std::abs(weights(k)) * matrix.row(k + 1).cwiseAbs();
        }
        const double small = 1e3 * tolerances_.rank;
        if (!(rest.cwiseAbs().array() > small * size.array()).any()) return false;
        if (determining.empty()) return true;
        const Eigen::MatrixXd known = scaled(jacobian_(determining, outside)).transpose();
        const Eigen::VectorXd right = rest.transpose();
        const Eigen::VectorXd left = right - known * least_squares(known, right);
        return left.norm() > small * size.norm();
    }

    /// Columns that the remaining rows of the block leave undetermined.
    void set_free(const DerivativeBlock& block, const Eigen::MatrixXd& full, std::span<const Eigen::Index> left) {
        std::vector<Eigen::Index> remaining(left.begin(), left.end());
        for (std::size_t r = 0; r < block.rows.size(); ++r) {
            if (plan_.order[block.rows[r]] == 0) remaining.push_back(static_cast<Eigen::Index>(r));
        }
        std::vector<Eigen::Index> all(block.columns.size());
        std::vector<std::int16_t> first;
        for (std::size_t c = 0; c < all.size(); ++c) {
            all[c] = static_cast<Eigen::Index>(c);
            const std::uint32_t column = block.columns[c];
            // A derivative that is set to zero would be a wrong motion: only what is no derivative may become free.
            const std::int16_t wish = column < release_.size() ? release_[column] : std::int16_t{0};
            first.push_back(lower_[column] != kNone ? std::int16_t{1} : static_cast<std::int16_t>(-wish));
        }
        std::vector<Eigen::Index> determined =
            independent_columns(pick(full, remaining, all), first, tolerances_.rank, tolerances_.rank);
        std::ranges::sort(determined);
        for (const Eigen::Index c : all) {
            if (!std::ranges::binary_search(determined, c)) choice_.free_columns.push_back(block.columns[at(c)]);
        }
    }

    static std::size_t at(Eigen::Index index) { return static_cast<std::size_t>(index); }

    const IndexReduction& plan_;
    const BlockJacobian& jacobian_;
    std::span<const StateWish> wishes_;
    std::span<const std::int16_t> drop_;
    std::span<const std::int16_t> release_;
    DummyTolerances tolerances_;
    std::vector<std::uint32_t> lower_;
    DummyChoice choice_;
};

}  // namespace

double DummyChoice::worst() const {
    double result = 1.0;
    for (const double c : condition) result = std::max(result, c);
    return result;
}

std::vector<DerivativeBlock> derivative_blocks(const IndexReduction& plan) {
    // Only equations and columns without derivative, renumbered.
    std::vector<std::uint32_t> equations;
    Incidence highest;
    Matching matching;
    matching.row_of.assign(plan.derivative_of.size(), kUnmatched);
    std::vector<std::uint32_t> row;
    for (std::uint32_t r = 0; r < plan.equation_derivative.size(); ++r) {
        if (plan.equation_derivative[r] != kNone) continue;
        row.clear();
        for (const std::uint32_t c : plan.rows.row(r)) {
            if (plan.derivative_of[c] == kNone) row.push_back(c);
        }
        const std::uint32_t column = plan.matching.column_of[r];
        if (column != kUnmatched) matching.row_of[column] = static_cast<std::uint32_t>(equations.size());
        matching.column_of.push_back(column);
        highest.add_row(row);
        equations.push_back(r);
    }
    const BlockTriangular order = block_triangular(highest, plan.derivative_of.size(), matching);
    std::vector<DerivativeBlock> blocks;
    for (std::size_t b = 0; b < order.rows.rows(); ++b) {
        DerivativeBlock block;
        for (const std::uint32_t r : order.rows.row(b)) block.rows.push_back(equations[r]);
        block.columns.assign(order.columns.row(b).begin(), order.columns.row(b).end());
        blocks.push_back(std::move(block));
    }
    return blocks;
}

DummyChoice choose_dummies(const IndexReduction& plan, std::span<const DerivativeBlock> blocks,
                           const BlockJacobian& jacobian, std::span<const StateWish> wishes,
                           std::span<const std::int16_t> drop, std::span<const std::int16_t> release,
                           DummyTolerances tolerances) {
    return Choosing(plan, jacobian, wishes, drop, release, tolerances).run(blocks);
}

namespace {

/// The levels of a block, the highest derivatives first.
std::vector<ChoiceLevel> levels_of(const IndexReduction& plan, const DerivativeBlock& block, const DummyChoice& choice,
                                   const std::vector<std::uint32_t>& lower, const std::vector<std::uint32_t>& dropped) {
    std::vector<ChoiceLevel> levels;
    for (std::uint32_t number = 1;; ++number) {
        ChoiceLevel level;
        for (std::size_t r = 0; r < block.rows.size(); ++r) {
            if (plan.order[block.rows[r]] < number) continue;
            const bool left_out = std::ranges::binary_search(dropped, plan.origin[block.rows[r]]);
            if (!left_out) level.rows.push_back(static_cast<Eigen::Index>(r));
            if (left_out && number == 1) level.left_out.push_back(static_cast<Eigen::Index>(r));
        }
        if (level.rows.empty()) return levels;
        for (std::size_t c = 0; c < block.columns.size(); ++c) {
            std::uint32_t column = block.columns[c];
            bool dummies = true;  // the higher derivatives of the same variable
            for (std::uint32_t k = 1; k < number && column != kNone; ++k) {
                dummies = dummies && std::ranges::binary_search(choice.dummies, column);
                column = lower[column];
            }
            if (column == kNone || !dummies || lower[column] == kNone) continue;
            level.candidates.push_back(static_cast<Eigen::Index>(c));
            level.state.push_back(lower[column]);
            if (std::ranges::binary_search(choice.dummies, column))
                level.dummies.push_back(static_cast<Eigen::Index>(c));
        }
        levels.push_back(std::move(level));
    }
}

std::vector<std::uint32_t> dropped_equations(const DummyChoice& choice) {
    std::vector<std::uint32_t> dropped;
    for (const auto& r : choice.redundant) dropped.push_back(r.equation);
    std::ranges::sort(dropped);
    return dropped;
}

}  // namespace

std::vector<std::vector<ChoiceLevel>> choice_levels(const IndexReduction& plan, const DummyChoice& choice) {
    const std::vector<std::uint32_t> lower = predecessors(plan.derivative_of);
    const std::vector<std::uint32_t> dropped = dropped_equations(choice);
    std::vector<std::vector<ChoiceLevel>> result;
    for (const DerivativeBlock& block : choice.blocks) result.push_back(levels_of(plan, block, choice, lower, dropped));
    return result;
}

namespace {

/// What taking a row left out for another one counts, at most.
double row_gain(const Eigen::MatrixXd& square, const Eigen::MatrixXd& left_out) {
    return kRowWeight * least_squares(square.transpose(), left_out.transpose()).cwiseAbs().maxCoeff();
}

}  // namespace

double choice_gain(const IndexReduction& plan, const BlockJacobian& jacobian, const DummyChoice& choice,
                   std::span<const StateWish> wishes) {
    const auto levels = choice_levels(plan, choice);
    const std::vector<std::uint32_t> lower = predecessors(plan.derivative_of);
    double largest = 0.0;
    for (std::size_t b = 0; b < choice.blocks.size(); ++b) {
        const DerivativeBlock& block = choice.blocks[b];
        const Eigen::MatrixXd full =
            scaled(jacobian(block.rows, block.columns), lone_columns(plan, block, wishes, lower));
        for (const ChoiceLevel& level : levels[b]) {
            std::vector<Eigen::Index> chosen;
            for (const Eigen::Index c : level.dummies)
                chosen.push_back(std::ranges::lower_bound(level.candidates, c) - level.candidates.begin());
            const auto weight = [&](Eigen::Index dummy, Eigen::Index other) {
                return exchange_weight(wish_of(wishes, level.state[static_cast<std::size_t>(other)]),
                                       wish_of(wishes, level.state[static_cast<std::size_t>(dummy)]));
            };
            largest = std::max(largest, exchange_gain(pick(full, level.rows, level.candidates), chosen, weight));
            if (std::isfinite(largest) && !level.left_out.empty())
                largest = std::max(largest, row_gain(pick(full, level.rows, level.dummies),
                                                     pick(full, level.left_out, level.dummies)));
        }
    }
    return largest;
}

}  // namespace bondgraph::structure
