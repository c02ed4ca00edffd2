#include "bench/simbody/simbody_chain.hpp"

#include <Simbody.h>

#include <algorithm>
#include <exception>

#include "bench/stopwatch.hpp"

namespace bondgraph::bench {

using SimTK::MobilizedBody;
using SimTK::Transform;
using SimTK::Vec3;

struct SimbodyChain::System {
    explicit System(const Chain& chain);
    void set(const double* y);

    SimTK::MultibodySystem all;
    SimTK::SimbodyMatterSubsystem matter{all};
    SimTK::GeneralForceSubsystem forces{all};
    std::vector<MobilizedBody> links;
    SimTK::State start;
    SimTK::State moving;
    int about_z = 0;  ///< the joint's speed about z among its speeds
};

SimbodyChain::System::System(const Chain& chain) {
    SimTK::Force::UniformGravity(forces, matter, Vec3(0, -Chain::kGravity, 0));
    const Vec3 centre(Chain::kLength / 2, 0, 0);
    const SimTK::Inertia about_centre(Chain::kAlong, Chain::kAcross, Chain::kAcross);
    const SimTK::MassProperties mass(Chain::kMass, centre, about_centre.shiftFromMassCenter(-centre, Chain::kMass));
    const SimTK::Body::Rigid link(mass);
    for (std::size_t k = 0; k < chain.links; ++k) {
        MobilizedBody carrier = k == 0 ? static_cast<MobilizedBody&>(matter.updGround()) : links.back();
        const Transform end(k == 0 ? Vec3(0) : Vec3(Chain::kLength, 0, 0));
        if (chain.joint == Chain::Joint::pin) {
            links.push_back(MobilizedBody::Pin(carrier, end, link, Transform()));
        } else {
            links.push_back(MobilizedBody::Ball(carrier, end, link, Transform()));
        }
    }
    start = all.realizeTopology();
    if (chain.joint == Chain::Joint::ball) {
        about_z = 2;
        links.front().setOneU(start, 1, Chain::kTurning);
    }
    moving = start;
}

void SimbodyChain::System::set(const double* y) {
    SimTK::Vector& into = moving.updY();
    std::copy_n(y, into.size(), &into[0]);
}

SimbodyChain::SimbodyChain(const Chain& chain) : system_(std::make_unique<System>(chain)) {}
SimbodyChain::~SimbodyChain() = default;

std::size_t SimbodyChain::size() const { return static_cast<std::size_t>(system_->start.getNY()); }

std::vector<double> SimbodyChain::start() const {
    const SimTK::Vector& y = system_->start.getY();
    return {&y[0], &y[0] + y.size()};
}

std::size_t SimbodyChain::speed(std::size_t joint) const {
    const int first = system_->links[joint].getFirstUIndex(system_->start);
    return static_cast<std::size_t>(system_->start.getNQ() + first + system_->about_z);
}

void SimbodyChain::derivative(const double* y, double* rates) {
    system_->set(y);
    system_->all.realize(system_->moving, SimTK::Stage::Acceleration);
    const SimTK::Vector& from = system_->moving.getYDot();
    std::copy_n(&from[0], from.size(), rates);
}

Position SimbodyChain::tip(const std::vector<double>& y) {
    system_->set(y.data());
    system_->all.realize(system_->moving, SimTK::Stage::Position);
    const Vec3 x = system_->links.back().findStationLocationInGround(system_->moving, Vec3(Chain::kLength, 0, 0));
    return {x[0], x[1], x[2]};
}

double SimbodyChain::energy(const std::vector<double>& y) {
    system_->set(y.data());
    system_->all.realize(system_->moving, SimTK::Stage::Dynamics);
    return system_->all.calcEnergy(system_->moving);
}

SimbodyRun SimbodyChain::simulate_with_adams(double stop, double tolerance) const {
    SimbodyRun run;
    Stopwatch watch;
    SimTK::CPodesIntegrator integrator(system_->all, SimTK::CPodes::Adams);
    integrator.setAccuracy(tolerance);
    SimTK::TimeStepper stepper(system_->all, integrator);
    stepper.initialize(system_->start);
    try {
        stepper.stepTo(stop);
    } catch (const std::exception&) {
        return run;
    }
    run.complete = true;
    run.seconds = watch.lap();
    const SimTK::Vector& y = stepper.getState().getY();
    run.y.assign(&y[0], &y[0] + y.size());
    run.steps = integrator.getNumStepsTaken();
    run.evaluations = integrator.getNumRealizations();
    return run;
}

}  // namespace bondgraph::bench
