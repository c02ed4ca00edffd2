#include "bondgraph/api/energy_account.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace bondgraph::api {
namespace {

using model::BondGraph;
using model::Element;

constexpr const char* kBetween = "between domains";

std::size_t owner_of(const BondGraph& graph, std::size_t element) {
    while (graph.elements[element].owner.valid()) element = graph.elements[element].owner.index();
    return element;
}

void add_books(EnergyRow& row, const simulation::EnergyOfElement& e) {
    row.supplied += e.supplied;
    row.stored += e.stored;
    row.dissipated += e.dissipated;
    row.other += e.other;
    row.events += e.events;
}

void add_net(EnergyRow& row, double energy) { (energy > 0.0 ? row.in : row.out) += std::abs(energy); }

void close_books(EnergyRow& row) {
    row.residual = row.supplied + row.in - row.out - row.stored - row.dissipated - row.other - row.events;
}

/// The components that take part, and for every element of the graph the index of its component.
class Components {
   public:
    explicit Components(const BondGraph& graph) : graph_(graph), index_(graph.elements.size(), kNone) {}

    std::size_t of(std::size_t element) const { return index_[owner_of(graph_, element)]; }

    void take_part(std::size_t element) { index_[owner_of(graph_, element)] = 0; }

    /// Numbers those that take part in the order of the graph.
    std::vector<EnergyRow> rows() {
        std::vector<EnergyRow> rows;
        for (std::size_t i = 0; i < index_.size(); ++i) {
            if (index_[i] == kNone) continue;
            index_[i] = rows.size();
            rows.push_back({graph_.elements[i].name, std::string(graph_.elements[i].type->name)});
            rows.back().passes_on = true;
        }
        return rows;
    }

   private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    const BondGraph& graph_;
    std::vector<std::size_t> index_;
};

bool carries_power(const model::Bond& bond) { return model::domains()[bond.domain].power; }

/// Per element of the graph: the energy it took at its ports, domain by domain.
std::vector<std::map<model::DomainIndex, double>> taken_by_domain(const BondGraph& graph,
                                                                  const std::vector<double>& bonds) {
    std::vector<std::map<model::DomainIndex, double>> taken(graph.elements.size());
    for (std::size_t b = 0; b < graph.bonds.size(); ++b) {
        const model::Bond& bond = graph.bonds[b];
        if (!carries_power(bond)) continue;
        taken[bond.to.index()][bond.domain] += bonds[b];
        taken[bond.from.index()][bond.domain] -= bonds[b];
    }
    return taken;
}

struct Crossing {
    std::size_t row = 0;
    double net = 0.0;
};

struct DomainBooks {
    std::vector<EnergyRow> rows;
    std::vector<Crossing> crossings;
};

/// The rows that are present, in the order of the domains, and what crosses into them.
DomainBooks shown_books(std::vector<EnergyRow> rows, const std::vector<bool>& present,
                        std::vector<Crossing> crossings) {
    DomainBooks books;
    std::vector<std::size_t> place(rows.size(), 0);
    for (std::size_t d = 0; d < rows.size(); ++d) {
        if (!present[d]) continue;
        place[d] = books.rows.size();
        books.rows.push_back(std::move(rows[d]));
    }
    for (Crossing& c : crossings) {
        if (!present[c.row]) continue;
        c.row = place[c.row];
        add_net(books.rows[c.row], c.net);
        books.crossings.push_back(c);
    }
    for (EnergyRow& row : books.rows) close_books(row);
    return books;
}

/// What an element that joins domains took from one of them has gone out of that one.
DomainBooks domain_books(const BondGraph& graph, const simulation::EnergyBalance& balance) {
    const auto taken = taken_by_domain(graph, balance.bonds);
    std::vector<EnergyRow> rows(model::domains().size() + 1);
    std::vector<bool> present(rows.size(), false);
    for (std::size_t d = 0; d < model::domains().size(); ++d) rows[d].name = model::domains()[d].name;
    rows.back().name = kBetween;
    std::vector<Crossing> crossings;
    std::vector<bool> has_books(graph.elements.size(), false);
    for (const simulation::EnergyOfElement& e : balance.elements) has_books[e.id.index()] = true;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        for (const auto& [domain, energy] : taken[i]) {
            present[domain] = true;
            if (taken[i].size() == 1) continue;
            crossings.push_back({domain, -energy});
            if (has_books[i]) crossings.push_back({rows.size() - 1, energy});
        }
    }
    for (const simulation::EnergyOfElement& e : balance.elements) {
        const auto& at = taken[e.id.index()];
        if (at.empty()) continue;
        const std::size_t row = at.size() == 1 ? at.begin()->first : rows.size() - 1;
        present[row] = true;
        add_books(rows[row], e);
    }
    return shown_books(std::move(rows), present, std::move(crossings));
}

}  // namespace

