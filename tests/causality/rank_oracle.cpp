#include "tests/causality/rank_oracle.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace bondgraph::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

bool is_source(Kind kind) { return kind == Kind::effort_source || kind == Kind::flow_source; }
bool is_storage(Kind kind) { return kind == Kind::compliance || kind == Kind::inertia; }
bool is_two_port(Kind kind) { return kind == Kind::transformer || kind == Kind::gyrator; }

// Absolute: entries are moduli near 1 or of orthonormal columns, and a matrix of rounding errors has rank 0.
constexpr double kZero = 1e-9;

Index rank_of(const Eigen::ColPivHouseholderQR<Matrix>& qr) {
    return (qr.matrixR().diagonal().array().abs() > kZero).count();
}

Index rank_of(const Matrix& m) { return m.size() == 0 ? 0 : rank_of(Eigen::ColPivHouseholderQR<Matrix>(m)); }

// All equations of junctions and two-ports in (e_0, f_0, e_1, f_1, …).
class Equations {
   public:
    explicit Equations(const RandomGraph& g) : g_(g) {
        std::size_t count = 0;
        for (const PlainNode& n : g.nodes) {
            if (!is_junction(n.kind) && !is_two_port(n.kind)) continue;
            for (const PlainPort& p : n.ports) count += p.size;
        }
        m_ = Matrix::Zero(static_cast<Index>(count), static_cast<Index>(2 * g.components));
        for (const PlainNode& n : g.nodes) {
            if (is_junction(n.kind)) junction(n);
            if (is_two_port(n.kind)) two_port(n);
        }
    }

    Matrix take() { return std::move(m_); }

   private:
    // Between a junction and an element power is counted in the element's direction, whatever the arrow;
    // elsewhere along the arrow.
    bool into(const PlainPort& p) const {
        const PlainBond& b = g_.bonds[p.bond];
        const PlainNode& other = g_.nodes[p.at_head ? b.from : b.to];
        if (is_junction(other.kind)) return p.at_head;
        return other.ports[p.at_head ? b.from_port : b.to_port].outward;
    }

    static Index effort(std::size_t c) { return static_cast<Index>(2 * c); }
    static Index flow(std::size_t c) { return static_cast<Index>(2 * c + 1); }

    void junction(const PlainNode& n) {
        const bool zero = n.kind == Kind::zero;
        for (std::size_t k = 0; k < n.ports[0].size; ++k) {
            const auto at = [&](std::size_t p) { return g_.bonds[n.ports[p].bond].first + k; };
            for (std::size_t p = 1; p < n.ports.size(); ++p, ++row_) {
                m_(row_, zero ? effort(at(p)) : flow(at(p))) += 1.0;
                m_(row_, zero ? effort(at(0)) : flow(at(0))) -= 1.0;
            }
            for (std::size_t p = 0; p < n.ports.size(); ++p) {
                m_(row_, zero ? flow(at(p)) : effort(at(p))) += into(n.ports[p]) ? 1.0 : -1.0;
            }
            ++row_;
        }
    }

    // The sign of the bond's flow as the two-port sees it: only between two elements can it be −1.
    double sign(const PlainPort& p) const {
        const PlainBond& b = g_.bonds[p.bond];
        if (is_junction(g_.nodes[p.at_head ? b.from : b.to].kind)) return 1.0;
        return p.at_head == p.outward ? -1.0 : 1.0;
    }

    void two_port(const PlainNode& n) {
        const PlainPort& a = n.ports[0];
        const PlainPort& b = n.ports[1];
        const std::size_t a0 = g_.bonds[a.bond].first;
        const std::size_t b0 = g_.bonds[b.bond].first;
        const bool tf = n.kind == Kind::transformer;
        for (std::size_t i = 0; i < a.size; ++i, ++row_) {
            m_(row_, effort(a0 + i)) = 1.0;
            for (std::size_t j = 0; j < b.size; ++j) {
                const double m = n.matrix(static_cast<Index>(j), static_cast<Index>(i));
                m_(row_, tf ? effort(b0 + j) : flow(b0 + j)) -= tf ? m : m * sign(b);
            }
        }
        for (std::size_t j = 0; j < b.size; ++j, ++row_) {
            m_(row_, tf ? flow(b0 + j) : effort(b0 + j)) = tf ? sign(b) : 1.0;
            for (std::size_t i = 0; i < a.size; ++i) {
                m_(row_, flow(a0 + i)) -= n.matrix(static_cast<Index>(j), static_cast<Index>(i)) * sign(a);
            }
        }
    }

