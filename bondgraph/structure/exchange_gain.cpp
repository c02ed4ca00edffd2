#include "bondgraph/structure/exchange_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/structure/choice_levels.hpp"

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
        for (const ChoiceLevel& level : levels[b]) add(level, columns, block.rows.size(), wishes);
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
    std::vector<std::vector<Place>> rows(level.rows.size());  // of the square: columns and places
    for (std::size_t k = 0; k < level.candidates.size(); ++k) {
        const Eigen::Index c = level.candidates[k];
        const StateWish wish = level.state[k] < wishes.size() ? wishes[level.state[k]] : StateWish{};
        const bool dummy = std::ranges::binary_search(level.dummies, c);
        const auto number = static_cast<std::uint32_t>(result.wishes.size());
        Candidate other{{}, wish};
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
    if (square_ && result.size > 1) result.square = std::make_unique<SparseFactors>(pattern);
    levels_.push_back(std::move(result));
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
            result.push_back(level.square->determinant());
        }
    }
    return result;
}

}  // namespace bondgraph::structure
