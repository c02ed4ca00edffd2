#pragma once

#include <map>
#include <string>
#include <vector>

namespace bondgraph::serve {

/// What a server has sent: nothing (status 0) where it closed the connection.
struct Reply {
    int status = 0;
    std::string head;
    std::string body;
};

/// A connection to a port of this machine, by which bytes are sent as they are. Closed with the value.
class RawConnection {
   public:
    explicit RawConnection(unsigned short port);
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    /// Whether all could be sent.
    bool send(const std::string& bytes) const;
    /// All until the server closes, or a response of which the length is told is whole.
    [[nodiscard]] Reply receive() const;

   private:
    int socket_ = -1;
};

struct Asked {
    std::string method = "GET";
    std::string path = "/";
    std::string token = {};
    std::string body = {};
    std::map<std::string, std::string> headers = {};  ///< further ones; "Host" instead of the server's own
};

/// One request on a connection of its own.
Reply ask(unsigned short port, const Asked& asked);

}  // namespace bondgraph::serve
