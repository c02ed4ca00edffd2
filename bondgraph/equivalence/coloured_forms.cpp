#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bondgraph/equivalence/normal_form.hpp"

namespace bondgraph::equivalence {
namespace {

/// Numbers that differ by less are equal: what conversions of units and sums of rounded numbers leave.
constexpr double kEqual = 1e-9;

class Colouring {
   public:
    Colouring(const NumberClasses& numbers, const Regard& regard) : numbers_(numbers), regard_(regard) {}

    ColouredGraph graph(const NormalForm& form) {
        ColouredGraph g;
        for (const Item& item : form.items) {
            g.add(colour(item, false));
            if (regard_.signs) g.add(colour(item, true));
        }
        for (const ItemArc& a : form.arcs) lead(g, a.from, a.to, a.label);
        for (const Edge& e : form.edges) {
            for (const std::uint32_t side : {0U, 1U}) {
                const std::uint32_t x = 2 * e.x + side;
                const std::uint32_t y = 2 * e.y + (e.sign > 0 ? side : 1 - side);
                lead(g, x, y, "bond");
                lead(g, y, x, "bond");
            }
        }
        if (regard_.signs) {
            for (std::uint32_t i = 0; i < form.items.size(); ++i) {
                lead(g, 2 * i, 2 * i + 1, "turned");
                lead(g, 2 * i + 1, 2 * i, "turned");
            }
        } else {
            drop_repeated(g);
        }
        return g;
    }

   private:
    void lead(ColouredGraph& g, std::uint32_t from, std::uint32_t to, const std::string& label) {
        if (!regard_.signs) {
            from /= 2;
            to /= 2;
        }
        g.arcs[from].push_back({to, number(label)});
    }

    /// An arc of both signs has become two of the same; parallel bonds count as one here, which only makes less be
    /// seen.
    static void drop_repeated(ColouredGraph& g) {
        for (auto& arcs : g.arcs) {
            std::ranges::sort(arcs);
            arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
        }
    }

    std::uint32_t colour(const Item& item, bool turned) {
        std::string text = item.kind + item.given + " " + item.domain;
        if (item.pinned && regard_.signs) text += turned ? " turned" : " straight";
        if (regard_.numbers) {
            for (const double v : item.values) {
                std::int64_t c = numbers_.of(v);
                if (item.odd) c = regard_.signs ? (turned ? -c : c) : std::abs(c);
                text += fmt::format(" {}", c);
            }
        }
        return number(text);
    }

    std::uint32_t number(const std::string& text) {
        return numbered_.try_emplace(text, static_cast<std::uint32_t>(numbered_.size())).first->second;
    }

    const NumberClasses& numbers_;
    const Regard& regard_;
    std::map<std::string, std::uint32_t> numbered_;
};

}  // namespace

NumberClasses::NumberClasses(const NormalForm& first, const NormalForm& second) {
    std::vector<double> all;
    for (const NormalForm* form : {&first, &second}) {
        for (const Item& item : form->items) {
            for (const double v : item.values) {
                if (v != 0.0 && std::isfinite(v)) all.push_back(std::abs(v));
            }
        }
    }
    std::ranges::sort(all);
    for (const double v : all) {
        if (begins_.empty() || v > begins_.back() * (1.0 + kEqual)) begins_.push_back(v);
    }
}

std::int64_t NumberClasses::of(double value) const {
    if (value == 0.0) return 0;
    if (std::isnan(value)) return static_cast<std::int64_t>(begins_.size()) + 2;
    if (std::isinf(value)) return (value < 0.0 ? -1 : 1) * (static_cast<std::int64_t>(begins_.size()) + 1);
    const auto after = std::ranges::upper_bound(begins_, std::abs(value));
    return (value < 0.0 ? -1 : 1) * static_cast<std::int64_t>(after - begins_.begin());
}

ColouredPair coloured(const NormalForm& first, const NormalForm& second, const Regard& regard) {
    const NumberClasses numbers(first, second);
    Colouring colouring(numbers, regard);
    ColouredGraph one = colouring.graph(first);
    return {std::move(one), colouring.graph(second)};
}

}  // namespace bondgraph::equivalence
