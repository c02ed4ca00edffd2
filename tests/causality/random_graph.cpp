#include "tests/causality/random_graph.hpp"

#include <fmt/format.h>

#include <array>

namespace bondgraph::test {
namespace {

std::string matrix_text(const Eigen::MatrixXd& m) {
    std::string text = "[";
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
        text += i == 0 ? "[" : ", [";
        for (Eigen::Index j = 0; j < m.cols(); ++j) text += fmt::format("{}{}", j == 0 ? "" : ", ", m(i, j));
        text += "]";
    }
    return text + "]";
}

class Maker {
   public:
    Maker(std::uint64_t seed, bool mesh, bool multibonds) : dice_(seed), multibonds_(multibonds) {
        const std::size_t junctions = 1 + dice_.below(8);
        for (std::size_t i = 0; i < junctions; ++i) junction();
        for (std::size_t i = 1; i < junctions; ++i) join(dice_.below(i), i);
        if (mesh && junctions > 1) {
            const std::size_t extra = 1 + dice_.below(3);
            for (std::size_t i = 0; i < extra; ++i) {
                const std::size_t a = dice_.below(junctions);
                const std::size_t b = dice_.below(junctions);
                if (a != b) join(a, b);
            }
        }
        for (std::size_t i = 0; i < junctions; ++i) leaves(i);
        fields(junctions);
        shuffle_text();
    }

    RandomGraph take() { return std::move(g_); }

   private:
    std::size_t node(Kind kind, std::string type) {
        g_.nodes.push_back({.kind = kind, .name = fmt::format("n{}", g_.nodes.size()), .type = std::move(type)});
        return g_.nodes.size() - 1;
    }

    void junction() {
        const bool zero = dice_.chance(50);
        sizes_.push_back(multibonds_ ? 1 + dice_.below(3) : 1);
        node(zero ? Kind::zero : Kind::one, zero ? "0" : "1");
    }

    std::size_t port(std::size_t n, std::size_t size, bool outward = false) {
        g_.nodes[n].ports.push_back({.size = size, .outward = outward});
        return g_.nodes[n].ports.size() - 1;
    }

    // The half arrow is drawn either way.
    void bond(std::size_t a, std::size_t pa, std::size_t b, std::size_t pb, std::size_t size) {
        if (dice_.chance(40)) {
            std::swap(a, b);
            std::swap(pa, pb);
        }
        PlainBond bond{a, pa, b, pb, size, g_.components};
        g_.nodes[a].ports[pa].bond = g_.nodes[b].ports[pb].bond = g_.bonds.size();
        g_.nodes[a].ports[pa].at_head = false;
        g_.nodes[b].ports[pb].at_head = true;
        g_.bonds.push_back(bond);
        g_.components += size;
    }

