#include "bondgraph/equivalence/coloured_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace bondgraph::equivalence {
namespace {

using Arc = ColouredGraph::Arc;

/// Both graphs side by side, with arcs seen from both ends (labels 2k and 2k + 1).
struct Union {
    std::size_t first = 0;  ///< how many vertices belong to the first graph
    std::vector<std::uint32_t> colours;
    std::vector<std::vector<Arc>> arcs;

    Union(const ColouredGraph& one, const ColouredGraph& two) : first(one.colours.size()), colours(one.colours) {
        colours.insert(colours.end(), two.colours.begin(), two.colours.end());
        arcs.resize(colours.size());
        const auto lay = [&](const ColouredGraph& graph, std::size_t offset) {
            for (std::size_t v = 0; v < graph.arcs.size(); ++v) {
                for (const Arc& a : graph.arcs[v]) {
                    arcs[offset + v].push_back({static_cast<std::uint32_t>(offset + a.to), 2 * a.label});
                    arcs[offset + a.to].push_back({static_cast<std::uint32_t>(offset + v), 2 * a.label + 1});
                }
            }
        };
        lay(one, 0);
        lay(two, first);
    }
};

/// Classes of vertices that are alike as far as known. Hopcroft's refinement: each class in turn splits the others by
/// the arcs that lead into it, and of what a class is split into all but the largest part take their turn, which makes
/// it O(arcs · log vertices).
class Partition {
   public:
    explicit Partition(const Union& graph) : graph_(&graph), class_of_(graph.colours.size()) {
        std::map<std::uint32_t, std::vector<std::uint32_t>> by_colour;
        for (std::uint32_t v = 0; v < graph.colours.size(); ++v) by_colour[graph.colours[v]].push_back(v);
        place_.resize(graph.colours.size());
        for (const auto& [colour, vertices] : by_colour) {
            const auto begin = static_cast<std::uint32_t>(order_.size());
            for (const std::uint32_t v : vertices) {
                place_[v] = static_cast<std::uint32_t>(order_.size());
                order_.push_back(v);
            }
            make_class(begin, static_cast<std::uint32_t>(order_.size()));
        }
    }

    /// False as soon as a class has more vertices of one graph than of the other, where that is asked for.
    bool refine(bool stop_where_unbalanced) {
        if (stop_where_unbalanced && !balanced_) return false;
        while (!turns_.empty()) {
            const std::uint32_t splitter = turns_.back();
            turns_.pop_back();
            waiting_[splitter] = false;
            split_by(splitter);
            if (stop_where_unbalanced && !balanced_) return false;
        }
        return true;
    }

    /// Makes a vertex of each graph a class of their own.
    void single_out(std::uint32_t one, std::uint32_t two) { split(class_of_[one], {{one, two}}); }

    /// The first of the smallest classes that has more than one vertex of each graph; nothing where there is none.
    [[nodiscard]] std::optional<std::uint32_t> undecided() const {
        std::optional<std::uint32_t> best;
        for (std::uint32_t c = 0; c < begin_.size(); ++c) {
            if (size(c) > 2 && (!best || size(c) < size(*best))) best = c;
            if (best && size(*best) == 4) break;
        }
        return best;
    }
    [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t c, bool of_first) const {
        std::vector<std::uint32_t> result;
        for (std::uint32_t i = begin_[c]; i < end_[c]; ++i) {
            if ((order_[i] < graph_->first) == of_first) result.push_back(order_[i]);
        }
        std::ranges::sort(result);
        return result;
    }
    [[nodiscard]] const std::vector<std::uint32_t>& class_of() const { return class_of_; }
    [[nodiscard]] std::size_t classes() const { return begin_.size(); }

   private:
    [[nodiscard]] std::uint32_t size(std::uint32_t c) const { return end_[c] - begin_[c]; }

