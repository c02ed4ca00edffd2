#include "bondgraph/cli/animation.hpp"

#include <nlohmann/json.hpp>

#include "bondgraph/cli/json_text.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::cli {
namespace {

constexpr std::size_t kPosition = 3;
constexpr std::size_t kOrientation = 9;
constexpr std::size_t kSizes = 3;
constexpr std::size_t kColumns = kPosition + kOrientation + kSizes;

struct NamedShape {
    std::string component;
    model::Shape3D shape;
};

std::vector<NamedShape> shapes_of(const model::BondGraph& graph) {
    std::vector<NamedShape> result;
    std::vector<model::Equation> none;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const model::Element& e = graph.elements[i];
        if (e.type->shapes == nullptr) continue;
        for (model::Shape3D& s : e.type->shapes(model::LawContext(graph, model::ElementId(i), none)))
            result.push_back({e.name, std::move(s)});
    }
    return result;
}

}  // namespace

std::vector<simulation::Signal> animation_signals(const Session& session) {
    std::vector<simulation::Signal> signals;
    for (const NamedShape& s : shapes_of(*session.graph)) {
        const auto add = [&](expression::Expr value) { signals.push_back({s.component, "", "", value}); };
        for (Eigen::Index i = 0; i < 3; ++i) add(s.shape.x(i, 0));
        for (Eigen::Index i = 0; i < 3; ++i) {
            for (Eigen::Index j = 0; j < 3; ++j) add(s.shape.R(i, j));
        }
        for (const expression::Expr& size : {s.shape.length, s.shape.width, s.shape.height}) add(size);
    }
    return signals;
}

std::string animation_json(const Session& session, const simulation::Result& result, std::size_t first) {
    using Json = nlohmann::ordered_json;
    Json report{{"model", session.graph->model_name}, {"time", result.time}, {"shapes", Json::array()}};
    std::size_t column = first;
    for (const NamedShape& s : shapes_of(*session.graph)) {
        const auto vector = [&](std::size_t row, std::size_t begin) {
            Json values = Json::array();
            for (std::size_t k = 0; k < 3; ++k) values.push_back(result.at(row, begin + k));
            return values;
        };
        const auto over_time = [&](std::size_t count) {
            Json times = Json::array();
            for (std::size_t row = 0; row < result.time.size(); ++row) {
                Json matrix = Json::array();
                for (std::size_t k = 0; k < count; k += 3) matrix.push_back(vector(row, column + k));
                times.push_back(count == 3 ? std::move(matrix[0]) : std::move(matrix));
            }
            column += count;
            return times;
        };
        Json shape{{"component", s.component}, {"shape", s.shape.kind}};
        shape["x"] = over_time(kPosition);
        shape["R"] = over_time(kOrientation);
        shape["size"] = over_time(kSizes);
        report["shapes"].push_back(std::move(shape));
    }
    static_assert(kColumns == 15);
    return json_text(report);
}

}  // namespace bondgraph::cli
