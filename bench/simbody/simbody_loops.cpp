// Mechanisms with closed loops in Simbody, from the start of the process to a table of results: what closed_loops.py
// compares `bondgraph run` with. A program of its own without anything of bondgraph in it.
//
//   simbody_loops MECHANISM FORMULATION INTEGRATOR ACCURACY STOP INTERVAL OUTPUT
//
// Each formulation closes the loops in another way. The start is consistent, in closed form, so that nothing has to be
// assembled. What was done and how long it took goes to standard error.

#include <Simbody.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using SimTK::Constraint;
using SimTK::MobilizedBody;
using SimTK::Rotation;
using SimTK::State;
using SimTK::Transform;
using SimTK::UnitVec3;
using SimTK::Vec3;
using SimTK::XAxis;
using SimTK::YAxis;
using SimTK::ZAxis;

constexpr double kGravity = 9.81;

double seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What the integrators are given, and which coordinates are looked at.
struct Mechanism {
    SimTK::MultibodySystem all;
    SimTK::SimbodyMatterSubsystem matter{all};
    SimTK::GeneralForceSubsystem forces{all};
    SimTK::Force::UniformGravity gravity{forces, matter, Vec3(0, -kGravity, 0)};

    struct Start {
        MobilizedBody body;
        double q;
        double u;
    };
    struct Coordinate {
        std::string name;
        std::function<double(const State&)> value;
    };
    std::vector<Start> start;
    std::vector<Coordinate> coordinates;

    MobilizedBody& ground() { return matter.updGround(); }

    /// The sum of joints' coordinates: in a plane the angle of the last one's body.
    static std::function<double(const State&)> sum(std::vector<MobilizedBody> joints) {
        return [joints = std::move(joints)](const State& state) {
            double sum = 0;
            for (const MobilizedBody& joint : joints) sum += joint.getOneQ(state, 0);
            return sum;
        };
    }

    State initial_state() {
        all.realizeTopology();
        State state = all.getDefaultState();
        all.realizeModel(state);
        for (const Start& s : start) {
            s.body.setOneQ(state, 0, s.q);
            s.body.setOneU(state, 0, s.u);
        }
        return state;
    }
};

/// A thin uniform rod from its origin to `end`.
SimTK::Body::Rigid rod(double mass, const Vec3& end) {
    const Vec3 centre = end / 2;
    const double about_centre = mass * end.normSqr() / 12;
    const Vec3 along = end.normalize();
    const SimTK::Inertia inertia(about_centre * (1 - along[0] * along[0]), about_centre * (1 - along[1] * along[1]),
                                 about_centre * (1 - along[2] * along[2]));
    return SimTK::Body::Rigid(SimTK::MassProperties(mass, centre, inertia.shiftFromMassCenter(-centre, mass)));
}

/// Two points of bodies that move in the plane z = 0 only, held together.
void hold_in_the_plane(const std::string& how, MobilizedBody& base, const Vec3& at_base, MobilizedBody& follower,
                       const Vec3& at_follower) {
    if (how == "line") {
        Constraint::PointOnLine(base, UnitVec3(ZAxis), at_base, follower, at_follower);
    } else if (how == "planes") {
        Constraint::PointInPlane(base, UnitVec3(XAxis), at_base[0], follower, at_follower);
        Constraint::PointInPlane(base, UnitVec3(YAxis), at_base[1], follower, at_follower);
    } else if (how == "ball") {
        Constraint::Ball(base, at_base, follower, at_follower);
    } else {
        throw std::invalid_argument("unknown way to close a loop: " + how);
    }
}

struct Formulation {
    std::string tree;
    std::string closure;
};

/// "tree-closure", as chain-line.
Formulation parsed(const std::string& text) {
    const auto dash = text.find('-');
    if (dash == std::string::npos) throw std::invalid_argument("not TREE-CLOSURE: " + text);
    return {text.substr(0, dash), text.substr(dash + 1)};
}

