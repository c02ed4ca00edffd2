#include "bondgraph/structure/junction_rules.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace bondgraph::structure {
namespace {

using Sum = std::vector<SignedBond>;

bool is_junction(PowerNode kind) { return kind == PowerNode::zero || kind == PowerNode::one; }

PowerNode opposite(PowerNode kind) { return kind == PowerNode::zero ? PowerNode::one : PowerNode::zero; }

class Simplifier {
   public:
    explicit Simplifier(PowerGraph graph) {
        r_.node_gone.assign(graph.nodes.size(), false);
        r_.graph.nodes = std::move(graph.nodes);
        r_.graph.ranks = std::move(graph.ranks);
        at_.resize(r_.graph.nodes.size());
        for (const PowerBond& b : graph.bonds) add_bond(b);
    }

    SimplifiedPower run() {
        for (bool again = true; again;) {
            again = everywhere(&Simplifier::remove_zero_node);
            again = everywhere(&Simplifier::remove_zero_source) || again;
            again = everywhere(&Simplifier::contract) || again;
            again = everywhere(&Simplifier::merge) || again;
            again = everywhere(&Simplifier::resolve_ring) || again;
            if (again) continue;
            any_ring_ = true;
            again = everywhere(&Simplifier::resolve_ring);
            any_ring_ = false;
        }
        return std::move(r_);
    }

   private:
    /// Tries a rule at all junctions there are; whether it applied anywhere.
    bool everywhere(bool (Simplifier::*rule)(std::uint32_t)) {
        bool applied = false;
        const auto count = static_cast<std::uint32_t>(r_.graph.nodes.size());
        for (std::uint32_t n = 0; n < count; ++n) {
            if (!r_.node_gone[n] && is_junction(kind(n))) applied = (this->*rule)(n) || applied;
        }
        return applied;
    }

    // ---- the graph -------------------------------------------------------------------------------------------------

    PowerNode kind(std::uint32_t node) const { return r_.graph.nodes[node]; }
    PowerBond& bond(std::uint32_t b) { return r_.graph.bonds[b]; }
    const PowerBond& bond(std::uint32_t b) const { return r_.graph.bonds[b]; }

    std::uint32_t far(std::uint32_t b, std::uint32_t node) const {
        return bond(b).from.node == node ? bond(b).to.node : bond(b).from.node;
    }

    /// 1 where the bond leads into the node.
    int sign(std::uint32_t b, std::uint32_t node) const { return bond(b).to.node == node ? 1 : -1; }

    std::uint32_t add_bond(PowerBond added) {
        const auto index = static_cast<std::uint32_t>(r_.graph.bonds.size());
        r_.graph.bonds.push_back(added);
        r_.bond_gone.push_back(false);
        r_.efforts.emplace_back();
        r_.flows.emplace_back();
        r_.gone_as.push_back(0);
        at_[added.from.node].push_back(index);
        at_[added.to.node].push_back(index);
        return index;
    }

    std::uint32_t add_node(PowerNode node, std::uint32_t rank) {
        r_.graph.nodes.push_back(node);
        r_.graph.ranks.push_back(rank);
        r_.node_gone.push_back(false);
        at_.emplace_back();
        return static_cast<std::uint32_t>(r_.graph.nodes.size() - 1);
    }

    void remove_bond(std::uint32_t b, Sum effort, Sum flow) {
        r_.bond_gone[b] = true;
        r_.gone_as[b] = gone_++;
        r_.efforts[b] = std::move(effort);
        r_.flows[b] = std::move(flow);
        for (const std::uint32_t node : {bond(b).from.node, bond(b).to.node}) std::erase(at_[node], b);
    }

    void remove_node(std::uint32_t node) { r_.node_gone[node] = true; }

    /// Several bonds lead to the same neighbour.
    bool joined_twice(std::uint32_t a, std::uint32_t b) const {
        return std::ranges::count_if(at_[a], [&](std::uint32_t x) { return far(x, a) == b; }) > 1;
    }

    /// What flows (0-junction) or acts (1-junction) through one bond, by all others of the junction.
    Sum balance(std::uint32_t junction, std::uint32_t of) const {
        Sum sum;
        for (const std::uint32_t b : at_[junction]) {
            if (b != of) sum.push_back({b, -sign(b, junction) * sign(of, junction)});
        }
        return sum;
    }

