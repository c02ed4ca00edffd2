#include "bench/networks.hpp"

#include <fmt/format.h>

#include <iterator>

namespace bondgraph::bench {

namespace {

class Writer {
   public:
    void component(const std::string& name, const char* what) {
        fmt::format_to(std::back_inserter(components_), "  {}: {{{}}}\n", name, what);
    }
    void bond(const std::string& from, const std::string& to) {
        fmt::format_to(std::back_inserter(bonds_), "  - {} -> {}\n", from, to);
    }
    /// A resistor in series between two nodes.
    void branch(const std::string& name, const std::string& from, const std::string& to) {
        component("j" + name, "type: 1");
        component("r" + name, "type: R, R: 1 kohm");
        bond(from, "j" + name);
        bond("j" + name, to);
        bond("j" + name, "r" + name);
    }
    [[nodiscard]] std::string text() const {
        return "model: network\ncomponents:\n" + components_ + "bonds:\n" + bonds_;
    }

   private:
    std::string components_;
    std::string bonds_;
};

}  // namespace

std::string grid_to_yaml(std::size_t n, bool capacitors) {
    Writer w;
    const auto node = [](std::size_t i, std::size_t k) { return fmt::format("n{}_{}", i, k); };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            w.component(node(i, k), "type: 0, domain: electrical");
            if (capacitors || (i + 1 == n && k + 1 == n)) {
                w.component(fmt::format("c{}_{}", i, k), "type: C, C: 1 uF");
                w.bond(node(i, k), fmt::format("c{}_{}", i, k));
            }
            if (i + 1 < n) w.branch(fmt::format("v{}_{}", i, k), node(i, k), node(i + 1, k));
            if (k + 1 < n) w.branch(fmt::format("h{}_{}", i, k), node(i, k), node(i, k + 1));
        }
    }
    w.component("V", "type: Se, e: 1 V");
    w.branch("V", "V", node(0, 0));
    return w.text();
}

std::string star_to_yaml(std::size_t branches) {
    Writer w;
    w.component("hub", "type: 0, domain: electrical");
    w.component("V", "type: Se, e: 1 V");
    w.branch("V", "V", "hub");
    for (std::size_t k = 0; k < branches; ++k) {
        const std::string number = std::to_string(k);
        w.component("c" + number, "type: C, C: 1 uF");
        w.branch(number, "hub", "c" + number);
    }
    return w.text();
}

}  // namespace bondgraph::bench
