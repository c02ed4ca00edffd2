#include "bondgraph/api/animation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "bondgraph/api/json_text.hpp"
#include "bondgraph/model/law_context.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

// Columns of a shape, from its first on.
constexpr std::size_t kPosition = 0;
constexpr std::size_t kOrientation = 3;
constexpr std::size_t kSizes = 12;
constexpr std::size_t kColumns = 15;

struct NamedShape {
    std::string component;
    model::Shape3D shape;
    std::size_t column = 0;
    std::optional<std::uint32_t> mesh = {};
};

/// Whether the file says what a component, or the one that it is a part of, shows.
bool is_declared(const model::BondGraph& graph, const model::Element& e) {
    const model::Element* at = &e;
    for (std::size_t steps = 0; steps <= graph.elements.size(); ++steps) {
        if (graph.with_declared_shapes.contains(at->name)) return true;
        if (!at->owner.valid()) return false;
        at = &graph.elements[at->owner.index()];
    }
    return false;
}

std::vector<NamedShape> shapes_of(const model::BondGraph& graph, std::size_t first) {
    std::vector<NamedShape> result;
    std::vector<model::Equation> none;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const model::Element& e = graph.elements[i];
        if (e.type->shapes == nullptr || is_declared(graph, e)) continue;
        for (model::Shape3D& s : e.type->shapes(model::LawContext(graph, model::ElementId(i), none)))
            result.push_back({e.name, std::move(s), first + kColumns * result.size()});
    }
    for (const model::DeclaredShape& s : graph.shapes)
        result.push_back(
            {s.component, mechanics3d::declared_shape(graph, s), first + kColumns * result.size(), s.mesh});
    return result;
}

/// Which bodies fall the same way everywhere, and which way.
std::optional<mechanics3d::Vec3> gravity_of(const model::BondGraph& graph) {
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        if (graph.elements[i].type != &mechanics3d::kWorld) continue;
        std::vector<model::Equation> none;
        return mechanics3d::uniform_gravity(model::LawContext(graph, model::ElementId(i), none));
    }
    return std::nullopt;
}

using Point = std::array<double, 3>;

/// Opposite corners of the box around a form, in its file's axes.
std::pair<Point, Point> box_around(const model::Mesh& mesh) {
    Point low{};
    Point high{};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto [least, most] = std::ranges::minmax(mesh.vertices, {}, [&](const auto& v) { return v[k]; });
        low[k] = double{least[k]};
        high[k] = double{most[k]};
    }
    return {low, high};
}

/// Points that hold a shape between them, in its own axes and sizes: the ends of its middle, or the corners of the box
/// around a form.
std::vector<Point> marks_of(const NamedShape& s, const model::BondGraph& graph) {
    if (!s.mesh) return {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    const auto [low, high] = box_around(*graph.meshes[*s.mesh]);
    std::vector<Point> corners;
    for (unsigned int corner = 0; corner < 8; ++corner) {
        Point& p = corners.emplace_back(low);
        for (std::size_t k = 0; k < 3; ++k) {
            if ((corner >> k & 1U) != 0) p[k] = high[k];
        }
    }
    return corners;
}

/// The longest side of the box, parallel to the axes, around all that is drawn in its own size during a run.
double extent(const std::vector<NamedShape>& shapes, const model::BondGraph& graph, const simulation::Result& result) {
    Point low;
    Point high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const NamedShape& s : shapes) {
        if (!s.shape.measures.empty()) continue;
        const std::vector<Point> marks = marks_of(s, graph);
        for (std::size_t row = 0; row < result.time.size(); ++row) {
            const auto at = [&](std::size_t column) { return result.at(row, s.column + column); };
            for (const Point& mark : marks) {
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    double x = at(kPosition + axis);
                    for (std::size_t k = 0; k < 3; ++k) {
                        if (mark[k] != 0.0)
                            x += mark[k] * std::max(0.0, at(kSizes + k)) * at(kOrientation + 3 * k + axis);
                    }
                    low[axis] = std::min(low[axis], x);
                    high[axis] = std::max(high[axis], x);
                }
            }
        }
    }
    double longest = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) longest = std::max(longest, high[axis] - low[axis]);
    return longest > 0.0 ? longest : 1.0;
}

