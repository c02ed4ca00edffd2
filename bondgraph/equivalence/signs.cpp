#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bondgraph/equivalence/compare.hpp"
#include "bondgraph/equivalence/words.hpp"

namespace bondgraph::equivalence {
namespace {

const Part* part_at(const NormalForm& form, std::uint32_t item) {
    for (const Part& p : form.parts) {
        if (std::ranges::find(p.ports, item) != p.ports.end()) return &p;
    }
    return nullptr;
}

const JunctionNode* junction_at(const NormalForm& form, std::uint32_t item) {
    const auto found = std::ranges::find(form.junctions, item, &JunctionNode::item);
    return found == form.junctions.end() ? nullptr : &*found;
}

bool is_source(const Part* part) { return part != nullptr && (part->type == "Se" || part->type == "Sf"); }
bool is_two_port_part(const Part* part) { return part != nullptr && (part->type == "TF" || part->type == "GY"); }

/// One sign that can be turned: that of a bond, of a start value, or of a term in a law.
struct Turn {
    enum class Of : std::uint8_t { source, between_junctions, start, two_port, other, law } of = Of::other;
    const Part* part = nullptr;  ///< the element at the bond, a source before a two-port; the one with the law
    std::size_t edge = 0;
    std::uint32_t start = 0;  ///< item
    std::size_t arc = 0;      ///< the first of two, from a sum to a term and between their twins
};

Turn turn_of_edge(const NormalForm& form, std::size_t number) {
    const Part* const x = part_at(form, form.edges[number].x);
    const Part* const y = part_at(form, form.edges[number].y);
    if (is_source(x) || is_source(y)) return {Turn::Of::source, is_source(x) ? x : y, number};
    if (is_two_port_part(x) || is_two_port_part(y)) return {Turn::Of::two_port, is_two_port_part(x) ? x : y, number};
    if (x == nullptr && y == nullptr) return {Turn::Of::between_junctions, nullptr, number};
    return {Turn::Of::other, x != nullptr ? x : y, number};
}

/// The items of what an element says: its law, its parameters, what goes into it.
std::set<std::uint32_t> items_of_law(const NormalForm& form, const std::vector<std::vector<std::uint32_t>>& next,
                                     const Part& part) {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open = part.ports;
    open.push_back(part.hub);
    while (!open.empty()) {
        const std::uint32_t item = open.back();
        open.pop_back();
        for (const std::uint32_t to : next[item]) {
            if (!form.items[to].skeleton && seen.insert(to).second) open.push_back(to);
        }
    }
    return seen;
}

/// Signs of terms and of sides of equations.
void add_turns_of_laws(const NormalForm& form, std::vector<Turn>& result) {
    std::vector<std::vector<std::uint32_t>> next(form.items.size());
    for (const ItemArc& a : form.arcs) next[a.from / 2].push_back(a.to / 2);
    std::map<std::uint32_t, const Part*> owner;
    for (const Part& part : form.parts) {
        for (const std::uint32_t item : items_of_law(form, next, part)) owner.emplace(item, &part);
    }
    for (std::size_t k = 0; k + 1 < form.arcs.size(); ++k) {
        const ItemArc& a = form.arcs[k];
        const ItemArc& twin = form.arcs[k + 1];
        if ((a.label != "term" && a.label != "side") || a.from % 2 == 1 || twin.label != a.label) continue;
        const auto found = owner.find(a.from / 2);
        if (twin.from != (a.from ^ 1U) || twin.to != (a.to ^ 1U) || found == owner.end()) continue;
        result.push_back({.of = Turn::Of::law, .part = found->second, .arc = k});
    }
}

/// In the order in which they are tried.
std::vector<Turn> turns(const NormalForm& form) {
    std::vector<Turn> result;
    for (std::size_t k = 0; k < form.edges.size(); ++k) result.push_back(turn_of_edge(form, k));
    for (const Part& p : form.parts) {
        for (const NamedNumber& n : p.numbers) {
            if (n.what == "start") result.push_back({.of = Turn::Of::start, .part = &p, .start = n.item});
        }
    }
    add_turns_of_laws(form, result);
    std::ranges::stable_sort(result, {}, &Turn::of);
    return result;
}

void apply(const Turn& turn, NormalForm& form) {
    if (turn.of == Turn::Of::law) {
        for (const std::size_t k : {turn.arc, turn.arc + 1}) form.arcs[k].to ^= 1U;
        return;
    }
    if (turn.of != Turn::Of::start) {
        form.edges[turn.edge].sign = -form.edges[turn.edge].sign;
        return;
    }
    for (double& v : form.items[turn.start].values) v = -v;
}

using Map = std::vector<std::uint32_t>;  ///< of vertices

/// Whether what the file writes, the number of a source or the sign of a ratio, is the opposite of what is written of
/// the element that takes its place.
bool is_written_otherwise(const Turn& turn, const NormalForm& mine, const NormalForm& reference, const Map& map) {
    if (turn.part == nullptr) return false;
    if (turn.of == Turn::Of::start) return true;
    if (turn.of == Turn::Of::law) return false;
    const std::uint32_t port = turn.part->ports[0];
    const std::uint32_t there = map[2 * port] / 2;
    if (turn.of == Turn::Of::two_port) {
        const Part* const other = part_at(reference, there);
        return other != nullptr && other->ratio_sign != turn.part->ratio_sign;
    }
    const std::vector<double>& a = mine.items[port].values;
    const std::vector<double>& b = reference.items[there].values;
    if (turn.of != Turn::Of::source || a.empty() || a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] * b[k] > 0.0) return false;
    }
    return true;
}

