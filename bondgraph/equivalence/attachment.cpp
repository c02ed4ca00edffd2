#include "bondgraph/equivalence/attachment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "bondgraph/base/numbers.hpp"
#include "bondgraph/equivalence/words.hpp"

namespace bondgraph::equivalence {
namespace {

using Colours = std::vector<std::uint32_t>;

/// Which colours are more frequent here than there.
std::set<std::uint32_t> excess(const Colours& here, const Colours& there) {
    std::map<std::uint32_t, std::ptrdiff_t> count;
    for (const std::uint32_t c : here) ++count[c];
    for (const std::uint32_t c : there) --count[c];
    std::set<std::uint32_t> result;
    for (const auto& [c, n] : count) {
        if (n > 0) result.insert(c);
    }
    return result;
}

/// A form with its edges by ends.
class Surroundings {
   public:
    explicit Surroundings(const NormalForm& form)
        : form_(form), at_(form.items.size()), part_(form.items.size(), -1), junction_(part_) {
        for (const Edge& e : form.edges) {
            at_[e.x].push_back(e.y);
            at_[e.y].push_back(e.x);
        }
        for (std::size_t p = 0; p < form.parts.size(); ++p) {
            for (const std::uint32_t item : form.parts[p].ports) part_[item] = static_cast<int>(p);
        }
        for (std::size_t j = 0; j < form.junctions.size(); ++j) junction_[form.junctions[j].item] = static_cast<int>(j);
    }

    [[nodiscard]] const Part* part(std::uint32_t item) const {
        return part_[item] < 0 ? nullptr : &form_.parts[static_cast<std::size_t>(part_[item])];
    }
    [[nodiscard]] const JunctionNode* junction(std::uint32_t item) const {
        return junction_[item] < 0 ? nullptr : &form_.junctions[static_cast<std::size_t>(junction_[item])];
    }
    /// What a port is bonded to; the port itself where it is to nothing.
    [[nodiscard]] std::uint32_t beyond(std::uint32_t port) const {
        return at_[port].empty() ? port : at_[port].front();
    }
    /// The elements at a junction but for one.
    [[nodiscard]] std::vector<const Part*> parts_at(std::uint32_t node, const Part* but) const {
        std::vector<const Part*> result;
        for (const std::uint32_t n : at_[node]) {
            if (part(n) != nullptr && part(n) != but) result.push_back(part(n));
        }
        return result;
    }
    /// Where in the file an element is whose port is at a node; nothing where it has none there.
    [[nodiscard]] const Place* place(const Part& part, std::uint32_t node) const {
        for (std::size_t k = 0; k < part.ports.size() && k < part.places.size(); ++k) {
            if (beyond(part.ports[k]) == node) return &part.places[k];
        }
        return nullptr;
    }
    [[nodiscard]] std::size_t junctions_at(std::uint32_t node) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(at_[node], [&](std::uint32_t n) { return junction(n) != nullptr; }));
    }

   private:
    const NormalForm& form_;
    std::vector<std::vector<std::uint32_t>> at_;
    std::vector<int> part_;
    std::vector<int> junction_;
};

