// Inputs of junction structures against dense linear algebra.

#include "bondgraph/causality/composition.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numeric>
#include <random>

#include "bondgraph/causality/propagation.hpp"

namespace bondgraph::causality {
namespace {

struct Structure {
    std::vector<Piece> pieces;
    std::vector<Wish> wishes;
    std::uint32_t bonds = 0;

    std::uint32_t join(std::size_t from, std::size_t to) {
        pieces[from].ends.push_back({.bond = bonds, .into = -1});
        pieces[to].ends.push_back({.bond = bonds, .into = 1});
        return bonds++;
    }
    void port(std::size_t at, bool effort) {
        pieces[at].ends.push_back({.bond = bonds, .into = -1});
        wishes.push_back({.bond = bonds++, .effort = effort});
    }
    // e1 = m e2, f2 = m f1 (transformer) or e1 = m f2, e2 = m f1 (gyrator).
    void two_port(std::size_t from, std::size_t to, double m, bool gyrator) {
        const auto own = pieces.size();
        pieces.push_back({.kind = Piece::Kind::equations});
        join(from, own);
        join(own, to);
        const ExactNumber zero, one(1.0), modulus(-m);
        pieces[own].rows =
            gyrator ? std::vector<std::vector<ExactNumber>>{{one, zero, zero, modulus}, {zero, modulus, one, zero}}
                    : std::vector<std::vector<ExactNumber>>{{one, zero, modulus, zero}, {zero, modulus, zero, one}};
    }
    [[nodiscard]] Inputs inputs() const { return choose_inputs(pieces, wishes, bonds); }
};

// All equations as one full matrix; columns 2·bond and 2·bond + 1.
Eigen::MatrixXd full(const Structure& s) {
    Eigen::MatrixXd all(0, 2 * s.bonds);
    const auto add = [&]() -> Eigen::Block<Eigen::MatrixXd, 1> {
        all.conservativeResize(all.rows() + 1, Eigen::NoChange);
        all.bottomRows<1>().setZero();
        return all.bottomRows<1>();
    };
    for (const Piece& p : s.pieces) {
        for (const auto& numbers : p.rows) {
            auto row = add();
            for (std::size_t c = 0; c < numbers.size(); ++c) row(2 * p.ends[c / 2].bond + c % 2) += numbers[c].value();
        }
        if (p.kind == Piece::Kind::equations) continue;
        const std::uint32_t common = p.kind == Piece::Kind::junction0 ? 0 : 1;
        for (std::size_t k = 1; k < p.ends.size(); ++k) {
            auto row = add();
            row(2 * p.ends[0].bond + common) += common == 0 ? 1 : p.ends[0].sign;
            row(2 * p.ends[k].bond + common) -= common == 0 ? 1 : p.ends[k].sign;
        }
        auto row = add();
        for (const PieceEnd& e : p.ends) row(2 * e.bond + 1 - common) += e.into * (common == 0 ? 1 : e.sign);
    }
    return all;
}

Eigen::Index rank(const Eigen::MatrixXd& m) {
    Eigen::FullPivLU<Eigen::MatrixXd> lu(m);
    lu.setThreshold(1e-9);
    return lu.rank();
}

// Variables taken one after the other where the rank grows; nothing where the ports don't determine the inside.
std::optional<std::vector<bool>> by_rank(const Structure& s) {
    Eigen::MatrixXd all = full(s);
    Eigen::MatrixXd with_ports = all;
    for (const Wish& w : s.wishes) {
        with_ports.conservativeResize(with_ports.rows() + 2, Eigen::NoChange);
        with_ports.bottomRows<2>().setZero();
        with_ports(with_ports.rows() - 1, 2 * w.bond) = with_ports(with_ports.rows() - 2, 2 * w.bond + 1) = 1.0;
    }
    if (rank(with_ports) < all.cols()) return std::nullopt;
    std::vector<bool> granted;
    Eigen::Index before = rank(all);
    for (const Wish& w : s.wishes) {
        all.conservativeResize(all.rows() + 1, Eigen::NoChange);
        all.bottomRows<1>().setZero();
        all(all.rows() - 1, 2 * w.bond + (w.effort ? 0 : 1)) = 1.0;
        const Eigen::Index now = rank(all);
        granted.push_back(now > before);
        before = now;
    }
    return granted;
}

Structure random_structure(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    Structure s;
    const std::size_t junctions = 6 + below(24);
    for (std::size_t k = 0; k < junctions; ++k)
        s.pieces.push_back({.kind = below(2) == 0 ? Piece::Kind::junction0 : Piece::Kind::junction1});
    const bool hub = below(3) == 0;
    for (std::size_t k = 1; k < junctions; ++k) s.join(hub && below(2) == 0 ? 0 : below(k), k);
    for (std::size_t k = below(junctions); k > 0; --k) {
        const std::size_t a = below(junctions), b = below(junctions);
        if (a == b) continue;
        constexpr std::array kModuli{2.0, 0.1, -3.0, 0.75, 10.0};
        switch (below(4)) {
            case 0:
                s.two_port(a, b, kModuli[below(kModuli.size())], false);
                break;
            case 1:
                s.two_port(a, b, kModuli[below(kModuli.size())], true);
                break;
            default:
                s.join(a, b);
        }
    }
    for (std::size_t k = 4 + below(16); k > 0; --k) s.port(below(junctions), below(2) == 0);
    std::ranges::shuffle(s.wishes, random);
    for (Piece& p : s.pieces) {
        if (p.kind == Piece::Kind::junction1) {
            for (PieceEnd& e : p.ends) e.sign = below(4) == 0 ? -1 : 1;
        }
    }
    return s;
}

TEST(Composition, GrantsTheWishesThatRankGrants) {
    int compared = 0, undetermined = 0, refused = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const Structure s = random_structure(seed);
        const auto expected = by_rank(s);
        const Inputs inputs = s.inputs();
        ASSERT_EQ(inputs.undetermined.has_value(), !expected.has_value());
        if (!expected) {
            ++undetermined;
            // A bond of the structure, not one that dividing it has made.
            EXPECT_LT(*inputs.undetermined / 2, s.bonds);
            continue;
        }
        ASSERT_EQ(inputs.granted, *expected);
        ++compared;
        refused += static_cast<int>(std::ranges::count(inputs.granted, false));
    }
    EXPECT_GT(compared, 200);
    EXPECT_GT(undetermined, 20);
    EXPECT_GT(refused, 1000);
}

// Loops are left to the composition; what propagation decides is what ranks decide.
TEST(Propagation, WhereItDecidesItDecidesAsRanksDo) {
    int decided = 0, refused = 0, with_two_ports = 0, left = 0;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const Structure s = random_structure(seed);
        const auto granted = propagate_inputs(s.pieces, s.wishes);
        if (!granted) {
            ++left;
            continue;
        }
        ASSERT_EQ(granted, by_rank(s));
        ++decided;
        refused += static_cast<int>(std::ranges::count(*granted, false));
        with_two_ports += std::ranges::any_of(s.pieces, [](const Piece& p) { return !p.rows.empty(); }) ? 1 : 0;
    }
    EXPECT_GT(decided, 300);
    EXPECT_GT(refused, 1000);
    EXPECT_GT(with_two_ports, 50);
    EXPECT_GT(left, 1000);
}

