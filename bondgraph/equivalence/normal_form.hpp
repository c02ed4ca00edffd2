#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/equivalence/coloured_graph.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

// A bond graph without what is convention. At every end of a bond stand effort e and flow f with power into what is
// there, so that a bond from x to y says e_x = e_y, f_x = −f_y, whichever way its arrow points. A junction has one
// common variable, a port of an element its (e, f); turning the sign of both, of all that belongs to a node, changes no
// power and no law of a linear passive element. What is left of arrows is a sign σ on each edge, e_x = σ e_y and
// f_x = −σ f_y, and graphs are the same where signs of nodes can be chosen that make those of the edges equal. This is
// a double cover: each node is a pair of vertices, one for each of its signs, and an edge leads from like to like
// (σ = 1) or crosses over. Graphs with signs to choose freely are then graphs with coloured vertices and nothing else.

/// A node of the cover: a junction, a port, what elements with several ports have in common, an operation of an
/// expression. It is the vertices 2i (as it is) and 2i + 1 (signs turned).
struct Item {
    std::string kind;            ///< all that tells it from others but for its domain and numbers: "R", "sum"
    std::string given;           ///< which parameters and laws it has: " R", " law"
    std::string domain;          ///< of a port or junction; "generic": not known, it fits any
    std::vector<double> values;  ///< its numbers, SI
    bool odd = false;            ///< its numbers change sign where it is turned: the value of a source
    bool pinned = false;         ///< turned it is something else: the law is not odd
    bool skeleton = false;       ///< it is there whatever laws say: a port, a junction, an element
};

/// From a vertex to a vertex. As undirected ones lead to both sides where they say the same from both.
struct ItemArc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::string label;
};

/// A number of an element by which it can differ from another: its resistance, its value, its start value.
struct NamedNumber {
    std::string what;  ///< "resistance", "ratio", "start value of q"
    std::uint32_t item = 0;
    std::size_t index = 0;  ///< in Item::values
};

/// What a port is bonded to in the file, whatever simplification has made of it.
struct Place {
    std::string name;
    bool junction = false;
    bool zero = false;
};

/// An element that is no junction, as a reader knows it.
struct Part {
    std::string name;
    std::string type;    ///< "R", "Se", "GY", the name of an own type's kind
    std::string domain;  ///< of its first port
    bool modulated = false;
    std::uint32_t hub = 0;             ///< the item that stands for it as a whole: where it has one port, that
    std::vector<std::uint32_t> ports;  ///< items
    std::vector<NamedNumber> numbers;
    double ratio_sign = 1.0;    ///< of a two-port, as the file writes its ratio
    std::vector<Place> places;  ///< per port, where it is in the file
};

/// A junction, or a place where several were before.
struct JunctionNode {
    std::string name;
    bool zero = false;
    std::string domain;
    std::uint32_t item = 0;
    bool in_file = true;  ///< else simplification has made it
};

/// A bond between nodes.
struct Edge {
    std::uint32_t x = 0;  ///< items
    std::uint32_t y = 0;
    int sign = 1;
    std::string name;  ///< "a -> b", as the bond's arrow is
    bool in_file = true;
};

struct NormalForm {
    std::vector<Item> items;
    std::vector<ItemArc> arcs;  ///< but for those of edges
    std::vector<Edge> edges;
    std::vector<Part> parts;
    std::vector<JunctionNode> junctions;
};

/// The graph as it is; with `reduced` without junctions that only pass power on or turn a sign round, and neighbouring
/// junctions of a kind made one, also those inside wrapped components.
NormalForm normal_form(const model::BondGraph& graph, bool reduced);

/// Tells of a form of a simplified graph what is where in the graph that the file is.
void mark_places(NormalForm& form, const model::BondGraph& file);

/// Ports and junctions alone, with the elements they belong to: without laws, signals, numbers and starts.
NormalForm skeleton(const NormalForm& form);

/// Domains that one graph leaves open are those of what takes their place in the other, where that is known.
void fill_in_domains(NormalForm& first, NormalForm& second);

/// Which numbers are equal: they differ by no more than 1e-9 of their size.
class NumberClasses {
   public:
    NumberClasses(const NormalForm& first, const NormalForm& second);
    /// With its sign; 0 has class 0.
    [[nodiscard]] std::int64_t of(double value) const;

   private:
    std::vector<double> begins_;  ///< smallest magnitude of each class
};

/// What is looked at.
struct Regard {
    bool numbers = true;
    bool signs = true;  ///< without, each item is one vertex
};

struct ColouredPair {
    ColouredGraph first;
    ColouredGraph second;
};
ColouredPair coloured(const NormalForm& first, const NormalForm& second, const Regard& regard);

}  // namespace bondgraph::equivalence
