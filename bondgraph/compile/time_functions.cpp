#include "bondgraph/compile/time_functions.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/expression/operations.hpp"

namespace bondgraph::compile {

using expression::Graph;
using expression::Node;
using expression::Op;

namespace {

class Search {
   public:
    Search(Graph& graph, std::span<const Expr> equations, std::span<const Expr> differences,
           std::span<const Expr> at_events)
        : graph_(graph) {
        const auto add = [&](std::span<const Expr> some) {
            for (const Expr& e : some) {
                if (!e.is_literal()) roots_.push_back(e.node());
            }
        };
        add(equations);
        equations_ = roots_.size();
        add(differences);
        watched_ = roots_.size();
        add(at_events);
        nodes_ = expression::reachable(graph, roots_);
        place_ = expression::LocalIndex(nodes_);
        timely_.resize(nodes_.size());
        moves_.resize(nodes_.size());
        steps_.resize(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i) classify(i);
    }

    TimeFunctions run() {
        TimeFunctions result;
        if (std::find(moves_.begin(), moves_.end(), true) == moves_.end()) return result;
        find_kinks();
        find_terms();
        const expression::InputLayout layout = layout_of(result);
        for (std::size_t k = 0; k < kinks_.size(); ++k)
            kinks_[k].difference = expression::Tape(graph_, std::span(differences_).subspan(k, 1), layout);
        result.terms = expression::Tape(graph_, terms_, layout);
        result.kinks = std::move(kinks_);
        result.sums = std::move(sums_);
        return result;
    }

   private:
    void classify(std::size_t i) {
        const Node& n = graph_[nodes_[i]];
        if (n.operands().empty()) {
            timely_[i] = n.op == Op::time || n.op == Op::constant || n.op == Op::held;
            moves_[i] = n.op == Op::time;
            steps_[i] = n.op != Op::time;
            return;
        }
        const auto of = [&](const std::vector<bool>& what) {
            return [&](std::uint32_t child) -> bool { return what[place_[child]]; };
        };
        const auto children = n.operands();
        timely_[i] = std::all_of(children.begin(), children.end(), of(timely_));
        moves_[i] = timely_[i] && std::any_of(children.begin(), children.end(), of(moves_));
        steps_[i] = expression::is_stepped(n.op) || std::all_of(children.begin(), children.end(), of(steps_));
    }

    [[nodiscard]] bool moves(std::uint32_t node) const { return moves_[place_[node]]; }

    // Of what is looked at with events only, a kink inside noEvent() is none: nothing follows from it in between.
    void find_kinks() {
        std::vector<bool> always(nodes_.size(), false);
        std::vector<bool> outside(nodes_.size(), false);
        for (std::size_t k = 0; k < roots_.size(); ++k) (k < watched_ ? always : outside)[place_[roots_[k]]] = true;
        std::vector<std::uint32_t> found;
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            if (!always[i] && !outside[i]) continue;
            const Node& n = graph_[nodes_[i]];
            for (const std::uint32_t child : n.operands()) {
                if (always[i]) always[place_[child]] = true;
                if (outside[i] && n.op != Op::no_event) outside[place_[child]] = true;
            }
            found.push_back(nodes_[i]);
        }
        for (auto node = found.rbegin(); node != found.rend(); ++node) kinks_of(*node);
    }

    void kinks_of(std::uint32_t node) {
        for (BendingArgument& bend : bends_of(graph_, node, [this](std::uint32_t of) { return moves(of); })) {
            if (bend.argument.is_constant()) continue;
            differences_.push_back(bend.argument);
            kinks_.push_back({bend.at, std::move(bend.points), node, {}});
        }
    }