TEST(Propagation, LeavesLoopsAndOtherEquationsAlone) {
    Structure loop;  // between two nodes two branches that wish nothing: a loop without a port
    loop.pieces.assign(2, {.kind = Piece::Kind::junction0});
    loop.port(0, false);
    loop.two_port(0, 1, 2.0, false);
    loop.two_port(0, 1, 3.0, false);
    EXPECT_FALSE(propagate_inputs(loop.pieces, loop.wishes));
    Structure tree;
    tree.pieces.assign(2, {.kind = Piece::Kind::junction0});
    tree.port(0, true);
    tree.two_port(0, 1, 2.0, true);
    tree.port(1, true);
    EXPECT_EQ(propagate_inputs(tree.pieces, tree.wishes), (std::vector<bool>{true, true}));
    tree.pieces.back().rows[0][0] = ExactNumber(1.0);  // e1 + … in both columns: no gyrator any more
    tree.pieces.back().rows[0][1] = ExactNumber(1.0);
    EXPECT_FALSE(propagate_inputs(tree.pieces, tree.wishes));
}

TEST(Composition, TheOrderOfPiecesDecidesNothing) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        Structure s = random_structure(seed);
        const Inputs inputs = s.inputs();
        std::mt19937_64 random(seed);
        std::ranges::shuffle(s.pieces, random);
        const Inputs shuffled = s.inputs();
        ASSERT_EQ(inputs.undetermined.has_value(), shuffled.undetermined.has_value());
        if (inputs.undetermined) continue;
        ASSERT_EQ(inputs.granted, shuffled.granted);
    }
}