Energy energy_in_all(const simulation::EnergyBalance& b) {
    return {b.any, b.supplied, b.stored, b.dissipated, b.other, b.events, b.imbalance, {}, b.moved};
}

EnergyAccount energy_account(const BondGraph& graph, const simulation::EnergyBalance& balance) {
    EnergyAccount account{balance.from, balance.to, energy_in_all(balance), {}, {}, {}};
    if (!balance.any) return account;
    Components components(graph);
    for (const model::Bond& bond : graph.bonds) {
        if (!carries_power(bond)) continue;
        components.take_part(bond.from.index());
        components.take_part(bond.to.index());
    }
    account.components = components.rows();
    for (const simulation::EnergyOfElement& e : balance.elements) {
        const std::size_t k = components.of(e.id.index());
        if (k >= account.components.size()) continue;
        add_books(account.components[k], e);
        account.components[k].passes_on = false;
    }
    for (std::size_t b = 0; b < graph.bonds.size(); ++b) {
        const model::Bond& bond = graph.bonds[b];
        if (!carries_power(bond)) continue;
        EnergyFlow flow{components.of(bond.from.index()), components.of(bond.to.index()),
                        graph.bond_label(model::BondId(b)), std::string(model::domains()[bond.domain].name),
                        balance.bonds[b]};
        if (flow.from == flow.to) continue;  // inside a wrapped component
        if (flow.energy < 0.0) {
            std::swap(flow.from, flow.to);
            flow.energy = -flow.energy;
        }
        account.components[flow.from].out += flow.energy;
        account.components[flow.to].in += flow.energy;
        account.flows.push_back(std::move(flow));
    }
    for (EnergyRow& row : account.components) close_books(row);
    account.domains = domain_books(graph, balance).rows;
    return account;
}

std::optional<EnergyCourse> energy_course(const BondGraph& graph, std::span<const simulation::EnergyBalance> balances) {
    if (balances.empty() || !balances.back().any) return std::nullopt;
    EnergyAccount whole = energy_account(graph, balances.back());
    EnergyCourse course;
    course.components.resize(whole.components.size());
    course.net.resize(whole.flows.size());
    const auto add = [](EnergyCourse::Part& part, const auto& books) {
        part.supplied.push_back(books.supplied);
        part.stored.push_back(books.stored);
        part.dissipated.push_back(books.dissipated);
        part.other.push_back(books.other);
        part.events.push_back(books.events);
    };
    for (const simulation::EnergyBalance& balance : balances) {
        const EnergyAccount account = energy_account(graph, balance);
        const DomainBooks books = domain_books(graph, balance);
        course.domains.resize(books.rows.size());
        course.crossings.resize(books.crossings.size());
        for (std::size_t d = 0; d < books.rows.size(); ++d) add(course.domains[d], books.rows[d]);
        for (std::size_t c = 0; c < books.crossings.size(); ++c) {
            course.crossings[c].domain = books.crossings[c].row;
            course.crossings[c].net.push_back(books.crossings[c].net);
        }
        course.time.push_back(balance.to);
        course.moved.push_back(balance.moved);
        add(course.balance, account.balance);
        for (std::size_t k = 0; k < course.components.size(); ++k) add(course.components[k], account.components[k]);
        for (std::size_t f = 0; f < course.net.size(); ++f) {
            const EnergyFlow& flow = account.flows[f];
            course.net[f].push_back(flow.from == whole.flows[f].from ? flow.energy : -flow.energy);
        }
    }
    course.domain_rows = std::move(whole.domains);
    course.rows = std::move(whole.components);
    course.flows = std::move(whole.flows);
    return course;
}

}  // namespace bondgraph::api
