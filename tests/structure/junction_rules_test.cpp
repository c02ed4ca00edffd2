// Rules that simplify junctions: each on the smallest graph that it applies to, and all of them against the equations
// of the junctions themselves.

#include "bondgraph/structure/junction_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <random>

namespace bondgraph::structure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = PowerNode;

PowerGraph power_of(std::vector<Kind> nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& bonds) {
    PowerGraph graph{.nodes = std::move(nodes)};
    graph.ranks.assign(graph.nodes.size(), 0);
    std::uint32_t port = 0;
    for (const auto& [from, to] : bonds) {
        graph.bonds.push_back({{from, port}, {to, port + 1}});
        port += 2;
    }
    return graph;
}

std::vector<std::string> bonds_left(const SimplifiedPower& s) {
    std::vector<std::string> left;
    for (std::size_t b = 0; b < s.graph.bonds.size(); ++b) {
        if (s.bond_gone[b]) continue;
        left.push_back(std::to_string(s.graph.bonds[b].from.node) + ">" + std::to_string(s.graph.bonds[b].to.node));
    }
    return left;
}

std::vector<PowerRule> rules_of(const SimplifiedPower& s) {
    std::vector<PowerRule> rules;
    for (const PowerStep& step : s.steps) rules.push_back(step.rule);
    return rules;
}

std::vector<std::pair<std::uint32_t, int>> pairs(const std::vector<SignedBond>& sum) {
    std::vector<std::pair<std::uint32_t, int>> result;
    for (const SignedBond& s : sum) result.emplace_back(s.bond, s.sign);
    return result;
}

// ---- one rule at a time ---------------------------------------------------------------------------------------------

TEST(JunctionRules, AJunctionThatPowerPassesThroughIsABond) {
    const SimplifiedPower s = simplify(power_of({Kind::other, Kind::one, Kind::other}, {{0, 1}, {1, 2}}));
    EXPECT_THAT(rules_of(s), ElementsAre(PowerRule::through));
    EXPECT_THAT(bonds_left(s), ElementsAre("0>2"));
    EXPECT_EQ(s.graph.bonds[0].from.port, 0U);
    EXPECT_EQ(s.graph.bonds[0].to.port, 3U) << "the port of the bond that is gone";
    EXPECT_THAT(s.steps[0].removed, ElementsAre(1));
    EXPECT_THAT(s.steps[0].remaining, ElementsAre(0, 2));
    EXPECT_THAT(pairs(s.sum(1, true)), ElementsAre(std::pair(0, 1)));
    EXPECT_THAT(pairs(s.sum(1, false)), ElementsAre(std::pair(0, 1)));
}

TEST(JunctionRules, AJunctionThatTurnsAnEffortRoundStays) {
    for (const Kind kind : {Kind::zero, Kind::one}) {
        EXPECT_THAT(simplify(power_of({Kind::other, kind, Kind::other}, {{1, 0}, {1, 2}})).steps, IsEmpty());
        EXPECT_THAT(simplify(power_of({Kind::other, kind, Kind::other}, {{0, 1}, {2, 1}})).steps, IsEmpty());
    }
}

TEST(JunctionRules, AnArrowThatIsDrawnTheOtherWayKeepsItsJunction) {
    PowerGraph graph = power_of({Kind::other, Kind::one, Kind::other}, {{0, 1}, {1, 2}});
    graph.bonds[1].turned = true;
    EXPECT_THAT(simplify(graph).steps, IsEmpty());
}

TEST(JunctionRules, NeighboursOfAKindBecomeOne) {
    // 0 -> 0 with two elements each; the second element of the first junction feeds it.
    const SimplifiedPower s =
        simplify(power_of({Kind::zero, Kind::zero, Kind::other, Kind::other, Kind::other, Kind::other},
                          {{0, 1}, {0, 2}, {3, 0}, {1, 4}, {5, 1}}));
    EXPECT_THAT(rules_of(s), ElementsAre(PowerRule::same_kind));
    EXPECT_THAT(bonds_left(s), ElementsAre("0>2", "3>0", "0>4", "5>0"));
    EXPECT_THAT(pairs(s.sum(0, true)), ElementsAre(std::pair(1, 1)));
    EXPECT_THAT(pairs(s.sum(0, false)), ElementsAre(std::pair(3, 1), std::pair(4, -1)));
}