// Nodes in rows, a branch with a port between neighbours, one port at the first node.
Structure grid(std::size_t n, bool rail) {
    Structure s;
    for (std::size_t k = 0; k < n * n; ++k) s.pieces.push_back({.kind = Piece::Kind::junction0});
    s.port(0, true);
    const auto branch = [&](std::size_t a, std::size_t b) {
        const std::size_t own = s.pieces.size();
        s.pieces.push_back({.kind = Piece::Kind::junction1});
        s.join(a, own);
        s.join(own, b);
        s.port(own, true);
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i + 1 < n) branch(i * n + j, (i + 1) * n + j);
            if (j + 1 < n) branch(i * n + j, i * n + j + 1);
        }
    }
    if (rail) {  // a node joined to all others
        s.pieces.push_back({.kind = Piece::Kind::junction0});
        const std::size_t hub = s.pieces.size() - 1;
        for (std::size_t k = 0; k < n * n; ++k) branch(hub, k);
    }
    return s;
}

TEST(Composition, EffortsOfBranchesAreASpanningTree) {
    for (const bool rail : {false, true}) {
        for (const std::size_t n : {1U, 2U, 7U, 40U}) {
            SCOPED_TRACE(fmt::format("{} x {}{}", n, n, rail ? " with a rail" : ""));
            const Structure s = grid(n, rail);
            const Inputs inputs = s.inputs();
            ASSERT_FALSE(inputs.undetermined);
            // Kruskal: a branch is wished for in the order of the list and granted unless it closes a cycle.
            std::vector<std::size_t> root(n * n + 1);
            std::iota(root.begin(), root.end(), 0);
            const auto find = [&](std::size_t v) {
                while (root[v] != v) v = root[v];
                return v;
            };
            std::vector<bool> tree{true};
            for (std::size_t p = n * n; p < s.pieces.size(); ++p) {
                if (s.pieces[p].kind != Piece::Kind::junction1) continue;
                const auto node = [&](std::uint32_t bond) {
                    for (std::size_t k = 0; k < s.pieces.size(); ++k) {
                        if (s.pieces[k].kind != Piece::Kind::junction0) continue;
                        for (const PieceEnd& e : s.pieces[k].ends) {
                            if (e.bond == bond) return std::min(k, n * n);
                        }
                    }
                    return n * n;
                };
                const std::size_t a = find(node(s.pieces[p].ends[0].bond));
                const std::size_t b = find(node(s.pieces[p].ends[1].bond));
                tree.push_back(a != b);
                root[a] = b;
            }
            EXPECT_EQ(inputs.granted, tree);
        }
    }
}

// Branches with a port each between two nodes, before or behind them in the list; the second node may have a port, too.
Structure rails(std::size_t branches, bool branches_first, bool earth, bool effort) {
    Structure s;
    const std::size_t first = branches_first ? 0 : 2;
    const std::size_t node = branches_first ? branches : 0;
    for (std::size_t k = 0; k < branches + 2; ++k) {
        const bool is_node = k == node || k == node + 1;
        s.pieces.push_back({.kind = is_node ? Piece::Kind::junction0 : Piece::Kind::junction1});
    }
    if (earth) s.port(node + 1, true);
    for (std::size_t k = first; k < first + branches; ++k) {
        s.join(node, k);
        s.join(k, node + 1);
        s.port(k, effort);
    }
    return s;
}

