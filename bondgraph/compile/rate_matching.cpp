#include "bondgraph/compile/rate_matching.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace bondgraph::compile {
namespace {

using structure::Incidence;
using structure::kUnmatched;
using structure::Matching;

class RateMatching {
   public:
    RateMatching(const RatesAndLaws& what, const Incidence& all, const Incidence& safe)
        : what_(what), all_(all), safe_(safe), count_(what.unknowns.size()) {}

    Matching run(bool loops, bool by_balances) const {
        Matching matching = completed(by_their_laws(false));
        if (takes_forces_from_laws(matching)) {
            Matching other = by_their_laws(true);
            if (other.size() > 0) matching = std::move(other);
        }
        if (loops && (by_balances || rates_from_constraints(matching))) {
            Matching other = rates_by_balances();
            if (other.size() > 0) matching = std::move(other);
        }
        return matching;
    }

   private:
    Matching completed(Matching begun) const {
        begun = structure::maximum_matching(safe_, count_, std::move(begun));
        return structure::maximum_matching(all_, count_, std::move(begun));
    }

    [[nodiscard]] bool is_highest(std::uint32_t u) const { return what_.unknowns[u].highest; }

    /// The differentiated equations determine the dummies wherever the choice is a good one. Forces are then regular as
    /// well if the rate of each state is left to an equation that was not differentiated and names it itself (its law
    /// of motion), so that what else the laws say of forces comes from the dummies': of a pendulum whose x is the
    /// state, the rod's force from m·y'', not from m·x'', which says nothing at the bottom. Nothing where not every
    /// rate has such an equation, or the rest then lacks one. `highest`: of rates that are differentiated themselves
    /// nothing is asked; the velocities among them come out of the constraints, not out of laws of motion.
    Matching by_their_laws(bool highest) const {
        const auto is_rate = [&](std::uint32_t u) { return highest ? is_highest(u) : what_.unknowns[u].rate; };
        // First those that could give nothing else without fail: a force whose coefficient may vanish, say.
        Incidence laws;
        Incidence alone;
        std::vector<std::uint32_t> row;
        for (std::uint32_t r = 0; r < safe_.rows(); ++r) {
            row.clear();
            for (const std::uint32_t u : safe_.row(r)) {
                if (!what_.rows[r].differentiated && is_rate(u)) row.push_back(u);
            }
            laws.add_row(row);
            if (safe_.row(r).size() > 1) row.clear();
            alone.add_row(row);
        }
        const Matching rates = structure::maximum_matching(laws, count_, structure::maximum_matching(alone, count_));
        std::size_t wanted = 0;
        for (std::uint32_t u = 0; u < count_; ++u) wanted += is_rate(u) ? 1 : 0;
        if (wanted == 0 || rates.size() < wanted) return {};
        Matching matching = rates;
        for (const Incidence* pattern : {&safe_, &all_}) {
            Incidence rest;
            for (std::uint32_t r = 0; r < pattern->rows(); ++r) {
                row.clear();
                if (rates.column_of[r] != kUnmatched) {
                    row.push_back(rates.column_of[r]);
                } else {
                    for (const std::uint32_t u : pattern->row(r)) {
                        if (!is_rate(u)) row.push_back(u);
                    }
                }
                rest.add_row(row);
            }
            matching = structure::maximum_matching(rest, count_, std::move(matching));
        }
        return matching.size() < count_ ? Matching{} : matching;
    }

    /// The same in mechanisms with closed loops, where the balance of a joint has its rate with a coefficient that
    /// varies (a moment of inertia about it): the joint's own balance first, else any that names the rate.
    Matching rates_by_balances() const {
        Incidence own;
        std::array<Incidence, 2> without;  // of `safe` and `all`: no rate by a loop's condition
        std::vector<std::uint32_t> row;
        for (std::uint32_t r = 0; r < all_.rows(); ++r) {
            const RatesAndLaws::Row& law = what_.rows[r];
            row.clear();
            for (const std::uint32_t u : all_.row(r)) {
                if (!law.of_loop && is_highest(u) && what_.unknowns[u].element == law.element) row.push_back(u);
            }
            own.add_row(row);
            for (std::size_t k = 0; k < without.size(); ++k) {
                row.clear();
                for (const std::uint32_t u : k == 0 ? safe_.row(r) : all_.row(r)) {
                    if (!law.of_loop || !is_highest(u)) row.push_back(u);
                }
                without[k].add_row(row);
            }
        }
        Matching matching = structure::maximum_matching(own, count_);
        for (const Incidence& pattern : without)
            matching = structure::maximum_matching(pattern, count_, std::move(matching));
        return matching.size() < count_ ? Matching{} : matching;
    }

    /// Whether a closed loop's condition is to give the rate of a state.
    [[nodiscard]] bool rates_from_constraints(const Matching& matching) const {
        for (std::uint32_t r = 0; r < what_.rows.size(); ++r) {
            const std::uint32_t u = matching.column_of[r];
            if (what_.rows[r].of_loop && u != kUnmatched && is_highest(u)) return true;
        }
        return false;
    }

    /// Whether the law of motion of some state is to give something else, by a coefficient that may vanish.
    [[nodiscard]] bool takes_forces_from_laws(const Matching& matching) const {
        for (std::uint32_t r = 0; r < safe_.rows(); ++r) {
            if (what_.rows[r].differentiated || matching.column_of[r] == kUnmatched) continue;
            const auto row = safe_.row(r);
            if (std::ranges::any_of(row, [&](std::uint32_t u) { return is_highest(u); }) &&
                !std::ranges::binary_search(row, matching.column_of[r]))
                return true;
        }
        return false;
    }

    const RatesAndLaws& what_;
    const Incidence& all_;
    const Incidence& safe_;
    std::size_t count_;
};

}  // namespace

structure::Matching match_rates(const RatesAndLaws& what, const structure::Incidence& all,
                                const structure::Incidence& safe, bool loops, bool by_balances) {
    return RateMatching(what, all, safe).run(loops, by_balances);
}

}  // namespace bondgraph::compile