    // ---- zero ------------------------------------------------------------------------------------------------------

    /// What holds the common variable of a junction of this kind at zero: a source, or a junction with no other bond.
    bool holds_at_zero(std::uint32_t b, std::uint32_t junction) const {
        const std::uint32_t node = far(b, junction);
        const bool effort = kind(junction) == PowerNode::zero;
        if (kind(node) == (effort ? PowerNode::zero_effort : PowerNode::zero_flow)) return true;
        return kind(node) == opposite(kind(junction)) && at_[node].size() == 1;
    }

    void remove_zero(std::uint32_t b, bool effort_is_zero, Sum other) {
        if (effort_is_zero) {
            remove_bond(b, {}, std::move(other));
        } else {
            remove_bond(b, std::move(other), {});
        }
    }

    bool remove_zero_node(std::uint32_t node) {
        const std::vector<std::uint32_t> all = at_[node];
        std::vector<std::uint32_t> holding;
        std::vector<std::uint32_t> idle;  // bonds to junctions in whose balance they are nothing
        for (const std::uint32_t b : all) {
            if (holds_at_zero(b, node)) {
                holding.push_back(b);
            } else if (kind(far(b, node)) == opposite(kind(node)) && !only_leads_to(far(b, node), node)) {
                idle.push_back(b);
            }
        }
        if (holding.size() != 1 || all.size() < 2) return false;
        const bool whole = holding.size() + idle.size() == all.size();
        if (idle.empty() && !whole) return false;
        const bool effort = kind(node) == PowerNode::zero;
        const std::uint32_t holder = far(holding[0], node);
        PowerStep step{.rule = PowerRule::zero_node, .at = node};
        step.bonds = idle.size() + (whole ? 1 : 0);
        // What flows into the holder is the sum of what all others bring. Where it stays, a bond takes over that brings
        // it less.
        Sum brought = balance(node, holding[0]);
        if (!whole) {
            const std::uint32_t rest = add_bond(bond(holding[0]));
            std::erase_if(brought, [&](const SignedBond& s) { return !std::ranges::count(idle, s.bond); });
            brought.push_back({rest, 1});
        }
        remove_zero(holding[0], effort, std::move(brought));
        for (const std::uint32_t b : idle) {
            const std::uint32_t junction = far(b, node);
            const auto witness = std::ranges::find_if(at_[junction], [&](auto x) { return far(x, junction) != node; });
            step.remaining.push_back(junction);
            remove_zero(b, effort, {{*witness, 1}});
        }
        if (whole) {
            step.removed = {node, holder};
            remove_node(node);
            remove_node(holder);
        }
        r_.steps.push_back(std::move(step));
        return true;
    }

    bool only_leads_to(std::uint32_t junction, std::uint32_t node) const {
        return std::ranges::all_of(at_[junction], [&](std::uint32_t b) { return far(b, junction) == node; });
    }

    bool remove_zero_source(std::uint32_t node) {
        const bool effort = kind(node) == PowerNode::one;
        const auto idle = [&](std::uint32_t b) {
            return kind(far(b, node)) == (effort ? PowerNode::zero_effort : PowerNode::zero_flow);
        };
        const auto found = std::ranges::find_if(at_[node], idle);
        if (found == at_[node].end() || at_[node].size() < 2) return false;
        const std::uint32_t b = *found;
        const std::uint32_t source = far(b, node);
        const std::uint32_t witness = at_[node][at_[node][0] == b ? 1 : 0];
        remove_zero(b, effort, {{witness, 1}});
        remove_node(source);
        r_.steps.push_back(
            {.rule = PowerRule::zero_source, .at = node, .removed = {source}, .remaining = {node}, .bonds = 1});
        return true;
    }

    // ---- junctions that join nothing
    // ---------------------------------------------------------------------------------

