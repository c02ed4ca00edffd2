// The inside of meshes: strokes on their bonds.

#include <algorithm>
#include <map>
#include <optional>

#include "bondgraph/causality/assignment.hpp"

namespace bondgraph::causality {

using Kind = ScalarVertex::Kind;

namespace {

// Strokes inside meshes by local propagation with bounded backtracking, mesh by mesh.
class InsideSearch {
   public:
    explicit InsideSearch(const Assignment& a)
        : a_(a), strokes_(a.strokes), known_(a.scalar.mesh_of.size(), 0), strong_(a.scalar.mesh_of.size(), 0) {}

    /// The bond components that got strokes; nothing when there are none that fit together.
    std::optional<std::vector<std::uint32_t>> run(const std::vector<std::uint32_t>& members) {
        mesh_ = a_.scalar.mesh_of[members.front()];
        open_.clear();
        trail_.clear();
        for (const std::uint32_t v : members) {
            for (const ScalarEnd& e : a_.scalar.vertices[v].ends) {
                if (strokes_[e.component] == Stroke::open && !e.at_head) open_.push_back(e.component);
                count(v, e, 1);
            }
        }
        queue_ = members;
        if (propagate() && search()) return trail_;
        while (!trail_.empty()) take_back();
        return std::nullopt;
    }
    [[nodiscard]] Stroke stroke(std::uint32_t component) const { return strokes_[component]; }

   private:
    [[nodiscard]] int in(const ScalarEnd& e) const {
        const Stroke s = strokes_[e.component];
        if (s == Stroke::open) return -1;
        return s == (e.at_head ? Stroke::at_to : Stroke::at_from) ? 1 : 0;
    }

    static int strong_value(const ScalarVertex& v) { return v.kind == Kind::junction0 ? 1 : 0; }

    // What a vertex knows of its ends.
    void count(std::uint32_t vertex, const ScalarEnd& e, std::uint32_t by) {
        const int x = in(e);
        if (x >= 0) known_[vertex] += by;
        if (x == strong_value(a_.scalar.vertices[vertex])) strong_[vertex] += by;
    }

    void count(std::uint32_t component, std::uint32_t by) {
        for (const bool head : {false, true}) {
            const std::uint32_t v = (head ? a_.scalar.head_vertex : a_.scalar.tail_vertex)[component];
            if (v == kNoVertex || a_.scalar.mesh_of[v] != mesh_) continue;
            count(v, {.component = component, .at_head = head}, by);
            if (by == 1) queue_.push_back(v);
        }
    }

    void put(std::uint32_t component, Stroke stroke) {
        strokes_[component] = stroke;
        trail_.push_back(component);
        count(component, 1);
    }
    void put(const ScalarEnd& e, bool effort_in) {
        put(e.component, effort_in == e.at_head ? Stroke::at_to : Stroke::at_from);
    }
    void take_back() {
        count(trail_.back(), static_cast<std::uint32_t>(-1));
        strokes_[trail_.back()] = Stroke::open;
        trail_.pop_back();
    }

    bool junction(std::uint32_t vertex) {
        const ScalarVertex& v = a_.scalar.vertices[vertex];
        const std::uint32_t deciding = strong_[vertex];
        const std::uint32_t known = known_[vertex];
        if (deciding > 1 || (deciding == 0 && known == v.ends.size())) return false;
        if (known == v.ends.size() || (deciding == 0 && known + 1 < v.ends.size())) return true;
        const bool in_all = (strong_value(v) == 1) == (deciding == 0);
        for (const ScalarEnd& e : v.ends) {
            if (in(e) < 0) put(e, in_all);
        }
        return true;
    }

    bool pair(const ScalarVertex& v) {
        for (const int k : {0, 1}) {
            const int x = in(v.ends[static_cast<std::size_t>(k)]);
            if (x < 0) continue;
            const int other = v.kind == Kind::same ? 1 - x : x;
            const ScalarEnd& end = v.ends[static_cast<std::size_t>(1 - k)];
            if (in(end) >= 0) return in(end) == other;
            put(end, other == 1);
        }
        return true;
    }

    bool propagate() {
        bool agrees = true;
        while (!queue_.empty() && agrees) {
            const std::uint32_t at = queue_.back();
            const ScalarVertex& v = a_.scalar.vertices[at];
            queue_.pop_back();
            if (v.kind == Kind::junction0 || v.kind == Kind::junction1) agrees = junction(at);
            if (v.kind == Kind::same || v.kind == Kind::swapped) agrees = pair(v);
        }
        queue_.clear();
        return agrees;
    }

    struct Choice {
        std::size_t open;
        std::size_t mark;
        bool second;
    };

    bool search() {
        std::vector<Choice> choices;
        std::size_t returns = 0;
        for (std::size_t next = 0;;) {
            while (next < open_.size() && strokes_[open_[next]] != Stroke::open) ++next;
            if (next == open_.size()) return true;
            choices.push_back({next, trail_.size(), false});
            put(open_[next], Stroke::at_to);
            while (!propagate()) {
                while (!choices.empty() && choices.back().second) choices.pop_back();
                if (choices.empty() || ++returns > kMostReturns) return false;
                Choice& last = choices.back();
                while (trail_.size() > last.mark) take_back();
                last.second = true;
                next = last.open;
                put(open_[next], Stroke::at_from);
            }
        }
    }

    static constexpr std::size_t kMostReturns = 2000;
    const Assignment& a_;
    std::uint32_t mesh_ = kNoVertex;
    std::vector<Stroke> strokes_;
    std::vector<std::uint32_t> known_;   ///< by vertex: ends with a stroke
    std::vector<std::uint32_t> strong_;  ///< by vertex: ends that decide its common variable
    std::vector<std::uint32_t> queue_;
    std::vector<std::uint32_t> open_;
    std::vector<std::uint32_t> trail_;
};

}  // namespace

std::vector<std::uint32_t> assign_inside_meshes(Assignment& a) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> members;
    for (std::uint32_t v = 0; v < a.scalar.mesh_of.size(); ++v) {
        if (a.scalar.mesh_of[v] != kNoVertex) members[a.scalar.mesh_of[v]].push_back(v);
    }
    std::vector<std::uint32_t> without;
    InsideSearch search(a);
    for (const auto& [mesh, vertices] : members) {
        const auto found = search.run(vertices);
        if (!found) {  // only the mesh's equations together decide: the strokes stay open
            without.push_back(mesh);
            continue;
        }
        for (const std::uint32_t component : *found) {
            a.strokes[component] = search.stroke(component);
            a.reasons[component] = {.kind = Reason::Kind::mesh, .at = a.scalar.vertices[mesh].element};
        }
    }
    return without;
}

}  // namespace bondgraph::causality
