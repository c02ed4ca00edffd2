// Normal forms seen otherwise: with domains that the other graph tells, in the names of the file, without laws.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bondgraph/equivalence/normal_form.hpp"

namespace bondgraph::equivalence {
namespace {

constexpr const char* kOpen = "generic";

bool has_open_domains(const NormalForm& form) {
    return std::ranges::find(form.items, kOpen, &Item::domain) != form.items.end();
}

/// A domain is that of all that bonds join.
void spread_domains(NormalForm& form) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const Edge& e : form.edges) {
            std::string& x = form.items[e.x].domain;
            std::string& y = form.items[e.y].domain;
            if ((x == kOpen) == (y == kOpen)) continue;
            (x == kOpen ? x : y) = x == kOpen ? y : x;
            changed = true;
        }
    }
    for (Part& p : form.parts) {
        if (!p.ports.empty()) p.domain = form.items[p.ports.front()].domain;
    }
    for (JunctionNode& j : form.junctions) j.domain = form.items[j.item].domain;
}

/// By colour, the domains that are known of what has it.
using Known = std::map<std::uint32_t, std::set<std::string>>;

void collect(const NormalForm& form, const std::vector<std::uint32_t>& colours, Known& known) {
    for (std::size_t i = 0; i < form.items.size(); ++i) {
        const std::string& domain = form.items[i].domain;
        if (!domain.empty() && domain != kOpen) known[colours[i]].insert(domain);
    }
}

void fill(NormalForm& form, const std::vector<std::uint32_t>& colours, const Known& known) {
    for (std::size_t i = 0; i < form.items.size(); ++i) {
        if (form.items[i].domain != kOpen) continue;
        const auto found = known.find(colours[i]);
        if (found != known.end() && found->second.size() == 1) form.items[i].domain = *found->second.begin();
    }
}

NormalForm without_domains(NormalForm form) {
    for (Item& item : form.items) item.domain.clear();
    return form;
}

std::string bond_name(const model::BondGraph& graph, const model::Bond& b) {
    const auto& [from, to] = b.reversed ? std::pair(b.to, b.from) : std::pair(b.from, b.to);
    return fmt::format("{} -> {}", graph.elements[from.index()].name, graph.elements[to.index()].name);
}

}  // namespace

void fill_in_domains(NormalForm& first, NormalForm& second) {
    if (!has_open_domains(first) && !has_open_domains(second)) return;
    // By all that can be told, or else as far from each place as both graphs are alike.
    const ColouredPair pair =
        coloured(without_domains(first), without_domains(second), {.numbers = true, .signs = false});
    const auto difference = first_difference(pair.first, pair.second);
    const StableColours colours = difference ? difference->before : stable_colours(pair.first, pair.second);
    Known known;
    collect(first, colours.first, known);
    collect(second, colours.second, known);
    fill(first, colours.first, known);
    fill(second, colours.second, known);
    spread_domains(first);
    spread_domains(second);
}

NormalForm skeleton(const NormalForm& form) {
    NormalForm result;
    std::vector<std::uint32_t> moved(form.items.size());
    for (std::size_t i = 0; i < form.items.size(); ++i) {
        if (!form.items[i].skeleton) continue;
        moved[i] = static_cast<std::uint32_t>(result.items.size());
        result.items.push_back(form.items[i]);
        result.items.back().values.clear();
        result.items.back().given.clear();
    }
    for (const ItemArc& a : form.arcs) {
        if (form.items[a.from / 2].skeleton && form.items[a.to / 2].skeleton)
            result.arcs.push_back({2 * moved[a.from / 2] + a.from % 2, 2 * moved[a.to / 2] + a.to % 2, a.label});
    }
    result.edges = form.edges;
    for (Edge& e : result.edges) {
        e.x = moved[e.x];
        e.y = moved[e.y];
    }
    result.parts = form.parts;
    for (Part& p : result.parts) {
        p.hub = moved[p.hub];
        for (std::uint32_t& item : p.ports) item = moved[item];
        p.numbers.clear();
    }
    result.junctions = form.junctions;
    for (JunctionNode& j : result.junctions) j.item = moved[j.item];
    return result;
}

void mark_places(NormalForm& form, const model::BondGraph& file) {
    for (Part& part : form.parts) {
        part.places.assign(part.ports.size(), {});
        const auto found = file.element_by_name.find(part.name);
        if (found == file.element_by_name.end()) continue;
        const model::Element& e = file.elements[found->second.index()];
        for (std::size_t k = 0; k < part.ports.size() && k < e.ports.size(); ++k) {
            const model::Bond& b = file.bonds[e.ports[k].bond.index()];
            const model::Element& far = file.elements[(e.ports[k].at_head ? b.from : b.to).index()];
            part.places[k] = {far.name, far.is_junction(), far.type->structure == model::Structure::junction0};
        }
    }
    for (JunctionNode& j : form.junctions) j.in_file = file.element_by_name.contains(j.name);
    std::set<std::string> bonds;
    for (const model::Bond& b : file.bonds) bonds.insert(bond_name(file, b));
    for (Edge& e : form.edges) e.in_file = bonds.contains(e.name);
}

}  // namespace bondgraph::equivalence