std::string listed(const std::vector<const Part*>& parts) {
    std::vector<std::string> names;
    for (const Part* p : parts) names.push_back(called(*p));
    if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// Elements at one node have its domain; a two-port has that of its first port for its own, on whichever side it is.
bool same_kind(const Part* a, const Part* b) {
    const bool two_port = a->type == "TF" || a->type == "GY";
    const bool open = a->domain == "generic" || b->domain == "generic";
    return a->type == b->type && (two_port || open || a->domain == b->domain);
}

/// What a junction of the graph, as it has been simplified, is called in the file that its elements are in: "they share
/// the 0-junction 'a'".
std::string shared_place(const Surroundings& around, const JunctionNode& j, std::vector<const Part*> parts) {
    std::vector<std::string> names;
    std::vector<std::string> each;
    bool plain = true;
    for (const Part* p : parts) {
        const Place* const place = around.place(*p, j.item);
        if (place == nullptr) return fmt::format("they share a {}-junction after simplification", j.zero ? 0 : 1);
        plain = plain && place->junction && place->zero == j.zero;
        const std::string name = fmt::format("'{}'", place->name);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        each.push_back(fmt::format("'{}' is {} {}", p->name, place->junction ? "at" : "bonded to", name));
    }
    if (plain && names.size() == 1) return fmt::format("they share the {}-junction {}", j.zero ? 0 : 1, names[0]);
    const auto joined = [](std::vector<std::string> texts) {
        const std::string last = texts.back();
        texts.pop_back();
        return texts.empty() ? last : fmt::format("{} and {}", fmt::join(texts, ", "), last);
    };
    if (plain) return fmt::format("junctions {} are one after simplification", joined(names));
    return fmt::format("after simplification: {}", joined(each));
}

/// Those of `some` that have no counterpart of their kind among `others`.
std::vector<const Part*> without(const std::vector<const Part*>& some, std::vector<const Part*> others) {
    std::vector<const Part*> result;
    for (const Part* p : some) {
        const auto found = std::ranges::find_if(others, [&](const Part* o) { return same_kind(o, p); });
        if (found == others.end())
            result.push_back(p);
        else
            others.erase(found);
    }
    return result;
}

/// An element whose port stands out in one graph, and one of its kind that does in the other.
struct Odd {
    const Part* part = nullptr;
    std::uint32_t port = 0;
};

std::vector<const Part*> together(const Part& part, std::vector<const Part*> others) {
    others.insert(others.begin(), &part);
    return others;
}

/// What an element has in common with one of a kind that no element of its own kind has it in common with in the
/// reference: the plainest of such differences.
std::optional<Difference> by_company(const NormalForm& mine, const NormalForm& reference) {
    const Surroundings here(mine);
    const Surroundings there(reference);
    constexpr std::array<std::string_view, 3> kTypes{"C", "R", "I"};
    for (const std::string_view type : kTypes) {
        for (const Part& p : mine.parts) {
            if (p.type != type || p.ports.size() != 1) continue;
            const std::uint32_t node = here.beyond(p.ports[0]);
            const JunctionNode* const j = here.junction(node);
            if (j == nullptr) continue;
            std::vector<const Part*> extra = here.parts_at(node, &p);
            for (const Part& r : reference.parts) {
                if (!same_kind(&r, &p)) continue;
                const std::uint32_t at = there.beyond(r.ports[0]);
                const JunctionNode* const k = there.junction(at);
                if (k == nullptr || k->zero != j->zero) continue;
                for (const Part* o : there.parts_at(at, &r))
                    std::erase_if(extra, [&](const Part* x) { return same_kind(x, o); });
            }
            if (extra.empty()) continue;
            const std::string common = j->zero ? effort_word(p.domain) : flow_word(p.domain);
            return Difference{
                fmt::format(
                    "Your {} has the {} of {} ({}); in the reference no {} has that in common with {}: which {} is it "
                    "that it has there?",
                    called(p), common, listed(extra), shared_place(here, *j, together(p, extra)),
                    noun(p.type, p.domain), with_article(noun(extra[0]->type, extra[0]->domain)), common),
                {}};
        }
    }
    return std::nullopt;
}

class Explanation {
   public:
    Explanation(const NormalForm& mine, const NormalForm& reference, const FirstDifference& first)
        : mine_(mine),
          reference_(reference),
          here_(mine),
          there_(reference),
          first_(first),
          mine_odd_(excess(first.colours.first, first.colours.second)),
          reference_odd_(excess(first.colours.second, first.colours.first)) {}

    [[nodiscard]] Difference told() const {
        for (const Odd& odd : odd_parts(mine_, here_, mine_odd_, first_.colours.first)) {
            for (const Odd& other : odd_parts(reference_, there_, reference_odd_, first_.colours.second)) {
                if (same_kind(odd.part, other.part) &&
                    mine_.items[odd.port].domain == reference_.items[other.port].domain)
                    return told(odd, other);
            }
        }
        // Only a junction, or what laws and signals are made of.
        for (const JunctionNode& j : mine_.junctions) {
            if (mine_odd_.contains(first_.colours.first[j.item])) return told(j);
        }
        return of_laws();
    }

   private:
    /// Ports that stand out, those of compliances and resistors first: the mistake is more often theirs.
    static std::vector<Odd> odd_parts(const NormalForm& form, const Surroundings& around,
                                      const std::set<std::uint32_t>& odd, const Colours& colours) {
        constexpr std::array<std::string_view, 7> kOrder{"C", "R", "I", "Se", "Sf", "TF", "GY"};
        std::vector<Odd> result;
        for (const Part& p : form.parts) {
            for (const std::uint32_t port : p.ports) {
                if (odd.contains(colours[port])) result.push_back({&p, port});
            }
        }
        // At junctions that stand out, where no port does.
        if (result.empty()) {
            for (const JunctionNode& j : form.junctions) {
                if (!odd.contains(colours[j.item])) continue;
                for (const Part& p : form.parts) {
                    for (const std::uint32_t port : p.ports) {
                        if (around.beyond(port) == j.item) result.push_back({&p, port});
                    }
                }
            }
        }
        std::ranges::stable_sort(
            result, {}, [&](const Odd& o) { return std::ranges::find(kOrder, o.part->type) - kOrder.begin(); });
        return result;
    }

    [[nodiscard]] static std::string side_of(const Odd& odd) {
        if (odd.part->ports.size() < 2) return fmt::format("Your {}", called(*odd.part));
        return fmt::format("One side of your {}", called(*odd.part));
    }

    /// The domain of the port's junction: a two-port has one on each side.
    [[nodiscard]] static std::string domain_at(const Surroundings& around, const Odd& odd) {
        const JunctionNode* j = around.junction(around.beyond(odd.port));
        return j != nullptr ? j->domain : odd.part->domain;
    }

    [[nodiscard]] Difference told(const Odd& odd, const Odd& other) const {
        const std::uint32_t node = here_.beyond(odd.port);
        const std::uint32_t other_node = there_.beyond(other.port);
        const JunctionNode* const j = here_.junction(node);
        const JunctionNode* const k = there_.junction(other_node);
        const std::string revealed =
            fmt::format("it is compared with '{}' of the reference{}", other.part->name,
                        k != nullptr ? fmt::format(", at the {}-junction '{}'", k->zero ? 0 : 1, k->name) : "");
        const std::string domain = domain_at(here_, odd);
        const std::string who = side_of(odd);
        if (j == nullptr || k == nullptr) return {directly(odd, node, other_node), revealed};
        const std::vector<const Part*> with = here_.parts_at(node, odd.part);
        const std::string common = j->zero ? effort_word(domain) : flow_word(domain);
        const std::string differing = j->zero ? flow_word(domain) : effort_word(domain);
        const std::string shares = with.empty() ? alone(odd, who, *j, common)
                                                : fmt::format("{} has the {} of {} ({})", who, common, listed(with),
                                                              shared_place(here_, *j, together(*odd.part, with)));
        if (j->zero != k->zero)
            return {
                fmt::format("{}. In the reference it has {} of its own, a sum or difference of the {} beside it, and "
                            "shares its {}: which junction has that?",
                            shares, with_article(common), plural(common), differing),
                revealed};
        const std::vector<const Part*> theirs = there_.parts_at(other_node, other.part);
        if (const auto extra = without(with, theirs); !extra.empty())
            return {fmt::format("{} has the {} of {} ({}); in the reference it does not have that in common with {}.",
                                who, common, listed(extra), shared_place(here_, *j, together(*odd.part, extra)),
                                with_article(noun(extra[0]->type, extra[0]->domain))),
                    revealed};
        if (const auto missing = without(theirs, with); !missing.empty())
            return {fmt::format("{}; in the reference it has the {} of {} that has another one in your graph.", shares,
                                common, with_article(noun(missing[0]->type, missing[0]->domain))),
                    revealed};
        const std::size_t n = here_.junctions_at(node);
        const std::size_t m = there_.junctions_at(other_node);
        if (n != m)
            return {
                fmt::format("{}. That junction has too {} bonds to other junctions.", shares, n < m ? "few" : "many"),
                revealed};
        return {fmt::format("{}, as in the reference. The graphs differ farther away from it, {} or less from there.",
                            shares, counted(first_.round, "bond")),
                revealed};
    }

    /// What is said of an element beside which there are junctions only.
    [[nodiscard]] std::string alone(const Odd& odd, const std::string& who, const JunctionNode& j,
                                    const std::string& common) const {
        const Place* const place = here_.place(*odd.part, j.item);
        const int kind = j.zero ? 0 : 1;
        const std::string at = place != nullptr && place->junction && place->zero == j.zero
                                   ? fmt::format("sits at the {}-junction '{}'", kind, place->name)
                                   : fmt::format("sits, after simplification, at a {}-junction", kind);
        return fmt::format("{} {}: it has the {} of the junctions beside it", who, at, common);
    }

    [[nodiscard]] std::string directly(const Odd& odd, std::uint32_t node, std::uint32_t other) const {
        const Part* const with = here_.part(node);
        const Part* const theirs = there_.part(other);
        if (with != nullptr && theirs == nullptr)
            return fmt::format(
                "{} is bonded to {} alone; in the reference there is a junction between, with more at it.",
                side_of(odd), called(*with));
        if (with != nullptr && same_kind(with, theirs))
            return fmt::format(
                "{} is bonded to {}, as in the reference. The graphs differ farther away from it, {} or less from "
                "there.",
                side_of(odd), called(*with), counted(first_.round, "bond"));
        if (with != nullptr)
            return fmt::format("{} is bonded to {}; in the reference it is bonded to something else.", side_of(odd),
                               called(*with));
        return fmt::format("{} sits at a junction with others; in the reference it is bonded to one element alone.",
                           side_of(odd));
    }

    [[nodiscard]] Difference told(const JunctionNode& j) const {
        const std::vector<const Part*> with = here_.parts_at(j.item, nullptr);
        const bool as_in_file = j.in_file && std::ranges::all_of(with, [&](const Part* p) {
                                    const Place* const place = here_.place(*p, j.item);
                                    return place != nullptr && place->name == j.name;
                                });
        const std::string kind = fmt::format("{}-junction", j.zero ? 0 : 1);
        return {fmt::format("{} joins {}{} junction{}; no junction of the reference joins the like.",
                            as_in_file ? fmt::format("Your {} '{}'", kind, j.name)
                                       : fmt::format("After simplification a {} of your graph", kind),
                            with.empty() ? "" : listed(with) + " and ", here_.junctions_at(j.item),
                            here_.junctions_at(j.item) == 1 ? "" : "s"),
                {}};
    }

    /// The element nearest to what stands out.
    [[nodiscard]] Difference of_laws() const {
        std::vector<std::vector<std::uint32_t>> near(mine_.items.size());
        for (const ItemArc& a : mine_.arcs) {
            near[a.from / 2].push_back(a.to / 2);
            near[a.to / 2].push_back(a.from / 2);
        }
        std::vector<std::uint32_t> reached;
        std::vector<bool> seen(mine_.items.size());
        const auto reach = [&](std::uint32_t i) {
            if (!seen[i]) reached.push_back(i);
            seen[i] = true;
        };
        for (std::uint32_t i = 0; i < mine_.items.size(); ++i) {
            if (mine_odd_.contains(first_.colours.first[i])) reach(i);
        }
        for (std::size_t k = 0; k < reached.size(); ++k) {
            if (const Part* part = here_.part(reached[k]))
                return {fmt::format("A law, modulation or signal at your {} is another one than in the reference.",
                                    called(*part)),
                        {}};
            for (const std::uint32_t n : near[reached[k]]) reach(n);
        }
        return {"A law or a signal of the reference has no counterpart in your graph, or is another one there.", {}};
    }

    const NormalForm& mine_;
    const NormalForm& reference_;
    Surroundings here_;
    Surroundings there_;
    const FirstDifference& first_;
    std::set<std::uint32_t> mine_odd_;
    std::set<std::uint32_t> reference_odd_;
};

}  // namespace

std::optional<Difference> by_attachment(const NormalForm& mine, const NormalForm& reference) {
    const ColouredPair pair = coloured(mine, reference, {.numbers = false, .signs = false});
    const auto watched = [](const NormalForm& form) {
        std::vector<bool> ports(form.items.size());
        for (const Part& p : form.parts) {
            for (const std::uint32_t item : p.ports) ports[item] = true;
        }
        return ports;
    };
    // Of elements first, else of junctions, laws and signals.
    const Watched ports{watched(mine), watched(reference)};
    auto first = first_difference(pair.first, pair.second, &ports);
    if (!first) first = first_difference(pair.first, pair.second);
    if (!first) return std::nullopt;
    if (auto company = by_company(mine, reference)) return company;
    return Explanation(mine, reference, *first).told();
}

}  // namespace bondgraph::equivalence
