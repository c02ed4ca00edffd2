#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bondgraph::test {

/// Numbers that are the same on every platform (the standard's distributions are not).
class Chance {
   public:
    explicit Chance(std::uint64_t seed) : engine_(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    bool of(unsigned percent) { return below(100) < percent; }
    template <class T>
    const T& one(const std::vector<T>& list) {
        return list[below(list.size())];
    }
    template <class T>
    void shuffle(std::vector<T>& list) {
        for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[below(k)]);
    }

   private:
    std::mt19937_64 engine_;
};

struct DrawnNode {
    std::string name;
    std::string type;  ///< 0, 1, R, C, I, Se, Sf, TF, GY; De, Df, Dp, Dq, Power
    std::string domain;
    double value = 0.0;
    double start = 0.0;
    bool wrapped = false;  ///< written as an instance of a type that holds it alone

    [[nodiscard]] bool junction() const { return type == "0" || type == "1"; }
    [[nodiscard]] bool two_port() const { return type == "TF" || type == "GY" || type == "Power"; }
    [[nodiscard]] bool detector() const { return type.starts_with('D') || type == "Power"; }
};

struct DrawnBond {
    std::size_t from = 0;
    std::size_t to = 0;
    int port = 0;         ///< of a two-port at one end: 1 or 2
    bool turned = false;  ///< the arrow is drawn the other way round, which decides the sign of what is reported only
};

/// A bond graph in which junctions of a kind are never neighbours.
struct DrawnGraph {
    std::vector<DrawnNode> nodes;
    std::vector<DrawnBond> bonds;

    /// As a model, the lines in some order where there is a chance.
    [[nodiscard]] std::string text(Chance* order = nullptr) const;
};

DrawnGraph drawn_graph(std::uint64_t seed);

// Other ways to write the same.
DrawnGraph renamed(DrawnGraph graph, Chance& chance);
/// Arrows of elements drawn the other way, and the signs of what belongs to some junctions turned.
DrawnGraph with_other_arrows(DrawnGraph graph, Chance& chance);
/// Junctions of two bonds put into bonds, junctions taken apart.
DrawnGraph unsimplified(DrawnGraph graph, Chance& chance);
DrawnGraph wrapped(DrawnGraph graph, Chance& chance);
/// With detectors at junctions, and power detectors in bonds between them.
DrawnGraph with_detectors(DrawnGraph graph, Chance& chance);

/// Figures that equal graphs have in common: how each source is answered, and the sum over all of what they give, at a
/// complex frequency. Solved from the laws of elements and junctions as textbooks write them. Nothing where the
/// equations have no single solution.
std::optional<std::vector<std::complex<double>>> figures(const DrawnGraph& graph, std::complex<double> s);

}  // namespace bondgraph::test