/// models/mechanics3d/crank_rocker.yaml. Trees: "tops", the loop is cut between coupler and rocker; "chain", at the
/// ground.
void four_bar(Mechanism& m, const Formulation& how) {
    const double a = 0.1;
    const double b = 0.35;
    const double c = 0.25;
    const double d = 0.3;
    const double rho = 2;
    const double phi = SimTK::Pi / 6;
    const double w = 20;
    // Where the circles about the ends of crank and ground meet, and the angles of coupler and rocker there.
    const SimTK::Vec2 top(a * std::cos(phi), a * std::sin(phi));
    const SimTK::Vec2 across = SimTK::Vec2(d, 0) - top;
    const double distance = across.norm();
    const double along = (b * b - c * c + distance * distance) / (2 * distance);
    const double aside = std::sqrt(b * b - along * along);
    const SimTK::Vec2 unit = across / distance;
    const SimTK::Vec2 joint = top + along * unit + aside * SimTK::Vec2(-unit[1], unit[0]);
    const double coupler_angle = std::atan2(joint[1] - top[1], joint[0] - top[0]);
    const double rocker_angle = std::atan2(joint[1], joint[0] - d);
    const double coupler_rate = a * w * std::sin(rocker_angle - phi) / (b * std::sin(coupler_angle - rocker_angle));
    const double rocker_rate = a * w * std::sin(phi - coupler_angle) / (c * std::sin(rocker_angle - coupler_angle));

    MobilizedBody::Pin crank(m.ground(), Transform(), rod(rho * a, Vec3(a, 0, 0)), Transform());
    MobilizedBody::Pin coupler(crank, Transform(Vec3(a, 0, 0)), rod(rho * b, Vec3(b, 0, 0)), Transform());
    m.start = {{crank, phi, w}, {coupler, coupler_angle - phi, coupler_rate - w}};
    m.coordinates = {{"main.phi", Mechanism::sum({crank})}};
    if (how.tree == "tops") {
        MobilizedBody::Pin rocker(m.ground(), Transform(Vec3(d, 0, 0)), rod(rho * c, Vec3(c, 0, 0)), Transform());
        hold_in_the_plane(how.closure, rocker, Vec3(c, 0, 0), coupler, Vec3(b, 0, 0));
        m.start.push_back({rocker, rocker_angle, rocker_rate});
        m.coordinates.push_back({"j4.phi", Mechanism::sum({rocker})});
    } else if (how.tree == "chain") {
        // The rocker's frame has its origin at the ground's end; it hangs at its other end.
        MobilizedBody::Pin rocker(coupler, Transform(Vec3(b, 0, 0)), rod(rho * c, Vec3(c, 0, 0)),
                                  Transform(Vec3(c, 0, 0)));
        hold_in_the_plane(how.closure, m.ground(), Vec3(d, 0, 0), rocker, Vec3(0));
        m.start.push_back({rocker, rocker_angle - coupler_angle, rocker_rate - coupler_rate});
        m.coordinates.push_back({"j4.phi", Mechanism::sum({crank, coupler, rocker})});
    } else {
        throw std::invalid_argument("unknown tree: " + how.tree);
    }
}

