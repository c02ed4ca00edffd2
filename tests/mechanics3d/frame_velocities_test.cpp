// v is the rate of x, and w that of R, at every frame of every mechanical type, whether something is connected to it or
// not: against differences of the recorded positions and orientations.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <map>

#include "converters/frames.hpp"
#include "tests/mechanics3d/examples.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

/// Differences of positions known to 1e-13 over some 1e-6 s.
constexpr double kNear = 2e-6;

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using model::ComponentType;
using test::mechanical_types;
using test::model_with;
using test::Pipeline;

bool planar(const ComponentType& type) { return type.connectors.front().type == &converters::kPlanarFrame; }

std::string name_of(const ComponentType& type) {
    const std::string example(type.example);
    return example.substr(0, example.find(':'));
}

/// The frames of all components that the user wrote: their names, and whether they lie in the plane.
std::map<std::string, bool> frames_of(const model::BondGraph& g) {
    std::map<std::string, bool> frames;
    for (const model::Element& e : g.elements) {
        if (e.owner.valid()) continue;
        for (const model::Connector& c : e.connectors) {
            const bool plane = c.type == &converters::kPlanarFrame;
            if (!plane && c.type != &converters::kFrame) continue;
            if (resolve_name(g, e.name + "." + c.name + ".x")) frames.emplace(e.name + "." + c.name, plane);
        }
    }
    return frames;
}

/// A run of seven close rows, and differences over them.
class Rows {
   public:
    Rows(const std::string& text, const std::map<std::string, bool>& frames) {
        std::vector<std::string> names;
        const auto want = [&](const std::string& name) {
            place_[name] = names.size();
            names.push_back(name);
        };
        for (const auto& [frame, plane] : frames) {
            for (int i = 1; i <= (plane ? 2 : 3); ++i) {
                want(frame + ".x[" + std::to_string(i) + "]");
                want(frame + ".v[" + std::to_string(i) + "]");
                for (int j = 1; j <= 3 && !plane; ++j) want(entry(frame, i, j));
                if (!plane) want(frame + ".w[" + std::to_string(i) + "]");
            }
            if (plane) {
                want(frame + ".phi");
                want(frame + ".w");
            }
        }
        Pipeline p(text);
        // What rounding leaves of a constraint's force is more than 1e-12 of what it does in so short a time.
        const double tolerance = text.find("ConnectingRod") == std::string::npos ? 1e-12 : 1e-11;
        const auto run = p.run({.stop = 6 * kStep, .tolerance = tolerance, .interval = kStep}, names);
        EXPECT_FALSE(run.summary.failure);
        values_.resize(7, static_cast<Eigen::Index>(names.size()));
        for (Eigen::Index row = 0; row < 7; ++row) {
            for (std::size_t k = 0; k < names.size(); ++k)
                values_(row, static_cast<Eigen::Index>(k)) = run.result.at(static_cast<std::size_t>(row), k);
        }
    }
    [[nodiscard]] double at(const std::string& name) const { return values_(3, column(name)); }
    /// Central difference of sixth order.
    [[nodiscard]] double rate(const std::string& name) const {
        const auto y = values_.col(column(name));
        return ((y(6) - y(0)) / 60.0 - (y(5) - y(1)) * 0.15 + (y(4) - y(2)) * 0.75) / kStep;
    }
    static std::string entry(const std::string& frame, int i, int j) {
        return frame + ".R[" + std::to_string(i) + "," + std::to_string(j) + "]";
    }

   private:
    static constexpr double kStep = 5e-6;
    [[nodiscard]] Eigen::Index column(const std::string& name) const {
        return static_cast<Eigen::Index>(place_.at(name));
    }
    std::map<std::string, std::size_t> place_;
    MatrixXd values_;
};

void expect_rates(const std::string& text) {
    SCOPED_TRACE(text);
    const auto frames = frames_of(Pipeline(text).graph());
    const Rows rows(text, frames);
    for (const auto& [frame, plane] : frames) {
        for (int i = 1; i <= (plane ? 2 : 3); ++i) {
            const std::string at = "[" + std::to_string(i) + "]";
            EXPECT_NEAR(rows.at(frame + ".v" + at), rows.rate(frame + ".x" + at), kNear) << frame << " " << i;
        }
        if (plane) {
            EXPECT_NEAR(rows.at(frame + ".w"), rows.rate(frame + ".phi"), kNear) << frame;
            continue;
        }
        Matrix3d R, change;
        for (int i = 1; i <= 3; ++i) {
            for (int j = 1; j <= 3; ++j) {
                R(i - 1, j - 1) = rows.at(Rows::entry(frame, i, j));
                change(i - 1, j - 1) = rows.rate(Rows::entry(frame, i, j));
            }
        }
        const Matrix3d turning = -change * R.transpose();  // skew(w)
        const Vector3d w(turning(2, 1), turning(0, 2), turning(1, 0));
        for (int i = 0; i < 3; ++i)
            EXPECT_NEAR(rows.at(frame + ".w[" + std::to_string(i + 1) + "]"), w(i), kNear) << frame << " " << i;
    }
}

