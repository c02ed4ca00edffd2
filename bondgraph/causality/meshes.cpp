// The inside of meshes: strokes on their bonds, and verification of those too large for dense rank.

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <Eigen/SparseQR>
#include <algorithm>
#include <unordered_map>

#include "bondgraph/causality/assignment.hpp"

namespace bondgraph::causality {

using model::BondGraph;
using Kind = ScalarVertex::Kind;

namespace {

// Strokes inside one mesh by local propagation with bounded backtracking.
class InsideSearch {
   public:
    InsideSearch(const Assignment& a, const std::vector<std::uint32_t>& members) : a_(a), members_(members) {
        for (const std::uint32_t v : members) {
            for (const ScalarEnd& e : a.scalar.vertices[v].ends) {
                strokes_.emplace(e.component, a.strokes[e.component]);
                if (a.strokes[e.component] == Stroke::open && !e.at_head) open_.push_back(e.component);
            }
        }
    }

    bool run() { return propagate() && search(0); }
    [[nodiscard]] const std::unordered_map<std::uint32_t, Stroke>& strokes() const { return strokes_; }

   private:
    [[nodiscard]] int in(const ScalarEnd& e) const {
        const Stroke s = strokes_.at(e.component);
        if (s == Stroke::open) return -1;
        return s == (e.at_head ? Stroke::at_to : Stroke::at_from) ? 1 : 0;
    }

    void put(const ScalarEnd& e, bool effort_in, bool& changed) {
        strokes_[e.component] = effort_in == e.at_head ? Stroke::at_to : Stroke::at_from;
        trail_.push_back(e.component);
        changed = true;
    }

    bool junction(const ScalarVertex& v, bool& changed) {
        const int strong = v.kind == Kind::junction0 ? 1 : 0;
        std::size_t deciding = 0;
        std::size_t known = 0;
        for (const ScalarEnd& e : v.ends) {
            const int x = in(e);
            known += x >= 0 ? 1 : 0;
            deciding += x == strong ? 1 : 0;
        }
        if (deciding > 1 || (deciding == 0 && known == v.ends.size())) return false;
        const bool last = deciding == 0 && known + 1 == v.ends.size();
        for (const ScalarEnd& e : v.ends) {
            if (in(e) < 0 && (deciding == 1 || last)) put(e, (deciding == 1 ? 1 - strong : strong) == 1, changed);
        }
        return true;
    }

    bool pair(const ScalarVertex& v, bool& changed) {
        for (const int k : {0, 1}) {
            const int x = in(v.ends[static_cast<std::size_t>(k)]);
            if (x < 0) continue;
            const int other = v.kind == Kind::same ? 1 - x : x;
            const ScalarEnd& end = v.ends[static_cast<std::size_t>(1 - k)];
            if (in(end) >= 0) return in(end) == other;
            put(end, other == 1, changed);
        }
        return true;
    }

    bool propagate() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::uint32_t m : members_) {
                const ScalarVertex& v = a_.scalar.vertices[m];
                const bool is_junction = v.kind == Kind::junction0 || v.kind == Kind::junction1;
                if (is_junction && !junction(v, changed)) return false;
                if ((v.kind == Kind::same || v.kind == Kind::swapped) && !pair(v, changed)) return false;
            }
        }
        return true;
    }

    bool search(std::size_t from) {
        while (from < open_.size() && strokes_[open_[from]] != Stroke::open) ++from;
        if (from == open_.size()) return true;
        for (const Stroke s : {Stroke::at_to, Stroke::at_from}) {
            if (++steps_ > 2000) return false;
            const std::size_t mark = trail_.size();
            strokes_[open_[from]] = s;
            trail_.push_back(open_[from]);
            if (propagate() && search(from + 1)) return true;
            while (trail_.size() > mark) {
                strokes_[trail_.back()] = Stroke::open;
                trail_.pop_back();
            }
        }
        return false;
    }

    const Assignment& a_;
    const std::vector<std::uint32_t>& members_;
    std::unordered_map<std::uint32_t, Stroke> strokes_;
    std::vector<std::uint32_t> open_;
    std::vector<std::uint32_t> trail_;
    std::size_t steps_ = 0;
};

}  // namespace

void assign_inside_meshes(const BondGraph&, Assignment& a) {
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members;
    for (std::uint32_t v = 0; v < a.scalar.mesh_of.size(); ++v) {
        if (a.scalar.mesh_of[v] != kNoVertex) members[a.scalar.mesh_of[v]].push_back(v);
    }
    for (const auto& [mesh, vertices] : members) {
        InsideSearch search(a, vertices);
        if (!search.run()) continue;  // only the mesh's equations together decide: the strokes stay open
        for (const auto& [component, stroke] : search.strokes()) {
            if (a.strokes[component] != Stroke::open) continue;
            a.strokes[component] = stroke;
            a.reasons[component] = {.kind = Reason::Kind::mesh, .at = a.scalar.vertices[mesh].element};
        }
    }
}

bool verify_large_meshes(const BondGraph& graph, const Assignment& a) {
    for (const auto& members : a.scalar.large_meshes) {
        const auto inside = [&](std::uint32_t v) {
            return v != kNoVertex && std::binary_search(members.begin(), members.end(), v);
        };
        std::unordered_map<std::uint32_t, Eigen::Index> column;  // variable → column
        std::vector<Eigen::Triplet<double>> entries;
        Eigen::Index row = 0;
        for (const std::uint32_t m : members) {
            const ScalarVertex& v = a.scalar.vertices[m];
            const Eigen::MatrixXd own = vertex_equations(graph, v);
            for (Eigen::Index r = 0; r < own.rows(); ++r, ++row) {
                for (std::size_t k = 0; k < v.ends.size(); ++k) {
                    const ScalarEnd& e = v.ends[k];
                    const bool internal =
                        inside(a.scalar.tail_vertex[e.component]) && inside(a.scalar.head_vertex[e.component]);
                    for (const std::uint32_t which : {0U, 1U}) {
                        const double value = own(r, static_cast<Eigen::Index>(2 * k + which));
                        // At a port the mesh's input is given: effort where effort comes in, flow elsewhere.
                        const bool given = !internal && (a.effort_in(e.component, e.at_head) == (which == 0));
                        if (value == 0.0 || given) continue;
                        const auto at =
                            column.emplace(2 * e.component + which, static_cast<Eigen::Index>(column.size())).first;
                        entries.emplace_back(row, at->second, value);
                    }
                }
            }
        }
        const auto n = static_cast<Eigen::Index>(column.size());
        if (n != row) return false;
        Eigen::SparseMatrix<double> matrix(row, n);
        matrix.setFromTriplets(entries.begin(), entries.end());
        matrix.makeCompressed();
        Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
        qr.compute(matrix);
        if (qr.info() != Eigen::Success || qr.rank() < n) return false;
    }
    return true;
}

}  // namespace bondgraph::causality
