// Random networks that jump, against an account in closed form: every element's energies, not only their balance.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "bondgraph/simulation/simulate.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;

struct Energies {
    double supplied = 0.0;
    double stored = 0.0;
    double dissipated = 0.0;
    double events = 0.0;
};
using Account = std::map<std::string, Energies>;

class Random {
   public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

   private:
    std::mt19937 engine_;
};

void expect_account(const std::string& text, double stop, const Account& account) {
    SCOPED_TRACE(text);
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-9, .energy_by_element = true}, {});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const EnergyBalance& b = run.summary.energy;
    double size = 0.0;
    for (const auto& [name, e] : account)
        size = std::max({size, std::abs(e.supplied), std::abs(e.stored), std::abs(e.dissipated), std::abs(e.events)});
    const double near = 1e-6 * size;
    std::size_t found = 0;
    Energies sum;
    for (const EnergyOfElement& e : b.elements) {
        const auto at = account.find(e.element);
        const Energies right = at == account.end() ? Energies{} : at->second;
        found += at == account.end() ? 0 : 1;
        EXPECT_NEAR(e.supplied, right.supplied, near) << e.element;
        EXPECT_NEAR(e.stored, right.stored, near) << e.element;
        EXPECT_NEAR(e.dissipated, right.dissipated, near) << e.element;
        EXPECT_NEAR(e.events, right.events, near) << e.element;
        EXPECT_NEAR(e.residual, 0.0, near) << e.element;
        sum.supplied += right.supplied;
        sum.stored += right.stored;
        sum.dissipated += right.dissipated;
        sum.events += right.events;
    }
    EXPECT_EQ(found, account.size());
    EXPECT_NEAR(b.supplied, sum.supplied, near);
    EXPECT_NEAR(b.stored, sum.stored, near);
    EXPECT_NEAR(b.dissipated, sum.dissipated, near);
    EXPECT_NEAR(b.events, sum.events, near);
    EXPECT_NEAR(b.imbalance, 0.0, near);
}

// ---- storages that are switched onto each other, a resistor and a source
// ---------------------------------------------

/// Storages that share an effort while their switches are closed; or, of the dual network, a flow.
struct Star {
    double resistance = 1.0;
    double source = 0.0;
    std::vector<double> compliance;         ///< as seen from the common node
    std::vector<double> effort;             ///< at the start, likewise
    std::vector<std::vector<double>> flip;  ///< when each switch changes, all being open at first; of the source last
    double stop = 0.0;
};

bool closed_at(const std::vector<double>& flips, double time) {
    return std::count_if(flips.begin(), flips.end(), [&](double t) { return t <= time; }) % 2 == 1;
}

/// Between events a discharge through the resistor; at events charge is shared, each switch that closes taking the mean
/// of its effort, which vanishes along a straight line.
Account account_of(const Star& star) {
    const std::size_t n = star.compliance.size();
    Account account;
    std::vector<double> u = star.effort;
    std::vector<double> times{star.stop};
    for (const auto& flips : star.flip) times.insert(times.end(), flips.begin(), flips.end());
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    double now = 0.0;
    double bus = 0.0;
    std::vector<bool> closed(n + 1, false);
    for (const double next : times) {
        if (next > star.stop) break;
        double joined = 0.0;
        for (std::size_t i = 0; i < n; ++i) joined += closed[i] ? star.compliance[i] : 0.0;
        if (closed[n]) {
            const double energy = star.source * star.source / star.resistance * (next - now);
            account["s"].supplied += energy;
            account["r"].dissipated += energy;
        } else if (joined > 0.0) {
            const double later = bus * std::exp(-(next - now) / (star.resistance * joined));
            account["r"].dissipated += 0.5 * joined * (bus * bus - later * later);
            bus = later;
        }
        for (std::size_t i = 0; i < n; ++i) u[i] = closed[i] ? bus : u[i];
        now = next;
        if (next == star.stop) break;
        double charge = 0.0;
        joined = 0.0;
        for (std::size_t i = 0; i <= n; ++i) closed[i] = closed_at(star.flip[i], next);
        for (std::size_t i = 0; i < n; ++i) {
            charge += closed[i] ? star.compliance[i] * u[i] : 0.0;
            joined += closed[i] ? star.compliance[i] : 0.0;
        }
        const double after = closed[n] ? star.source : joined > 0.0 ? charge / joined : 0.0;
        double given = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            if (!closed[i]) continue;
            const double taken = star.compliance[i] * (after - u[i]);
            account[fmt::format("sw{}", i)].events += 0.5 * (bus - u[i]) * taken;
            given += taken;
            u[i] = after;
        }
        if (closed[n]) {
            account["s"].supplied += star.source * given;
            account[fmt::format("sw{}", n)].events += 0.5 * (star.source - bus) * given;
        }
        bus = after;
    }
    for (std::size_t i = 0; i < n; ++i)
        account[fmt::format("x{}", i)].stored =
            0.5 * star.compliance[i] * (u[i] * u[i] - star.effort[i] * star.effort[i]);
    return account;
}

