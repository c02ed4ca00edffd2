#include "bondgraph/causality/scalar_graph.hpp"

#include <algorithm>
#include <boost/graph/biconnected_components.hpp>
#include <cmath>
#include <map>
#include <unordered_map>

#include "bondgraph/causality/plan.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::causality {

using model::BondGraph;
using model::Element;
using model::ElementId;
using model::Structure;

namespace {

using Kind = ScalarVertex::Kind;

// The modulus of a two-port as numbers: rows p2, columns p1.
Eigen::MatrixXd modulus(const BondGraph& g, const Element& e) {
    const auto rows = static_cast<Eigen::Index>(e.ports[1].size);
    const auto cols = static_cast<Eigen::Index>(e.ports[0].size);
    if (e.type->parameters.empty()) return Eigen::MatrixXd::Identity(rows, cols);
    std::vector<model::Equation> none;
    const ElementId id(static_cast<std::size_t>(&e - g.elements.data()));
    const model::LawContext context(g, id, none);
    const auto m = context.matrix(e.type->parameters.front().name, e.ports[1].size, e.ports[0].size);
    Eigen::MatrixXd numbers(rows, cols);
    for (Eigen::Index i = 0; i < m.size(); ++i) numbers.data()[i] = generic_value(m.data()[i]);
    return numbers;
}

bool diagonal(const Element& e) {
    if (e.ports[0].size != e.ports[1].size) return false;
    if (e.type->parameters.empty() || e.ports[0].size == 1) return true;
    const model::Quantity* q = e.parameter(e.type->parameters.front().name);
    return q == nullptr || q->value.cols() == 1;
}

class Builder {
   public:
    Builder(const BondGraph& g, std::size_t rank_limit) : g_(g), rank_limit_(rank_limit) {
        s_.tail_vertex.assign(g.bond_components, kNoVertex);
        s_.head_vertex.assign(g.bond_components, kNoVertex);
    }

    ScalarGraph run() {
        for (std::uint32_t i = 0; i < g_.elements.size(); ++i) element(i);
        s_.mesh_of.assign(s_.vertices.size(), kNoVertex);
        find_meshes();
        diagnostics_.throw_if_errors();
        return std::move(s_);
    }

   private:
    [[nodiscard]] ScalarEnd end(const model::Port& port, std::uint32_t k) const {
        return {g_.bonds[port.bond.index()].first + k, port.at_head};
    }

    std::uint32_t add(Kind kind, std::uint32_t element, std::vector<ScalarEnd> ends) {
        const auto v = static_cast<std::uint32_t>(s_.vertices.size());
        for (const ScalarEnd& e : ends) (e.at_head ? s_.head_vertex : s_.tail_vertex)[e.component] = v;
        s_.vertices.push_back({.kind = kind, .element = ElementId(element), .ends = std::move(ends)});
        return v;
    }

    void element(std::uint32_t i) {
        const Element& e = g_.elements[i];
        if (e.directed) return;  // both its strokes are given: nothing propagates through it
        switch (e.type->structure) {
            case Structure::junction0:
            case Structure::junction1:
                for (std::uint32_t k = 0; k < e.ports[0].size; ++k) {
                    std::vector<ScalarEnd> ends;
                    for (const model::Port& p : e.ports) ends.push_back(end(p, k));
                    add(e.type->structure == Structure::junction0 ? Kind::junction0 : Kind::junction1, i,
                        std::move(ends));
                }
                return;
            case Structure::transformer:
            case Structure::gyrator:
                return two_port(i, e);
            case Structure::wiring:
                return wiring(i, e);
            case Structure::equations: {
                std::vector<ScalarEnd> ends;
                for (const model::Port& p : e.ports) {
                    for (std::uint32_t k = 0; k < p.size; ++k) ends.push_back(end(p, k));
                }
                if (!ends.empty()) add(Kind::own_type, i, std::move(ends));
                return;
            }
            default:
                return;
        }
    }

