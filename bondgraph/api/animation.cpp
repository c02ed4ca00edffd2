#include "bondgraph/api/animation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "bondgraph/api/json_text.hpp"
#include "bondgraph/model/law_context.hpp"
#include "mechanics3d/shapes.hpp"

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
};

std::vector<NamedShape> shapes_of(const model::BondGraph& graph, std::size_t first) {
    std::vector<NamedShape> result;
    std::vector<model::Equation> none;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const model::Element& e = graph.elements[i];
        const bool declared =
            std::ranges::any_of(graph.shapes, [&](const model::DeclaredShape& s) { return s.component == e.name; });
        if (e.type->shapes == nullptr || declared) continue;
        for (model::Shape3D& s : e.type->shapes(model::LawContext(graph, model::ElementId(i), none)))
            result.push_back({e.name, std::move(s), first + kColumns * result.size()});
    }
    for (const model::DeclaredShape& s : graph.shapes)
        result.push_back({s.component, mechanics3d::declared_shape(graph, s), first + kColumns * result.size()});
    return result;
}

/// The longest side of the box, parallel to the axes, around all that is drawn in its own size during a run.
double extent(const std::vector<NamedShape>& shapes, const simulation::Result& result) {
    double longest = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (const NamedShape& s : shapes) {
            if (!s.shape.measures.empty()) continue;
            for (std::size_t row = 0; row < result.time.size(); ++row) {
                const double begin = result.at(row, s.column + kPosition + axis);
                const double length = std::max(0.0, result.at(row, s.column + kSizes));
                const double end = begin + length * result.at(row, s.column + kOrientation + axis);
                low = std::min({low, begin, end});
                high = std::max({high, begin, end});
            }
        }
        longest = std::max(longest, high - low);
    }
    return longest > 0.0 ? longest : 1.0;
}

/// Per measure, what an arrow of 1 m stands for: the longest of a run is a third as long as all that it acts on.
std::map<std::string_view, double> scales(const std::vector<NamedShape>& shapes, const simulation::Result& result) {
    constexpr double kShare = 1.0 / 3.0;
    std::map<std::string_view, double> largest;
    for (const NamedShape& s : shapes) {
        if (s.shape.measures.empty()) continue;
        double& value = largest.try_emplace(s.shape.measures, 0.0).first->second;
        for (std::size_t row = 0; row < result.time.size(); ++row)
            value = std::max(value, result.at(row, s.column + kSizes));
    }
    const double longest = kShare * extent(shapes, result);
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
            d.message = fmt::format("the {} of a {} that '{}' shows is negative: {:.4g} m at {:.6g} s", kNames[k],
                                    s.shape.kind, s.component, result.at(row, s.column + kSizes + k), result.time[row]);
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
    Animation animation{graph.model_name, result.time, {}, {}};
    for (const auto& [measure, value] : scales(shapes, result)) animation.scale.emplace(measure, value);
    for (const NamedShape& s : shapes) {
        std::vector<double> sizes = columns_of(result, s.column + kSizes, 3);
        for (double& size : sizes) size = size < 0.0 ? 0.0 : size;
        animation.shapes.push_back({s.component, std::string(s.shape.kind), std::string(s.shape.measures),
                                    columns_of(result, s.column + kPosition, 3),
                                    columns_of(result, s.column + kOrientation, 9), std::move(sizes)});
    }
    return animation;
}

std::string Animation::json() const {
    Json report{{"model", model}, {"time", time}, {"scale", Json::object()}};
    for (const auto& [measure, value] : scale) report["scale"][measure] = value;
    report["shapes"] = Json::array();
    for (const AnimatedShape& s : shapes) {
        const auto found = scale.find(s.measures);
        Json shape{{"component", s.component}, {"shape", s.kind}};
        if (found != scale.end()) shape["measures"] = s.measures;
        shape["x"] = over_time(s.x, 1);
        shape["R"] = over_time(s.R, 3);
        shape["size"] = over_time(s.size, 1, found == scale.end() ? 1.0 : found->second);
        report["shapes"].push_back(std::move(shape));
    }
    return json_text(report);
}

}  // namespace bondgraph::api
