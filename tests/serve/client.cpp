#include "tests/serve/client.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace bondgraph::serve {

RawConnection::RawConnection(unsigned short port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return;
    ::close(socket_);
    socket_ = -1;
}

RawConnection::~RawConnection() {
    if (socket_ >= 0) ::close(socket_);
}

bool RawConnection::send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return false;
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

Reply RawConnection::receive() const {
    std::string all;
    std::array<char, 65536> block{};
    std::size_t head = std::string::npos;
    std::size_t length = std::string::npos;
    while (head == std::string::npos || all.size() < head + length) {
        const ssize_t count = ::recv(socket_, block.data(), block.size(), 0);
        if (count <= 0) break;
        all.append(block.data(), static_cast<std::size_t>(count));
        if (head == std::string::npos && (head = all.find("\r\n\r\n")) != std::string::npos) {
            head += 4;
            const std::size_t at = all.find("Content-Length: ");
            length = at < head ? std::strtoull(all.c_str() + at + 16, nullptr, 10) : 0;
        }
    }
    if (head == std::string::npos || all.size() < 12) return {};
    return {std::atoi(all.c_str() + 9), all.substr(0, head), all.substr(head)};
}

Reply ask(unsigned short port, const Asked& asked) {
    const RawConnection connection(port);
    std::string text = fmt::format("{} {} HTTP/1.1\r\n", asked.method, asked.path);
    if (!asked.headers.contains("Host")) text += fmt::format("Host: 127.0.0.1:{}\r\n", port);
    for (const auto& [name, value] : asked.headers) text += fmt::format("{}: {}\r\n", name, value);
    if (!asked.token.empty()) text += fmt::format("X-Token: {}\r\n", asked.token);
    text += fmt::format("Content-Length: {}\r\nConnection: close\r\n\r\n{}", asked.body.size(), asked.body);
    connection.send(text);
    return connection.receive();
}

}  // namespace bondgraph::serve
