#pragma once

#include <array>

#include "mechanics3d/joints.hpp"

namespace bondgraph::mechanics3d {

// Assemblies: several joints and rods as one component between frame_a and frame_b. From either side a leg of turns,
// slides and rods leads inwards; where the legs meet, conditions on positions close the component. What is inside has
// as many coordinates as conditions, so that an assembly neither frees nor forbids anything between its frames (those
// in a plane: in that plane).

/// Directions that axes and rods have unless parameters say otherwise.
inline const Vec3 kX = vec3(1.0, 0.0, 0.0);
inline const Vec3 kMinusX = vec3(-1.0, 0.0, 0.0);
inline const Vec3 kZ = vec3(0.0, 0.0, 1.0);

/// Motions from the frame before; the frame they lead to may be a connector of its own.
struct Reach {
    const char* frame = nullptr;  ///< null: a place inside
    std::vector<Step> steps;
};

/// The way from a connector inwards; only its last place may lie inside.
struct Leg {
    const char* from;
    std::vector<Reach> reaches = {};
};

/// What holds the ends of both legs together.
struct Meeting {
    enum class Kind : std::uint8_t { in_point, in_plane, at_distance } kind = Kind::in_point;
    std::function<Vec3(const model::LawContext&)> normal = {};  ///< in_plane: of the plane, in frame_a
    /// in_point: what has to be positive, as conditions hold as well where a leg is mirrored; null: nothing
    std::function<Expr(const model::LawContext&)> upright = {};
    const char* length = nullptr;  ///< at_distance: parameter
    const char* mass = nullptr;    ///< at_distance: optional parameter, a point mass half-way
};

struct AssemblyTable {
    std::vector<Freedom> freedoms;  ///< the last one may be driven: `drives`
    bool drives = true;             ///< ports `axis` and `bearing`, and `locked`
    std::array<Leg, 2> (*legs)();   ///< from frame_a; from frame_b
    Meeting (*meeting)();
};

void build_assembly(model::PartsBuilder& b, const AssemblyTable& table);
void assembly_law(model::LawContext& k, const AssemblyTable& table);

/// Of an assembly's type: states, ports and what is the same for all.
void describe_assembly(model::ComponentType& t, const AssemblyTable& table);

template <const AssemblyTable& table>
model::ComponentType assembly_type(std::string_view name) {
    model::ComponentType t;
    t.name = name;
    t.build = [](model::PartsBuilder& b) { build_assembly(b, table); };
    t.law = [](model::LawContext& k) { assembly_law(k, table); };
    describe_assembly(t, table);
    return t;
}

/// Where a leg ends.
Pose end_of(const model::LawContext& k, const Leg& leg);

/// A constant translation by a vector parameter.
Step rod_along(const char* parameter);
/// A universal joint between the axis `across` of frame_a and a rod along `rod` of its inner frame; its second axis is
/// perpendicular to both. Coordinates 0 and 1 are phi_1 and phi_2.
std::vector<Step> universal_turns(std::function<Vec3(const model::LawContext&)> across,
                                  std::function<Vec3(const model::LawContext&)> rod);
std::vector<Freedom> universal_freedoms();
/// The axis of a universal joint that its frame_a holds: parameter n1_a.
Vec3 first_axis(const model::LawContext& k);
/// The sine of the angle between both: 0 where the rod points along the first axis, about which turns then are turns
/// about the rod.
Expr universal_angle(const model::LawContext& k, const Vec3& across, const Vec3& rod);

/// Extra frames may be left alone.
model::ConnectorSpec extra_frame(std::string_view name, std::string_view doc);
/// The vector of a rod: three numbers, not all 0.
model::ParameterSpec rod_vector(std::string_view name, std::string_view doc);
void check_rod(const model::LawContext& k, std::string_view parameter, Diagnostics& d);

inline constexpr const char* kAssemblySource =
    "Modelica Standard Library, Mechanics.MultiBody.Joints.Assemblies; Woernle: Ein systematisches Verfahren zur "
    "Aufstellung der geometrischen Schliessbedingungen in kinematischen Schleifen, VDI 18/59, 1988";

}  // namespace bondgraph::mechanics3d