TEST(JunctionRules, OfTwoThatBecomeOneTheLowerRankStays) {
    PowerGraph graph = power_of({Kind::zero, Kind::zero, Kind::other, Kind::other, Kind::other, Kind::other},
                                {{0, 1}, {0, 2}, {3, 0}, {1, 4}, {5, 1}});
    graph.ranks = {1, 0, 0, 0, 0, 0};
    const SimplifiedPower s = simplify(graph);
    EXPECT_THAT(s.steps[0].removed, ElementsAre(0));
    EXPECT_TRUE(s.node_gone[0]);
}

TEST(JunctionRules, JunctionsWithTwoBondsBetweenThemStay) {
    EXPECT_THAT(
        simplify(power_of({Kind::zero, Kind::zero, Kind::other, Kind::other}, {{0, 1}, {0, 1}, {2, 0}, {1, 3}})).steps,
        IsEmpty());
}

TEST(JunctionRules, AGroundedNodeGoesWithItsBonds) {
    for (const bool effort : {true, false}) {
        const Kind node = effort ? Kind::zero : Kind::one;
        const Kind loop = effort ? Kind::one : Kind::zero;
        const Kind ground = effort ? Kind::zero_effort : Kind::zero_flow;
        // Two loops with two elements each end at the node.
        const SimplifiedPower s =
            simplify(power_of({node, ground, loop, Kind::other, Kind::other, loop, Kind::other, Kind::other},
                              {{1, 0}, {2, 0}, {2, 3}, {4, 2}, {0, 5}, {5, 6}, {7, 5}}));
        EXPECT_EQ(rules_of(s)[0], PowerRule::zero_node);
        EXPECT_THAT(s.steps[0].removed, ElementsAre(0, 1));
        EXPECT_THAT(s.steps[0].remaining, ElementsAre(2, 5));
        EXPECT_EQ(s.steps[0].bonds, 3U);
        EXPECT_THAT(bonds_left(s), ElementsAre("4>3", "7>6"));
        EXPECT_THAT(s.sum(1, effort), IsEmpty());
        EXPECT_THAT(pairs(s.sum(1, !effort)), ElementsAre(std::pair(2, 1)));
        // What the ground takes: from the one loop, and none to the other.
        EXPECT_THAT(pairs(s.sum(0, !effort)), ElementsAre(std::pair(2, -1), std::pair(5, 1)));
    }
}

TEST(JunctionRules, WhatElseIsOnAGroundedNodeStaysWithIt) {
    const SimplifiedPower s =
        simplify(power_of({Kind::zero, Kind::zero_effort, Kind::one, Kind::other, Kind::other, Kind::other},
                          {{1, 0}, {2, 0}, {2, 3}, {4, 2}, {0, 5}}));
    EXPECT_EQ(rules_of(s)[0], PowerRule::zero_node);
    EXPECT_THAT(s.steps[0].removed, IsEmpty());
    EXPECT_FALSE(s.node_gone[1]);
    // Its own flow is less than the ground's was.
    EXPECT_EQ(pairs(s.sum(0, false)).size(), 2U);
}

TEST(JunctionRules, ASourceOfZeroWhereItMovesNothingGoes) {
    const SimplifiedPower s = simplify(power_of({Kind::one, Kind::zero_effort, Kind::other, Kind::other, Kind::other},
                                                {{1, 0}, {2, 0}, {0, 3}, {0, 4}}));
    EXPECT_THAT(rules_of(s), ElementsAre(PowerRule::zero_source));
    EXPECT_THAT(bonds_left(s), ElementsAre("2>0", "0>3", "0>4"));
    const SimplifiedPower same =
        simplify(power_of({Kind::one, Kind::zero_flow, Kind::other, Kind::other}, {{1, 0}, {2, 0}, {0, 3}}));
    EXPECT_THAT(same.steps, IsEmpty()) << "a flow of 0 on a 1-junction of elements stops them: it is no nothing";
}

