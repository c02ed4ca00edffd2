#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/causality/dirac.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::causality {

inline constexpr std::uint32_t kNoVertex = Id<void>::kNone;

/// One end of a bond component.
struct ScalarEnd {
    std::uint32_t component = 0;
    bool at_head = false;
};

/// A vertex of the scalar causal graph: one component of a junction or two-port, a matrix two-port, an own type, or a
/// whole mesh of these taken as one Dirac structure.
struct ScalarVertex {
    enum class Kind : std::uint8_t {
        junction0,
        junction1,
        same,      ///< two ends, effort passes through (TF, wiring)
        swapped,   ///< two ends, effort becomes flow (GY)
        dirac,     ///< matrix two-port or mesh
        planned,   ///< the cyclic part of a region whose ports are decided together (see Region)
        own_type,  ///< equations of an own type: any causality its equations can be matched for
    };
    Kind kind = Kind::junction0;
    model::ElementId element;
    std::vector<ScalarEnd> ends;
    std::uint32_t dirac = kNoVertex;  ///< index into ScalarGraph::diracs
    // Propagation state.
    std::uint32_t assigned = 0;
    std::uint32_t efforts_in = 0;
};

/// A connected part of the junction structure with meshes too large for a table of their own. Which variables of its
/// ports are inputs is decided for all of them together, by composition of its vertices.
struct Region {
    std::vector<std::uint32_t> vertices;  ///< junctions and two-ports, trees included
    std::uint32_t mesh = kNoVertex;  ///< the `planned` vertex that stands for its cyclic part and what joins meshes
};

/// The junction structure taken apart into scalars. Each bond component's two ends lie at a vertex or at an element
/// port (kNoVertex).
struct ScalarGraph {
    std::vector<ScalarVertex> vertices;
    std::vector<Dirac> diracs;
    std::vector<std::uint32_t> tail_vertex;  ///< per bond component: vertex at its `from` end
    std::vector<std::uint32_t> head_vertex;
    /// Vertices merged into a mesh (their own propagation is replaced by the mesh's): mesh vertex, or kNoVertex.
    std::vector<std::uint32_t> mesh_of;
    std::size_t meshes = 0;
    std::vector<Region> regions;
};

/// The rows (e, f of the vertex' ends) of a vertex' equations: `ends` columns pairs, one row per end.
/// Moduli are numbers at a generic point: signals and time are replaced by fixed arbitrary values.
Eigen::MatrixXd vertex_equations(const model::BondGraph& graph, const ScalarVertex& vertex);

/// Builds the graph; cyclic parts (biconnected components, Boost.Graph) up to `rank_limit` unknowns become meshes,
/// connected parts with larger ones become regions.
/// Throws ModelError BG-C006 for a mesh whose internal variables nothing determines.
ScalarGraph build_scalar_graph(const model::BondGraph& graph, std::size_t rank_limit);

/// Makes regions of the connected parts that hold one of the `seeds`; `bonds` are the bond components between vertices.
void find_regions(ScalarGraph& scalar, const std::vector<std::uint32_t>& bonds,
                  const std::vector<std::uint32_t>& seeds);

/// The value of an expression with signals, states and time at fixed arbitrary values: for generic rank.
double generic_value(expression::Expr e);

}  // namespace bondgraph::causality
