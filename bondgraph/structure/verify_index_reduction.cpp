#include <algorithm>

#include "bondgraph/structure/verify.hpp"

namespace bondgraph::structure {

namespace {

/// Σ(i, j) as lists, with variables numbered by the columns that are no derivatives.
struct Signature {
    std::vector<std::uint32_t> variable;  ///< column → its variable's column
    std::vector<std::uint32_t> order;     ///< column → how often that is differentiated
    std::vector<std::uint32_t> declared;  ///< variable's column → highest derivative in the list
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> rows;  ///< equation → (variable, σ)
};

Signature signature_of(const Incidence& rows, std::span<const std::uint32_t> derivative_of) {
    Signature s;
    s.variable.assign(derivative_of.size(), kNone);
    s.order.assign(derivative_of.size(), 0);
    s.declared.assign(derivative_of.size(), 0);
    std::vector<bool> derivative(derivative_of.size(), false);
    for (const std::uint32_t d : derivative_of) {
        if (d != kNone) derivative[d] = true;
    }
    for (std::uint32_t c = 0; c < derivative_of.size(); ++c) {
        if (derivative[c]) continue;
        std::uint32_t order = 0;
        for (std::uint32_t k = c; k != kNone; k = derivative_of[k]) {
            s.variable[k] = c;
            s.order[k] = order++;
        }
        s.declared[c] = order - 1;
    }
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        auto& row = s.rows.emplace_back();
        for (const std::uint32_t c : rows.row(r)) row.emplace_back(s.variable[c], s.order[c]);
        std::ranges::sort(row);
        // Of one variable the highest derivative is the last.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> highest;
        for (const auto& entry : row) {
            if (!highest.empty() && highest.back().first == entry.first) highest.pop_back();
            highest.push_back(entry);
        }
        row = std::move(highest);
    }
    return s;
}

/// Links, origins, orders and differentiated rows of the plan fit together.
bool is_consistent(const Incidence& rows, std::span<const std::uint32_t> derivative_of, const IndexReduction& plan) {
    const std::size_t inputs = rows.rows();
    const std::size_t count = plan.rows.rows();
    if (plan.equation_derivative.size() != count || plan.origin.size() != count || plan.order.size() != count ||
        plan.differentiations.size() != inputs || plan.derivative_of.size() < derivative_of.size())
        return false;
    for (std::size_t c = 0; c < derivative_of.size(); ++c) {
        if (derivative_of[c] != kNone && plan.derivative_of[c] != derivative_of[c]) return false;
    }
    std::vector<std::uint32_t> highest(inputs, 0);
    for (std::uint32_t r = 0; r < count; ++r) {
        highest[plan.origin[r]] = std::max(highest[plan.origin[r]], plan.order[r]);
        const std::uint32_t d = plan.equation_derivative[r];
        if (r < inputs && (plan.origin[r] != r || plan.order[r] != 0)) return false;
        if (d == kNone) continue;
        if (d < inputs || d >= count || plan.origin[d] != plan.origin[r] || plan.order[d] != plan.order[r] + 1)
            return false;
        std::vector<std::uint32_t> expected(plan.rows.row(r).begin(), plan.rows.row(r).end());
        for (const std::uint32_t c : plan.rows.row(r)) expected.push_back(plan.derivative_of[c]);
        std::ranges::sort(expected);
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        if (!std::ranges::equal(expected, plan.rows.row(d))) return false;
    }
    return highest == plan.differentiations;
}

}  // namespace

bool is_index_reduction(const Incidence& rows, std::span<const std::uint32_t> derivative_of,
                        const IndexReduction& plan) {
    if (!is_consistent(rows, derivative_of, plan)) return false;
    const Signature s = signature_of(rows, derivative_of);
    const std::vector<std::uint32_t>& c = plan.differentiations;

    // d by the plan's links.
    std::vector<std::uint32_t> d(derivative_of.size(), 0);
    for (std::uint32_t v = 0; v < derivative_of.size(); ++v) {
        if (s.variable[v] != v) continue;
        for (std::uint32_t k = v; plan.derivative_of[k] != kNone; k = plan.derivative_of[k]) ++d[v];
    }
    for (std::uint32_t i = 0; i < s.rows.size(); ++i) {
        for (const auto& [j, sigma] : s.rows[i]) {
            if (d[j] < sigma + c[i]) return false;
        }
    }

    // The matching in terms of input equations and variables; equality on it.
    std::vector<std::uint32_t> variable_of(rows.rows(), kNone);
    std::vector<bool> taken(derivative_of.size(), false);
    std::vector<std::uint32_t> base_of_column(plan.derivative_of.size(), kNone);
    for (std::uint32_t v = 0; v < derivative_of.size(); ++v) {
        if (s.variable[v] != v) continue;
        for (std::uint32_t k = v; k != kNone; k = plan.derivative_of[k]) base_of_column[k] = v;
    }
    for (std::uint32_t r = 0; r < plan.rows.rows(); ++r) {
        if (plan.equation_derivative[r] != kNone) continue;
        const std::uint32_t column = plan.matching.column_of[r];
        if (column == kNone || plan.derivative_of[column] != kNone) return false;
        const std::uint32_t j = base_of_column[column];
        if (taken[j]) return false;
        taken[j] = true;
        variable_of[plan.origin[r]] = j;
    }
    std::vector<std::uint32_t> sigma_matched(rows.rows(), 0);
    for (std::uint32_t i = 0; i < rows.rows(); ++i) {
        const auto entry = std::ranges::find(s.rows[i], variable_of[i], [](const auto& e) { return e.first; });
        if (entry == s.rows[i].end() || d[variable_of[i]] != entry->second + c[i]) return false;
        sigma_matched[i] = entry->second;
    }

    // The smallest c for this matching, by iteration from zero: it must not be smaller anywhere.
    std::vector<std::uint32_t> smallest(rows.rows(), 0);
    for (bool changed = true; changed;) {
        changed = false;
        std::vector<std::uint32_t> needed = s.declared;
        for (std::uint32_t i = 0; i < rows.rows(); ++i) {
            for (const auto& [j, sigma] : s.rows[i]) needed[j] = std::max(needed[j], sigma + smallest[i]);
        }
        for (std::uint32_t i = 0; i < rows.rows(); ++i) {
            const std::uint32_t value = needed[variable_of[i]] - sigma_matched[i];
            if (value == smallest[i]) continue;
            if (value > c[i]) return false;
            smallest[i] = value;
            changed = true;
        }
    }
    return smallest == c;
}

}  // namespace bondgraph::structure
