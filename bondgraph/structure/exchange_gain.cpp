#include "bondgraph/structure/exchange_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/structure/choice_levels.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::structure {

namespace {

constexpr double kUndetermined = std::numeric_limits<double>::infinity();

}  // namespace

ExchangeGain::ExchangeGain(const IndexReduction& plan, const DummyChoice& choice, const Incidence& pattern,
                           std::span<const std::uint32_t> row_of, std::span<const StateWish> wishes) {
    const auto levels = choice_levels(plan, choice);
    std::vector<std::uint32_t> local(plan.derivative_of.size(), kNone);
    for (std::size_t b = 0; b < choice.blocks.size(); ++b) {
        const DerivativeBlock& block = choice.blocks[b];
        for (std::uint32_t c = 0; c < block.columns.size(); ++c) local[block.columns[c]] = c;
        std::vector<std::vector<Place>> columns(block.columns.size());
        for (std::uint32_t r = 0; r < block.rows.size(); ++r) {
            const std::uint32_t row = row_of[block.rows[r]];
            if (row == kNone) continue;
            const auto number = static_cast<std::uint32_t>(largest_.size());
            largest_.push_back(0.0);
            for (std::uint32_t k = pattern.starts[row]; k < pattern.starts[row + 1]; ++k) {
                const std::uint32_t c = local[pattern.columns[k]];
                if (c == kNone) continue;
                columns[c].push_back({r, static_cast<std::uint32_t>(scaled_.size())});
                scaled_.push_back({k, number, choice.magnitudes[b](static_cast<Eigen::Index>(c))});
            }
        }
        for (std::size_t l = 0; l < levels[b].size(); ++l) {
            add(levels[b][l], columns, block.rows.size(), wishes);
            add_parts(b, l);
        }
        for (const std::uint32_t c : block.columns) local[c] = kNone;
    }
    values_.resize(scaled_.size());
}

void ExchangeGain::add(const ChoiceLevel& level, const std::vector<std::vector<Place>>& columns, std::size_t block_rows,
                       std::span<const StateWish> wishes) {
    Level result;
    result.size = level.rows.size();
    square_ = square_ && level.dummies.size() == level.rows.size();
    std::vector<std::uint32_t> row_in_level(block_rows, kNone);
    for (std::uint32_t r = 0; r < level.rows.size(); ++r) row_in_level[static_cast<std::size_t>(level.rows[r])] = r;
    result.left_out.resize(level.left_out.size());
    std::vector<std::vector<Place>>& rows = result.rows;
    rows.resize(level.rows.size());
    for (std::size_t k = 0; k < level.candidates.size(); ++k) {
        const Eigen::Index c = level.candidates[k];
        const StateWish wish = level.state[k] < wishes.size() ? wishes[level.state[k]] : StateWish{};
        const bool dummy = std::ranges::binary_search(level.dummies, c);
        const auto number = static_cast<std::uint32_t>(result.wishes.size());
        Candidate other{c, {}, wish};
        for (const Place& place : columns[static_cast<std::size_t>(c)]) {
            const std::uint32_t r = row_in_level[place.row];
            if (r == kNone) {
                const auto left_out = std::ranges::find(level.left_out, static_cast<Eigen::Index>(place.row));
                if (dummy && left_out != level.left_out.end())
                    result.left_out[static_cast<std::size_t>(left_out - level.left_out.begin())].push_back(
                        {number, place.scaled});
                continue;
            }
            if (dummy) rows[r].push_back({number, place.scaled});
            if (!dummy) other.places.push_back({r, place.scaled});
        }
        if (dummy) result.dummies.push_back(c);
        if (dummy) result.wishes.push_back(wish);
        if (!dummy && !other.places.empty()) result.others.push_back(std::move(other));
    }
    Incidence pattern;
    std::vector<std::uint32_t> numbers;
    for (const auto& row : rows) {
        numbers.clear();
        for (const Place& place : row) {
            numbers.push_back(place.row);
            result.chosen.push_back(place.scaled);
        }
        pattern.add_row(numbers);
    }
    if (square_ && result.size > 1) {
        result.square = std::make_unique<SparseFactors>(pattern);
        result.blocks = result.square->blocks();
    } else if (square_) {
        result.blocks = {{{0}, {0}}};
    }
    levels_.push_back(std::move(result));
}

void ExchangeGain::add_parts(std::size_t block, std::size_t number) {
    const Level& level = levels_.back();
    std::vector<std::size_t> part_of(level.size);
    for (std::size_t k = level.blocks.size(); k-- > 0;) {
        Part part{block, number, k, level.blocks[k].rows, {}};
        for (const std::uint32_t r : part.rows) {
            part_of[r] = parts_.size();
            for (const Place& place : level.rows[r]) part.candidates.push_back(level.dummies[place.row]);
        }
        parts_.push_back(std::move(part));
        level_of_part_.push_back(levels_.size() - 1);
    }
    if (level.blocks.empty()) return;
    for (const Candidate& other : level.others) {
        for (const Place& place : other.places) parts_[part_of[place.row]].candidates.push_back(other.column);
    }
    for (std::size_t k = parts_.size() - level.blocks.size(); k < parts_.size(); ++k) {
        std::vector<Eigen::Index>& named = parts_[k].candidates;
        std::ranges::sort(named);
        named.erase(std::unique(named.begin(), named.end()), named.end());
    }
}

bool ExchangeGain::factorize(Level& level) {
    if (level.size == 1) return !level.chosen.empty() && values_[level.chosen[0]] != 0.0;
    work_.clear();
    for (const std::uint32_t k : level.chosen) work_.push_back(values_[k]);
    return level.square->factorize(work_);
}

