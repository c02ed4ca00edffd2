#include "tests/equivalence/drawn_graph.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <map>

namespace bondgraph::test {
namespace {

const std::vector<std::string> kDomains{"electrical", "translational", "hydraulic"};

/// The half arrow of an element's bond points into it, of a source away from it, into p1 and out of p2.
bool leads_out(const DrawnNode& node, int port) { return node.type == "Se" || node.type == "Sf" || port == 2; }

DrawnBond bond_of(const DrawnGraph& g, std::size_t junction, std::size_t element, int port) {
    const bool out = leads_out(g.nodes[element], port);
    return {out ? element : junction, out ? junction : element, port};
}

std::size_t add(DrawnGraph& g, std::string type, std::string domain, double value = 0.0) {
    g.nodes.push_back({fmt::format("n{}", g.nodes.size()), std::move(type), std::move(domain), value});
    return g.nodes.size() - 1;
}

double some_value(Chance& chance) { return static_cast<double>(1 + chance.below(4)) * 0.5; }

void hang_elements(DrawnGraph& g, std::size_t junction, Chance& chance) {
    static const std::vector<std::string> kTypes{"R", "R", "C", "I", "C", "Se", "Sf"};
    const std::size_t count = 1 + chance.below(3);
    for (std::size_t k = 0; k < count; ++k) {
        std::string type = chance.one(kTypes);
        // Two sources of a kind at a junction that makes them equal have no solution.
        if (type == "Se" && g.nodes[junction].type == "0") type = "Sf";
        if (type == "Sf" && g.nodes[junction].type == "1") type = "Se";
        const std::size_t e = add(g, type, g.nodes[junction].domain, some_value(chance));
        if ((type == "C" || type == "I") && chance.of(20)) g.nodes[e].start = chance.of(50) ? 0.25 : -0.25;
        if ((type == "Se" || type == "Sf") && chance.of(30)) g.nodes[e].value = -g.nodes[e].value;
        g.bonds.push_back(bond_of(g, junction, e, 0));
    }
}

std::string component_line(const DrawnNode& n) {
    if (n.junction()) return fmt::format("  {}: {{type: {}, domain: {}}}\n", n.name, n.type, n.domain);
    if (n.detector()) return fmt::format("  {}: {{type: {}}}\n", n.name, n.type);
    static const std::map<std::string, std::string> kParameter{{"R", "R"},  {"C", "C"},  {"I", "I"}, {"Se", "e"},
                                                               {"Sf", "f"}, {"TF", "m"}, {"GY", "r"}};
    if (n.wrapped) return fmt::format("  {}: {{type: Box{}{}, v: {}}}\n", n.name, n.type, n.domain, n.value);
    std::string text = fmt::format("  {}: {{type: {}, {}: {}", n.name, n.type, kParameter.at(n.type), n.value);
    if (!n.two_port()) text += fmt::format(", domain: {}", n.domain);
    if (n.start != 0.0) text += fmt::format(", initial: {{{}: {}}}", n.type == "C" ? "q" : "p", n.start);
    return text + "}\n";
}

}  // namespace

std::string DrawnGraph::text(Chance* order) const {
    std::vector<std::string> components;
    std::map<std::string, std::string> types;
    for (const DrawnNode& n : nodes) {
        components.push_back(component_line(n));
        if (n.wrapped)
            types[fmt::format("Box{}{}", n.type, n.domain)] = fmt::format(
                "  Box{0}{1}:\n    parameters: {{v: 1}}\n    ports: {{p: {{domain: {1}}}}}\n    components: {{inner: "
                "{{type: {0}, {0}: v}}}}\n"
                "    bonds: [p -> inner]\n",
                n.type, n.domain);
    }
    std::vector<std::string> lines;
    for (const DrawnBond& b : bonds) {
        const auto end = [&](std::size_t node) {
            const DrawnNode& n = nodes[node];
            if (n.wrapped) return n.name + ".p";
            return n.two_port() ? fmt::format("{}.p{}", n.name, b.port) : n.name;
        };
        const auto& [from, to] = b.turned ? std::pair(b.to, b.from) : std::pair(b.from, b.to);
        lines.push_back(fmt::format("  - {} -> {}\n", end(from), end(to)));
    }
    if (order != nullptr) {
        order->shuffle(components);
        order->shuffle(lines);
    }
    std::string text = "model: drawn\n";
    if (!types.empty()) text += "types:\n";
    for (const auto& [name, type] : types) text += type;
    text += "components:\n";
    for (const std::string& c : components) text += c;
    text += "bonds:\n";
    for (const std::string& l : lines) text += l;
    return text;
}

DrawnGraph drawn_graph(std::uint64_t seed) {
    Chance chance(seed);
    DrawnGraph g;
    std::vector<std::size_t> junctions{add(g, chance.of(50) ? "0" : "1", chance.one(kDomains))};
    const std::size_t count = 2 + chance.below(5);
    while (junctions.size() < count) {
        const std::size_t at = chance.one(junctions);
        if (chance.of(30)) {
            const std::size_t two =
                add(g, chance.of(50) ? "TF" : "GY", "", (chance.of(30) ? -1.0 : 1.0) * (0.25 + some_value(chance)));
            const std::size_t next = add(g, chance.of(50) ? "0" : "1", chance.one(kDomains));
            const bool first = chance.of(50);
            g.bonds.push_back(bond_of(g, at, two, first ? 1 : 2));
            g.bonds.push_back(bond_of(g, next, two, first ? 2 : 1));
            junctions.push_back(next);
        } else {
            const std::size_t next = add(g, g.nodes[at].type == "0" ? "1" : "0", g.nodes[at].domain);
            g.bonds.push_back(chance.of(50) ? DrawnBond{at, next} : DrawnBond{next, at});
            junctions.push_back(next);
        }
    }
    // Meshes.
    for (const std::size_t a : junctions) {
        const std::size_t b = chance.one(junctions);
        const bool joined = std::ranges::any_of(
            g.bonds, [&](const DrawnBond& k) { return (k.from == a && k.to == b) || (k.from == b && k.to == a); });
        if (chance.of(25) && !joined && g.nodes[a].type != g.nodes[b].type && g.nodes[a].domain == g.nodes[b].domain)
            g.bonds.push_back({a, b});
    }
    for (const std::size_t j : junctions) hang_elements(g, j, chance);
    return g;
}

DrawnGraph with_detectors(DrawnGraph g, Chance& chance) {
    const std::size_t nodes = g.nodes.size();
    for (std::size_t j = 0; j < nodes; ++j) {
        if (!g.nodes[j].junction() || chance.of(40)) continue;
        const bool zero = g.nodes[j].type == "0";
        const std::string type = chance.of(50) ? (zero ? "De" : "Df") : (zero ? "Dp" : "Dq");
        const std::size_t detector = add(g, type, g.nodes[j].domain);
        g.bonds.push_back({j, detector});
    }
    const std::size_t bonds = g.bonds.size();
    for (std::size_t b = 0; b < bonds; ++b) {
        if (!g.nodes[g.bonds[b].from].junction() || !g.nodes[g.bonds[b].to].junction() || chance.of(60)) continue;
        const std::size_t meter = add(g, "Power", g.nodes[g.bonds[b].from].domain);
        g.bonds.push_back({meter, g.bonds[b].to, 2});
        g.bonds[b] = {g.bonds[b].from, meter, 1};
    }
    return g;
}

DrawnGraph renamed(DrawnGraph g, Chance& chance) {
    std::vector<std::size_t> numbers(g.nodes.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k;
    chance.shuffle(numbers);
    for (std::size_t k = 0; k < numbers.size(); ++k) g.nodes[k].name = fmt::format("other{}", numbers[k]);
    return g;
}

DrawnGraph with_other_arrows(DrawnGraph g, Chance& chance) {
    for (DrawnBond& b : g.bonds) {
        if (!(g.nodes[b.from].junction() && g.nodes[b.to].junction())) b.turned = chance.of(30);
    }
    // The common variable of a junction counted the other way: all that belongs to it changes sign.
    for (std::size_t j = 0; j < g.nodes.size(); ++j) {
        if (!g.nodes[j].junction() || !chance.of(40)) continue;
        for (DrawnBond& b : g.bonds) {
            if (b.from != j && b.to != j) continue;
            DrawnNode& other = g.nodes[b.from == j ? b.to : b.from];
            if (other.junction()) {
                std::swap(b.from, b.to);
            } else if (other.type == "Se" || other.type == "Sf" || other.two_port()) {
                other.value = -other.value;
            } else {
                other.start = -other.start;
            }
        }
    }
    return g;
}

DrawnGraph unsimplified(DrawnGraph g, Chance& chance) {
    const std::size_t bonds = g.bonds.size();
    for (std::size_t k = 0; k < bonds; ++k) {
        if (!chance.of(30)) continue;
        DrawnBond& b = g.bonds[k];
        const bool at_element = !g.nodes[b.from].junction() || !g.nodes[b.to].junction();
        const std::string domain = g.nodes[g.nodes[b.from].junction() ? b.from : b.to].domain;
        const std::size_t between = add(g, chance.of(50) ? "0" : "1", domain);
        const std::size_t to = b.to;
        DrawnBond second{between, to};
        // What belongs to the end at an element stays with it.
        if (at_element && !g.nodes[to].junction()) {
            std::swap(second.port, b.port);
            std::swap(second.turned, b.turned);
        }
        b.to = between;
        g.bonds.push_back(second);
    }
    const std::size_t nodes = g.nodes.size();
    for (std::size_t j = 0; j < nodes; ++j) {
        if (!g.nodes[j].junction() || !chance.of(30)) continue;
        const std::size_t part = add(g, g.nodes[j].type, g.nodes[j].domain);
        std::size_t moved = 0;
        for (DrawnBond& b : g.bonds) {
            if (!chance.of(50)) continue;
            if (b.from == j)
                b.from = part, ++moved;
            else if (b.to == j)
                b.to = part, ++moved;
        }
        if (moved == 0) {
            g.nodes.pop_back();
            continue;
        }
        g.bonds.push_back(chance.of(50) ? DrawnBond{j, part} : DrawnBond{part, j});
    }
    return g;
}

DrawnGraph wrapped(DrawnGraph g, Chance& chance) {
    for (DrawnNode& n : g.nodes)
        n.wrapped = (n.type == "R" || n.type == "C" || n.type == "I") && n.start == 0.0 && chance.of(50);
    return g;
}

std::optional<std::vector<std::complex<double>>> figures(const DrawnGraph& g, std::complex<double> s) {
    // Unknowns: effort 2b and flow 2b + 1 of bond b along its arrow; one column for each source.
    using Matrix = Eigen::MatrixXcd;
    const auto n = static_cast<Eigen::Index>(2 * g.bonds.size());
    std::vector<std::size_t> sources;
    for (std::size_t k = 0; k < g.nodes.size(); ++k) {
        if (g.nodes[k].type == "Se" || g.nodes[k].type == "Sf") sources.push_back(k);
    }
    if (sources.empty()) return std::nullopt;
    Matrix M = Matrix::Zero(n, n);
    Matrix given = Matrix::Zero(n, static_cast<Eigen::Index>(sources.size()));
    Eigen::Index row = 0;
    const auto e = [](std::size_t b) { return static_cast<Eigen::Index>(2 * b); };
    const auto f = [](std::size_t b) { return static_cast<Eigen::Index>(2 * b + 1); };
    std::vector<std::size_t> bond_of_source(sources.size());
    for (std::size_t k = 0; k < g.nodes.size(); ++k) {
        const DrawnNode& node = g.nodes[k];
        std::vector<std::size_t> at;
        for (std::size_t b = 0; b < g.bonds.size(); ++b) {
            if (g.bonds[b].from == k || g.bonds[b].to == k) at.push_back(b);
        }
        if (node.two_port() && g.bonds[at[0]].port == 2) std::swap(at[0], at[1]);
        if (row + static_cast<Eigen::Index>(at.size()) > n) return std::nullopt;
        if (node.junction()) {
            const bool zero = node.type == "0";
            for (std::size_t i = 1; i < at.size(); ++i) {
                M(row, zero ? e(at[0]) : f(at[0])) = 1.0;
                M(row++, zero ? e(at[i]) : f(at[i])) = -1.0;
            }
            for (const std::size_t b : at) M(row, zero ? f(b) : e(b)) = g.bonds[b].to == k ? 1.0 : -1.0;
            ++row;
        } else if (node.type == "TF") {
            M(row, e(at[0])) = 1.0;
            M(row++, e(at[1])) = -node.value;
            M(row, f(at[1])) = 1.0;
            M(row++, f(at[0])) = -node.value;
        } else if (node.type == "GY") {
            M(row, e(at[0])) = 1.0;
            M(row++, f(at[1])) = -node.value;
            M(row, e(at[1])) = 1.0;
            M(row++, f(at[0])) = -node.value;
        } else if (node.type == "Se" || node.type == "Sf") {
            const auto column = std::ranges::find(sources, k) - sources.begin();
            bond_of_source[static_cast<std::size_t>(column)] = at[0];
            M(row, node.type == "Se" ? e(at[0]) : f(at[0])) = 1.0;
            given(row++, column) = 1.0;
        } else {
            const bool flow_follows = node.type == "C";
            M(row, flow_follows ? f(at[0]) : e(at[0])) = 1.0;
            M(row++, flow_follows ? e(at[0]) : f(at[0])) = node.type == "R" ? -node.value : -s * node.value;
        }
    }
    const Eigen::FullPivLU<Matrix> lu(M);
    if (row != n || !lu.isInvertible()) return std::nullopt;
    const Matrix x = lu.solve(given);
    std::vector<std::complex<double>> answers;
    std::complex<double> all = 0.0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const bool effort = g.nodes[sources[i]].type == "Se";
        const std::size_t b = bond_of_source[i];
        for (std::size_t k = 0; k < sources.size(); ++k) {
            const std::complex<double> h = x(effort ? f(b) : e(b), static_cast<Eigen::Index>(k));
            if (i == k) answers.push_back(h);
            all += g.nodes[sources[i]].value * h * g.nodes[sources[k]].value;
        }
    }
    std::ranges::sort(answers, {},
                      [](std::complex<double> v) { return std::pair(std::round(v.real() * 1e6), v.imag()); });
    answers.push_back(all);
    return answers;
}

}  // namespace bondgraph::test
