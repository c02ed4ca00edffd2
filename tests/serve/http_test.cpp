#include "bondgraph/serve/http.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bondgraph/serve/frames.hpp"
#include "tests/serve/client.hpp"

namespace bondgraph::serve {
namespace {

using namespace std::chrono_literals;

HttpResponse echo(const HttpRequest& request) {
    if (request.path == "/throws") throw std::runtime_error("as asked");
    std::string text = request.method + " " + request.path;
    for (const auto& [name, value] : request.query) text += fmt::format(" {}={}", name, value);
    return {.type = "text/plain", .body = text + "|" + request.body, .headers = {{"X-Other", "here"}}};
}

HttpLimits small() {
    return {.header_bytes = 1024, .body_bytes = 2048, .connections = 8, .threads = 4, .read = 1s, .write = 5s};
}

TEST(ServeHttp, ReadsMethodPathQueryAndBody) {
    const HttpServer server(0, small(), echo);
    const Reply reply =
        ask(server.port(), {.method = "POST", .path = "/a%20b?name=x%2Fy&z=1+2&bad=%zz&no", .body = "text"});
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "POST /a b bad=%zz name=x/y z=1 2|text");
    EXPECT_NE(reply.head.find("X-Other: here"), std::string::npos);
}

TEST(ServeHttp, KeepsAConnectionForSeveralRequests) {
    const HttpServer server(0, small(), echo);
    const RawConnection connection(server.port());
    for (int i = 0; i < 3; ++i) {
        connection.send(fmt::format("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", i));
        EXPECT_EQ(connection.receive().body, fmt::format("GET /{}|", i));
    }
}

TEST(ServeHttp, AnExceptionIsAnError) {
    const HttpServer server(0, small(), echo);
    const Reply reply = ask(server.port(), {.path = "/throws"});
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(reply.body, "as asked\n");
    EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 200);
}

TEST(ServeHttp, RefusesWhatIsTooLargeOrNoHttp) {
    const HttpServer server(0, small(), echo);
    EXPECT_EQ(ask(server.port(), {.method = "POST", .body = std::string(2049, 'x')}).status, 413);
    EXPECT_EQ(ask(server.port(), {.method = "POST", .body = std::string(2048, 'x')}).status, 200);
    EXPECT_EQ(ask(server.port(), {.headers = {{"X-Long", std::string(2000, 'x')}}}).status, 431);
    for (const char* garbage : {"\r\n\r\n\r\n", "\x16\x03\x01\x02 no http\r\n\r\n", "GET\r\n\r\n",
                                "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                                "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"}) {
        const RawConnection connection(server.port());
        connection.send(garbage);
        const int status = connection.receive().status;
        EXPECT_TRUE(status == 0 || (status >= 400 && status < 500)) << garbage << " gave " << status;
    }
    EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 200);
}

// Who is still sending when the answer comes would not read it if the connection broke off.
TEST(ServeHttp, WhoSendsTooMuchIsToldSo) {
    const HttpServer server(0, small(), echo);
    constexpr std::size_t kMuch = 20'000'000;
    const RawConnection connection(server.port());
    EXPECT_TRUE(
        connection.send(fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", kMuch) + std::string(kMuch, 'x')));
    EXPECT_EQ(connection.receive().status, 413);
}

TEST(ServeHttp, SlowClientsLoseTheirConnectionAndHoldUpNobody) {
    const HttpServer server(0, small(), echo);
    std::vector<std::unique_ptr<RawConnection>> slow;
    for (int i = 0; i < 7; ++i) {
        slow.push_back(std::make_unique<RawConnection>(server.port()));
        slow.back()->send("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
    }
    EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 200);
    for (const auto& connection : slow) EXPECT_EQ(connection->receive().status, 0);  // after a second
    EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 200);
}

// All connections are taken by who sends nothing, and more come: who sends a request is answered, and has not to wait
// until the others' time is over.
TEST(ServeHttp, OfTooManyConnectionsThoseThatHaveWaitedLongestAreClosed) {
    HttpLimits limits = small();
    limits.read = 60s;
    const HttpServer server(0, limits, echo);
    std::vector<std::unique_ptr<RawConnection>> stalled;
    for (int i = 0; i < 30; ++i) {
        stalled.push_back(std::make_unique<RawConnection>(server.port()));
        if (i % 2 == 0) stalled.back()->send("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
        if (i % 10 == 9) {
            EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 200) << i;
        }
    }
    EXPECT_EQ(stalled.front()->receive().status, 0);
    stalled.back()->send("GET /late HTTP/1.1\r\n\r\n");
    EXPECT_EQ(stalled.back()->receive().status, 200) << "the last one may still send";
}

TEST(ServeHttp, WhoIsBeingAnsweredKeepsTheConnection) {
    HttpLimits limits = small();
    limits.threads = 8;
    limits.taking = 60s;
    std::atomic<int> asked{0};
    std::atomic<bool> go{false};
    const HttpServer server(0, limits, [&](const HttpRequest& request) {
        ++asked;
        while (!go) std::this_thread::sleep_for(1ms);
        return echo(request);
    });
    std::vector<std::unique_ptr<RawConnection>> open;
    for (int i = 0; i < 8; ++i) {
        open.push_back(std::make_unique<RawConnection>(server.port()));
        open.back()->send(fmt::format("GET /{} HTTP/1.1\r\n\r\n", i));
    }
    while (asked < 8) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 0) << "there is no place";
    go = true;
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(open[static_cast<std::size_t>(i)]->receive().body, fmt::format("GET /{}|", i));
    EXPECT_EQ(ask(server.port(), {.path = "/on"}).status, 200) << "they only wait for their next request";
}

