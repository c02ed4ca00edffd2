#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/utf8.hpp"

namespace bondgraph {

namespace {

using Characters = std::vector<char32_t>;

// Distances are counted in halves, so that a difference in case alone is 1 and every other edit is 2.
constexpr int kEdit = 2;
constexpr int kCaseEdit = 1;
constexpr int kFar = std::numeric_limits<int>::max() / 4;

constexpr char32_t lower(char32_t c) { return c >= U'A' && c <= U'Z' ? c + (U'a' - U'A') : c; }

int substitution_cost(char32_t a, char32_t b) {
    if (a == b) return 0;
    return lower(a) == lower(b) ? kCaseEdit : kEdit;
}

void decode(std::string_view text, Characters& out) {
    out.clear();
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = std::max<std::size_t>(utf8_length(text, i), 1);
        char32_t packed = 0;  // the bytes side by side: characters are only compared
        for (std::size_t k = 0; k < length; ++k) packed = (packed << 8U) | static_cast<unsigned char>(text[i + k]);
        out.push_back(packed);
        i += length;
    }
}

/// Optimal string alignment: Levenshtein distance with transpositions of neighbours. Only the diagonal band that a
/// distance of at most `limit` can reach is computed; everything above the limit is kFar.
class BandedDistance {
   public:
    int operator()(const Characters& a, const Characters& b, int limit) {
        const std::size_t band = static_cast<std::size_t>(limit / kEdit);
        if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > band) return kFar;
        for (auto& row : rows_) row.assign(b.size() + 1, kFar);
        for (std::size_t j = 0; j <= std::min(b.size(), band); ++j) rows_[1][j] = static_cast<int>(j) * kEdit;
        for (std::size_t i = 1; i <= a.size(); ++i) {
            if (fill_row(a, b, i, band) > limit) return kFar;
            std::rotate(rows_.rbegin(), rows_.rbegin() + 1, rows_.rend());
        }
        return rows_[1][b.size()] <= limit ? rows_[1][b.size()] : kFar;
    }

   private:
    /// Fills row i within the band and returns its smallest entry.
    int fill_row(const Characters& a, const Characters& b, std::size_t i, std::size_t band) {
        auto& [current, last, before_last] = rows_;
        const std::size_t first = i > band ? i - band : 0;
        const std::size_t end = std::min(b.size(), i + band);
        int smallest = kFar;
        if (first > 0) current[first - 1] = kFar;
        for (std::size_t j = first; j <= end; ++j) {
            int best = last[j] + kEdit;
            if (j > 0) {
                best = std::min({best, current[j - 1] + kEdit, last[j - 1] + substitution_cost(a[i - 1], b[j - 1])});
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    best = std::min(best, before_last[j - 2] + kEdit);
            }
            current[j] = best;
            smallest = std::min(smallest, best);
        }
        if (end < b.size()) current[end + 1] = kFar;
        return smallest;
    }

    std::array<std::vector<int>, 3> rows_;  // the row being filled, the last one, the one before
};

/// One letter is near to everything, so it only stands for itself in the other case or for what begins with it.
int distance_of_letter(char32_t letter, const Characters& candidate) {
    if (candidate.empty() || lower(candidate.front()) != lower(letter)) return kFar;
    return substitution_cost(letter, candidate.front()) + kEdit * static_cast<int>(candidate.size() - 1);
}

/// A name cut short, such as 'init' for 'initial', stands for what begins with it, if only one does.
std::string completed_name(std::string_view name, std::span<const std::string> candidates) {
    constexpr std::size_t kShortest = 3;
    if (name.size() < kShortest) return {};
    const std::string* found = nullptr;
    for (const std::string& text : candidates) {
        if (!text.starts_with(name) || (found != nullptr && *found == text)) continue;
        if (found != nullptr) return {};
        found = &text;
    }
    return found != nullptr ? *found : std::string();
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
    static_assert(kCaseEdit < kEdit);
    Characters wanted;
    Characters candidate;
    decode(name, wanted);
    if (wanted.empty()) return {};
    const bool letter = wanted.size() == 1;
    int limit = std::max(kEdit, kEdit * static_cast<int>(std::min<std::size_t>(wanted.size(), 1000)) / 3);
    if (letter) limit = kFar - 1;
    BandedDistance distance;
    const std::string* best = nullptr;
    for (const std::string& text : candidates) {
        // a character has at most 4 bytes, so far too short or far too long texts need no decoding
        const std::size_t reach = static_cast<std::size_t>(limit / kEdit);
        if (!letter && (text.size() > 4 * (wanted.size() + reach) || 4 * (text.size() + reach) < wanted.size()))
            continue;
        decode(text, candidate);
        const int found = letter ? distance_of_letter(wanted.front(), candidate) : distance(wanted, candidate, limit);
        if (found > limit) continue;
        best = &text;
        limit = found - 1;
        if (limit < 0) break;
    }
    return best != nullptr ? *best : completed_name(name, candidates);
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    const std::string nearest = nearest_name(name, candidates);
    // What goes by the very name is something else there.
    return nearest.empty() || nearest == name ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace bondgraph
