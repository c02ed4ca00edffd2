#include "bondgraph/serve/server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bondgraph/serve/workers.hpp"
#include "tests/serve/client.hpp"
#include "tests/serve/in_folder.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::serve {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::json;
using testing::HasSubstr;
using Outcome = WorkerAnswer::Outcome;

constexpr const char* kDivider = R"(model: divider
components:
  source: {type: Se, e: 10 V}
  j: {type: 1}
  R1: {type: R, R: 1 ohm}
  C1: {type: C, C: 1 F}
bonds: [source -> j, j -> R1, j -> C1]
experiment: {stop: 1 s}
)";

/// A model that would run for hours.
std::string endless() {
    return R"(model: endless
components:
  source: {type: Se, e: sin(1e7*time)}
  j: {type: 1}
  R1: {type: R, R: 1 ohm}
  C1: {type: C, C: 1 nF}
bonds: [source -> j, j -> R1, j -> C1]
experiment: {stop: 1e7 s, interval: 1e6 s, tolerance: 1e-9}
)";
}

class BenchServer : public InFolder {
   protected:
    void SetUp() override {
        InFolder::SetUp();
        fs::create_directory("served");
        std::ofstream("served/divider.yaml") << kDivider;
        std::ofstream("outside.yaml") << "model: outside\n";
    }

    ServeOptions options() const {
        const std::string root = fs::canonical("served").string();
        return {.folder = root, .worker_command = {test::program(), "serve", "--worker", root}};
    }

    void begin(ServeOptions given) {
        server = std::make_unique<Server>(std::move(given));
        const std::string address = server->address();
        port = static_cast<unsigned short>(std::stoi(address.substr(address.rfind(':') + 1)));
        token = address.substr(address.find("#token=") + 7);
    }
    void TearDown() override {
        server.reset();
        InFolder::TearDown();
    }

    Reply get(const std::string& path) const { return ask(port, {.path = path, .token = token}); }
    Reply post(const std::string& path, const Json& body) const {
        return ask(port, {.method = "POST", .path = path, .token = token, .body = body.dump()});
    }
    Json model(const std::string& text, const std::string& tab = "a") const {
        const Reply reply = post("/api/model", {{"tab", tab}, {"name", "divider.yaml"}, {"text", text}});
        Json value = Json::parse(reply.body, nullptr, false);  // nothing where the server has ended
        if (!value.is_object()) value = Json::object();
        value["status"] = reply.status;
        return value;
    }

    std::unique_ptr<Server> server;
    unsigned short port = 0;
    std::string token;
};

TEST_F(BenchServer, ServesTheBenchTheFolderAndWhatModelsDo) {
    if (!Server::available()) GTEST_SKIP() << "built without npm";
    begin(options());
    const Reply page = get("/");
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.head, HasSubstr("Content-Security-Policy: default-src 'none'"));
    EXPECT_EQ(get("/bench.js").status, 200);
    EXPECT_EQ(get("/bench.css").status, 200);
    EXPECT_THAT(get("/page.html").head, HasSubstr("sandbox allow-scripts"));
    const Json files = Json::parse(get("/api/files").body);
    ASSERT_EQ(files["files"].size(), 1U);
    EXPECT_EQ(files["files"][0]["name"], "divider.yaml");
    EXPECT_EQ(get("/api/file?name=none.yaml").status, 404);
    EXPECT_EQ(get("/api/file?name=none.yaml&if_there=1").status, 200);
    EXPECT_EQ(Json::parse(get("/api/file?name=none.yaml&if_there=1").body)["missing"], true);
    EXPECT_FALSE(Json::parse(get("/api/file?name=divider.yaml&if_there=1").body).contains("missing"));
    EXPECT_EQ(Json::parse(get("/api/file?name=divider.yaml").body)["text"], kDivider);
    const Json found = model(kDivider);
    EXPECT_EQ(found["data"]["model"], "divider");
    EXPECT_TRUE(found["data"]["run"].is_object());
    EXPECT_GT(Json::parse(get("/api/types").body)["types"].size(), 300U);
}

/// What the processes that this one has started have open: "pipe:[123]", "socket:[123]", or names of files.
std::vector<std::string> opened_by_children() {
    std::vector<std::string> all;
    for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
        std::error_code gone;
        if (!fs::is_regular_file(process.path() / "stat", gone)) continue;
        std::ifstream about(process.path() / "stat");
        std::string text((std::istreambuf_iterator<char>(about)), {});
        const std::size_t name = text.rfind(')');
        if (name == std::string::npos || std::atoi(text.c_str() + name + 4) != ::getpid()) continue;
        for (const fs::directory_entry& file : fs::directory_iterator(process.path() / "fd", gone))
            all.push_back(fs::read_symlink(file.path(), gone).string());
    }
    return all;
}