    bool contract(std::uint32_t node) {
        if (at_[node].size() != 2) return false;
        std::uint32_t in = at_[node][0];
        std::uint32_t out = at_[node][1];
        if (bond(in).to.node != node) std::swap(in, out);
        if (bond(in).to.node != node || bond(out).from.node != node) return false;
        if (bond(in).turned || bond(out).turned) return false;
        const PowerEnd from = bond(in).from;
        const PowerEnd to = bond(out).to;
        if (from.node == to.node) return false;
        const std::uint32_t kept = std::min(in, out);
        const std::uint32_t gone = std::max(in, out);
        remove_bond(gone, {{kept, 1}}, {{kept, 1}});
        bond(kept).from = from;
        bond(kept).to = to;
        at_[kept == in ? to.node : from.node].push_back(kept);
        at_[node].clear();
        remove_node(node);
        r_.steps.push_back(
            {.rule = PowerRule::through, .at = node, .removed = {node}, .remaining = {from.node, to.node}, .bonds = 1});
        return true;
    }

    bool merge(std::uint32_t node) {
        const auto found = std::ranges::find_if(at_[node], [&](std::uint32_t b) {
            const std::uint32_t other = far(b, node);
            return kind(other) == kind(node) && other != node && !joined_twice(node, other);
        });
        if (found == at_[node].end()) return false;
        const std::uint32_t b = *found;
        std::uint32_t stays = node;
        std::uint32_t goes = far(b, node);
        const auto& ranks = r_.graph.ranks;
        if (std::pair(ranks[goes], goes) < std::pair(ranks[stays], stays)) std::swap(stays, goes);
        // One variable is common to all, the other is what the removed junction's bonds bring together.
        const Sum sum = balance(goes, b);
        const auto witness = std::ranges::find_if(at_[stays], [&](std::uint32_t x) { return x != b; });
        Sum common;
        if (witness != at_[stays].end()) {
            common = {{*witness, 1}};
        } else if (!sum.empty()) {
            common = {{sum[0].bond, 1}};
        } else {
            return false;
        }
        const bool effort = kind(node) == PowerNode::zero;
        remove_bond(b, effort ? common : sum, effort ? sum : common);
        for (const std::uint32_t moved : at_[goes]) {
            (bond(moved).from.node == goes ? bond(moved).from : bond(moved).to).node = stays;
            at_[stays].push_back(moved);
        }
        at_[goes].clear();
        remove_node(goes);
        r_.steps.push_back(
            {.rule = PowerRule::same_kind, .at = stays, .removed = {goes}, .remaining = {stays}, .bonds = 1});
        return true;
    }

    // ---- rings -----------------------------------------------------------------------------------------------------

    /// A junction between two of the other kind, which it has a bond each with.
    struct Side {
        std::uint32_t junction;
        std::uint32_t first;   ///< its bond with the first corner
        std::uint32_t second;  ///< and with the second
        int turned;            ///< 1, or -1 where it faces the other way than the first side
    };

    std::optional<std::uint32_t> only_bond(std::uint32_t junction, std::uint32_t corner) const {
        std::optional<std::uint32_t> found;
        for (const std::uint32_t b : at_[junction]) {
            if (far(b, junction) != corner) continue;
            if (found) return std::nullopt;
            found = b;
        }
        return found;
    }

    std::optional<Side> side(std::uint32_t junction, std::uint32_t a, std::uint32_t b) const {
        if (at_[junction].size() < 3) return std::nullopt;
        const auto first = only_bond(junction, a);
        const auto second = only_bond(junction, b);
        // The difference of the corners' variables is at its bonds to the corners where one leads in and one out.
        if (!first || !second || sign(*first, junction) == sign(*second, junction)) return std::nullopt;
        return Side{junction, *first, *second, 1};
    }

    bool resolve_ring(std::uint32_t node) {
        const PowerNode corner = opposite(kind(node));
        const std::vector<std::uint32_t> around = at_[node];
        for (std::size_t i = 0; i < around.size(); ++i) {
            for (std::size_t k = i + 1; k < around.size(); ++k) {
                const std::uint32_t a = far(around[i], node);
                const std::uint32_t b = far(around[k], node);
                if (kind(a) != corner || kind(b) != corner || a == b) continue;
                const std::vector<Side> sides = sides_between(node, a, b);
                if (sides.size() < 2 || !(any_ring_ || are_sides(sides, a, b))) continue;
                replace_ring(a, b, sides);
                return true;
            }
        }
        return false;
    }

