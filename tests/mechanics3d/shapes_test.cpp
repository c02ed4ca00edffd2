// Shapes over every mechanical type: who has one, and that it has a size and an orientation.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <map>

#include "bondgraph/model/law_context.hpp"
#include "tests/mechanics3d/examples.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using expression::Expr;
using model::ComponentType;
using model::Shape3D;
using test::mechanical_types;
using test::model_with;
using test::Pipeline;

constexpr const char* kNothingBetween = "nothing joins the frames: the bodies move freely";
constexpr const char* kConverter = "joins multibonds to a frame, and is no part of the mechanism";
constexpr const char* kSensor = "measures, and is no part of the mechanism";

/// Types without a shape, and why.
const std::map<std::string_view, const char*> kInvisible{
    {"FreeMotion", kNothingBetween},
    {"Gravitation", kNothingBetween},
    {"PlanarFree", kNothingBetween},
    {"PlanarCutRigid", kNothingBetween},
    {"Mech2MBG", kConverter},
    {"MBG2Mech", kConverter},
    {"PlanarMech2MBG", kConverter},
    {"PlanarMBG2Mech", kConverter},
    {"AbsolutePosition", kSensor},
    {"AbsoluteVelocity", kSensor},
    {"AbsoluteAngularVelocity", kSensor},
    {"AbsoluteAngles", kSensor},
    {"RelativePosition", kSensor},
    {"RelativeVelocity", kSensor},
    {"RelativeAngularVelocity", kSensor},
    {"RelativeAngles", kSensor},
    {"Distance", kSensor},
    {"CutForceAndTorque", kSensor},
};

/// The shapes of the one component of a type; their values at the start of a run.
struct Shown {
    std::vector<Shape3D> shapes;
    std::vector<double> values;  ///< per shape x, R row by row, sizes
};

Shown shown(Pipeline& p, const ComponentType& type) {
    Shown result;
    std::vector<model::Equation> none;
    std::vector<simulation::Signal> signals;
    for (std::size_t i = 0; i < p.graph().elements.size(); ++i) {
        // The arm and the body the model has besides may be of the same type: the example stands before them.
        if (p.graph().elements[i].type->name != type.name) continue;
        result.shapes = type.shapes(model::LawContext(p.graph(), model::ElementId(i), none));
        break;
    }
    for (const Shape3D& s : result.shapes) {
        const auto add = [&](const Expr& e) { signals.push_back({"", "", "", e}); };
        for (Eigen::Index i = 0; i < 3; ++i) add(s.x(i, 0));
        for (Eigen::Index i = 0; i < 9; ++i) add(s.R(i / 3, i % 3));
        for (const Expr& size : {s.length, s.width, s.height}) add(size);
    }
    simulation::Settings settings;
    settings.stop = 1e-3;
    settings.interval = 1e-3;
    const simulation::Run run = simulation::simulate(p.compiled(), settings, signals);
    EXPECT_FALSE(run.summary.failure.has_value()) << run.summary.failure.value_or(simulation::Failure{}).message;
    const auto& data = run.result.data;
    result.values.assign(data.begin(),
                         data.begin() + static_cast<std::ptrdiff_t>(std::min(signals.size(), data.size())));
    return result;
}

std::vector<const ComponentType*> visible_types() {
    std::vector<const ComponentType*> types = mechanical_types();
    std::erase_if(types, [](const ComponentType* t) { return t->shapes == nullptr; });
    return types;
}

class ShapesOfTypes : public testing::TestWithParam<const ComponentType*> {};

TEST_P(ShapesOfTypes, HaveAPlaceAnOrientationAndASize) {
    const ComponentType& type = *GetParam();
    const std::string text = model_with(type);
    SCOPED_TRACE(text);
    Pipeline p(text);
    const Shown s = shown(p, type);
    // Examples give what a shape needs, but that of a fixed turn has no arm.
    ASSERT_EQ(s.shapes.empty(), type.name == "FixedRotation");
    ASSERT_EQ(s.values.size(), 15 * s.shapes.size());
    for (std::size_t k = 0; k < s.shapes.size(); ++k) {
        const double* begin = s.values.data() + 15 * k;
        const Eigen::Map<const Eigen::Vector3d> x(begin);
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(begin + 3);
        const Eigen::Map<const Eigen::Vector3d> size(begin + 12);
        EXPECT_TRUE(x.allFinite());
        EXPECT_LE((R * R.transpose() - Eigen::Matrix3d::Identity()).norm(), 1e-9) << R;
        EXPECT_GT(R.determinant(), 0.0);
        EXPECT_GE(size.minCoeff(), 0.0) << size;
        if (!s.shapes[k].measures.empty()) {
            EXPECT_EQ(s.shapes[k].kind, "arrow");
        }
    }
}

/// The element with all of its lengths twice as large.
model::Element with_lengths_doubled(model::Element element) {
    for (std::size_t k = 0; k < element.parameters.size(); ++k) {
        if (element.type->parameters[k].unit != "m" || !element.parameters[k]) continue;
        expression::ExprMatrix& value = element.parameters[k]->value;
        for (Eigen::Index i = 0; i < value.size(); ++i) value(i) = Expr(2.0) * value(i);
    }
    return element;
}

// The oracle: such a size is a number that stays the same where every length of the component is another.
TEST_P(ShapesOfTypes, AreNominalInTheSizesThatNoLengthOfTheModelGives) {
    const ComponentType& type = *GetParam();
    Pipeline p(model_with(type));
    const auto& elements = p.graph().elements;
    const auto at = std::find_if(elements.begin(), elements.end(),
                                 [&](const model::Element& e) { return e.type->name == type.name; });
    ASSERT_NE(at, elements.end());
    const model::ElementId id(static_cast<std::size_t>(at - elements.begin()));
    std::vector<model::Equation> none;
    const auto shapes = type.shapes(model::LawContext(p.graph(), id, none));
    const model::Element larger = with_lengths_doubled(*at);
    const auto others = type.shapes(model::LawContext(p.graph(), larger, id, none));
    ASSERT_EQ(shapes.size(), others.size());
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        const Shape3D& s = shapes[k];
        if (!s.measures.empty()) {
            EXPECT_EQ(s.nominal, Shape3D::Nominal::none) << k;
            continue;
        }
        const auto stays = [](const Expr& one, const Expr& other) {
            return one.is_constant() && other.is_constant() && one.constant() == other.constant();
        };
        EXPECT_EQ(stays(s.length, others[k].length), s.nominal == Shape3D::Nominal::all) << k << " " << s.kind;
        EXPECT_EQ(stays(s.width, others[k].width), s.nominal != Shape3D::Nominal::none) << k << " " << s.kind;
        EXPECT_EQ(stays(s.height, others[k].height), s.nominal != Shape3D::Nominal::none) << k << " " << s.kind;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, ShapesOfTypes, testing::ValuesIn(visible_types()),
                         [](const auto& info) { return std::string(info.param->name); });

// Also of joints declared in a file, which have no example.
TEST(Shapes, AreLeftOutForAReasonOnly) {
    std::size_t left_out = 0;
    for (const ComponentType* t : test::catalogue().types()) {
        if (t->connectors.empty() || t->shapes != nullptr) continue;
        ++left_out;
        EXPECT_TRUE(kInvisible.contains(t->name)) << t->name;
    }
    EXPECT_EQ(left_out, kInvisible.size());
}

}  // namespace
}  // namespace bondgraph
