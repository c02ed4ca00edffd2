#include "tests/cli/animation.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d vector_from(const nlohmann::json& v) { return Vector3d(v[0], v[1], v[2]); }

Posed posed_at(const nlohmann::json& shape, std::size_t t) {
    Posed posed{
        shape["shape"], shape.value("measures", ""), vector_from(shape["x"][t]), {}, vector_from(shape["size"][t])};
    for (int row = 0; row < 3; ++row) posed.R.row(row) = vector_from(shape["R"][t][std::size_t(row)]).transpose();
    EXPECT_LT((posed.R * posed.R.transpose() - Matrix3d::Identity()).norm(), 1e-9) << shape["component"];
    EXPECT_GT(posed.R.determinant(), 0.0) << shape["component"];
    EXPECT_GE(posed.size.minCoeff(), 0.0) << shape["component"];
    return posed;
}

}  // namespace

std::vector<Vector3d> Animation::measured(const std::string& component, std::size_t arrow) const {
    std::vector<Vector3d> values;
    for (const std::vector<Posed>& at_once : shapes.at(component)) {
        const Posed& p = at_once.at(arrow);
        EXPECT_EQ(p.kind, "arrow");
        values.emplace_back(scale.at(p.measures) * p.along());
    }
    return values;
}

Animation animation_of(const std::string& model) {
    const Folder folder;
    const Outcome run = folder.run({"run", folder.write("m.yaml", model), "--quiet", "--animation", "a.json"});
    EXPECT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(folder.read("a.json"));
    Animation animation{json["time"], json["scale"], {}};
    for (const auto& s : json["shapes"]) {
        auto& times = animation.shapes[s["component"]];
        times.resize(animation.time.size());
        for (std::size_t t = 0; t < times.size(); ++t) times[t].push_back(posed_at(s, t));
    }
    return animation;
}

std::vector<std::vector<Posed>> shapes_of(const std::string& model, const std::string& component) {
    return animation_of(model).shapes[component];
}

}  // namespace bondgraph::cli
