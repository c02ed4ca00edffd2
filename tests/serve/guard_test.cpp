#include "bondgraph/serve/guard.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bondgraph::serve {
namespace {

HttpRequest asked(const std::string& path, std::map<std::string, std::string> headers) {
    headers.try_emplace("host", "127.0.0.1:4000");
    return {.method = "GET", .path = path, .query = {}, .headers = std::move(headers), .body = {}};
}

const Guard& guard() {
    static const Guard kGuard{.port = 4000, .token = "0123456789abcdef"};
    return kGuard;
}

bool passes(const std::string& path, const std::map<std::string, std::string>& headers) {
    return !guard().refusal(asked(path, headers));
}

TEST(ServeGuard, WantsTheTokenForAllThatIsOfTheFolder) {
    EXPECT_TRUE(passes("/", {}));
    EXPECT_TRUE(passes("/page.html", {}));
    EXPECT_FALSE(passes("/api/files", {}));
    EXPECT_FALSE(passes("/api/files", {{"x-token", "0123456789abcdee"}}));
    EXPECT_FALSE(passes("/api/files", {{"x-token", "0123456789abcde"}}));
    EXPECT_FALSE(passes("/api/nothing", {}));
    EXPECT_TRUE(passes("/api/files", {{"x-token", "0123456789abcdef"}}));
}

TEST(ServeGuard, AnswersItsOwnPageAtItsOwnAddressOnly) {
    const std::string token = "0123456789abcdef";
    EXPECT_FALSE(passes("/", {{"host", "evil.example:4000"}}));
    EXPECT_FALSE(passes("/", {{"host", "127.0.0.1"}}));
    EXPECT_TRUE(passes("/", {{"host", "localhost:4000"}}));
    EXPECT_FALSE(passes("/api/files", {{"x-token", token}, {"origin", "http://evil.example"}}));
    EXPECT_FALSE(passes("/api/files", {{"x-token", token}, {"origin", "null"}}));
    EXPECT_FALSE(passes("/api/files", {{"x-token", token}, {"origin", "http://127.0.0.1:4001"}}));
    EXPECT_TRUE(passes("/api/files", {{"x-token", token}, {"origin", "http://127.0.0.1:4000"}}));
    EXPECT_FALSE(passes("/bench.js", {{"sec-fetch-site", "cross-site"}}));
    EXPECT_FALSE(passes("/bench.js", {{"sec-fetch-site", "same-site"}}));
    EXPECT_TRUE(passes("/", {{"sec-fetch-site", "cross-site"}}));  // a link that was followed
    EXPECT_TRUE(passes("/bench.js", {{"sec-fetch-site", "same-origin"}}));
}

TEST(ServeGuard, TokensAreLongAndDiffer) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const std::string token = new_token();
        EXPECT_EQ(token.size(), 32U);
        EXPECT_TRUE(seen.insert(token).second);
    }
}

}  // namespace
}  // namespace bondgraph::serve