    void two_port(std::uint32_t i, const Element& e) {
        const Kind kind = e.type->structure == Structure::transformer ? Kind::same : Kind::swapped;
        if (diagonal(e)) {
            for (std::uint32_t k = 0; k < e.ports[0].size; ++k) add(kind, i, {end(e.ports[0], k), end(e.ports[1], k)});
            return;
        }
        std::vector<ScalarEnd> ends;
        for (const model::Port& p : e.ports) {
            for (std::uint32_t k = 0; k < p.size; ++k) ends.push_back(end(p, k));
        }
        const std::uint32_t v = add(Kind::dirac, i, std::move(ends));
        const Eigen::MatrixXd m = modulus(g_, e);
        const Eigen::Index n1 = m.cols();
        const Eigen::Index n2 = m.rows();
        Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2 * (n1 + n2), n1 + n2);
        const bool tf = kind == Kind::same;
        // Parameters: f1 and (TF) e2 or (GY) f2.
        for (Eigen::Index a = 0; a < n1; ++a) {
            rows(2 * a + 1, a) = 1.0;
            for (Eigen::Index b = 0; b < n2; ++b) rows(2 * a, n1 + b) = m(b, a);
        }
        for (Eigen::Index b = 0; b < n2; ++b) {
            rows(2 * (n1 + b) + (tf ? 0 : 1), n1 + b) = 1.0;
            for (Eigen::Index a = 0; a < n1; ++a) rows(2 * (n1 + b) + (tf ? 1 : 0), a) = m(b, a);
        }
        s_.vertices[v].dirac = static_cast<std::uint32_t>(s_.diracs.size());
        s_.diracs.emplace_back(rows);
    }

    void wiring(std::uint32_t i, const Element& e) {
        if (e.type->pattern == model::PortPattern::fixed) {
            for (std::uint32_t k = 0; k < e.ports[1].size; ++k) {
                const std::uint32_t from = e.integers.empty() ? k : static_cast<std::uint32_t>(e.integers[k] - 1);
                add(Kind::same, i, {end(e.ports[0], from), end(e.ports[1], k)});
            }
            return;
        }
        std::uint32_t at = 0;
        for (std::size_t p = 1; p < e.ports.size(); ++p) {
            for (std::uint32_t k = 0; k < e.ports[p].size; ++k, ++at)
                add(Kind::same, i, {end(e.ports[0], at), end(e.ports[p], k)});
        }
    }

    void find_meshes() {
        using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                            boost::property<boost::edge_index_t, std::size_t>>;
        Graph graph(s_.vertices.size());
        std::vector<std::uint32_t> edges;
        for (std::uint32_t c = 0; c < g_.bond_components; ++c) {
            const std::uint32_t a = s_.tail_vertex[c];
            const std::uint32_t b = s_.head_vertex[c];
            if (a == kNoVertex || b == kNoVertex) continue;
            if (s_.vertices[a].kind == Kind::own_type || s_.vertices[b].kind == Kind::own_type) continue;
            boost::add_edge(a, b, edges.size(), graph);
            edges.push_back(c);
        }
        std::vector<std::size_t> block(edges.size());
        const auto map = boost::make_iterator_property_map(block.begin(), boost::get(boost::edge_index, graph));
        const std::size_t count = boost::biconnected_components(graph, map);
        std::vector<std::vector<std::uint32_t>> bonds(count);
        for (std::size_t k = 0; k < edges.size(); ++k) bonds[block[k]].push_back(edges[k]);
        // Blocks that share a vertex are joined: that vertex must not belong to two meshes.
        std::unordered_map<std::uint32_t, std::uint32_t> owner;
        std::vector<std::uint32_t> group(count);
        for (std::uint32_t k = 0; k < count; ++k) group[k] = k;
        const auto find = [&](std::uint32_t x) {
            while (group[x] != x) x = group[x] = group[group[x]];
            return x;
        };
        for (std::uint32_t k = 0; k < count; ++k) {
            if (bonds[k].size() < 2) continue;
            for (const std::uint32_t c : bonds[k]) {
                for (const std::uint32_t v : {s_.tail_vertex[c], s_.head_vertex[c]}) {
                    const auto [it, fresh] = owner.emplace(v, k);
                    if (!fresh) group[find(k)] = find(it->second);
                }
            }
        }
        std::map<std::uint32_t, std::vector<std::uint32_t>> meshes;
        for (std::uint32_t v = 0; v < s_.mesh_of.size(); ++v) {
            if (const auto it = owner.find(v); it != owner.end()) meshes[find(it->second)].push_back(v);
        }
        std::vector<std::uint32_t> large;
        for (const auto& [id, vertices] : meshes) {
            if (unknowns(vertices) > rank_limit_) large.push_back(vertices.front());
        }
        if (!large.empty()) find_regions(s_, edges, large);
        for (const auto& [id, vertices] : meshes) {
            if (s_.mesh_of[vertices.front()] == kNoVertex) mesh(vertices);
        }
        s_.meshes = meshes.size();
    }