/// models/mechanics3d/slider_crank.yaml. Trees: "tops", the slider in its guide, the loop cut at the rod's end;
/// "chain", the slider on the rod, held in its guide by two conditions; "point", the slider, which doesn't turn, is a
/// mass at the rod's end, with one condition.
void slider_crank(Mechanism& m, const Formulation& how) {
    const double r = 0.1;
    const double l = 0.3;
    const double slider_mass = 0.5;
    const double phi = SimTK::Pi / 6;
    const double w = 12;
    const double rod_angle = -std::asin(r * std::sin(phi) / l);
    const double rod_rate = -r * std::cos(phi) * w / (l * std::cos(rod_angle));
    const double s = r * std::cos(phi) + l * std::cos(rod_angle);
    const double v = -r * std::sin(phi) * w - l * std::sin(rod_angle) * rod_rate;

    MobilizedBody::Pin crank(m.ground(), Transform(), rod(1, Vec3(r, 0, 0)), Transform());
    SimTK::Body::Rigid connecting = rod(0.8, Vec3(l, 0, 0));
    const bool point = how.tree == "point";
    if (point) {
        const SimTK::MassProperties& bare = connecting.getDefaultRigidBodyMassProperties();
        const double mass = bare.getMass() + slider_mass;
        const Vec3 centre = (bare.getMass() * bare.getMassCenter() + slider_mass * Vec3(l, 0, 0)) / mass;
        connecting = SimTK::Body::Rigid(SimTK::MassProperties(
            mass, centre, bare.getInertia() + SimTK::Inertia::pointMassAt(Vec3(l, 0, 0), slider_mass)));
    }
    MobilizedBody::Pin rod_body(crank, Transform(Vec3(r, 0, 0)), connecting, Transform());
    m.start = {{crank, phi, w}, {rod_body, rod_angle - phi, rod_rate - w}};
    m.coordinates = {{"main.phi", Mechanism::sum({crank})}};
    // It doesn't turn; a joint that could turn it needs an inertia to divide by.
    const SimTK::Body::Rigid slider(SimTK::MassProperties(slider_mass, Vec3(0), SimTK::Inertia(slider_mass * r * r)));
    if (how.tree == "tops") {
        MobilizedBody::Slider guide(m.ground(), Transform(), slider, Transform());
        hold_in_the_plane(how.closure, guide, Vec3(0), rod_body, Vec3(l, 0, 0));
        m.start.push_back({guide, s, v});
        m.coordinates.push_back({"guide.s", Mechanism::sum({guide})});
        return;
    } else if (how.tree == "chain") {
        MobilizedBody::Pin small(rod_body, Transform(Vec3(l, 0, 0)), slider, Transform());
        Constraint::PointInPlane(m.ground(), UnitVec3(YAxis), 0, small, Vec3(0));
        Constraint::ConstantAngle(m.ground(), UnitVec3(XAxis), small, UnitVec3(YAxis));
        m.start.push_back({small, -rod_angle, -rod_rate});
    } else if (point) {
        Constraint::PointInPlane(m.ground(), UnitVec3(YAxis), 0, rod_body, Vec3(l, 0, 0));
    } else {
        throw std::invalid_argument("unknown tree: " + how.tree);
    }
    m.coordinates.push_back({"guide.s", [=](const State& state) {
                                 const double angle = crank.getOneQ(state, 0);
                                 return r * std::cos(angle) + l * std::cos(angle + rod_body.getOneQ(state, 0));
                             }});
}