    const RandomGraph& g_;
    Matrix m_;
    Index row_ = 0;
};

Matrix null_space(const Matrix& equations) {
    if (equations.rows() == 0) return Matrix::Identity(equations.cols(), equations.cols());
    const Eigen::ColPivHouseholderQR<Matrix> qr(equations.transpose());
    const Matrix q = qr.householderQ();
    return q.rightCols(equations.cols() - rank_of(qr));
}

// Rows chosen one after the other; a row that depends on those before is refused.
class Chosen {
   public:
    explicit Chosen(const Matrix& ports) : ports_(ports) {}
    bool add(std::size_t row) {
        rows_.push_back(row);
        if (rank_of(matrix()) == static_cast<Index>(rows_.size())) return true;
        rows_.pop_back();
        return false;
    }
    [[nodiscard]] Matrix matrix() const {
        Matrix m(static_cast<Index>(rows_.size()), ports_.cols());
        for (std::size_t i = 0; i < rows_.size(); ++i)
            m.row(static_cast<Index>(i)) = ports_.row(static_cast<Index>(rows_[i]));
        return m;
    }

   private:
    const Matrix& ports_;
    std::vector<std::size_t> rows_;
};

// With everything else given, which resistors need each other: cycles of (resistor law) ∘ (transfer of the structure).
std::set<std::set<std::size_t>> loops_of(const RandomGraph& g, const RankOracle& o,
                                         const std::vector<bool>& effort_given) {
    if (o.places.empty()) return {};
    const auto n = static_cast<Index>(o.places.size());
    Matrix in(n, n);
    Matrix out(n, n);
    for (Index i = 0; i < n; ++i) {
        const bool e = effort_given[static_cast<std::size_t>(i)];
        in.row(i) = o.ports.row(2 * i + (e ? 0 : 1));
        out.row(i) = o.ports.row(2 * i + (e ? 1 : 0));
    }
    const Matrix transfer = out * in.fullPivLu().inverse();
    std::vector<std::size_t> r;
    for (std::size_t i = 0; i < o.places.size(); ++i) {
        if (g.nodes[o.places[i].node].kind == Kind::resistor) r.push_back(i);
    }
    // reach(a, b): what resistor place a gives influences, through the structure and then b's law, what b gives.
    const std::size_t k = r.size();
    std::vector<std::vector<bool>> reach(k, std::vector<bool>(k, false));
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t hit = 0; hit < k; ++hit) {
            if (std::abs(transfer(static_cast<Index>(r[hit]), static_cast<Index>(r[a]))) < 1e-9) continue;
            for (std::size_t b = 0; b < k; ++b) {
                const bool same_field =
                    o.places[r[b]].node == o.places[r[hit]].node && g.nodes[o.places[r[b]].node].coupled;
                if (b == hit || same_field) reach[a][b] = true;
            }
        }
    }
    for (std::size_t m = 0; m < k; ++m) {
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = 0; b < k; ++b) {
                if (reach[a][m] && reach[m][b]) reach[a][b] = true;
            }
        }
    }
    std::set<std::set<std::size_t>> loops;
    for (std::size_t a = 0; a < k; ++a) {
        if (!reach[a][a]) continue;
        std::set<std::size_t> members;
        for (std::size_t b = 0; b < k; ++b) {
            if (reach[a][b] && reach[b][a]) members.insert(o.places[r[b]].node);
        }
        loops.insert(members);
    }
    return loops;
}