    [[nodiscard]] std::size_t unknowns(const std::vector<std::uint32_t>& members) const {
        std::vector<std::uint32_t> components;
        for (const std::uint32_t v : members) {
            for (const ScalarEnd& e : s_.vertices[v].ends) components.push_back(e.component);
        }
        std::sort(components.begin(), components.end());
        return 2 * static_cast<std::size_t>(std::unique(components.begin(), components.end()) - components.begin());
    }

    // Ends of the mesh's vertices: first those that leave it (its ports), then the bonds inside.
    void mesh(const std::vector<std::uint32_t>& members) {
        std::vector<std::uint32_t> sorted = members;
        const auto inside = [&](std::uint32_t v) {
            return v != kNoVertex && std::binary_search(sorted.begin(), sorted.end(), v);
        };
        std::vector<ScalarEnd> ports;
        std::unordered_map<std::uint32_t, std::size_t> place;
        std::vector<std::uint32_t> inner;
        for (const std::uint32_t v : members) {
            for (const ScalarEnd& e : s_.vertices[v].ends) {
                if (inside(s_.tail_vertex[e.component]) && inside(s_.head_vertex[e.component])) {
                    if (!e.at_head) inner.push_back(e.component);
                } else {
                    place.emplace(e.component, ports.size());
                    ports.push_back(e);
                }
            }
        }
        for (const std::uint32_t c : inner) place.emplace(c, place.size());
        const auto unknowns = static_cast<Eigen::Index>(2 * place.size());
        Eigen::MatrixXd equations(static_cast<Eigen::Index>(ports.size() + 2 * inner.size()), unknowns);
        equations.setZero();
        Eigen::Index row = 0;
        for (const std::uint32_t v : members) {
            const Eigen::MatrixXd own = vertex_equations(g_, s_.vertices[v]);
            for (Eigen::Index r = 0; r < own.rows(); ++r, ++row) {
                for (std::size_t k = 0; k < s_.vertices[v].ends.size(); ++k) {
                    const auto at = static_cast<Eigen::Index>(2 * place.at(s_.vertices[v].ends[k].component));
                    equations(row, at) += own(r, static_cast<Eigen::Index>(2 * k));
                    equations(row, at + 1) += own(r, static_cast<Eigen::Index>(2 * k + 1));
                }
            }
        }
        std::size_t undetermined = 0;
        auto dirac = Dirac::from_equations(equations, ports.size(), undetermined);
        if (!dirac) {
            for (const auto& [c, at] : place) {
                if (at != undetermined / 2) continue;
                const Diagnostic d = undetermined_inside(g_, s_, members, c, undetermined % 2 == 0);
                diagnostics_.append(std::span(&d, 1));
            }
            return;
        }
        const std::uint32_t v = static_cast<std::uint32_t>(s_.vertices.size());
        for (const std::uint32_t m : members) s_.mesh_of[m] = v;
        s_.vertices.push_back({.kind = Kind::dirac,
                               .element = s_.vertices[members.front()].element,
                               .ends = ports,
                               .dirac = static_cast<std::uint32_t>(s_.diracs.size())});
        s_.diracs.push_back(*std::move(dirac));
        s_.mesh_of.push_back(kNoVertex);
    }

    const BondGraph& g_;
    std::size_t rank_limit_;
    ScalarGraph s_;
    Diagnostics diagnostics_;
};

}  // namespace