/// models/mechanics3d/bricard.yaml: rods along x, hinges about z, and from each rod's end to the next hinge a quarter
/// of a turn about x, in turns to and fro. "ring": five hinges in a row, the sixth by conditions; "weld": six in a row,
/// and the ring is closed rigidly; "halves": three hinges and two from either side of the rod that is held.
void bricard(Mechanism& m, const Formulation& how) {
    const double l = 1;
    const auto turn = [](int k) { return Rotation((k % 2 == 0 ? 0.5 : -0.5) * SimTK::Pi, XAxis); };
    const auto end = [&](int k) { return Transform(turn(k), Vec3(l, 0, 0)); };
    const SimTK::Body::Rigid link = rod(1, Vec3(l, 0, 0));
    const auto hinge = [&](MobilizedBody& carrier, const Transform& where, const SimTK::Body::Rigid& body) {
        MobilizedBody::Pin pin(carrier, where, body, Transform());
        m.start.push_back({pin, 0.5 * SimTK::Pi, 0});
        return pin;
    };
    /// Hinge of a row that runs backwards: the rod's end, turned, is where its carrier is.
    const auto hinge_backwards = [&](MobilizedBody& carrier, const Transform& where, int k) {
        MobilizedBody::Pin pin(carrier, where, link, end(k));
        m.start.push_back({pin, -0.5 * SimTK::Pi, 0});
        return pin;
    };
    /// The hinge's axes are held together: of the sides' conditions "ball1" and "line1" leave out what the others
    /// imply.
    const auto close = [&](MobilizedBody& base, const Transform& at, MobilizedBody& follower) {
        const UnitVec3 z(ZAxis);
        const Vec3& p = at.p();
        if (how.closure == "ball" || how.closure == "ball1") {
            Constraint::Ball(base, p, follower, Vec3(0));
        } else {
            Constraint::PointOnLine(base, UnitVec3(at.z()), p, follower, Vec3(0));
        }
        Constraint::ConstantAngle(base, UnitVec3(at.x()), follower, z);
        if (how.closure != "ball1") Constraint::ConstantAngle(base, UnitVec3(at.y()), follower, z);
    };
    // The rod that is held ends with a quarter of a turn where the first hinge is, so it lies in the ground like this.
    const Transform held = Transform(end(5).invert());
    std::vector<MobilizedBody> rods;
    if (how.tree == "ring" || how.tree == "weld") {
        for (int k = 0; k < 5; ++k) {
            rods.push_back(k == 0 ? hinge(m.ground(), Transform(), link) : hinge(rods.back(), end(k - 1), link));
        }
        if (how.tree == "ring") {
            // The sixth hinge is at the last rod's end; the held rod's origin and z axis are that hinge's other side.
            MobilizedBody& last = rods.back();
            const UnitVec3 z(held.z());
            if (how.closure == "ball" || how.closure == "ball1") {
                Constraint::Ball(m.ground(), held.p(), last, Vec3(l, 0, 0));
            } else if (how.closure == "line") {
                Constraint::PointOnLine(m.ground(), z, held.p(), last, Vec3(l, 0, 0));
            } else {
                throw std::invalid_argument("unknown way to close a loop: " + how.closure);
            }
            const Transform at = end(4);
            Constraint::ConstantAngle(last, UnitVec3(at.x()), m.ground(), z);
            if (how.closure != "ball1") Constraint::ConstantAngle(last, UnitVec3(at.y()), m.ground(), z);
        } else {
            MobilizedBody::Pin sixth(rods.back(), end(4), link, Transform());
            m.start.push_back({sixth, 0.5 * SimTK::Pi, 0});
            Constraint::Weld(m.ground(), held, sixth, Transform());
        }
    } else if (how.tree == "halves") {
        rods.push_back(hinge(m.ground(), Transform(), link));
        rods.push_back(hinge(rods.back(), end(0), link));
        rods.push_back(hinge(rods.back(), end(1), link));
        MobilizedBody fifth = hinge_backwards(m.ground(), held, 4);
        MobilizedBody fourth = hinge_backwards(fifth, Transform(), 3);
        close(rods.back(), end(2), fourth);
    } else {
        throw std::invalid_argument("unknown tree: " + how.tree);
    }
    m.coordinates = {{"h1.phi", Mechanism::sum({rods[0]})}, {"h2.phi", Mechanism::sum({rods[1]})}};
}