    /// Of a ring's junctions those with fewer bonds are its sides: what hangs there is what lies side by side.
    bool are_sides(const std::vector<Side>& sides, std::uint32_t a, std::uint32_t b) const {
        std::size_t most = 0;
        for (const Side& s : sides) most = std::max(most, at_[s.junction].size());
        const std::size_t corners = std::max(at_[a].size(), at_[b].size());
        return most < corners || (most == corners && kind(sides[0].junction) == PowerNode::one);
    }

    std::vector<Side> sides_between(std::uint32_t node, std::uint32_t a, std::uint32_t b) const {
        std::vector<Side> sides;
        const auto own = side(node, a, b);
        if (!own) return sides;
        for (const std::uint32_t x : at_[a]) {
            const std::uint32_t other = far(x, a);
            if (kind(other) != kind(node)) continue;
            auto found = side(other, a, b);
            if (!found) continue;
            found->turned = sign(found->first, other) == sign(own->first, node) ? 1 : -1;
            sides.push_back(*found);
        }
        return sides;
    }

    // 0_a - 1 - 0_b, 0_a - 1' - 0_b become 0_a - 1 - 0_b with 1 -> 0 at the junction between, and 0 -> 1, 0 -> 1': the
    // new 0-junction has the difference of the corners' efforts, and all flows along the sides pass the one between.
    // With kinds, efforts and flows exchanged likewise. Sides that face the other way get their bond the other way.
    void replace_ring(std::uint32_t a, std::uint32_t b, const std::vector<Side>& sides) {
        const PowerNode side_kind = kind(sides[0].junction);
        const bool flow_adds = side_kind == PowerNode::one;  // what is common to a side adds up over the sides
        constexpr std::uint32_t kLast = 0xffffffff;
        const std::uint32_t between = add_node(side_kind, kLast);
        const std::uint32_t inner = add_node(opposite(side_kind), kLast);
        const bool from_a = sign(sides[0].first, sides[0].junction) == 1;
        const auto joined = [&](std::uint32_t from, std::uint32_t to) { return add_bond({{from, 0}, {to, 0}}); };
        const std::uint32_t at_a = from_a ? joined(a, between) : joined(between, a);
        const std::uint32_t at_b = from_a ? joined(between, b) : joined(b, between);
        joined(between, inner);
        PowerStep step{.rule = PowerRule::ring, .at = between, .remaining = {a, b}, .made = {between, inner}};
        const int own_turn = sides[0].turned;
        for (const Side& s : sides) {
            const std::uint32_t link = s.turned == own_turn ? joined(inner, s.junction) : joined(s.junction, inner);
            for (const auto& [old, corner] : {std::pair{s.first, at_a}, {s.second, at_b}}) {
                Sum of_corner{{corner, 1}};
                Sum of_side{{link, 1}};
                remove_bond(old, flow_adds ? of_corner : of_side, flow_adds ? of_side : of_corner);
                ++step.bonds;
            }
            step.remaining.push_back(s.junction);
        }
        r_.steps.push_back(std::move(step));
    }

    SimplifiedPower r_;
    std::vector<std::vector<std::uint32_t>> at_;  ///< bonds at each node
    std::uint32_t gone_ = 0;
    bool any_ring_ = false;  ///< its sides may have more bonds than its corners
};

}  // namespace

std::vector<SignedBond> SimplifiedPower::sum(std::uint32_t bond, bool effort) const {
    // What is gone is replaced by what went later, so each bond is met once, with all that counts of it.
    std::vector<SignedBond> result;
    std::map<std::uint32_t, SignedBond> gone;
    std::map<std::uint32_t, int> there;
    const auto add = [&](std::uint32_t b, int count) {
        if (bond_gone[b]) {
            gone.try_emplace(gone_as[b], SignedBond{b, 0}).first->second.sign += count;
        } else {
            there[b] += count;
        }
    };
    add(bond, 1);
    while (!gone.empty()) {
        const SignedBond next = gone.begin()->second;
        gone.erase(gone.begin());
        for (const SignedBond& s : (effort ? efforts : flows)[next.bond]) add(s.bond, next.sign * s.sign);
    }
    for (const auto& [b, count] : there) {
        if (count != 0) result.push_back({b, count});
    }
    return result;
}

SimplifiedPower simplify(PowerGraph graph) { return Simplifier(std::move(graph)).run(); }

}  // namespace bondgraph::structure