    std::uint32_t make_class(std::uint32_t begin, std::uint32_t end) {
        const auto c = static_cast<std::uint32_t>(begin_.size());
        begin_.push_back(begin);
        end_.push_back(end);
        waiting_.push_back(true);
        turns_.push_back(c);
        take_stock(c);
        return c;
    }

    void take_stock(std::uint32_t c) {
        std::ptrdiff_t balance = 0;
        for (std::uint32_t i = begin_[c]; i < end_[c]; ++i) {
            class_of_[order_[i]] = c;
            balance += order_[i] < graph_->first ? 1 : -1;
        }
        balanced_ = balanced_ && balance == 0;
    }

    void split_by(std::uint32_t splitter) {
        // Which arcs of whom lead into the class.
        std::map<std::uint32_t, std::vector<std::uint32_t>> seen;
        for (std::uint32_t i = begin_[splitter]; i < end_[splitter]; ++i) {
            for (const Arc& a : graph_->arcs[order_[i]]) seen[a.to].push_back(a.label ^ 1U);
        }
        std::map<std::uint32_t, std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> parts;
        for (auto& [v, labels] : seen) {
            if (size(class_of_[v]) == 1) continue;
            std::ranges::sort(labels);
            parts[class_of_[v]][std::move(labels)].push_back(v);
        }
        for (const auto& [c, by_labels] : parts) {
            std::vector<std::vector<std::uint32_t>> groups;
            std::size_t touched = 0;
            for (const auto& [labels, vertices] : by_labels) {
                groups.push_back(vertices);
                touched += vertices.size();
            }
            if (touched == size(c)) {
                if (groups.size() == 1) continue;
                groups.pop_back();  // the last keeps the class
            }
            split(c, groups);
        }
    }

    /// Takes groups out of a class, which keeps at least one vertex.
    void split(std::uint32_t c, const std::vector<std::vector<std::uint32_t>>& groups) {
        const bool waited = waiting_[c];
        std::vector<std::uint32_t> parts{c};
        for (const std::vector<std::uint32_t>& group : groups) {
            const std::uint32_t end = end_[c];
            std::uint32_t cut = end;
            for (const std::uint32_t v : group) {
                --cut;
                const std::uint32_t other = order_[cut];
                std::swap(order_[place_[v]], order_[cut]);
                std::swap(place_[v], place_[other]);
            }
            end_[c] = cut;
            parts.push_back(make_class(cut, end));
        }
        take_stock(c);
        if (waited) return;
        // All but the largest.
        const std::uint32_t largest = *std::ranges::max_element(parts, {}, [&](std::uint32_t p) { return size(p); });
        if (largest == c) return;
        waiting_[c] = true;
        turns_.push_back(c);
        waiting_[largest] = false;
        std::erase(turns_, largest);
    }

    const Union* graph_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint32_t> class_of_;
    std::vector<std::uint32_t> begin_, end_;
    std::vector<bool> waiting_;
    std::vector<std::uint32_t> turns_;
    bool balanced_ = true;
};

bool keeps_arcs(const ColouredGraph& first, const ColouredGraph& second, const std::vector<std::uint32_t>& map) {
    for (std::size_t v = 0; v < map.size(); ++v) {
        if (first.colours[v] != second.colours[map[v]]) return false;
        std::vector<Arc> mapped = first.arcs[v];
        for (Arc& a : mapped) a.to = map[a.to];
        std::vector<Arc> there = second.arcs[map[v]];
        std::ranges::sort(mapped);
        std::ranges::sort(there);
        if (mapped != there) return false;
    }
    return true;
}

struct Choice {
    std::uint32_t vertex = 0;
    std::vector<std::uint32_t> candidates;
    std::size_t next = 0;
};

std::vector<std::uint32_t> map_of(const Partition& partition, std::size_t first) {
    std::vector<std::uint32_t> second_in(partition.classes());
    const std::vector<std::uint32_t>& classes = partition.class_of();
    for (std::size_t v = first; v < classes.size(); ++v) second_in[classes[v]] = static_cast<std::uint32_t>(v - first);
    std::vector<std::uint32_t> map;
    for (std::size_t v = 0; v < first; ++v) map.push_back(second_in[classes[v]]);
    return map;
}

}  // namespace

