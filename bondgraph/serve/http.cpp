#include "bondgraph/serve/http.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>

namespace bondgraph::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void read_target(const std::string& target, HttpRequest& request) {
    const std::size_t mark = target.find('?');
    request.path = decoded(target.substr(0, mark));
    if (mark == std::string::npos) return;
    std::size_t at = mark + 1;
    while (at < target.size()) {
        const std::size_t end = std::min(target.find('&', at), target.size());
        const std::string pair = target.substr(at, end - at);
        const std::size_t sign = pair.find('=');
        if (sign != std::string::npos) request.query[decoded(pair.substr(0, sign))] = decoded(pair.substr(sign + 1));
        at = end + 1;
    }
}

HttpRequest request_of(http::request<http::string_body>& message) {
    HttpRequest request{.method = std::string(message.method_string()), .body = std::move(message.body())};
    read_target(std::string(message.target()), request);
    for (const auto& field : message) {
        std::string name(field.name_string());
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        request.headers[name] = std::string(field.value());
    }
    return request;
}

HttpResponse refusal(unsigned status, const char* why) {
    return {.status = status, .type = "text/plain; charset=utf-8", .body = std::string(why) + "\n"};
}

}  // namespace

// Not hidden in this file: what the server is made of has them as members.
namespace connections {

/// Counts connections as long as they live.
class Counted {
   public:
    explicit Counted(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    std::atomic<std::size_t>& count_;
};

class Connection;

/// What all connections share.
struct Shared {
    HttpLimits limits;
    HttpServer::Answer answer;
    asio::thread_pool answering;
    std::atomic<std::size_t> connections{0};
    /// Those that wait for what their browsers do, since when, the longest first: of the thread that reads and writes.
    std::list<Connection*> reading = {};
    std::list<Connection*> writing = {};

    Shared(HttpLimits given, HttpServer::Answer called)
        : limits(given), answer(std::move(called)), answering(given.threads) {}
};

/// One browser's connection, which keeps itself alive by what it waits for: a request is read, answered by a thread of
/// its own, and the answer written, before the next one is read.
class Connection : public std::enable_shared_from_this<Connection> {
   public:
    Connection(Tcp::socket socket, Shared& shared)
        : stream_(std::move(socket)), shared_(shared), counted_(shared.connections) {}
    ~Connection() { wait_in(nullptr); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Closes the one that has kept waiting longest; false where all are being answered.
    static bool give_up_one(Shared& shared) {
        const auto late = std::chrono::steady_clock::now() - shared.limits.taking;
        for (std::list<Connection*>* list : {&shared.reading, &shared.writing}) {
            if (list->empty() || (list == &shared.writing && list->front()->since_ > late)) continue;
            Connection& longest = *list->front();
            longest.wait_in(nullptr);
            longest.stream_.close();  // what it waits for ends, and so does it
            return true;
        }
        return false;
    }

    void read() {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
        parser_->body_limit(shared_.limits.body_bytes);
        stream_.expires_after(shared_.limits.read);
        wait_in(&shared_.reading);
        http::async_read(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](beast::error_code failure, std::size_t) { self->has_read(failure); });
    }

   private:
    /// Among those that wait, or among none of them.
    void wait_in(std::list<Connection*>* list) {
        if (list_ != nullptr) list_->erase(place_);
        list_ = list;
        if (list == nullptr) return;
        place_ = list->insert(list->end(), this);
        since_ = std::chrono::steady_clock::now();
    }