TEST(ServeHttp, WhoTakesNoAnswerLosesTheConnection) {
    HttpLimits limits = small();
    limits.write = 60s;
    const std::string large(50'000'000, 'x');
    const auto answer = [&](const HttpRequest& request) {
        return request.path == "/large" ? HttpResponse{.type = "text/plain", .body = large} : echo(request);
    };
    const auto status_beside_them = [&](std::chrono::seconds taking) {
        limits.taking = taking;
        const HttpServer server(0, limits, answer);
        std::vector<std::unique_ptr<RawConnection>> open;
        for (int i = 0; i < 8; ++i) {
            open.push_back(std::make_unique<RawConnection>(server.port()));
            open.back()->send("GET /large HTTP/1.1\r\n\r\n");
        }
        std::this_thread::sleep_for(1500ms);
        const int status = ask(server.port(), {.path = "/on"}).status;
        if (taking > 1s) {
            EXPECT_EQ(open.front()->receive().body.size(), large.size()) << "it has time";
        }
        return status;
    };
    EXPECT_EQ(status_beside_them(60s), 0);
    EXPECT_EQ(status_beside_them(1s), 200);
}

TEST(ServeHttp, APortThatIsTakenIsTold) {
    const HttpServer server(0, small(), echo);
    EXPECT_THROW(HttpServer(server.port(), small(), echo), std::runtime_error);
}

TEST(ServeHttp, EndsWhileOthersWait) {
    std::atomic<bool> asked{false};
    std::thread client;
    {
        const HttpServer server(0, small(), [&](const HttpRequest&) {
            asked = true;
            std::this_thread::sleep_for(200ms);
            return HttpResponse{.type = "text/plain", .body = "late"};
        });
        client = std::thread([port = server.port()] { ask(port, {}); });
        while (!asked) std::this_thread::sleep_for(1ms);
    }
    client.join();
}

TEST(ServeFrames, CarryTextsOfAnyLength) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const std::vector<std::string> texts{"", "a", std::string(3'000'000, 'x') + '\0' + "end"};
    std::thread writer([&] {
        for (const std::string& text : texts) EXPECT_TRUE(write_frame(ends[1], text));
        ::close(ends[1]);
    });
    for (const std::string& text : texts) EXPECT_EQ(read_frame(ends[0], 1U << 22U), text);
    EXPECT_FALSE(read_frame(ends[0], 1U << 22U));  // the other side has ended
    writer.join();
    ::close(ends[0]);
}

TEST(ServeFrames, OnesThatAreTooLongOrLateAreNone) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    write_frame(ends[1], "12345");
    EXPECT_FALSE(read_frame(ends[0], 4));
    const auto begun = std::chrono::steady_clock::now();
    std::array<char, 5> rest{};
    ASSERT_EQ(::read(ends[0], rest.data(), rest.size()), 5);
    EXPECT_FALSE(read_frame(ends[0], 100, begun + 50ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 50ms);
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace bondgraph::serve