Matching isomorphism(const ColouredGraph& first, const ColouredGraph& second, std::size_t attempts) {
    if (first.colours.size() != second.colours.size()) return {};
    const Union both(first, second);
    Partition start(both);
    if (!start.refine(true)) return {};
    Partition now = start;
    std::vector<Choice> choices;
    while (true) {
        if (const auto open = now.undecided()) {
            choices.push_back({now.members(*open, true).front(), now.members(*open, false)});
        } else {
            std::vector<std::uint32_t> map = map_of(now, both.first);
            if (keeps_arcs(first, second, map)) return {std::move(map)};
            // Never so where refinement is right; the choices so far are then not to be trusted.
            now = start;
        }
        // The next candidate of the last choice that has one; after a failure all is done again up to there.
        bool fine = false;
        while (!fine) {
            bool fresh = !choices.empty() && choices.back().next == 0;
            while (!choices.empty() && choices.back().next == choices.back().candidates.size()) {
                choices.pop_back();
                fresh = false;
            }
            if (choices.empty()) return {};
            Choice& last = choices.back();
            if (!fresh) {
                if (attempts-- == 0) return {.map = {}, .given_up = true};
                now = start;
                for (std::size_t k = 0; k + 1 < choices.size(); ++k) {
                    now.single_out(choices[k].vertex, choices[k].candidates[choices[k].next - 1]);
                    now.refine(false);
                }
            }
            now.single_out(last.vertex, last.candidates[last.next++]);
            fine = now.refine(true);
        }
    }
}

StableColours stable_colours(const ColouredGraph& first, const ColouredGraph& second) {
    const Union both(first, second);
    Partition partition(both);
    partition.refine(false);
    const std::vector<std::uint32_t>& all = partition.class_of();
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(both.first);
    return {{all.begin(), middle}, {middle, all.end()}};
}

std::optional<FirstDifference> first_difference(const ColouredGraph& first, const ColouredGraph& second,
                                                const Watched* watched) {
    const Union both(first, second);
    const auto apart = [&](const std::vector<std::uint32_t>& all) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(both.first);
        return StableColours{{all.begin(), middle}, {middle, all.end()}};
    };
    const auto counted = [](std::vector<std::uint32_t> colours, const std::vector<bool>* only) {
        for (std::size_t v = 0; only != nullptr && v < colours.size(); ++v) {
            if (!(*only)[v]) colours[v] = static_cast<std::uint32_t>(-1);
        }
        if (only != nullptr) std::erase(colours, static_cast<std::uint32_t>(-1));
        std::ranges::sort(colours);
        return colours;
    };
    const auto equal_counts = [&](const StableColours& colours) {
        return counted(colours.first, watched ? &watched->first : nullptr) ==
               counted(colours.second, watched ? &watched->second : nullptr);
    };
    std::vector<std::uint32_t> before(both.colours.size());
    std::vector<std::uint32_t> now = both.colours;
    std::size_t count = 0;
    for (std::size_t round = 0;; ++round) {
        if (!equal_counts(apart(now))) return FirstDifference{round, apart(now), apart(before)};
        using Signature = std::pair<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>;
        std::map<Signature, std::uint32_t> numbers;
        std::vector<std::uint32_t> next(now.size());
        for (std::size_t v = 0; v < now.size(); ++v) {
            Signature signature{now[v], {}};
            for (const Arc& a : both.arcs[v]) signature.second.emplace_back(a.label, now[a.to]);
            std::ranges::sort(signature.second);
            next[v] =
                numbers.try_emplace(std::move(signature), static_cast<std::uint32_t>(numbers.size())).first->second;
        }
        if (round > 0 && numbers.size() == count) return std::nullopt;
        count = numbers.size();
        before = std::exchange(now, std::move(next));
    }
}

}  // namespace bondgraph::equivalence