    Eigen::MatrixXd modulus(std::size_t rows, std::size_t cols) {
        Eigen::MatrixXd m(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
        // Mostly diagonal: ranks are to be decided by structure, not by rounding.
        for (Eigen::Index i = 0; i < m.rows(); ++i) {
            for (Eigen::Index j = 0; j < m.cols(); ++j) m(i, j) = dice_.modulus() * (i == j ? 1.0 : 0.25);
        }
        if (rows == cols && dice_.chance(60)) {
            m = Eigen::MatrixXd(m.diagonal().asDiagonal());
            if (dice_.chance(40)) m.setIdentity();  // loops of equal moduli are where structures become singular
        }
        return m;
    }

    std::size_t two_port(std::size_t in, std::size_t out) {
        const bool tf = dice_.chance(60);
        const std::size_t n = node(tf ? Kind::transformer : Kind::gyrator, tf ? "TF" : "GY");
        g_.nodes[n].matrix = modulus(out, in);
        port(n, in, false);
        port(n, out, true);
        return n;
    }

    // A two-port between sizes a and b, and which of its ports is on a's side.
    struct Turned {
        std::size_t node;
        std::size_t at_a;
    };
    Turned turned_two_port(std::size_t a, std::size_t b) {
        // A modulus of one column can't be told from a diagonal: such a two-port is written the other way round.
        const bool turned = (a == 1 && b > 1) || (!(b == 1 && a > 1) && dice_.chance(50));
        return {turned ? two_port(b, a) : two_port(a, b), turned ? 1U : 0U};
    }

    // A bond, a two-port, or two two-ports in a row between two junctions. Of two, both may deliver power into the bond
    // between them.
    void join(std::size_t a, std::size_t b) {
        const std::size_t pa = port(a, sizes_[a]);
        const std::size_t pb = port(b, sizes_[b]);
        if (sizes_[a] == sizes_[b] && dice_.chance(50)) return bond(a, pa, b, pb, sizes_[a]);
        const std::size_t middle = dice_.chance(80) ? sizes_[b] : sizes_[a];
        const Turned first = turned_two_port(sizes_[a], middle);
        bond(a, pa, first.node, first.at_a, sizes_[a]);
        if (middle == sizes_[b] && dice_.chance(75)) return bond(first.node, 1 - first.at_a, b, pb, middle);
        const Turned second = turned_two_port(middle, sizes_[b]);
        bond(first.node, 1 - first.at_a, second.node, second.at_a, middle);
        bond(second.node, 1 - second.at_a, b, pb, sizes_[b]);
    }

    Eigen::MatrixXd positive(std::size_t n) {
        Eigen::MatrixXd m(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
        for (Eigen::Index i = 0; i < m.rows(); ++i) {
            for (Eigen::Index j = 0; j <= i; ++j) {
                m(i, j) = m(j, i) =
                    i == j ? 4.0 + static_cast<double>(dice_.below(100)) / 100.0 : dice_.modulus() / 4.0;
            }
        }
        return m;
    }

    void one_port(std::size_t at) {
        const std::size_t size = sizes_[at];
        const std::size_t roll = dice_.below(100);
        Kind kind = Kind::inertia;
        const char* type = "I";
        if (roll < 9) {
            kind = Kind::effort_source;
            type = "Se";
        } else if (roll < 18) {
            kind = Kind::flow_source;
            type = "Sf";
        } else if (roll < 46) {
            kind = Kind::resistor;
            type = "R";
        } else if (roll < 73) {
            kind = Kind::compliance;
            type = "C";
        }
        const bool field = size > 1 && kind >= Kind::resistor && dice_.chance(40);
        const std::size_t n = node(kind, field ? std::string(type) + "F" : type);
        PlainNode& leaf = g_.nodes[n];
        leaf.coupled = field;
        leaf.matrix = field
                          ? positive(size)
                          : Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
        const std::size_t p = port(n, size, kind == Kind::effort_source || kind == Kind::flow_source);
        const std::size_t pj = port(at, size);
        bond(at, pj, n, p, size);
    }

    void leaves(std::size_t junction) {
        std::size_t count = dice_.below(3);
        while (g_.nodes[junction].ports.size() + count < 2) ++count;
        for (std::size_t i = 0; i < count; ++i) one_port(junction);
    }

    // Fields whose ports lie at several junctions.
    void fields(std::size_t junctions) {
        if (!dice_.chance(35)) return;
        const std::size_t k = 2 + dice_.below(2);
        static constexpr std::array kKinds{Kind::resistor, Kind::compliance, Kind::inertia};
        static constexpr std::array kTypes{"RF", "CF", "IF"};
        const std::size_t which = dice_.below(3);
        std::vector<std::size_t> scalar;
        for (std::size_t i = 0; i < junctions; ++i) {
            if (sizes_[i] == 1) scalar.push_back(i);
        }
        if (scalar.empty()) return;
        const std::size_t n = node(kKinds[which], kTypes[which]);
        g_.nodes[n].matrix = positive(k);
        g_.nodes[n].coupled = true;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t at = scalar[dice_.below(scalar.size())];
            const std::size_t p = port(n, 1);
            const std::size_t pj = port(at, 1);
            bond(at, pj, n, p, 1);
        }
    }

    std::string reference(std::size_t n, std::size_t p) const {
        const PlainNode& node = g_.nodes[n];
        if (is_junction(node.kind) || node.ports.size() == 1) return node.name;
        return fmt::format("{}.p{}", node.name, p + 1);
    }

    static std::string setting(const PlainNode& n, std::size_t size) {
        switch (n.kind) {
            case Kind::zero:
            case Kind::one:
                return fmt::format("size: {}", size);
            case Kind::transformer:
                return "m: " + (n.matrix.size() == 1 ? fmt::format("{}", n.matrix(0, 0)) : matrix_text(n.matrix));
            case Kind::gyrator:
                return "r: " + (n.matrix.size() == 1 ? fmt::format("{}", n.matrix(0, 0)) : matrix_text(n.matrix));
            case Kind::effort_source:
                return "e: 1";
            case Kind::flow_source:
                return "f: 1";
            case Kind::resistor:
                return "R: " + (n.coupled ? matrix_text(n.matrix) : "2");
            case Kind::compliance:
                return "C: " + (n.coupled ? matrix_text(n.matrix) : "3");
            default:
                return "I: " + (n.coupled ? matrix_text(n.matrix) : "5");
        }
    }

    void shuffle_text() {
        std::string& text = g_.text;
        text = "model: random\ncomponents:\n";
        for (const PlainNode& n : g_.nodes) {
            text += fmt::format("  {}: {{type: {}, {}}}\n", n.name, n.type,
                                setting(n, n.ports.empty() ? 1 : n.ports[0].size));
        }
        text += "bonds:\n";
        for (const PlainBond& b : g_.bonds)
            text += fmt::format("  - {} -> {}\n", reference(b.from, b.from_port), reference(b.to, b.to_port));
    }

    Dice dice_;
    bool multibonds_;
    std::vector<std::size_t> sizes_;  // of the junctions, which are the first nodes
    RandomGraph g_;
};

}  // namespace

RandomGraph random_graph(std::uint64_t seed, bool mesh, bool multibonds) {
    return Maker(seed, mesh, multibonds).take();
}

}  // namespace bondgraph::test