TEST_F(BenchServer, ProcessesThatLookAtModelsHaveNoConnections) {
    begin(options());
    const RawConnection waiting(port);  // and the one that asks
    EXPECT_EQ(get("/api/files").status, 200);
    EXPECT_EQ(model(kDivider)["status"], 200);
    const std::vector<std::string> opened = opened_by_children();
    EXPECT_THAT(opened, testing::Contains(HasSubstr("pipe:")));
    EXPECT_THAT(opened, testing::Not(testing::Contains(HasSubstr("socket:"))));
}

TEST_F(BenchServer, SavesAndTellsWhoWasFirst) {
    begin(options());
    const std::string version = Json::parse(get("/api/file?name=divider.yaml").body)["version"];
    std::ofstream("served/divider.yaml") << "model: theirs\n";
    EXPECT_EQ(post("/api/save", {{"name", "divider.yaml"}, {"text", "mine"}, {"version", version}}).status, 409);
    EXPECT_EQ(post("/api/save", {{"name", "new.yaml"}, {"text", "model: new\n"}}).status, 200);
    EXPECT_TRUE(fs::exists("served/new.yaml"));
    EXPECT_EQ(post("/api/save", {{"name", "../new.yaml"}, {"text", "x"}}).status, 403);
    EXPECT_FALSE(fs::exists("new.yaml"));
}

TEST_F(BenchServer, RenamesAndDeletes) {
    begin(options());
    const std::string version = Json::parse(get("/api/file?name=divider.yaml").body)["version"];
    EXPECT_EQ(post("/api/rename", {{"name", "divider.yaml"}, {"to", "two.yaml"}, {"version", "other"}}).status, 409);
    EXPECT_EQ(post("/api/rename", {{"name", "divider.yaml"}, {"to", "../two.yaml"}, {"version", version}}).status, 403);
    EXPECT_EQ(post("/api/rename", {{"name", "divider.yaml"}, {"to", "two.yaml"}, {"version", version}}).status, 200);
    EXPECT_TRUE(fs::exists("served/two.yaml") && !fs::exists("served/divider.yaml"));
    EXPECT_EQ(post("/api/delete", {{"name", "two.yaml"}, {"version", "other"}}).status, 409);
    EXPECT_EQ(post("/api/delete", {{"name", "../served/two.yaml"}, {"version", version}}).status, 403);
    EXPECT_EQ(post("/api/delete", {{"name", "two.yaml"}}).status, 400);
    std::ofstream("served/two.strokes") << "R = to\n";
    const Reply deleted = post("/api/delete", {{"name", "two.yaml"}, {"version", version}});
    EXPECT_EQ(deleted.status, 200);
    EXPECT_EQ(Json::parse(deleted.body)["beside"], Json::parse(R"([{"name": "two.strokes", "text": "R = to\n"}])"));
    EXPECT_FALSE(fs::exists("served/two.yaml") || fs::exists("served/two.strokes"));
    EXPECT_EQ(get("/api/delete?name=new.yaml").status, 405);
}

TEST_F(BenchServer, ARunHasItsNumbersAsBytesOnDemand) {
    begin(options());
    const Json asked{{"name", "divider.yaml"}, {"text", kDivider}, {"values", Json::object()}};
    EXPECT_TRUE(Json::parse(post("/api/run", asked).body)["data"]["run"].is_object());
    Json bytes = asked;
    bytes["bytes"] = true;
    const Reply reply = post("/api/run", bytes);
    const std::size_t head = reply.body.find('\n') + 1;
    EXPECT_TRUE(Json::parse(reply.body.substr(head, std::stoul(reply.body)))["data"]["run"].is_object());
}

