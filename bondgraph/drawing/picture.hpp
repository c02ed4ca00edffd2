#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/causality/partial_causality.hpp"
#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/model/domain.hpp"
#include "bondgraph/model/layout_declaration.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::drawing {

enum class NodeKind : std::uint8_t {
    junction,  ///< 0 or 1, its name beside it
    element,   ///< "I : La"
    block,     ///< of signals only
    composite  ///< a sub-model, or a component of 3-D mechanics, not looked into
};

struct Node {
    NodeKind kind = NodeKind::element;
    std::string name;    ///< as in the file, unique: "motor.La"
    std::string label;   ///< the last part of the name
    std::string type;    ///< as written in the file
    std::string value;   ///< the parameter that says most, as written, or what it holds; may be empty
    bool mixed = false;  ///< joins different domains
    bool gyrator = false;
    model::DomainIndex domain = model::kGeneric;
    bool derivative = false;  ///< a storage, or a part of one, in derivative causality
    bool conflict = false;    ///< takes part in a causal conflict
    std::uint32_t loop = 0;   ///< the first algebraic loop it lies on, counted from 1
    std::uint32_t frame = kNone;
    std::optional<Point> at = {};  ///< its place as written: steps to the right and upwards
    int quarter_turns = 0;         ///< of what hangs on it, counter-clockwise
    std::uint32_t conditions =
        0;  ///< on positions, that residual effort sources in it (or it itself) hold: it closes a loop
    std::uint32_t released = 0;  ///< of these, whose forces are set to 0
};

enum class EdgeKind : std::uint8_t {
    bond,
    signal,
    frame  ///< frames of 3-D mechanics joined to each other
};

/// A line of the drawing. A bond's half arrow goes from `from` to `to`.
struct Edge {
    EdgeKind kind = EdgeKind::bond;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::array<std::string, 2> ports;  ///< names at its ends where a node has several
    model::DomainIndex domain = model::kGeneric;
    std::vector<causality::Stroke> strokes;  ///< one per component
    std::string effort;                      ///< names of the variables, where asked for
    std::string flow;
    bool conflict = false;
    std::uint32_t loop = 0;                  ///< as of Node
    std::optional<std::uint32_t> bond = {};  ///< of the graph, where it is a single one

    [[nodiscard]] std::size_t size() const { return strokes.size(); }
    /// Whether the components of a multibond have different causality.
    [[nodiscard]] bool is_mixed() const {
        return std::adjacent_find(strokes.begin(), strokes.end(), std::not_equal_to<>()) != strokes.end();
    }
};

/// A sub-model that is looked into: its parts stand inside it.
struct Frame {
    std::string name;
    std::string label;
    std::string type;
    std::uint32_t parent = kNone;
    bool closes = false;  ///< a loop of a mechanism, by residual effort sources among its parts
};

/// "CutRigid rod_closure, closes a loop".
std::string title_of(const Frame& frame);

/// Of a constraint that closes a loop, a condition whose force is set to 0 because others imply it.
struct ReleasedCondition {
    std::string element;                     ///< the residual effort source: "rod_closure.force"
    std::optional<std::uint32_t> component;  ///< counted from 1; nothing where only some combination vanishes
};

/// What is to be drawn, in the order of the file; nothing about where.
struct Picture {
    std::string title;
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Frame> frames;
    std::vector<std::string> mode;  ///< "s1.closed = true" of all that decides strokes and changes at events
    std::vector<std::vector<std::uint32_t>> rows;   ///< of nodes, as the file places them
    std::vector<std::vector<std::uint32_t>> rings;  ///< likewise
};

struct PictureOptions {
    bool expand = false;                           ///< sub-models are looked into
    std::vector<std::string> opened = {};          ///< without that: these outermost ones are, with all in them
    bool variables = false;                        ///< effort and flow are named
    bool simplified = false;                       ///< of a graph of causality::simplify(): parts by their paths
    std::map<std::string, std::string> overrides;  ///< --set: path of a parameter → its value as typed
    /// Storages, "C1" or "body[2]", that are in derivative causality, where the strokes alone don't tell.
    std::optional<std::vector<std::string>> dependent = {};
    model::LayoutDeclaration layout = {};  ///< what the file places
    std::vector<ReleasedCondition> released = {};
};

/// The picture of a causal graph; `model` is what it was made from.
/// Bonds have the direction the user drew them in. Several frame connections, and several signals, between the same two
/// nodes become one line.
Picture picture_of(const causality::PartialCausality& partial, const model::Model& model,
                   const PictureOptions& options);

}  // namespace bondgraph::drawing