double generic_value(expression::Expr e) {
    if (e.is_constant()) return e.constant();
    const expression::Graph& graph = *e.graph();
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(graph, roots);
    std::unordered_map<std::uint32_t, double> value;
    for (const std::uint32_t n : nodes) {
        const expression::Node& node = graph[n];
        double v = 0.0;
        switch (node.op) {
            case expression::Op::constant:
                v = node.number();
                break;
            case expression::Op::time:
                v = 0.7236;
                break;
            case expression::Op::variable:
            case expression::Op::derivative:
            case expression::Op::parameter:
            case expression::Op::held: {
                // A fixed number in (0.5, 1.5) per leaf, without pattern.
                const double x =
                    std::sin(12.9898 * (node.a % 100003) + 78.233 * static_cast<double>(node.op)) * 43758.5453;
                v = 0.5 + (x - std::floor(x));
                break;
            }
            case expression::Op::table1:
                v = graph.tables().one[node.a].value(value[node.b]);
                break;
            case expression::Op::table2:
                v = graph.tables().two[node.a].value(value[node.b], value[node.c]);
                break;
            default: {
                std::array<double, 3> operands{};
                std::size_t k = 0;
                for (const std::uint32_t child : node.operands()) operands[k++] = value[child];
                v = expression::evaluate_op(node.op, operands[0], operands[1], operands[2]);
            }
        }
        value[n] = std::isfinite(v) ? v : 1.0;
    }
    return value[e.node()];
}

Eigen::MatrixXd vertex_equations(const BondGraph& g, const ScalarVertex& vertex) {
    const auto n = static_cast<Eigen::Index>(vertex.ends.size());
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, 2 * n);
    const Element& e = g.elements[vertex.element.index()];
    const auto sign = [&](Eigen::Index k) -> double {
        // Ports with a sign of their own see the bond's flow negated. A junction has one end per port.
        if (e.is_junction()) return e.ports[static_cast<std::size_t>(k)].sign;
        for (const model::Port& p : e.ports) {
            const model::Bond& b = g.bonds[p.bond.index()];
            const ScalarEnd& end = vertex.ends[static_cast<std::size_t>(k)];
            if (end.component >= b.first && end.component < b.first + b.size && p.at_head == end.at_head) return p.sign;
        }
        return 1.0;
    };
    switch (vertex.kind) {
        case Kind::junction0:
        case Kind::junction1: {
            const bool zero = vertex.kind == Kind::junction0;
            for (Eigen::Index k = 0; k + 1 < n; ++k) {
                a(k, 2 * k + (zero ? 0 : 1)) = zero ? 1.0 : sign(k);
                a(k, 2 * (k + 1) + (zero ? 0 : 1)) = zero ? -1.0 : -sign(k + 1);
            }
            for (Eigen::Index k = 0; k < n; ++k) {
                const double into = vertex.ends[static_cast<std::size_t>(k)].at_head ? 1.0 : -1.0;
                a(n - 1, 2 * k + (zero ? 1 : 0)) = zero ? into : into * sign(k);
            }
            return a;
        }
        case Kind::same:
        case Kind::swapped: {
            double m = 1.0;
            if (!e.type->parameters.empty() && e.type->structure != Structure::wiring) {
                const Eigen::MatrixXd all = modulus(g, e);
                const auto k =
                    static_cast<Eigen::Index>(vertex.ends[0].component - g.bonds[e.ports[0].bond.index()].first);
                m = all(k, k);
            }
            const bool tf = vertex.kind == Kind::same;
            a(0, 0) = 1.0;
            a(0, tf ? 2 : 3) = tf ? -m : -m * sign(1);
            a(1, tf ? 3 : 2) = tf ? sign(1) : 1.0;
            a(1, 1) = -m * sign(0);
            return a;
        }
        default:
            break;
    }
    // Matrix two-port: n1 efforts, then n2 second-side equations.
    const Eigen::MatrixXd m = modulus(g, e);
    const Eigen::Index n1 = m.cols();
    const Eigen::Index n2 = m.rows();
    const bool tf = e.type->structure == Structure::transformer;
    for (Eigen::Index i = 0; i < n1; ++i) {
        a(i, 2 * i) = 1.0;
        for (Eigen::Index j = 0; j < n2; ++j) {
            a(i, 2 * (n1 + j) + (tf ? 0 : 1)) = tf ? -m(j, i) : -m(j, i) * sign(n1 + j);
        }
    }
    for (Eigen::Index j = 0; j < n2; ++j) {
        a(n1 + j, 2 * (n1 + j) + (tf ? 1 : 0)) = tf ? sign(n1 + j) : 1.0;
        for (Eigen::Index i = 0; i < n1; ++i) a(n1 + j, 2 * i + 1) = -m(j, i) * sign(i);
    }
    return a;
}

ScalarGraph build_scalar_graph(const BondGraph& graph, std::size_t rank_limit) {
    return Builder(graph, rank_limit).run();
}

}  // namespace bondgraph::causality