std::string arrow_text(const NormalForm& form, const Edge& edge) {
    if (!edge.in_file) return "The power of a bond between junctions counts the other way round than in the reference.";
    for (const std::uint32_t end : {edge.x, edge.y}) {
        const JunctionNode* const at = junction_at(form, end);
        if (at == nullptr || !(edge.name.starts_with(at->name + " -> ") || edge.name.ends_with(" -> " + at->name)))
            continue;
        return fmt::format(
            "The power of bond {} counts the other way round in the sum of {} at the {}-junction '{}': its arrow "
            "points the wrong way.",
            edge.name, plural(at->zero ? flow_word(at->domain) : effort_word(at->domain)), at->zero ? 0 : 1, at->name);
    }
    return fmt::format("The power of bond {} counts the other way round than in the reference.", edge.name);
}

std::string text_of(const Turn& turn, const NormalForm& form) {
    switch (turn.of) {
        case Turn::Of::source:
            return fmt::format(
                "The {} of your {} counts the other way round than in the reference: its value has the wrong sign, or "
                "an arrow between junctions on its way points the wrong way.",
                turn.part->type == "Se" ? effort_word(turn.part->domain) : flow_word(turn.part->domain),
                called(*turn.part));
        case Turn::Of::two_port:
            return fmt::format(
                "Your {} turns the sign round where that of the reference does not, or the other way about: look at "
                "the sign of its {} and at the arrows of the bonds at it.",
                called(*turn.part), turn.part->type == "TF" ? "ratio" : "gyration");
        case Turn::Of::start:
            return fmt::format("The start value of your {} has the other sign.", called(*turn.part));
        case Turn::Of::between_junctions:
            return arrow_text(form, form.edges[turn.edge]);
        case Turn::Of::law:
            return fmt::format("A sign in the law of your {} is the other one than in the reference.",
                               called(*turn.part));
        case Turn::Of::other:
            break;
    }
    return fmt::format(
        "Your {} counts the other way round than in the reference: look at the arrows on its way, and "
        "at the signs with which it is read.",
        called(*turn.part));
}

}  // namespace

std::optional<Difference> sign_difference(const NormalForm& first, const NormalForm& second) {
    const auto map = [&](const NormalForm& mine, bool signs) {
        const ColouredPair pair = coloured(mine, second, {.numbers = true, .signs = signs});
        return isomorphism(pair.first, pair.second, 50).map;
    };
    if (!map(first, false) || map(first, true)) return std::nullopt;
    const std::vector<Turn> all = turns(first);
    constexpr std::size_t kMostTried = 2'000'000;
    const std::size_t tries = std::min(all.size(), kMostTried / (first.items.size() + 1));
    NormalForm turned = first;
    const Turn* found = nullptr;
    // Several may do, as signs are matters of convention: the one that is written otherwise is meant.
    for (std::size_t k = 0; k < tries; ++k) {
        const bool junctions = all[k].of == Turn::Of::between_junctions || all[k].of == Turn::Of::other;
        if (found != nullptr && (junctions || all[k].of == Turn::Of::law)) continue;
        apply(all[k], turned);
        if (const auto alike = map(turned, true)) {
            if (found == nullptr) found = &all[k];
            if (is_written_otherwise(all[k], first, second, *alike)) {
                found = &all[k];
                break;
            }
        }
        apply(all[k], turned);
    }
    if (found != nullptr) return Difference{text_of(*found, first), {}};
    return Difference{
        "Elements, numbers and junctions are those of the reference, but signs differ, and more than that of one "
        "source, ratio, start value or arrow: go through these, and through the signs in laws.",
        {}};
}

}  // namespace bondgraph::equivalence
