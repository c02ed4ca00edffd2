#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/parts.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

/// Coordinates whose rates are one multibond: their junction is named `name`, their rates are a port of the component.
struct Coordinates {
    std::string name;
    std::uint32_t size = 1;
    std::string domain;  ///< of the rates
};

/// One elementary motion on the way from frame_a to frame_b, as functions of the component (its parameters and
/// coordinates). Rotations: h_after = P h_before. Translations: the next origin lies at d, in the frame before.
struct Step {
    enum class Kind : std::uint8_t { rotate, translate } kind = Kind::rotate;
    std::function<Mat3(const model::LawContext&)> P = {};
    std::function<Vec3(const model::LawContext&)> w = {};  ///< relative angular velocity, after; null: constant
    std::function<Vec3(const model::LawContext&)> d = {};
    std::function<Vec3(const model::LawContext&)> dd = {};  ///< its rate; null: constant
    /// What moves: for each of the coordinates (by index) the map from its rates to w (after) or dd. Null map:
    /// identity.
    struct Moved {
        std::size_t coordinates = 0;
        std::function<expression::ExprMatrix(const model::LawContext&)> H = {};
        std::function<Vec3(const model::LawContext&)> bias = {};  ///< dH/dt · rates; null: H is constant
    };
    std::vector<Moved> moved = {};
};

/// Position and orientation.
struct Pose {
    Vec3 x;
    Mat3 R;
};

/// The pose of a connector of a component.
Pose pose_of(const model::LawContext& component, std::string_view connector);
/// Equations that give a connector's signals, those of them that belong to this component.
void give_pose(model::LawContext& component, std::string_view connector, const Pose& pose);

/// A cursor while the multibonds of a chain are laid: where rotation and translation stand. Empty: still at a
/// connector that nothing has been attached to.
struct Lane {
    std::optional<model::PartEnd> end;
    std::string connector;
    bool outward = false;  ///< half arrows at the connector leave the component
};

/// Lays the multibond graph of a chain of steps. `frame_a` and `frame_b` are connectors.
class ChainBuilder {
   public:
    explicit ChainBuilder(model::PartsBuilder& parts, const std::string& connector = "frame_a");

    /// Junctions for coordinates, each with a port of the component for its rates.
    void coordinates(const std::vector<Coordinates>& all);
    void step(const Step& step);
    /// Ends the chain at a connector.
    void end_at(const std::string& connector);
    /// 1-junctions of velocity and angular velocity where the chain stands.
    model::PartEnd velocity();
    model::PartEnd angular_velocity();
    /// A second chain from where this one stands (which is made a pair of 1-junctions).
    ChainBuilder branch(const std::string& prefix);
    /// A second chain with the same coordinates from another connector.
    [[nodiscard]] ChainBuilder from(const std::string& connector, const std::string& prefix) const;
    [[nodiscard]] model::PartEnd rates(std::size_t coordinates) const { return axes_[coordinates]; }
    /// Whether orientations are computed the way the steps go (else back from the end).
    void set_forward(bool forward) { forward_ = forward; }
    /// The orientation where the chain stands, as a function of the component.
    [[nodiscard]] std::function<Mat3(const model::LawContext&)> orientation() const { return orientation_; }

   private:
    void stand_at(const std::string& connector);
    void rotate(const Step& step);
    void translate(const Step& step);
    model::PartEnd junction(Lane& lane, bool common_flow, std::string_view bond);
    void connect(Lane& lane, const model::PartEnd& to, std::string_view bond);
    std::string part(std::string_view name);

    model::PartsBuilder& parts_;
    std::string prefix_;
    int number_ = 0;
    bool forward_;
    Lane trans_;
    Lane rot_;
    std::vector<model::PartEnd> axes_;
    std::vector<Coordinates> coordinates_;
    std::function<Mat3(const model::LawContext&)> orientation_;
};

/// The pose after all steps (forward), or before them when the pose after them is given (`reversed`).
Pose through(const std::vector<Step>& steps, const model::LawContext& component, const Pose& given, bool reversed);

/// Law of a component whose kinematics is a chain from frame_a to frame_b: the signals of the connector it computes.
void chain_law(model::LawContext& component, const std::vector<Step>& steps);
/// Law of coordinates whose rates are states: port p's flow is the state `rate`, its effort vanishes.
void coordinate_law(model::LawContext& component, std::size_t port, std::string_view rate);

model::PortCausality coordinate_causality(const model::Element&, std::size_t, std::size_t);

}  // namespace bondgraph::mechanics3d
