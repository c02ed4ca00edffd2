#include "bondgraph/analysis/mason.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/hawick_circuits.hpp>
#include <map>

namespace bondgraph::analysis {
namespace {

using Node = std::uint32_t;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Gains = std::map<std::pair<Node, Node>, Laurent>;

struct TooMany {};

// Collects the circuits that Boost finds; more than the limit end the search.
struct Collect {
    std::vector<FlowPath>& loops;
    const Gains& gains;
    std::size_t limit;

    template <class Path>
    void cycle(const Path& path, const Graph&) {
        if (loops.size() == limit) throw TooMany{};
        FlowPath loop{{path.begin(), path.end()}, 1.0};
        for (std::size_t k = 0; k < loop.nodes.size(); ++k)
            loop.gain = loop.gain * gains.at({loop.nodes[k], loop.nodes[(k + 1) % loop.nodes.size()]});
        loops.push_back(std::move(loop));
    }
};

bool touch(const FlowPath& a, const FlowPath& b) {
    return std::any_of(a.nodes.begin(), a.nodes.end(),
                       [&](Node n) { return std::find(b.nodes.begin(), b.nodes.end(), n) != b.nodes.end(); });
}

// Depth-first over nodes not yet on the path. Every node visited leads to `to`, but perhaps only through the path:
// loops are few wherever this is asked for.
class ForwardPaths {
   public:
    ForwardPaths(const SignalFlow& flow, Node to) : flow_(flow), to_(to), on_path_(flow.nodes.size(), false) {}

    std::vector<FlowPath> from(Node start) {
        path_ = {start};
        on_path_[start] = true;
        extend(start, 1.0);
        return std::move(found_);
    }

   private:
    // As deep as the longest path.
    void extend(Node at, const Laurent& gain) {
        if (at == to_) {
            if (found_.size() == kMostForwardPaths) throw TooMany{};
            found_.push_back({path_, gain});
            return;
        }
        const auto first = std::lower_bound(flow_.edges.begin(), flow_.edges.end(), at,
                                            [](const FlowEdge& e, Node n) { return e.from < n; });
        for (auto e = first; e != flow_.edges.end() && e->from == at; ++e) {
            if (on_path_[e->to]) continue;
            on_path_[e->to] = true;
            path_.push_back(e->to);
            extend(e->to, gain * e->gain);
            path_.pop_back();
            on_path_[e->to] = false;
        }
    }

    const SignalFlow& flow_;
    Node to_;
    std::vector<bool> on_path_;
    std::vector<Node> path_;
    std::vector<FlowPath> found_;
};

// Only what lies between the two nodes: other loops would be a factor of numerator and denominator.
SignalFlow between(const SignalFlow& flow, Node from, Node to) {
    SignalFlow part = flow;
    part.inputs = {from};
    part.outputs = {to};
    part.rates.clear();
    return simplified(part);
}

// All sets of loops that don't touch each other, by size, and the determinant they give.
class Determinant {
   public:
    explicit Determinant(const std::vector<FlowPath>& loops) : loops_(loops) {}

    Laurent run() {
        sum_ = 1.0;
        extend(0, 1.0);
        std::stable_sort(sets_.begin(), sets_.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
        return sum_;
    }
    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& sets() const { return sets_; }

   private:
    void extend(std::uint32_t next, const Laurent& product) {
        for (std::uint32_t k = next; k < loops_.size(); ++k) {
            const bool apart = std::none_of(set_.begin(), set_.end(),
                                            [&](std::uint32_t other) { return touch(loops_[other], loops_[k]); });
            if (!apart) continue;
            set_.push_back(k);
            const Laurent more = -(product * loops_[k].gain);
            sum_ += more;
            if (set_.size() > 1) sets_.push_back(set_);
            extend(k + 1, more);
            set_.pop_back();
        }
    }

    const std::vector<FlowPath>& loops_;
    std::vector<std::uint32_t> set_;
    std::vector<std::vector<std::uint32_t>> sets_;
    Laurent sum_;
};

}  // namespace

std::optional<std::vector<FlowPath>> loops_of(const SignalFlow& flow, std::size_t limit) {
    Graph graph(flow.nodes.size());
    Gains gains;
    std::vector<FlowPath> loops;
    for (const FlowEdge& e : flow.edges) {
        if (e.from == e.to) {
            loops.push_back({{e.from}, e.gain});
            continue;
        }
        add_edge(e.from, e.to, graph);
        gains.emplace(std::pair(e.from, e.to), e.gain);
    }
    if (loops.size() > limit) return std::nullopt;
    try {
        boost::hawick_circuits(graph, Collect{loops, gains, limit});
    } catch (const TooMany&) {
        return std::nullopt;
    }
    std::stable_sort(loops.begin(), loops.end(), [](const FlowPath& a, const FlowPath& b) {
        return std::pair(a.nodes.size(), a.nodes) < std::pair(b.nodes.size(), b.nodes);
    });
    return loops;
}

std::optional<Mason> mason(const SignalFlow& flow, Node from, Node to) {
    const SignalFlow part = between(flow, from, to);
    auto loops = loops_of(part, kMostLoops);
    if (!loops) return std::nullopt;
    Mason m;
    m.loops = std::move(*loops);
    try {
        m.paths = ForwardPaths(part, to).from(from);
    } catch (const TooMany&) {
        return std::nullopt;
    }
    Determinant all(m.loops);
    m.determinant = all.run();
    m.non_touching = all.sets();
    Laurent numerator;
    for (const FlowPath& path : m.paths) {
        std::vector<FlowPath> apart;
        std::copy_if(m.loops.begin(), m.loops.end(), std::back_inserter(apart),
                     [&](const FlowPath& loop) { return !touch(loop, path); });
        m.cofactors.push_back(Determinant(apart).run());
        numerator += path.gain * m.cofactors.back();
    }
    m.transfer = m.determinant.is_number(1.0) ? LaurentRatio{numerator, 1.0} : cleared(numerator, m.determinant);
    return m;
}

std::optional<SymbolicStateSpace> symbolic_state_space(const SignalFlow& flow) {
    const auto entries = [&](const std::vector<Node>& to,
                             const std::vector<Node>& from) -> std::optional<std::vector<LaurentRatio>> {
        std::vector<LaurentRatio> result;
        for (const Node row : to) {
            for (const Node column : from) {
                const auto entry = mason(flow, column, row);
                if (!entry) return std::nullopt;
                result.push_back(entry->transfer);
            }
        }
        return result;
    };
    auto A = entries(flow.rates, flow.states);
    auto B = entries(flow.rates, flow.inputs);
    auto C = entries(flow.outputs, flow.states);
    auto D = entries(flow.outputs, flow.inputs);
    if (!A || !B || !C || !D) return std::nullopt;
    return SymbolicStateSpace{std::move(*A), std::move(*B), std::move(*C), std::move(*D)};
}

}  // namespace bondgraph::analysis