Star random_star(Random& random) {
    Star star{.resistance = random.between(0.5, 5.0), .source = random.between(-10.0, 10.0), .stop = 4.0};
    const int n = 2 + random.below(3);
    std::vector<double> shared;  // moments several switches may have in common
    for (int k = 0; k < 5; ++k) shared.push_back(random.between(0.1, 3.9));
    for (int i = 0; i <= n; ++i) {
        if (i < n) {
            star.compliance.push_back(random.between(0.2, 3.0));
            star.effort.push_back(random.between(-10.0, 10.0));
        }
        std::vector<double> flips;
        for (int k = random.below(4); k >= 0; --k)
            flips.push_back(random.below(3) == 0 ? shared[static_cast<std::size_t>(random.below(5))]
                                                 : random.between(0.1, 3.9));
        std::sort(flips.begin(), flips.end());
        flips.erase(std::unique(flips.begin(), flips.end()), flips.end());
        star.flip.push_back(flips);
    }
    return star;
}

std::string open_text(const std::vector<double>& flips) {
    std::string text = fmt::format("time < {:.17g}", flips[0]);
    for (std::size_t k = 1; k < flips.size(); k += 2) {
        text += fmt::format(" or time >= {:.17g}", flips[k]);
        if (k + 1 < flips.size()) text += fmt::format(" and time < {:.17g}", flips[k + 1]);
    }
    return text;
}

/// One storage as seen through a transformer, a gyrator or nothing, and written in one of several ways.
void write_storage(Random& random, const Star& star, std::size_t i, bool dual, std::string& parts, std::string& bonds) {
    const double c = star.compliance[i];
    const double u = star.effort[i];
    const double ratio = random.between(0.5, 2.0);
    const int behind = random.below(3);
    const bool inertial = dual != (behind == 2);
    const double size = behind == 0 ? c : c * ratio * ratio;
    const double effort = behind == 0 ? u : u / ratio;
    const char* covariable = inertial ? "f" : "e";
    const char* state = inertial ? "p" : "q";
    const std::string value = fmt::format("{:.17g}", size);
    std::string how = fmt::format("{}: {}", inertial ? "I" : "C", value);
    std::string start = fmt::format("{}: {:.17g}", covariable, effort);
    if (const int way = random.below(4); way > 0) {
        start = fmt::format("{}: {:.17g}", state, effort * size);
        how = fmt::format("law: \"{} = {}/{}\"", covariable, state, value);
        if (way == 1) how = fmt::format("law: \"{} = {}*{}\"", state, value, covariable);
        if (way == 2) how += fmt::format(", energy: \"{}^2/(2*{})\"", state, value);
    }
    parts += fmt::format("  x{}: {{type: {}, {}, initial: {{{}}}}}\n", i, inertial ? "I" : "C", how, start);
    if (behind == 0) {
        bonds += fmt::format("  - j{0} -> x{0}\n", i);
        return;
    }
    const double through = dual ? 1.0 / ratio : ratio;
    parts += behind == 1 ? fmt::format("  t{}: {{type: TF, m: {:.17g}}}\n", i, through)
                         : fmt::format("  t{}: {{type: GY, r: {:.17g}}}\n", i, through);
    bonds += fmt::format("  - j{0} -> t{0}.p1\n  - t{0}.p2 -> x{0}\n", i);
}

std::string text_of(Random& random, const Star& star, bool dual) {
    const std::size_t n = star.compliance.size();
    const int common = dual ? 1 : 0;
    std::string parts = fmt::format("  n: {{type: {}}}\n  r: {{type: R, R: {:.17g}}}\n", common,
                                    dual ? 1.0 / star.resistance : star.resistance);
    parts += fmt::format("  s: {{type: {}: {:.17g}}}\n", dual ? "Sf, f" : "Se, e", star.source);
    std::string bonds = fmt::format("  - n -> r\n  - s -> j{0}\n  - j{0} -> n\n", n);
    for (std::size_t i = 0; i <= n; ++i) {
        const std::string open = open_text(star.flip[i]);
        const bool lock = dual && random.below(2) == 0;
        parts += fmt::format("  j{}: {{type: {}}}\n", i, 1 - common);
        parts += lock ? fmt::format("  sw{}: {{type: Lock, locked: \"not ({})\"}}\n", i, open)
                      : fmt::format("  sw{}: {{type: Sw, open: \"{}\"}}\n", i, dual ? "not (" + open + ")" : open);
        bonds += fmt::format("  - j{0} -> sw{0}\n", i);
        if (i == n) continue;
        bonds += fmt::format("  - n -> j{}\n", i);
        write_storage(random, star, i, dual, parts, bonds);
    }
    return "components:\n" + parts + "bonds:\n" + bonds;
}

