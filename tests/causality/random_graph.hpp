#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace bondgraph::test {

/// Numbers that are the same on every platform (the standard's distributions are not).
class Dice {
   public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    /// Two decimals, away from 0: what a text and a number agree on exactly.
    double modulus() { return (chance(30) ? -1.0 : 1.0) * static_cast<double>(40 + below(210)) / 100.0; }

   private:
    std::mt19937_64 engine_;
};

enum class Kind : std::uint8_t {
    zero,
    one,
    transformer,
    gyrator,
    effort_source,
    flow_source,
    resistor,
    compliance,
    inertia
};

inline bool is_junction(Kind kind) { return kind == Kind::zero || kind == Kind::one; }

/// One power port of a node and its bond.
struct PlainPort {
    std::size_t size = 1;
    std::size_t bond = 0;
    bool at_head = false;
    bool outward = false;  ///< the element delivers power here
};

struct PlainNode {
    Kind kind = Kind::zero;
    std::string name;
    std::string type;  ///< as written: R or RF, …
    std::vector<PlainPort> ports;
    Eigen::MatrixXd matrix;  ///< modulus of two-ports (rows p2), or the field's matrix
    bool coupled = false;    ///< a field whose components depend on each other
};

/// The half arrow as written goes from one (node, port) to the other.
struct PlainBond {
    std::size_t from = 0, from_port = 0, to = 0, to_port = 0;
    std::size_t size = 1;
    std::size_t first = 0;  ///< first component
};

/// A bond graph as this test understands it, and the same as the text of a model.
struct RandomGraph {
    std::vector<PlainNode> nodes;
    std::vector<PlainBond> bonds;
    std::size_t components = 0;
    std::string text;
};

RandomGraph random_graph(std::uint64_t seed, bool mesh, bool multibonds);

}  // namespace bondgraph::test
