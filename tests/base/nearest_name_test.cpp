#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"

namespace bondgraph {
namespace {

using Names = std::vector<std::string>;

TEST(NearestName, ForgivesOneWrongMissingOrSuperfluousLetter) {
    EXPECT_EQ(nearest_name("motpr", Names{"shaft", "motor"}), "motor");
    EXPECT_EQ(nearest_name("moto", Names{"shaft", "motor"}), "motor");
    EXPECT_EQ(nearest_name("mottor", Names{"shaft", "motor"}), "motor");
    EXPECT_EQ(nearest_name("Rr", Names{"C", "R"}), "R");
}

TEST(NearestName, ForgivesTwoLettersChangingPlacesLikeOne) { EXPECT_EQ(nearest_name("baer", Names{"bear"}), "bear"); }

TEST(NearestName, CountsCaseHalf) {
    EXPECT_EQ(nearest_name("voltage", Names{"voltagf", "Voltage"}), "Voltage");
    EXPECT_EQ(nearest_name("LA", Names{"la"}), "la");
}

TEST(NearestName, AllowsAThirdOfALongName) {
    EXPECT_EQ(nearest_name("tempreatrue", Names{"temperature"}), "temperature");
    EXPECT_EQ(nearest_name("pressure", Names{"pleasuer"}), "");
}

TEST(NearestName, FindsNothingWhereNothingIsNear) {
    EXPECT_EQ(nearest_name("shaft", Names{"motor", "gear"}), "");
    EXPECT_EQ(nearest_name("shaft", Names{}), "");
    EXPECT_EQ(nearest_name("", Names{"a"}), "");
}

TEST(NearestName, TakesALetterForItsOtherCaseOrABeginning) {
    EXPECT_EQ(nearest_name("r", Names{"C", "R"}), "R");
    EXPECT_EQ(nearest_name("r", Names{"C", "radius"}), "radius");
    EXPECT_EQ(nearest_name("r", Names{"C", "L"}), "");
}

TEST(NearestName, CompletesANameCutShortIfOnlyOneBeginsSo) {
    EXPECT_EQ(nearest_name("init", Names{"I", "initial", "guess"}), "initial");
    EXPECT_EQ(nearest_name("init", Names{"initial", "guess", "initial"}), "initial");
    EXPECT_EQ(nearest_name("init", Names{"initial", "initiator"}), "");
    EXPECT_EQ(nearest_name("in", Names{"initial"}), "");
    EXPECT_EQ(nearest_name("init", Names{"initial", "unit"}), "unit");  // what is near comes first
}

TEST(NearestName, TakesTheFirstOfEquallyNearOnes) {
    EXPECT_EQ(nearest_name("gear3", Names{"gear1", "gear2"}), "gear1");
    EXPECT_EQ(nearest_name("gear3", Names{"gear2", "gear1"}), "gear2");
}

TEST(NearestName, ComparesCharactersNotBytes) {
    EXPECT_EQ(nearest_name("größe", Names{"grüße"}), "grüße");
    EXPECT_EQ(nearest_name("µ1", Names{"Ω1"}), "Ω1");
}

/// The textbook recursion on the whole table, in halves of an edit.
int reference_distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = 2 * static_cast<int>(i + j);
                continue;
            }
            const char x = a[i - 1];
            const char y = b[j - 1];
            const int change = x == y ? 0 : (std::tolower(x) == std::tolower(y) ? 1 : 2);
            d[i][j] = std::min({d[i - 1][j] + 2, d[i][j - 1] + 2, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 2);
        }
    return d[a.size()][b.size()];
}

TEST(NearestName, AgreesWithTheFullTableOnRandomNames) {
    std::mt19937 random(7);
    const auto word = [&] {
        std::string text(2 + random() % 9, ' ');
        for (char& c : text) c = "abAB"[random() % 4];
        return text;
    };
    for (int round = 0; round < 2000; ++round) {
        const std::string name = word();
        Names candidates(5);
        std::generate(candidates.begin(), candidates.end(), word);
        std::string expected;
        int nearest = std::max(2, 2 * static_cast<int>(name.size()) / 3) + 1;
        for (const auto& candidate : candidates)
            if (const int distance = reference_distance(name, candidate); distance < nearest) {
                nearest = distance;
                expected = candidate;
            }
        std::set<std::string> longer;
        for (const auto& candidate : candidates)
            if (candidate.starts_with(name)) longer.insert(candidate);
        if (expected.empty() && name.size() > 2 && longer.size() == 1) expected = *longer.begin();
        EXPECT_EQ(nearest_name(name, candidates), expected) << name;
    }
}

TEST(NearestName, SearchesHundredThousandsOfNames) {
    Names names;
    for (int i = 0; i < 400000; ++i) names.push_back("component" + std::to_string(i));
    names.push_back("regulator");
    EXPECT_EQ(nearest_name("regulatro", names), "regulator");
    EXPECT_EQ(nearest_name("component399999x", names), "component399999");
    EXPECT_EQ(nearest_name(std::string(100000, 'x'), names), "");
}

TEST(DidYouMean, IsThePartOfASentence) {
    EXPECT_EQ(did_you_mean("Rr", Names{"R"}), "; did you mean 'R'?");
    EXPECT_EQ(did_you_mean("shaft", Names{"R"}), "");
}

}  // namespace
}  // namespace bondgraph