TEST(JunctionRules, AnOpenEndStopsWhatLeadsToIt) {
    // A 1-junction with a bond to a 0-junction that leads nowhere: no flow.
    const SimplifiedPower s = simplify(
        power_of({Kind::zero, Kind::other, Kind::one, Kind::other, Kind::zero}, {{1, 0}, {0, 2}, {2, 3}, {2, 4}}));
    EXPECT_EQ(rules_of(s)[0], PowerRule::zero_node);
    EXPECT_FALSE(s.node_gone[3]);
}

TEST(JunctionRules, SidesBetweenTheSameCornersShareOnePair) {
    for (const bool effort : {true, false}) {
        const Kind corner = effort ? Kind::zero : Kind::one;
        const Kind side = effort ? Kind::one : Kind::zero;
        // Corners 0 and 1 with two elements each, sides 2 and 3 with an element each, the second drawn the other way.
        const SimplifiedPower s = simplify(power_of(
            {corner, corner, side, side, Kind::other, Kind::other, Kind::other, Kind::other, Kind::other, Kind::other},
            {{0, 2}, {2, 1}, {1, 3}, {3, 0}, {2, 4}, {3, 5}, {6, 0}, {0, 7}, {1, 8}, {9, 1}}));
        EXPECT_EQ(rules_of(s)[0], PowerRule::ring);
        EXPECT_THAT(s.steps[0].remaining, ElementsAre(0, 1, 2, 3));
        EXPECT_THAT(s.steps[0].made, ElementsAre(10, 11));
        EXPECT_EQ(s.graph.nodes[10], side);
        EXPECT_EQ(s.graph.nodes[11], corner);
        EXPECT_EQ(s.steps[0].bonds, 4U);
        // The first side's junction is a bond; the second turns its element round, and stays.
        EXPECT_THAT(bonds_left(s),
                    ElementsAre("11>4", "3>5", "6>0", "0>7", "1>8", "9>1", "0>10", "10>1", "10>11", "3>11"));
    }
}

TEST(JunctionRules, NothingIsDoneToWhatIsSimple) {
    EXPECT_THAT(simplify(power_of({Kind::one, Kind::other, Kind::other, Kind::other}, {{1, 0}, {0, 2}, {0, 3}})).steps,
                IsEmpty());
    EXPECT_THAT(simplify(power_of({}, {})).steps, IsEmpty());
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// All efforts and flows that the equations of junctions and sources of zero allow: columns span them. Rows: effort of
// bond b is 2 b, its flow 2 b + 1.
Eigen::MatrixXd solutions(const PowerGraph& graph, const std::vector<bool>& bond_gone) {
    const auto n = static_cast<Eigen::Index>(2 * graph.bonds.size());
    std::vector<Eigen::RowVectorXd> rows;
    const auto unit = [&](Eigen::Index k) { return Eigen::RowVectorXd(Eigen::RowVectorXd::Unit(n, k)); };
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
        const Kind kind = graph.nodes[node];
        std::vector<std::pair<Eigen::Index, double>> ends;
        for (std::size_t b = 0; b < graph.bonds.size(); ++b) {
            if (!bond_gone.empty() && bond_gone[b]) continue;
            if (graph.bonds[b].to.node == node) ends.emplace_back(b, 1.0);
            if (graph.bonds[b].from.node == node) ends.emplace_back(b, -1.0);
        }
        if (kind == Kind::other || ends.empty()) continue;
        if (kind == Kind::zero_effort || kind == Kind::zero_flow) {
            rows.push_back(unit(2 * ends[0].first + (kind == Kind::zero_flow ? 1 : 0)));
            continue;
        }
        const Eigen::Index common = kind == Kind::zero ? 0 : 1;
        Eigen::RowVectorXd balance = Eigen::RowVectorXd::Zero(n);
        for (const auto& [b, sign] : ends) {
            balance += sign * unit(2 * b + 1 - common);
            if (b != ends[0].first) rows.push_back(unit(2 * b + common) - unit(2 * ends[0].first + common));
        }
        rows.push_back(balance);
    }
    Eigen::MatrixXd equations(static_cast<Eigen::Index>(rows.size()), n);
    for (std::size_t i = 0; i < rows.size(); ++i) equations.row(static_cast<Eigen::Index>(i)) = rows[i];
    if (rows.empty()) return Eigen::MatrixXd::Identity(n, n);
    return Eigen::FullPivLU<Eigen::MatrixXd>(equations).kernel();
}

