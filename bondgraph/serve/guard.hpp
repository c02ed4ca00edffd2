#pragma once

#include <optional>
#include <string>

#include "bondgraph/serve/http.hpp"

namespace bondgraph::serve {

/// A secret of 128 bits from the system, in letters and digits.
std::string new_token();

/// Who may ask this server: pages that it has sent itself, to a browser on this machine, which have the token. Other
/// pages in the same browser, and names that somebody has made to stand for this machine, don't get an answer.
struct Guard {
    unsigned short port = 0;
    std::string token;

    /// Why a request is refused; nothing where it may be answered. What is no matter of the folder (the page itself)
    /// needs no token.
    [[nodiscard]] std::optional<HttpResponse> refusal(const HttpRequest& request) const;
};

}  // namespace bondgraph::serve