/// models/mechanics3d/n_four_bar.yaml with any number of loops. Trees: "tops", each bar hangs on the rod before it and
/// is held at the next one's top; "chain", all rods and bars in one row, the rods' feet held at the ground.
void n_four_bar(Mechanism& m, const Formulation& how, int loops) {
    const double l = 1;
    const double w = 1;
    const SimTK::Body::Rigid upright = rod(1, Vec3(0, l, 0));
    const SimTK::Body::Rigid bar = rod(1, Vec3(l, 0, 0));
    MobilizedBody::Pin rod_body(m.ground(), Transform(), upright, Transform());
    m.start = {{rod_body, 0, w}};
    m.coordinates = {{"p0.phi", Mechanism::sum({rod_body})}};
    std::vector<MobilizedBody> row = {rod_body};
    for (int k = 0; k < loops; ++k) {
        MobilizedBody::Pin bar_body(rod_body, Transform(Vec3(0, l, 0)), bar, Transform());
        m.start.push_back({bar_body, 0, -w});
        const Vec3 foot((k + 1) * l, 0, 0);
        if (how.tree == "tops") {
            rod_body = MobilizedBody::Pin(m.ground(), Transform(foot), upright, Transform());
            row = {rod_body};
            hold_in_the_plane(how.closure, rod_body, Vec3(0, l, 0), bar_body, Vec3(l, 0, 0));
        } else if (how.tree == "chain") {
            rod_body = MobilizedBody::Pin(bar_body, Transform(Vec3(l, 0, 0)), upright, Transform(Vec3(0, l, 0)));
            hold_in_the_plane(how.closure, m.ground(), foot, rod_body, Vec3(0));
            row.insert(row.end(), {bar_body, rod_body});
        } else {
            throw std::invalid_argument("unknown tree: " + how.tree);
        }
        m.start.push_back({rod_body, 0, w});
    }
    m.coordinates.push_back({"p" + std::to_string(loops) + ".phi", Mechanism::sum(row)});
}

void build(Mechanism& m, const std::string& what, const Formulation& how) {
    const std::string n = "n_four_bar:";
    if (what == "crank_rocker") return four_bar(m, how);
    if (what == "slider_crank") return slider_crank(m, how);
    if (what == "bricard") return bricard(m, how);
    if (what.compare(0, n.size(), n) == 0) return n_four_bar(m, how, std::stoi(what.substr(n.size())));
    throw std::invalid_argument("unknown mechanism: " + what);
}

std::unique_ptr<SimTK::Integrator> integrator(const std::string& name, const SimTK::System& system) {
    using SimTK::CPodes;
    using SimTK::CPodesIntegrator;
    if (name == "Merson") return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
    if (name == "Feldberg") return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
    if (name == "RungeKutta3") return std::make_unique<SimTK::RungeKutta3Integrator>(system);
    if (name == "RungeKutta2") return std::make_unique<SimTK::RungeKutta2Integrator>(system);
    if (name == "Verlet") return std::make_unique<SimTK::VerletIntegrator>(system);
    if (name == "SemiExplicitEuler2") return std::make_unique<SimTK::SemiExplicitEuler2Integrator>(system);
    if (name == "BDF") return std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
    if (name == "BDF_functional") return std::make_unique<CPodesIntegrator>(system, CPodes::BDF, CPodes::Functional);
    if (name == "Adams") return std::make_unique<CPodesIntegrator>(system, CPodes::Adams);
    throw std::invalid_argument("unknown integrator: " + name);
}

int run(const std::vector<std::string>& arguments) {
    Mechanism m;
    build(m, arguments[0], parsed(arguments[1]));
    const State start = m.initial_state();
    const std::unique_ptr<SimTK::Integrator> with = integrator(arguments[2], m.all);
    with->setAccuracy(std::stod(arguments[3]));
    const double stop = std::stod(arguments[4]);
    const double interval = std::stod(arguments[5]);

    std::ofstream out(arguments[6]);
    out.precision(17);
    out << "time";
    for (const auto& c : m.coordinates) out << ',' << c.name;
    out << '\n';
    const double before = seconds();
    with->initialize(start);
    const int rows = static_cast<int>(std::lround(stop / interval));
    for (int row = 0; row <= rows; ++row) {
        const double time = row * interval;
        while (with->getTime() < time) with->stepTo(time);
        out << time;
        for (const auto& c : m.coordinates) out << ',' << c.value(with->getState());
        out << '\n';
    }
    std::cerr << "steps " << with->getNumStepsTaken() << " evaluations " << with->getNumRealizations()
              << " projections " << with->getNumProjections() << " seconds " << seconds() - before << '\n';
    return out ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    if (arguments.size() != 7) {
        std::cerr << "usage: simbody_loops MECHANISM FORMULATION INTEGRATOR ACCURACY STOP INTERVAL OUTPUT\n";
        return 1;
    }
    try {
        return run(arguments);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