double ExchangeGain::gain(Level& level) {
    const auto by_wish = [&](StateWish lost, std::size_t r, double entry) {
        return std::abs(entry) * exchange_weight(lost, level.wishes[r]);
    };
    double largest = 0.0;
    if (!factorize(level)) return kUndetermined;
    if (level.size == 1) {
        for (const Candidate& other : level.others)
            largest =
                std::max(largest, by_wish(other.wish, 0, values_[other.places[0].scaled] / values_[level.chosen[0]]));
        for (const auto& row : level.left_out) {
            if (!row.empty())
                largest = std::max(largest, kRowWeight * std::abs(values_[row[0].scaled] / values_[level.chosen[0]]));
        }
        return largest;
    }
    constexpr std::size_t kTogether = 16;
    for (std::size_t first = 0; first < level.others.size(); first += kTogether) {
        const std::size_t count = std::min(kTogether, level.others.size() - first);
        work_.assign(count * level.size, 0.0);
        for (std::size_t k = 0; k < count; ++k) {
            for (const Place& place : level.others[first + k].places)
                work_[k * level.size + place.row] = values_[place.scaled];
        }
        level.square->solve(work_);
        for (std::size_t k = 0; k < work_.size(); ++k) {
            if (!std::isfinite(work_[k])) return kUndetermined;
            largest = std::max(largest, by_wish(level.others[first + k / level.size].wish, k % level.size, work_[k]));
        }
    }
    return std::max(largest, row_gain(level));
}

double ExchangeGain::row_gain(Level& level) {
    double largest = 0.0;
    for (const auto& row : level.left_out) {
        work_.assign(level.size, 0.0);
        for (const Place& place : row) work_[place.row] = values_[place.scaled];
        level.square->solve_transposed(work_);
        for (const double weight : work_) largest = std::max(largest, kRowWeight * std::abs(weight));
    }
    return std::isfinite(largest) ? largest : kUndetermined;
}

bool ExchangeGain::scale(std::span<const double> entries) {
    if (!square_) return false;
    std::ranges::fill(largest_, 0.0);
    for (const Scaled& s : scaled_) largest_[s.row] = std::max(largest_[s.row], std::abs(entries[s.entry]));
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
        const Scaled& s = scaled_[k];
        values_[k] = largest_[s.row] > 0.0 ? entries[s.entry] / (largest_[s.row] * s.magnitude) : 0.0;
        if (!std::isfinite(values_[k])) return false;
    }
    return true;
}

double ExchangeGain::at(std::span<const double> entries) {
    if (!scale(entries)) return kUndetermined;
    double largest = 0.0;
    for (Level& level : levels_) largest = std::max(largest, gain(level));
    return largest;
}

std::vector<Determinant> ExchangeGain::determinants(std::span<const double> entries) {
    if (!scale(entries)) return {};
    std::vector<Determinant> result;
    for (Level& level : levels_) {
        if (!factorize(level)) return {};
        if (level.size == 1) {
            const double entry = values_[level.chosen[0]];
            result.push_back({entry < 0.0 ? -1.0 : 1.0, std::log(std::abs(entry))});
        } else {
            const std::vector<Determinant> blocks = level.square->determinants();
            result.insert(result.end(), blocks.rbegin(), blocks.rend());
        }
    }
    return result.size() == parts_.size() ? result : std::vector<Determinant>{};
}

double ExchangeGain::condition(const Part& part) {
    Level& level = levels_[level_of_part_[static_cast<std::size_t>(&part - parts_.data())]];
    const auto rows = static_cast<Eigen::Index>(part.rows.size());
    const std::vector<std::uint32_t>& own = level.blocks[part.number].columns;
    std::vector<bool> later(level.size, false);  // columns of the square
    for (std::size_t k = part.number + 1; k < level.blocks.size(); ++k) {
        for (const std::uint32_t c : level.blocks[k].columns) later[c] = true;
    }
    std::vector<Eigen::VectorXd> columns(own.size(), Eigen::VectorXd::Zero(rows));
    for (Eigen::Index r = 0; r < rows; ++r) {
        for (const Place& place : level.rows[part.rows[static_cast<std::size_t>(r)]]) {
            const auto column = std::ranges::lower_bound(own, place.row);
            if (column != own.end() && *column == place.row)
                columns[static_cast<std::size_t>(column - own.begin())](r) = values_[place.scaled];
        }
    }
    for (const Candidate& other : level.others) {
        work_.assign(level.size, 0.0);
        for (const Place& place : other.places) work_[place.row] = values_[place.scaled];
        Eigen::VectorXd column(rows);
        for (Eigen::Index r = 0; r < rows; ++r) column(r) = work_[part.rows[static_cast<std::size_t>(r)]];
        if (part.number + 1 < level.blocks.size()) level.square->solve(work_);
        for (Eigen::Index r = 0; r < rows; ++r) {
            for (const Place& place : level.rows[part.rows[static_cast<std::size_t>(r)]]) {
                if (later[place.row]) column(r) -= values_[place.scaled] * work_[place.row];
            }
        }
        if (column.allFinite() && !column.isZero(0.0)) columns.push_back(column);
    }
    Eigen::MatrixXd named(rows, static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) named.col(static_cast<Eigen::Index>(k)) = columns[k];
    const Eigen::MatrixXd matrix = scaled(named);
    const double smallest = smallest_singular_value(matrix);
    return smallest > 0.0 ? largest_singular_value(matrix) / smallest : kUndetermined;
}

}  // namespace bondgraph::structure
