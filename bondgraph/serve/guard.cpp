#include "bondgraph/serve/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

namespace bondgraph::serve {
namespace {

std::string header_of(const HttpRequest& request, const char* name) {
    const auto found = request.headers.find(name);
    return found == request.headers.end() ? std::string() : found->second;
}

/// Takes as long whichever letter differs.
bool same_secret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference |
                                                (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
    return difference == 0;
}

HttpResponse forbidden(const char* why) {
    return {.status = 403, .type = "text/plain; charset=utf-8", .body = std::string(why) + "\n"};
}

}  // namespace

std::string new_token() {
    std::random_device system;
    constexpr int kWords = 4;
    std::string token;
    for (int i = 0; i < kWords; ++i) token += fmt::format("{:08x}", system());
    return token;
}

std::optional<HttpResponse> Guard::refusal(const HttpRequest& request) const {
    const std::array hosts{fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)};
    const std::string host = header_of(request, "host");
    if (std::ranges::find(hosts, host) == hosts.end()) return forbidden("this server is asked by its address only");
    const std::string origin = header_of(request, "origin");
    if (!origin.empty() && origin != "http://" + host) return forbidden("this server answers its own page only");
    const std::string site = header_of(request, "sec-fetch-site");
    const bool navigation = request.method == "GET" && request.path == "/";
    if (!site.empty() && site != "same-origin" && site != "none" && !navigation)
        return forbidden("this server answers its own page only");
    if (request.path.starts_with("/api/") && !same_secret(header_of(request, "x-token"), token))
        return forbidden("the token is missing or wrong: open the address that 'bondgraph serve' has told");
    return std::nullopt;
}

}  // namespace bondgraph::serve