void assign(const RandomGraph& g, RankOracle& o) {
    Chosen chosen(o.ports);
    std::vector<bool> effort_given(o.places.size(), false);
    const auto row = [&](std::size_t i, bool e) { return 2 * i + (e ? 0 : 1); };
    for (std::size_t i = 0; i < o.places.size(); ++i) {
        const Kind kind = g.nodes[o.places[i].node].kind;
        if (!is_source(kind)) continue;
        effort_given[i] = gives_effort(kind);
        o.conflict = !chosen.add(row(i, effort_given[i])) || o.conflict;
    }
    if (o.conflict) return;
    const Matrix sources = chosen.matrix();
    Matrix all(0, o.ports.cols());
    std::size_t storages = 0;
    for (std::size_t i = 0; i < o.places.size(); ++i) {
        const Kind kind = g.nodes[o.places[i].node].kind;
        if (!is_storage(kind)) continue;
        ++storages;
        all.conservativeResize(all.rows() + 1, Eigen::NoChange);
        all.row(all.rows() - 1) = o.ports.row(static_cast<Index>(row(i, gives_effort(kind))));
        effort_given[i] = gives_effort(kind);
        if (chosen.add(row(i, effort_given[i]))) continue;
        o.dependent.push_back(i);
        effort_given[i] = !effort_given[i];
        chosen.add(row(i, effort_given[i]));
    }
    Matrix both(sources.rows() + all.rows(), o.ports.cols());
    both << sources, all;
    o.dependent_by_rank = storages - static_cast<std::size_t>(rank_of(both) - rank_of(sources));
    for (std::size_t i = 0; i < o.places.size(); ++i) {
        if (g.nodes[o.places[i].node].kind != Kind::resistor) continue;
        effort_given[i] = chosen.add(row(i, true));
        if (!effort_given[i]) chosen.add(row(i, false));
    }
    o.loops = loops_of(g, o, effort_given);
}

}  // namespace

bool gives_effort(Kind kind) { return kind == Kind::effort_source || kind == Kind::compliance; }

bool RankOracle::valid(const std::vector<bool>& effort_given) const {
    Matrix m(static_cast<Index>(places.size()), ports.cols());
    for (Index i = 0; i < m.rows(); ++i)
        m.row(i) = ports.row(2 * i + (effort_given[static_cast<std::size_t>(i)] ? 0 : 1));
    return rank_of(m) == m.rows();
}

std::optional<std::size_t> RankOracle::brute_force(const RandomGraph& g) const {
    std::optional<std::size_t> least;
    std::vector<bool> effort_given(places.size());
    for (std::size_t choice = 0; choice < (std::size_t{1} << places.size()); ++choice) {
        std::size_t dependent_here = 0;
        bool allowed = true;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const Kind kind = g.nodes[places[i].node].kind;
            effort_given[i] = (choice >> i & 1U) != 0;
            const bool wanted = effort_given[i] == gives_effort(kind);
            if (is_source(kind) && !wanted) allowed = false;
            if (is_storage(kind) && !wanted) ++dependent_here;
        }
        if (allowed && (!least || dependent_here < *least) && valid(effort_given)) least = dependent_here;
    }
    return least;
}

RankOracle rank_oracle(const RandomGraph& g) {
    RankOracle o;
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        const PlainNode& node = g.nodes[n];
        if (is_junction(node.kind) || is_two_port(node.kind)) continue;
        std::size_t number = 0;
        for (const PlainPort& p : node.ports) {
            for (std::size_t k = 0; k < p.size; ++k)
                o.places.push_back({n, number++, g.bonds[p.bond].first + k, p.at_head});
        }
    }
    const Matrix space = null_space(Equations(g).take());
    o.ports.resize(static_cast<Index>(2 * o.places.size()), space.cols());
    for (std::size_t i = 0; i < o.places.size(); ++i) {
        for (const Index v : {0, 1})
            o.ports.row(static_cast<Index>(2 * i) + v) = space.row(static_cast<Index>(2 * o.places[i].component) + v);
    }
    o.singular = space.cols() != static_cast<Index>(o.places.size());
    if (!o.singular) assign(g, o);
    return o;
}

}  // namespace bondgraph::test