    void has_read(beast::error_code failure) {
        wait_in(nullptr);
        if (failure == http::error::body_limit || failure == http::error::header_limit) {
            unread_ = true;
            return write(failure == http::error::body_limit ? refusal(413, "the request is too large")
                                                            : refusal(431, "the request's header is too large"),
                         false);
        }
        if (failure == http::error::end_of_stream || failure == beast::error::timeout) return close();
        if (failure) {
            const bool told = failure.category() == http::make_error_code(http::error::bad_value).category();
            return told ? write(refusal(400, "this is no request of HTTP"), false) : close();
        }
        http::request<http::string_body> message = parser_->release();
        const bool keep = message.keep_alive();
        stream_.expires_never();
        asio::post(shared_.answering, [self = shared_from_this(), keep, request = request_of(message)] {
            HttpResponse response;
            try {
                response = self->shared_.answer(request);
            } catch (const std::exception& e) {
                response = refusal(500, e.what());
            }
            asio::post(self->stream_.get_executor(), [self, keep, response = std::move(response)]() mutable {
                self->write(std::move(response), keep);
            });
        });
    }

    void write(HttpResponse response, bool keep) {
        auto message = std::make_shared<http::response<http::string_body>>();
        message->version(11);
        message->result(response.status);
        message->set(http::field::content_type, response.type);
        for (const auto& [name, value] : response.headers) message->set(name, value);
        message->keep_alive(keep);
        message->body() = std::move(response.body);
        message->prepare_payload();
        stream_.expires_after(shared_.limits.write);
        wait_in(&shared_.writing);
        http::async_write(stream_, *message,
                          [self = shared_from_this(), message](beast::error_code failure, std::size_t) {
                              self->wait_in(nullptr);
                              if (failure || !message->keep_alive()) return self->close();
                              self->read();
                          });
    }

    void close() {
        beast::error_code ignored;
        stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
        if (!unread_) return;
        // A connection that is closed before all of it was read is broken off, and its browser never sees the answer.
        stream_.expires_after(shared_.limits.read);
        wait_in(&shared_.reading);
        drain();
    }

    void drain() {
        buffer_.clear();
        constexpr std::size_t kBlock = 65'536;
        stream_.async_read_some(buffer_.prepare(kBlock),
                                [self = shared_from_this()](beast::error_code failure, std::size_t) {
                                    if (!failure) self->drain();
                                });
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::list<Connection*>* list_ = nullptr;  ///< in which it waits
    std::list<Connection*>::iterator place_;
    std::chrono::steady_clock::time_point since_;
    bool unread_ = false;  ///< there is more of the request than will be read
    std::optional<http::request_parser<http::string_body>> parser_;
    Shared& shared_;
    Counted counted_;
};

}  // namespace connections

struct HttpServer::Impl {
    Impl(unsigned short port, HttpLimits limits, Answer answer)
        : shared(limits, std::move(answer)), acceptor(context, Tcp::endpoint(asio::ip::address_v4::loopback(), port)) {
        accept();
        thread = std::thread([this] { context.run(); });
    }

    ~Impl() {
        context.stop();
        thread.join();
        shared.answering.join();
    }

    void accept() {
        acceptor.async_accept(asio::make_strand(context), [this](beast::error_code failure, Tcp::socket socket) {
            const bool full = shared.connections >= shared.limits.connections;
            if (!failure && (!full || connections::Connection::give_up_one(shared)))
                std::make_shared<connections::Connection>(std::move(socket), shared)->read();
            accept();
        });
    }

    // Connections refer to what is shared, and are held by what waits in the context: it goes first.
    connections::Shared shared;
    asio::io_context context;
    Tcp::acceptor acceptor;
    std::thread thread;
};

HttpServer::HttpServer(unsigned short port, HttpLimits limits, Answer answer) {
    try {
        impl_ = std::make_unique<Impl>(port, limits, std::move(answer));
    } catch (const boost::system::system_error& e) {
        throw std::runtime_error(e.code().message());
    }
}

HttpServer::~HttpServer() = default;

unsigned short HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string decoded(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool code =
            text[i] == '%' && i + 2 < text.size() && digit_of(text[i + 1]) >= 0 && digit_of(text[i + 2]) >= 0;
        if (code) {
            result += static_cast<char>(16 * digit_of(text[i + 1]) + digit_of(text[i + 2]));
            i += 2;
        } else {
            result += text[i] == '+' ? ' ' : text[i];
        }
    }
    return result;
}

}  // namespace bondgraph::serve