// The rows of what stands at the ports of elements, in the order of the ports.
Eigen::MatrixXd at_ports(const PowerGraph& graph, const std::vector<bool>& bond_gone, const Eigen::MatrixXd& all) {
    std::map<std::uint32_t, std::size_t> ports;
    for (std::size_t b = 0; b < graph.bonds.size(); ++b) {
        if (!bond_gone.empty() && bond_gone[b]) continue;
        for (const PowerEnd& end : {graph.bonds[b].from, graph.bonds[b].to}) {
            if (graph.nodes[end.node] == Kind::other) ports[end.port] = b;
        }
    }
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(2 * ports.size()), all.cols());
    Eigen::Index k = 0;
    for (const auto& [port, b] : ports) {
        rows.row(k++) = all.row(static_cast<Eigen::Index>(2 * b));
        rows.row(k++) = all.row(static_cast<Eigen::Index>(2 * b + 1));
    }
    return rows;
}

Eigen::Index rank(const Eigen::MatrixXd& m) {
    return m.size() == 0 ? 0 : Eigen::FullPivLU<Eigen::MatrixXd>(m).setThreshold(1e-9).rank();
}

struct Tally {
    std::map<PowerRule, std::size_t> rules;
    std::size_t steps = 0;
};

void expect_the_same(const PowerGraph& graph, Tally& tally) {
    const SimplifiedPower s = simplify(graph);
    for (const PowerStep& step : s.steps) ++tally.rules[step.rule];
    const Eigen::MatrixXd before = solutions(graph, {});
    const Eigen::MatrixXd after = solutions(s.graph, s.bond_gone);
    const Eigen::MatrixXd a = at_ports(graph, {}, before);
    const Eigen::MatrixXd b = at_ports(s.graph, s.bond_gone, after);
    ASSERT_EQ(a.rows(), b.rows()) << "an element's port is gone";
    Eigen::MatrixXd both(a.rows(), a.cols() + b.cols());
    both << a, b;
    EXPECT_EQ(rank(a), rank(both)) << "efforts and flows that weren't possible";
    EXPECT_EQ(rank(b), rank(both)) << "efforts and flows that are lost";
    // What is gone, as the sums say, and what is there, fulfil the equations there were.
    Eigen::MatrixXd told(static_cast<Eigen::Index>(2 * graph.bonds.size()), after.cols());
    for (std::uint32_t k = 0; k < graph.bonds.size(); ++k) {
        for (const bool effort : {true, false}) {
            Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(after.cols());
            for (const SignedBond& t : s.sum(k, effort)) sum += t.sign * after.row(2 * t.bond + (effort ? 0 : 1));
            told.row(2 * k + (effort ? 0 : 1)) = sum;
        }
    }
    Eigen::MatrixXd whole(before.rows(), before.cols() + told.cols());
    whole << before, told;
    EXPECT_EQ(rank(before), rank(whole)) << "what a bond that is gone equals is told wrongly";
}