/// Per measure, what an arrow of 1 m stands for: the longest of a run is a third as long as all that it acts on.
std::map<std::string_view, double> scales(const std::vector<NamedShape>& shapes, const model::BondGraph& graph,
                                          const simulation::Result& result) {
    constexpr double kShare = 1.0 / 3.0;
    std::map<std::string_view, double> largest;
    for (const NamedShape& s : shapes) {
        if (s.shape.measures.empty()) continue;
        double& value = largest.try_emplace(s.shape.measures, 0.0).first->second;
        for (std::size_t row = 0; row < result.time.size(); ++row)
            value = std::max(value, result.at(row, s.column + kSizes));
    }
    const double longest = kShare * extent(shapes, graph, result);
    for (auto& [measure, value] : largest) {
        value /= longest;
        // Arrows that are 0 throughout, or too small to divide by, have no length at any scale.
        if (!std::isnormal(value)) value = 1.0;
    }
    return largest;
}

/// Columns from one on, row after row.
std::vector<double> columns_of(const simulation::Result& result, std::size_t first, std::size_t count) {
    std::vector<double> values;
    values.reserve(count * result.time.size());
    for (std::size_t row = 0; row < result.time.size(); ++row) {
        for (std::size_t c = 0; c < count; ++c) values.push_back(result.at(row, first + c));
    }
    return values;
}

AnimatedMesh animated_mesh(const model::Mesh& mesh) {
    AnimatedMesh result{mesh.file, mesh.vertices, {}};
    for (const model::MeshPart& part : mesh.parts) {
        const auto& c = part.colour;
        result.parts.push_back(
            {c ? fmt::format("#{:02x}{:02x}{:02x}", (*c)[0], (*c)[1], (*c)[2]) : std::string(), part.triangles});
    }
    return result;
}

Json mesh_json(const AnimatedMesh& mesh) {
    Json parts = Json::array();
    for (const AnimatedMesh::Part& part : mesh.parts) {
        Json json = Json::object();
        if (!part.colour.empty()) json["colour"] = part.colour;
        json["triangles"] = part.triangles;
        parts.push_back(std::move(json));
    }
    return {{"file", mesh.file}, {"vertices", mesh.vertices}, {"parts", std::move(parts)}};
}

/// Rows of three values, one such matrix (or vector) per output time.
Json over_time(const std::vector<double>& values, std::size_t rows, double scale = 1.0) {
    Json times = Json::array();
    for (std::size_t at = 0; at < values.size(); at += 3 * rows) {
        Json matrix = Json::array();
        for (std::size_t i = 0; i < rows; ++i) {
            Json vector = Json::array();
            for (std::size_t j = 0; j < 3; ++j) vector.push_back(values[at + 3 * i + j] / scale);
            matrix.push_back(std::move(vector));
        }
        times.push_back(rows == 1 ? std::move(matrix[0]) : std::move(matrix));
    }
    return times;
}

}  // namespace

std::vector<simulation::Signal> animation_signals(const model::BondGraph& graph) {
    std::vector<simulation::Signal> signals;
    for (const NamedShape& s : shapes_of(graph, 0)) {
        const auto add = [&](expression::Expr value) { signals.push_back({s.component, "", "", value}); };
        for (Eigen::Index i = 0; i < 3; ++i) add(s.shape.x(i, 0));
        for (Eigen::Index i = 0; i < 3; ++i) {
            for (Eigen::Index j = 0; j < 3; ++j) add(s.shape.R(i, j));
        }
        for (const expression::Expr& size : {s.shape.length, s.shape.width, s.shape.height}) add(size);
    }
    if (const auto g = gravity_of(graph)) {
        for (const expression::Expr& component : *g) signals.push_back({"", "", "", component});
    }
    return signals;
}