class JumpFamily : public testing::TestWithParam<unsigned> {};

TEST_P(JumpFamily, OfSharedEffortsHasTheEnergiesOfTheClosedForm) {
    Random random(GetParam());
    for (int k = 0; k < 12; ++k) {
        const Star star = random_star(random);
        expect_account(text_of(random, star, false), star.stop, account_of(star));
    }
}

TEST_P(JumpFamily, OfSharedFlowsHasTheEnergiesOfTheClosedForm) {
    Random random(1000 + GetParam());
    for (int k = 0; k < 12; ++k) {
        const Star star = random_star(random);
        expect_account(text_of(random, star, true), star.stop, account_of(star));
    }
}

// ---- masses in a row
// ---------------------------------------------------------------------------------------------------

struct Row {
    std::vector<double> mass, speed, gap, restitution;
};

/// Free flight from impact to impact; nothing where impacts are too near to each other, or too slow, to tell apart.
std::optional<Account> account_of(Row row, double stop) {
    const Row first = row;
    Account account;
    std::vector<double>& v = row.speed;
    for (double now = 0.0;;) {
        std::vector<std::pair<double, std::size_t>> hits;
        for (std::size_t i = 0; i + 1 < v.size(); ++i) {
            if (v[i] > v[i + 1] && row.gap[i] > 0.0) hits.emplace_back(now + row.gap[i] / (v[i] - v[i + 1]), i);
        }
        std::sort(hits.begin(), hits.end());
        if (hits.size() > 1 && hits[1].first - hits[0].first < 1e-3) return std::nullopt;
        const double next = hits.empty() ? stop : std::min(stop, hits[0].first);
        if (!hits.empty() && std::abs(hits[0].first - stop) < 1e-3) return std::nullopt;
        for (std::size_t i = 0; i + 1 < v.size(); ++i) row.gap[i] -= (v[i] - v[i + 1]) * (next - now);
        now = next;
        if (now >= stop) break;
        const std::size_t i = hits[0].second;
        const double approach = v[i] - v[i + 1];
        const double reduced = row.mass[i] * row.mass[i + 1] / (row.mass[i] + row.mass[i + 1]);
        const double impulse = (1.0 + row.restitution[i]) * reduced * approach;
        if (approach * row.restitution[i] < 1e-2) return std::nullopt;
        v[i] -= impulse / row.mass[i];
        v[i + 1] += impulse / row.mass[i + 1];
        row.gap[i] = 0.0;
        account[fmt::format("stop{}", i)].events +=
            0.5 * reduced * approach * approach * (1.0 - row.restitution[i] * row.restitution[i]);
    }
    for (std::size_t i = 0; i < v.size(); ++i)
        account[fmt::format("m{}", i)].stored = 0.5 * row.mass[i] * (v[i] * v[i] - first.speed[i] * first.speed[i]);
    return account;
}

std::string text_of(const Row& row) {
    std::string parts;
    std::string bonds;
    for (std::size_t i = 0; i < row.mass.size(); ++i) {
        parts += fmt::format("  j{0}: {{type: 1}}\n  m{0}: {{type: I, I: {1:.17g}, initial: {{f: {2:.17g}}}}}\n", i,
                             row.mass[i], row.speed[i]);
        bonds += fmt::format("  - j{0} -> m{0}\n", i);
        if (i + 1 == row.mass.size()) break;
        parts += fmt::format(
            "  n{0}: {{type: 0}}\n"
            "  stop{0}: {{type: EndStop, upper: 0, restitution: {1:.17g}, initial: {{q: {2:.17g}}}}}\n",
            i, row.restitution[i], -row.gap[i]);
        bonds += fmt::format("  - j{0} -> n{0}\n  - n{0} -> stop{0}\n  - n{0} -> j{1}\n", i, i + 1);
    }
    return "components:\n" + parts + "bonds:\n" + bonds;
}

TEST_P(JumpFamily, OfMassesInARowHasTheEnergiesOfTheClosedForm) {
    Random random(2000 + GetParam());
    constexpr double kStop = 3.0;
    for (int k = 0; k < 12;) {
        Row row;
        const int n = 2 + random.below(4);
        for (int i = 0; i < n; ++i) {
            row.mass.push_back(random.between(0.3, 4.0));
            row.speed.push_back(random.between(-3.0, 3.0));
            if (i + 1 == n) continue;
            row.gap.push_back(random.between(0.2, 3.0));
            row.restitution.push_back(random.between(0.1, 1.0));
        }
        const auto account = account_of(row, kStop);
        if (!account || account->size() == row.mass.size()) continue;  // without an impact
        expect_account(text_of(row), kStop, *account);
        ++k;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JumpFamily, testing::Range(1U, 10U));

}  // namespace
}  // namespace bondgraph::simulation
