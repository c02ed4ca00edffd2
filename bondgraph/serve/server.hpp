#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bondgraph::serve {

struct ServeOptions {
    std::string folder;                       ///< that is served
    std::string file = {};                    ///< of it, which is shown first
    std::vector<std::string> worker_command;  ///< a program that calls work() of this folder
    unsigned short port = 0;                  ///< 0: one that is free
    std::string token = {};                   ///< empty: a new one
    bool read_only = false;                   ///< nothing is saved
    std::size_t workers = 2;                  ///< models that are looked at at once
    std::chrono::milliseconds limit{30'000};  ///< for one of them
};

/// The bench for browsers on this machine: the models of a folder, an editor, and what each model does. It lives as
/// long as this value. Throws std::runtime_error where the folder or the port can't be had.
class Server {
   public:
    explicit Server(ServeOptions options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// What to open: with the token behind the "#", which browsers keep to themselves.
    [[nodiscard]] std::string address() const;
    /// Models in the folder now.
    [[nodiscard]] std::size_t models() const;
    /// Whether the program was built with the bench.
    [[nodiscard]] static bool available();

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bondgraph::serve