// The branches are no nodes to cut at: with that, time grows with the cube of their number, and this would take an
// hour.
TEST(Composition, ManyBranchesBetweenTwoNodesAreDecidedAtTheNodes) {
    constexpr std::size_t kBranches = 3000;
    for (const bool first : {false, true}) {
        const Inputs voltages = rails(kBranches, first, true, true).inputs();
        ASSERT_FALSE(voltages.undetermined);
        EXPECT_TRUE(voltages.granted[0] && voltages.granted[1]);
        EXPECT_EQ(std::ranges::count(voltages.granted, true), 2);
        const Inputs currents = rails(kBranches, first, true, false).inputs();
        ASSERT_FALSE(currents.undetermined);
        EXPECT_FALSE(currents.granted[kBranches]);
        EXPECT_EQ(std::ranges::count(currents.granted, true), kBranches);
    }
}

TEST(Composition, OfManyBranchesThatFloatAnEffortOfTheNodesIsTold) {
    for (const std::size_t branches : {3U, 40U, 3000U}) {
        for (const bool first : {false, true}) {
            const Structure s = rails(branches, first, false, true);
            const Inputs inputs = s.inputs();
            ASSERT_TRUE(inputs.undetermined);
            EXPECT_EQ(*inputs.undetermined % 2, 0U);
            const std::uint32_t bond = *inputs.undetermined / 2;
            ASSERT_LT(bond, s.bonds);
            EXPECT_FALSE(std::ranges::any_of(s.wishes, [&](const Wish& w) { return w.bond == bond; }));
        }
    }
}

TEST(Composition, SmallModuliAreNotZero) {
    // Two transformers side by side: the loop of both fixes everything to zero unless their moduli agree.
    for (const double m : {1e-9, 1e-5, 1.0, 1e7}) {
        for (const double factor : {1.0, 1.0 + 1e-12}) {
            Structure s;
            s.pieces = {{.kind = Piece::Kind::junction0}, {.kind = Piece::Kind::junction0}};
            s.two_port(0, 1, m, false);
            s.two_port(0, 1, m * factor, false);
            s.port(0, true);
            s.port(1, false);
            const Inputs inputs = s.inputs();
            if (factor == 1.0) {
                EXPECT_TRUE(inputs.undetermined) << m;  // the flow that goes round
            } else {
                ASSERT_FALSE(inputs.undetermined) << m;
                EXPECT_THAT(inputs.granted, testing::ElementsAre(false, true)) << m;
            }
        }
    }
}

TEST(ExactNumber, KnowsWhatIsZeroButForRounding) {
    const auto n = [](double x) { return ExactNumber(x); };
    EXPECT_TRUE((n(0.1) * n(10.0) - n(1.0)).is_zero());
    EXPECT_TRUE((n(0.1) + n(0.2) - n(0.3)).is_zero());
    EXPECT_TRUE((n(std::sqrt(2.0)) * n(std::sqrt(2.0)) - n(2.0)).is_zero());
    EXPECT_TRUE((n(std::cos(0.7)) * n(std::cos(0.7)) + n(std::sin(0.7)) * n(std::sin(0.7)) - n(1.0)).is_zero());
    EXPECT_TRUE((n(30.0 / M_PI) * n(M_PI / 30.0) - n(1.0)).is_zero());
    EXPECT_TRUE((n(1e-300) * n(1e300) - n(1.0)).is_zero());
    EXPECT_TRUE((n(3.7) * n(3.7).inverse() - n(1.0)).is_zero());
}

TEST(ExactNumber, KnowsWhatIsSmallButNotZero) {
    const auto n = [](double x) { return ExactNumber(x); };
    EXPECT_FALSE((n(1.0 + 1e-13) - n(1.0)).is_zero());
    EXPECT_FALSE((n(0.1) * n(0.1) - n(0.01000000001)).is_zero());
    EXPECT_FALSE((n(1.0) + n(1e-9) * n(1e-9) - n(1.0)).is_zero());
    EXPECT_FALSE((n(1e-200) * n(1e-200)).is_zero());
}

TEST(ExactNumber, FieldsOfFractionsStayExactThroughLongSums) {
    // Gregory: 1/(1·2) + 1/(2·3) + … + 1/(n(n + 1)) = n/(n + 1).
    ExactNumber sum;
    for (int k = 1; k <= 1000; ++k) sum = sum + ExactNumber(k * (k + 1.0)).inverse();
    EXPECT_TRUE((sum * ExactNumber(1001.0) - ExactNumber(1000.0)).is_zero());
}

}  // namespace
}  // namespace bondgraph::causality