std::vector<Diagnostic> animation_warnings(const model::BondGraph& graph, const simulation::Result& result,
                                           std::size_t first) {
    static constexpr std::array<std::string_view, 3> kNames{"length", "width", "height"};
    constexpr double kRounding = 1e-9;  // m: what falls to 0 may end a little below
    std::vector<Diagnostic> found;
    const std::vector<NamedShape> shapes = shapes_of(graph, first);
    for (const NamedShape& s : std::span(shapes).last(graph.shapes.size())) {  // the declared ones
        for (std::size_t k = 0; k < kNames.size(); ++k) {
            std::size_t row = 0;
            while (row < result.time.size() && !(result.at(row, s.column + kSizes + k) < -kRounding)) ++row;
            if (row == result.time.size()) continue;
            Diagnostic d{Severity::warning, "BG-S010", {}, "", {}};
            d.message = fmt::format("the {} of a {} that '{}' shows is negative: {:.4g} m at {:.6g} s",
                                    s.mesh ? "scale" : kNames[k], s.shape.kind, s.component,
                                    result.at(row, s.column + kSizes + k), result.time[row]);
            d.notes.push_back({"note", "the animation shows it as 0 while it is negative"});
            d.notes.push_back({"try", "max(0, …) under 'shapes:', or the other direction"});
            found.push_back(std::move(d));
            break;  // a width may be the length, and a height the width
        }
    }
    return found;
}

Animation animation_of(const model::BondGraph& graph, const simulation::Result& result, std::size_t first) {
    const std::vector<NamedShape> shapes = shapes_of(graph, first);
    Animation animation{graph.model_name, result.time, {}, {}, {}, {}};
    for (const auto& [measure, value] : scales(shapes, graph, result)) animation.scale.emplace(measure, value);
    for (const NamedShape& s : shapes) {
        std::vector<double> sizes = columns_of(result, s.column + kSizes, 3);
        for (double& size : sizes) size = size < 0.0 ? 0.0 : size;
        animation.shapes.push_back(
            {s.component, std::string(s.shape.kind), std::string(s.shape.measures),
             columns_of(result, s.column + kPosition, 3), columns_of(result, s.column + kOrientation, 9),
             std::move(sizes), s.mesh ? std::optional<std::size_t>(*s.mesh) : std::nullopt,
             s.shape.nominal == model::Shape3D::Nominal::all, s.shape.nominal != model::Shape3D::Nominal::none});
    }
    if (!result.time.empty() && gravity_of(graph)) {
        for (std::size_t k = 0; k < 3; ++k) animation.gravity[k] = result.at(0, first + kColumns * shapes.size() + k);
    }
    for (const auto& mesh : graph.meshes) animation.meshes.push_back(animated_mesh(*mesh));
    return animation;
}

std::string Animation::json() const {
    Json report{{"model", model}, {"time", time}, {"scale", Json::object()}};
    for (const auto& [measure, value] : scale) report["scale"][measure] = value;
    if (!meshes.empty()) report["meshes"] = Json::array();
    for (const AnimatedMesh& mesh : meshes) report["meshes"].push_back(mesh_json(mesh));
    report["shapes"] = Json::array();
    for (const AnimatedShape& s : shapes) {
        const auto found = scale.find(s.measures);
        Json shape{{"component", s.component}, {"shape", s.kind}};
        if (found != scale.end()) shape["measures"] = s.measures;
        if (s.mesh) shape["mesh"] = *s.mesh;
        shape["x"] = over_time(s.x, 1);
        shape["R"] = over_time(s.R, 3);
        shape["size"] = over_time(s.size, 1, found == scale.end() ? 1.0 : found->second);
        report["shapes"].push_back(std::move(shape));
    }
    return json_text(report);
}

}  // namespace bondgraph::api
