#pragma once

// What can be drawn: bond graphs, curves, flows of energy.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/energy.hpp"
#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/reports.hpp"
#include "bondgraph/api/results.hpp"

namespace bondgraph::api {

struct DrawOptions {
    enum class Format { svg, dot, tex };
    enum class Theme { colour, grey };
    Values values = {};
    Format format = Format::svg;
    Theme theme = Theme::colour;
    bool expand = false;  ///< sub-models, joints and bodies are looked into
    std::vector<std::string> opened =
        {};                   ///< without `expand`: these components of the file alone are, with all in them
    bool variables = false;   ///< effort and flow are named at every bond
    bool circuit = false;     ///< the components of the file by the symbols of their types, and the wires between them
    bool if_symbols = false;  ///< no circuit, and an empty text, where no component has a symbol: all would be boxes
    bool simplify = false;    ///< parts that are bond graphs of elements are opened, and the junctions simplified
    bool strokes = true;      ///< false: without causality, as of a graph whose strokes are to be placed by hand
    bool parts = false;   ///< SVG: shapes tell what they are part of, as data-of="node-3", "edge-5" or "frame-0"; of
                          ///< a circuit "part-3" or "net-2"
    bool picture = true;  ///< false: what would be drawn and its strokes, without a text
    WhichMode mode = {};
};

/// A component as it is drawn.
struct DrawnNode {
    std::string name;  ///< as in the file: "motor.La"
    std::string type;
    std::string value;   ///< as it stands in its box
    std::string kind;    ///< "junction", "element", "block" (of signals), "composite" (not looked into)
    std::string domain;  ///< "electrical"
    bool derivative = false;
    bool conflict = false;
    std::size_t loop = 0;  ///< the first algebraic loop it lies on, from 1
};

/// A line as it is drawn.
struct DrawnEdge {
    std::string kind;      ///< "bond", "signal", "frame" (frames of mechanics that are joined)
    std::string name;      ///< of a bond
    std::size_t from = 0;  ///< nodes
    std::size_t to = 0;
    std::string domain;  ///< of a bond
    /// Results by which the effort and flow of a bond can be asked for; empty where it has none of its own.
    std::string effort;
    std::string flow;
    /// These are by the convention of a component, against which the half arrow is drawn: their power is negative along
    /// it.
    bool against = false;
    std::vector<CausalBond> components;  ///< of a bond
    bool conflict = false;
    std::size_t loop = 0;
};

/// A component or an expression as a circuit shows it.
struct DrawnPart {
    std::string name;  ///< as in the file; empty: an expression, or a ground drawn at another part's pin
    std::string type;
};

/// Where a wire ends at a part.
struct DrawnPin {
    std::size_t part = 0;  ///< index into Drawing::parts
    std::string name;      ///< "p"
    double x = 0.0;        ///< in the drawing
    double y = 0.0;
    /// 1 where the result "part.p.f" counts what flows into the part, −1 where it counts what flows out of it, 0 where
    /// there is no such result.
    int inward = 0;
};

/// Pins that wires join: at a connection whose efforts are equal the flows into all its pins add up to 0.
struct DrawnNet {
    std::string kind;    ///< "connection", "bond", "signal"
    std::string domain;  ///< "electrical"
    std::vector<DrawnPin> pins;
};

/// A bond graph on paper: half arrows, causal strokes, domains by colour. Or a circuit.
struct Drawing {
    std::string text;  ///< SVG, or the source of Graphviz or TikZ
    std::string title;
    std::size_t components = 0;
    std::size_t bonds = 0;          ///< of a circuit: connections, bonds and signals
    std::optional<Error> conflict;  ///< where causality came to none; strokes and marks are as far as it came
    /// Of a bond graph: what data-of counts.
    std::vector<DrawnNode> nodes = {};
    std::vector<DrawnEdge> edges = {};
    std::vector<std::string> frames = {};  ///< names of the components that are looked into
    /// Of a circuit: the same.
    std::vector<DrawnPart> parts = {};
    std::vector<DrawnNet> nets = {};
};

/// The bond graph inside a type of the library of parts ("Resistor", "electrical.Resistor"), or of a file in one of the
/// folders where imports are looked for, as it is declared: with its
/// connectors, and with what a condition may leave out. Strokes depend on what an instance is joined to: there are
/// none. Of the options, `format` and `theme` count. Kind usage where there is no such type, several, or no bond in it.
Result<Drawing> draw_type(const std::string& type, const DrawOptions& options = {},
                          const std::vector<std::string>& import_folders = {});

enum class PictureFormat : std::uint8_t { svg, png };

/// The format of a picture of curves by its file's extension; a name without one, and "-", is SVG. Kind usage for
/// others.
Result<PictureFormat> picture_format(const std::string& file);

struct PlotCurve {
    std::size_t column = 0;  ///< of the series
    std::string label;
    std::string unit;  ///< SI; empty where unknown
};

struct PlotPanel {
    std::string title;
    std::vector<PlotCurve> curves;
    double tick = 0.0;  ///< distance of the numbers at the left axis; 0: chosen to suit
};

/// Curves in panels below each other. Curves of two units in one panel get an axis each.
struct Plot {
    Series series;
    std::vector<PlotPanel> panels;
    std::optional<PlotCurve> x = {};  ///< drawn over this column instead of the time
    std::string time_label = "time [s]";
    bool logarithmic = false;  ///< the horizontal axis
};

struct PlotOptions {
    std::vector<std::string> y = {};  ///< columns, or vectors: all their components
    std::string x = {};               ///< a column to draw over; empty: the time
    std::optional<double> from = {};  ///< of the time
    std::optional<double> to = {};
    std::string title = {};
    std::string called = "the series";  ///< by messages
};

/// All curves in one panel, or one panel per unit where there are more than two. Kind usage for names that no column
/// has, an x of several components, and where there are no rows.
Result<Plot> plot(const Series& series, const PlotOptions& options);
/// Magnitude above phase, over the angular frequency.
Plot bode_plot(std::span<const LinearModel> models);
/// The answers to a unit step of each input: one panel per input.
Plot step_plot(std::span<const LinearModel> models);

/// The contents of a picture's file, drawn by gnuplot, which is looked up in PATH. Kind run where it can't be found or
/// refuses, as numbers beyond 1e300.
Result<std::string> picture(const Plot& plot, PictureFormat format = PictureFormat::svg);

struct SankeyNode {
    std::string name;
    std::string note;  ///< at nodes where bands begin or end: "27.68 J stored"
};

/// A band from one node to another.
struct SankeyFlow {
    std::size_t from = 0;
    std::size_t to = 0;
    double amount = 0.0;  ///< J
    std::string colour;
    std::string label;
};

/// Where the energy of a run went, as bands. Net energies decide the directions; what is less than a thousandth of the
/// largest band is left out, and `remark` says so.
struct Sankey {
    std::string title;
    std::vector<SankeyNode> nodes;
    std::vector<SankeyFlow> flows;
    std::vector<std::pair<std::string, std::string>> legend;  ///< colours and domains
    std::string remark;
};

Sankey sankey(const EnergyAccount& account, const std::string& model);
/// As SVG.
std::string picture(const Sankey& sankey);

/// "117.6 J", "59.47 mJ", "3.2 MJ": four digits.
std::string energy_text(double joule);

}  // namespace bondgraph::api