    // What moves with time and enters where other things do, taken apart into the terms of its sum: a small ripple on a
    // large slow wave is looked at by itself.
    void find_terms() {
        std::vector<bool> enters(nodes_.size(), false);
        for (std::size_t k = 0; k < watched_; ++k) {
            const std::size_t root = place_[roots_[k]];
            enters[root] = enters[root] || k < equations_ || !timely_[root];  // of time alone: known as kinks
        }
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            if (timely_[i] || !enters[i]) continue;
            for (const std::uint32_t child : graph_[nodes_[i]].operands()) enters[place_[child]] = true;
        }
        std::vector<bool> wanted(nodes_.size());
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            wanted[i] = moves_[i] && (enters[i] || wanted[i]);
            if (!wanted[i] || !is_sum(nodes_[i])) continue;
            for (const std::uint32_t child : graph_[nodes_[i]].operands()) wanted[place_[child]] = true;
        }
        take_apart(wanted, enters);
    }

    /// Whether a node only adds up, and takes multiples of, what it is made of.
    [[nodiscard]] bool is_sum(std::uint32_t node) const {
        const Node& n = graph_[node];
        const auto number = [&](std::uint32_t child) { return graph_[child].op == Op::constant; };
        return n.op == Op::add || n.op == Op::subtract || n.op == Op::negate || n.op == Op::no_event ||
               (n.op == Op::multiply && (number(n.a) || number(n.b))) || (n.op == Op::divide && number(n.b));
    }

    void take_apart(const std::vector<bool>& wanted, const std::vector<bool>& enters) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const std::uint32_t node = nodes_[i];
            if (wanted[i] && !is_sum(node) && graph_[node].op != Op::time && !steps_[i])
                terms_.push_back(graph_.at(node));
        }
        // Per node the part it is: a term, or a sum of several. What has no terms is none.
        std::vector<std::uint32_t> part(nodes_.size(), expression::kNoNode);
        std::uint32_t next_term = 0;
        const auto add_sum = [&](std::vector<std::uint32_t> parts, bool enters_itself) {
            sums_.push_back({.parts = std::move(parts), .enters = enters_itself});
            return static_cast<std::uint32_t>(terms_.size() + sums_.size() - 1);
        };
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const std::uint32_t node = nodes_[i];
            if (!wanted[i]) continue;
            std::vector<std::uint32_t> parts;
            if (next_term < terms_.size() && terms_[next_term].node() == node) {
                parts.push_back(next_term++);
            } else if (is_sum(node)) {
                for (const std::uint32_t child : graph_[node].operands()) {
                    if (part[place_[child]] != expression::kNoNode) parts.push_back(part[place_[child]]);
                }
            }
            if (parts.empty()) continue;
            const bool alone = parts.size() == 1 && !enters[i];
            part[i] = alone ? parts.front() : add_sum(std::move(parts), enters[i]);
        }
    }

    expression::InputLayout layout_of(TimeFunctions& result) {
        std::vector<std::uint32_t> roots;
        for (const auto* list : {&differences_, &terms_}) {
            for (const Expr& e : *list) roots.push_back(e.node());
        }
        expression::InputLayout layout{.time = 0, .size = 1};
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            const Node& leaf = graph_[n];
            if (leaf.op != Op::held) continue;
            if (layout.held.size() <= leaf.a) layout.held.resize(leaf.a + 1, expression::kNoNode);
            layout.held[leaf.a] = layout.size++;
            result.held.push_back(leaf.a);
        }
        return layout;
    }

    Graph& graph_;
    std::vector<std::uint32_t> roots_;
    std::size_t equations_ = 0;  ///< so many come first among the roots
    std::size_t watched_ = 0;    ///< and with the differences of relations
    std::vector<std::uint32_t> nodes_;
    expression::LocalIndex place_;
    std::vector<bool> timely_;  ///< of time, numbers and held values
    std::vector<bool> moves_;   ///< and does depend on time
    std::vector<bool> steps_;   ///< constant between jumps: there is nothing to resolve
    std::vector<TimeFunctions::Kink> kinks_;
    std::vector<Expr> differences_;
    std::vector<Expr> terms_;
    std::vector<TimeFunctions::Sum> sums_;
};

}  // namespace

std::vector<BendingArgument> bends_of(Graph& graph, std::uint32_t node,
                                      const std::function<bool(std::uint32_t node)>& wanted) {
    const Node n = graph[node];  // a copy: differences are made in the graph
    using At = TimeFunctions::Kink::At;
    std::vector<BendingArgument> bends;
    const auto add = [&](At at, std::uint32_t argument, std::vector<double> points = {}) {
        if (wanted(argument)) bends.push_back({at, std::move(points), graph.at(argument)});
    };
    if (expression::is_relation(n.op) || n.op == Op::min || n.op == Op::max) {
        if (wanted(node)) bends.push_back({At::zero, {}, graph.at(n.a) - graph.at(n.b)});
        return bends;
    }
    switch (n.op) {
        case Op::abs:
        case Op::sign:
            add(At::zero, n.a);
            break;
        case Op::floor:
        case Op::ceil:
            add(At::whole_numbers, n.a);
            break;
        case Op::table1:
        case Op::table1_slope:
            add(At::points, n.b, graph.tables().one[n.a].x);
            break;
        case Op::table2:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            add(At::points, n.b, graph.tables().two[n.a].x);
            add(At::points, n.c, graph.tables().two[n.a].y);
            break;
        default:
            break;
    }
    return bends;
}

TimeFunctions find_time_functions(Graph& graph, std::span<const Expr> equations, std::span<const Expr> differences,
                                  std::span<const Expr> at_events) {
    return Search(graph, equations, differences, at_events).run();
}

bool follows_time(const Graph& graph, std::uint32_t node) {
    const std::array roots{node};
    bool time = false;
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        const Op op = graph[n].op;
        if (op == Op::variable || op == Op::derivative || op == Op::parameter || op == Op::held) return false;
        time = time || op == Op::time;
    }
    return time;
}

}  // namespace bondgraph::compile