TEST_F(BenchServer, AnswersNobodyElse) {
    begin(options());
    EXPECT_EQ(ask(port, {.path = "/api/files"}).status, 403);
    EXPECT_EQ(ask(port, {.path = "/api/files", .token = token, .headers = {{"Host", "evil.example"}}}).status, 403);
    EXPECT_EQ(ask(port, {.path = "/api/files", .token = token, .headers = {{"Origin", "http://evil.example"}}}).status,
              403);
    for (const char* path :
         {"/api/file?name=../outside.yaml", "/api/file?name=..%2Foutside.yaml", "/api/file?name=%2Fetc%2Fpasswd",
          "/api/file?name=/etc/passwd", "/../outside.yaml", "/api/file", "/nothing"}) {
        const int status = get(path).status;
        EXPECT_TRUE(status == 404 || status == 400) << path << " gave " << status;
    }
    EXPECT_EQ(post("/api/model", {{"name", "../../x.yaml"}, {"text", "x"}}).status, 400);
    EXPECT_EQ(ask(port, {.method = "POST", .path = "/api/files", .token = token}).status, 405);
    EXPECT_EQ(ask(port, {.method = "POST", .path = "/api/model", .token = token, .body = "no json"}).status, 400);
}

TEST_F(BenchServer, WhatTakesTooLongIsStoppedByTheLimitOrByTheUser) {
    ServeOptions given = options();
    given.limit = 1500ms;
    given.workers = 1;
    begin(given);
    const auto begun = std::chrono::steady_clock::now();
    const Json late = model(endless());
    EXPECT_EQ(late["status"], 504);
    EXPECT_THAT(late["error"].get<std::string>(), HasSubstr("longer than"));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
    EXPECT_EQ(model(kDivider)["status"], 200);
}

TEST_F(BenchServer, StopEndsWhatIsDoneForATab) {
    begin(options());
    Json stopped;
    std::thread waiting([&] { stopped = model(endless(), "mine"); });
    std::this_thread::sleep_for(500ms);
    post("/api/stop", {{"tab", "other"}});
    EXPECT_EQ(model(kDivider, "other")["status"], 200);
    post("/api/stop", {{"tab", "mine"}});
    waiting.join();
    EXPECT_EQ(stopped["status"], 409);
    EXPECT_EQ(stopped["error"], "stopped");
}

TEST_F(BenchServer, ManyTabsAreAnsweredOneAfterTheOther) {
    ServeOptions given = options();
    given.workers = 2;
    given.limit = 120s;
    begin(given);
    std::vector<std::thread> tabs;
    std::atomic<int> right{0};
    for (int t = 0; t < 40; ++t) {
        tabs.emplace_back([&, t] {
            const Json found = model(kDivider + fmt::format("# {}\n", t), fmt::format("tab {}", t));
            if (found["status"] == 200 && found["data"]["run"].is_object()) ++right;
        });
    }
    for (std::thread& tab : tabs) tab.join();
    EXPECT_EQ(right, 40);
}

TEST_F(BenchServer, EndsWhileModelsRun) {
    begin(options());
    std::thread waiting([&] { model(endless()); });
    std::this_thread::sleep_for(500ms);
    const auto begun = std::chrono::steady_clock::now();
    const unsigned short before = port;
    server.reset();
    waiting.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
    EXPECT_EQ(ask(before, {}).status, 0);
}

TEST(ServeWorkers, OneThatDiesIsReplaced) {
    std::signal(SIGPIPE, SIG_IGN);  // as the server does: what is written to one that has ended is told by the call
    Workers dying({.command = {"/bin/true"}, .processes = 1, .waiting = 4, .limit = 5s});
    EXPECT_EQ(dying.ask("a", "x").outcome, Outcome::ended);
    EXPECT_EQ(dying.ask("a", "x").outcome, Outcome::ended);
    Workers echoing({.command = {"/bin/cat"}, .processes = 1, .waiting = 4, .limit = 5s});
    for (const char* text : {"one", "", "three"}) {
        const WorkerAnswer answer = echoing.ask("a", text);
        EXPECT_EQ(answer.outcome, Outcome::answered);
        EXPECT_EQ(answer.text, text);
    }
    EXPECT_EQ(Workers({.command = {"/not/there"}, .processes = 1}).ask("a", "x").outcome, Outcome::ended);
}

TEST(ServeWorkers, OnesThatSayNothingAreEndedAfterTheLimit) {
    Workers silent({.command = {"/bin/sleep", "60"}, .processes = 1, .waiting = 1, .limit = 200ms});
    EXPECT_EQ(silent.ask("a", "x").outcome, Outcome::too_long);
    std::vector<std::thread> asking;
    std::atomic<int> busy{0};
    for (int i = 0; i < 6; ++i) {
        asking.emplace_back([&] {
            if (silent.ask("b", "x").outcome == Outcome::busy) ++busy;
        });
    }
    for (std::thread& t : asking) t.join();
    EXPECT_GE(busy, 3);  // one is asked, one waits
    EXPECT_LE(busy, 5);
}

}  // namespace
}  // namespace bondgraph::serve