TEST(JunctionRules, LeaveTheEffortsAndFlowsOfElementsAsTheyWere) {
    std::mt19937 random(4);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Tally tally;
    for (int round = 0; round < 3000 && !testing::Test::HasFailure(); ++round) {
        const std::uint32_t junctions = 1 + below(7);
        PowerGraph graph;
        for (std::uint32_t j = 0; j < junctions; ++j) graph.nodes.push_back(below(2) == 0 ? Kind::zero : Kind::one);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> bonds;
        const auto bond = [&](std::uint32_t a, std::uint32_t b) {
            bonds.push_back(below(2) == 0 ? std::pair(a, b) : std::pair(b, a));
        };
        for (std::uint32_t j = 1; j < junctions; ++j) bond(j, below(j));
        if (below(2) == 0) {  // a ring by itself, joined to the rest
            const auto add = [&](Kind kind) {
                graph.nodes.push_back(kind);
                const auto added = static_cast<std::uint32_t>(graph.nodes.size() - 1);
                if (below(4) != 0) {
                    graph.nodes.push_back(Kind::other);
                    bond(added + 1, added);
                }
                return added;
            };
            const bool efforts = below(2) == 0;
            const std::uint32_t a = add(efforts ? Kind::zero : Kind::one);
            const std::uint32_t b = add(efforts ? Kind::zero : Kind::one);
            bond(a, below(junctions));
            bond(b, below(junctions));
            for (std::uint32_t sides = 2 + below(2); sides > 0; --sides) {
                const std::uint32_t side = add(efforts ? Kind::one : Kind::zero);
                const bool from_a = below(2) == 0;
                bonds.insert(bonds.end(), {{from_a ? a : b, side}, {side, from_a ? b : a}});
            }
        }
        for (std::uint32_t extra = below(4); extra > 0 && junctions > 1; --extra) {
            const std::uint32_t a = below(junctions);
            const std::uint32_t b = below(junctions);
            if (a != b) bond(a, b);
        }
        for (std::uint32_t e = below(7); e > 0; --e) {
            constexpr std::array kKinds{Kind::other, Kind::other, Kind::other, Kind::zero_effort, Kind::zero_flow};
            graph.nodes.push_back(kKinds[below(kKinds.size())]);
            bond(static_cast<std::uint32_t>(graph.nodes.size() - 1), below(junctions));
        }
        graph = power_of(graph.nodes, bonds);
        for (std::uint32_t& r : graph.ranks) r = below(2);
        expect_the_same(graph, tally);
        if (testing::Test::HasFailure()) {
            for (std::size_t i = 0; i < graph.nodes.size(); ++i) std::cerr << static_cast<int>(graph.nodes[i]) << ' ';
            for (const auto& [a, b] : bonds) std::cerr << a << '>' << b << ' ';
            std::cerr << '\n';
        }
    }
    for (const PowerRule rule :
         {PowerRule::zero_node, PowerRule::zero_source, PowerRule::through, PowerRule::same_kind, PowerRule::ring})
        EXPECT_GT(tally.rules[rule], 20U) << static_cast<int>(rule);
}

// Nodes of a circuit, ladders of them, sides and rungs: what the rules are for.
TEST(JunctionRules, ALadderOfAnyLengthTakesLinearTimeAndEndsAsATree) {
    constexpr std::uint32_t kSections = 20000;
    PowerGraph graph;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> bonds;
    const auto add = [&](Kind kind) {
        graph.nodes.push_back(kind);
        return static_cast<std::uint32_t>(graph.nodes.size() - 1);
    };
    const std::uint32_t ground = add(Kind::zero);
    bonds.emplace_back(add(Kind::zero_effort), ground);
    std::uint32_t last = add(Kind::zero);
    bonds.emplace_back(add(Kind::other), last);
    for (std::uint32_t k = 0; k < kSections; ++k) {
        const std::uint32_t through = add(Kind::one);
        const std::uint32_t next = add(Kind::zero);
        const std::uint32_t across = add(Kind::one);
        bonds.insert(bonds.end(), {{last, through}, {through, next}, {through, add(Kind::other)}});
        bonds.insert(bonds.end(), {{next, across}, {across, ground}, {across, add(Kind::other)}});
        last = next;
    }
    const SimplifiedPower s = simplify(power_of(graph.nodes, bonds));
    std::size_t left = 0;
    for (const bool gone : s.node_gone) left += gone ? 0 : 1;
    // A section is a 1-junction with its element and a 0-junction with its own; the last 0-junction has one element
    // only.
    EXPECT_EQ(left, 4 * kSections);
}

}  // namespace
}  // namespace bondgraph::structure
