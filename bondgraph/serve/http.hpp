#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bondgraph::serve {

/// What a browser asks for.
struct HttpRequest {
    std::string method;                          ///< "GET"
    std::string path;                            ///< "/api/file", without what follows a question mark
    std::map<std::string, std::string> query;    ///< of that, decoded
    std::map<std::string, std::string> headers;  ///< by names in small letters
    std::string body;
};

struct HttpResponse {
    unsigned status = 200;
    std::string type;  ///< "application/json"
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// What one browser may take of the server's time and memory.
struct HttpLimits {
    std::size_t header_bytes = 16U * 1024U;
    std::uint64_t body_bytes = 4U * 1024U * 1024U;
    std::size_t connections = 256;   ///< at once; one more takes the place of the one that has kept waiting longest
    std::size_t threads = 64;        ///< that answer requests
    std::chrono::seconds read{10};   ///< for the whole of a request
    std::chrono::seconds taking{5};  ///< for an answer, before its connection may be taken by another one
    std::chrono::seconds write{60};
};

/// A server of HTTP on this machine alone (127.0.0.1). `answer` is called by several threads at once and throws nothing
/// that matters: an exception becomes status 500. What is no HTTP, too large or too slow gets an error or a closed
/// connection. Where there are as many connections as may be, a new one takes the place of the one whose browser has
/// sent nothing whole, or taken no answer, for longest: who is being answered keeps theirs.
class HttpServer {
   public:
    using Answer = std::function<HttpResponse(const HttpRequest&)>;

    /// Throws std::runtime_error where the port (0: one that is free) can't be had.
    HttpServer(unsigned short port, HttpLimits limits, Answer answer);
    /// Ends all connections.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    [[nodiscard]] unsigned short port() const;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "a%20b" as "a b"; what is no such code stays as it is.
std::string decoded(const std::string& text);

}  // namespace bondgraph::serve