class FrameVelocities : public testing::TestWithParam<const ComponentType*> {};

TEST_P(FrameVelocities, AreTheRatesOfPositionsWhereComponentsAreConnected) { expect_rates(model_with(*GetParam())); }

// At every frame of the type a rod more, held at either end, whose other end is free.
TEST_P(FrameVelocities, AreTheRatesOfPositionsAtRodsThatEndFree) {
    const ComponentType& type = *GetParam();
    std::string text = model_with(type);
    std::string rods, connections;
    for (const model::ConnectorSpec& c : type.connectors) {
        if (c.type != &converters::kFrame && c.type != &converters::kPlanarFrame) continue;
        if (c.optional) continue;
        for (const char* held : {"frame_a", "frame_b"}) {
            const std::string name = "rod_" + std::string(c.name) + "_" + held;
            rods += "  " + name + ": {type: " +
                    (planar(type) ? "PlanarRod, r: [0.2, -0.3]"
                                  : "FixedRotation, r: "
                                    "[0.2, -0.3, 0.4], n: [1, 2, 3], angle: 0.7") +
                    "}\n";
            connections += "  - [" + name_of(type) + "." + std::string(c.name) + ", " + name + "." + held + "]\n";
        }
    }
    text.insert(text.find("connect:\n") + 9, connections);
    text.insert(text.find("connect:\n"), rods);
    expect_rates(text);
}

INSTANTIATE_TEST_SUITE_P(Types, FrameVelocities, testing::ValuesIn(mechanical_types()),
                         [](const auto& info) { return std::string(info.param->name); });

/// Types that compute one frame from another, which can end free themselves.
std::vector<const ComponentType*> types_passed_through() {
    std::vector<const ComponentType*> result;
    for (const ComponentType* t : mechanical_types()) {
        if (t->connectors.size() == 2 && !t->paths.empty()) result.push_back(t);
    }
    return result;
}

class FreeFrame : public testing::TestWithParam<const ComponentType*> {};

// Held at one of its frames by a turning body; what its own coordinates move is given an inertia by their axes.
TEST_P(FreeFrame, HasTheRateOfItsPositionAsVelocity) {
    const ComponentType& type = *GetParam();
    const bool plane = planar(type);
    std::size_t run = 0;
    for (const char* held : {"frame_a", "frame_b"}) {
        std::string text = "components:\n  ground: {type: World}\n";
        if (plane) text += "  fixed: {type: PlanarFixed}\n";
        text += plane ? "  knuckle: {type: PlanarRevolute, initial: {phi: 0.3, w: 2}}\n"
                        "  body: {type: PlanarBody, m: 2, r_CM: [0.1, 0.2], J: 0.1}\n"
                      : "  knuckle: {type: Spherical, initial: {angles: [0.3, 0.2, 0.1], w: [1, 2, 3]}}\n"
                        "  body: {type: Body, m: 2, r_CM: [0.1, 0.2, 0.3], I_11: 0.1, I_22: 0.2, I_33: 0.15}\n";
        std::string inertias, bonds;
        for (const model::PortSpec& port : type.ports) {
            if (port.connector == nullptr || port.name == "support") continue;
            inertias += "  inertia_" + std::string(port.name) + ": {type: I, I: 0.3}\n";
            bonds += std::string(bonds.empty() ? "bonds: [" : ", ") + name_of(type) + "." + std::string(port.name) +
                     " -> inertia_" + std::string(port.name);
        }
        text += "  " + std::string(type.example) + "\n" + inertias + "connect:\n  - [" +
                (plane ? "fixed.frame_b" : "ground.frame_b") +
                ", knuckle.frame_a]\n  - [knuckle.frame_b, body.frame_a, " + name_of(type) + "." + held + "]\n";
        if (!bonds.empty()) text += bonds + "]\n";
        SCOPED_TRACE(text);
        if (const auto errors = test::errors_in(text); !errors.empty()) {
            // Nothing with mass moves with its coordinates, and it has no axis that could be given an inertia.
            EXPECT_EQ(errors, std::vector<std::string>{"BG-M009"});
            continue;
        }
        ++run;
        expect_rates(text);
    }
    EXPECT_EQ(run, type.name == "Spherical" || type.name == "FreeMotion" ? 0U : 2U);
}

INSTANTIATE_TEST_SUITE_P(Types, FreeFrame, testing::ValuesIn(types_passed_through()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace bondgraph
