#include "bondgraph/compile/link_lengths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <algorithm>

#include "bondgraph/compile/ancestry.hpp"
#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/compile/kinematics.hpp"

namespace bondgraph::compile {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::Connector;
using model::Element;
using model::ElementId;

namespace {

constexpr double kSame = 1e-9;  // of the loop's lengths, or of 1: far above rounding, below what anyone would build

/// What closes a loop: rods one after the other with joints at their ends, or where there are none a joint at a point,
/// or a connection that lets nothing move.
struct ClosedBy {
    bool rigid = false;
    std::vector<Expr> rods = {};
};

std::optional<ClosedBy> closing_by(const Element& closure) {
    if (closure.type->name == closure.connectors[0].type->closure) return ClosedBy{.rigid = true};
    struct Known {
        std::string_view type;
        std::vector<std::string_view> rods;  ///< parameters: lengths, or vectors along the rod
    };
    static const std::vector<Known> kKnown{{"CutSpherical", {}},
                                           {"Spherical", {}},
                                           {"CutRevolute", {}},
                                           {"CutUniversal", {}},
                                           {"ConnectingRod", {"length"}},
                                           {"ConnectingRod2", {"length"}},
                                           {"SphericalSpherical", {"length"}},
                                           {"UniversalSpherical", {"rRod_ia"}},
                                           {"JointUSR", {"rRod1_ia", "rRod2_ib"}},
                                           {"JointSSR", {"rod1Length", "rRod2_ib"}}};
    const auto known = std::ranges::find(kKnown, closure.type->name, &Known::type);
    if (known == kKnown.end()) return std::nullopt;
    ClosedBy result;
    for (const std::string_view name : known->rods) {
        const model::Quantity* rod = closure.parameter(name);
        if (rod == nullptr) return std::nullopt;
        Expr square = 0.0;
        for (const Expr& e : rod->value.reshaped()) square = square + e * e;
        result.rods.push_back(expression::sqrt(square));
    }
    return result;
}

/// One frame after the other around a loop, from frame_a of what closes it to its frame_b, and the components between
/// each and the next.
struct Way {
    std::vector<const Connector*> frames;
    std::vector<std::vector<ElementId>> parts;
};

Way way_around(const model::BondGraph& g, const Element& closure) {
    const Ancestry ancestry(g);
    const Connector& a = closure.connectors[0];
    const Connector& b = closure.connectors[1];
    const Connector* common = ancestry.common(a, b);
    Way way{ancestry.way(a, common), {}};
    std::vector<const Connector*> back = ancestry.way(b, common);
    for (const ElementId id : ancestry.between(a, common)) way.parts.push_back({id});
    std::vector<ElementId> down = ancestry.between(b, common);
    if (common != nullptr) {
        way.frames.push_back(common);
    } else if (!way.parts.empty() && !down.empty()) {
        // Two roots, which nothing says to be apart by a constant: that will be seen.
        way.parts.back().push_back(down.back());
        down.pop_back();
    }
    way.frames.insert(way.frames.end(), back.rbegin(), back.rend());
    for (auto id = down.rbegin(); id != down.rend(); ++id) way.parts.push_back({*id});
    return way;
}

struct Pose {
    Vector3d x;
    Matrix3d R;  ///< components in World to components in the frame
};

/// From one frame to the next, in components of the first: by what turns and shifts constantly, by a joint at a point,
/// or by a rod.
struct Step {
    enum class Kind : std::uint8_t { rigid, joint, rod } kind = Kind::rigid;
    Vector3d shift = Vector3d::Zero();
    Matrix3d turn = Matrix3d::Identity();
    std::vector<ElementId> parts = {};
};

struct Link {
    double length = 0.0;
    std::vector<ElementId> parts;
};

class LinkLengths {
   public:
    LinkLengths(const AssemblyProblem& p, const Element& closure, std::span<const std::uint32_t> held)
        : p_(p), g_(*p.system->causal->graph), held_(held) {
        closing_ = closing_by(closure);
        way_ = way_around(g_, closure);
        self_ = ElementId(static_cast<std::size_t>(&closure - g_.elements.data()));
    }

    /// All links of the loop that have a length, or nothing where a distance within one changes.
    std::optional<std::vector<Link>> find(const ChoicePoint& at) {
        if (!closing_ || way_.frames.size() < 2 || way_.parts.size() + 1 != way_.frames.size()) return std::nullopt;
        if (!evaluate(at)) return std::nullopt;
        std::vector<Step> steps;
        for (std::size_t k = 0; k < way_.parts.size(); ++k) {
            const auto step = step_between(k);
            if (!step) return std::nullopt;
            steps.push_back(*step);
        }
        for (const double rod : rods_)
            steps.push_back({Step::Kind::rod, {rod, 0.0, 0.0}, Matrix3d::Identity(), {self_}});
        if (rods_.empty() && !closing_->rigid) steps.push_back({.kind = Step::Kind::joint});
        return links_of(std::move(steps));
    }

   private:
    bool evaluate(const ChoicePoint& at) {
        constexpr int kPlaces = 3;
        std::vector<Expr> all;
        for (const Connector* k : way_.frames) {
            const auto pose = pose_of(g_, *k, p_.kinematics);
            if (pose.size() != 12) return false;
            all.insert(all.end(), pose.begin(), pose.end());
        }
        all.insert(all.end(), closing_->rods.begin(), closing_->rods.end());
        const PointTape tape = tape_of(p_, all);
        std::minstd_rand random(5);
        for (int place = 0; place <= kPlaces; ++place) {
            ChoicePoint there = place == 0 ? at : normalized(elsewhere(p_, at, 1.0, random));
            for (const std::uint32_t v : held_) there.values[v] = at.values[v];
            const auto values = tape.values(there.values, there.time, there.held);
            if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) return false;
            std::vector<Pose>& poses = places_.emplace_back();
            for (std::size_t k = 0; k < way_.frames.size(); ++k) {
                const double* v = &values[12 * k];
                poses.push_back({Vector3d(v[0], v[1], v[2]),
                                 Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(v + 3)});
            }
            if (place == 0)
                rods_.assign(values.begin() + static_cast<std::ptrdiff_t>(12 * way_.frames.size()), values.end());
        }
        for (std::size_t k = 0; k + 1 < way_.frames.size(); ++k) size_ = std::max(size_, shift(0, k).norm());
        for (const double rod : rods_) size_ = std::max(size_, rod);
        return true;
    }

    ChoicePoint normalized(ChoicePoint point) const {
        for (const auto& q : quaternions(g_, p_.variables)) {
            double square = 0.0;
            for (const std::uint32_t v : q) square += point.values[v] * point.values[v];
            for (const std::uint32_t v : q) point.values[v] /= std::sqrt(square);
        }
        return point;
    }

    Vector3d shift(std::size_t place, std::size_t k) const {
        const auto& poses = places_[place];
        return poses[k].R * (poses[k + 1].x - poses[k].x);
    }
    Matrix3d turn(std::size_t place, std::size_t k) const {
        return places_[place][k + 1].R * places_[place][k].R.transpose();
    }

    std::optional<Step> step_between(std::size_t k) const {
        bool rigid = true, at_a_point = true, rod = true;
        const Vector3d here = shift(0, k);
        for (std::size_t place = 0; place < places_.size(); ++place) {
            const Vector3d there = shift(place, k);
            rigid = rigid && (there - here).norm() <= kSame * size_ && (turn(place, k) - turn(0, k)).norm() <= kSame;
            at_a_point = at_a_point && there.norm() <= kSame * size_;
            rod = rod && std::abs(there.norm() - here.norm()) <= kSame * size_;
        }
        if (rigid) return Step{Step::Kind::rigid, here, turn(0, k), way_.parts[k]};
        if (at_a_point) return Step{.kind = Step::Kind::joint};
        if (rod) return Step{Step::Kind::rod, here, Matrix3d::Identity(), way_.parts[k]};
        return std::nullopt;
    }

    /// What is rigid from joint to joint is one link.
    std::optional<std::vector<Link>> links_of(std::vector<Step> steps) const {
        const auto joint = std::ranges::find_if(steps, [](const Step& s) { return s.kind != Step::Kind::rigid; });
        if (joint == steps.end()) return std::nullopt;
        std::rotate(steps.begin(), joint, steps.end());
        std::vector<Link> links;
        Vector3d reached = Vector3d::Zero();
        Matrix3d R = Matrix3d::Identity();
        std::vector<ElementId> parts;
        const auto finish = [&] {
            if (reached.norm() > kSame * size_) links.push_back({reached.norm(), parts});
            reached.setZero();
            R.setIdentity();
            parts.clear();
        };
        for (const Step& s : steps) {
            if (s.kind != Step::Kind::rigid) finish();
            if (s.kind == Step::Kind::joint) continue;
            if (s.shift.norm() > kSame * size_) parts.insert(parts.end(), s.parts.begin(), s.parts.end());
            reached += R.transpose() * s.shift;
            R = s.turn * R;
            if (s.kind == Step::Kind::rod) finish();
        }
        finish();
        return links;
    }

    const AssemblyProblem& p_;
    const model::BondGraph& g_;
    std::span<const std::uint32_t> held_;
    std::optional<ClosedBy> closing_;
    Way way_;
    ElementId self_;
    std::vector<std::vector<Pose>> places_;
    std::vector<double> rods_;
    double size_ = 0.0;
};

/// "0.5 m (coupler)", with as many digits.
std::string link_text(const model::BondGraph& g, const Link& link, int digits) {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (const ElementId id : link.parts) {
        if (names.size() == kMost) {
            names.back() = "…";
            break;
        }
        names.push_back(g.elements[id.index()].name);
    }
    return fmt::format("{:.{}g} m ({})", link.length, digits, fmt::join(names, ", "));
}

}  // namespace

std::optional<std::string> link_too_long(const AssemblyProblem& problem, const ChoicePoint& at, const Element& closure,
                                         std::span<const std::uint32_t> held) {
    const auto links = LinkLengths(problem, closure, held).find(at);
    if (!links || links->empty()) return std::nullopt;
    const auto longest = std::ranges::max_element(*links, {}, &Link::length);
    double others = 0.0;
    for (auto link = links->begin(); link != links->end(); ++link) others += link == longest ? 0.0 : link->length;
    if (!(longest->length - others > kSame * longest->length)) return std::nullopt;

    const model::BondGraph& g = *problem.system->causal->graph;
    int digits = 6;
    const auto shown = [&](double length) { return fmt::format("{:.{}g}", length, digits); };
    if (shown(longest->length) == shown(others)) digits = 12;
    const std::string text = "the lengths can't close: " + link_text(g, *longest, digits);
    if (links->size() == 1) return text + " lies between joints that have to be at one place";
    constexpr std::size_t kMostNamed = 7;
    if (links->size() > kMostNamed)
        return text + fmt::format(" is longer than the {} others together, {} m", links->size() - 1, shown(others));
    std::string sum;
    for (auto link = links->begin(); link != links->end(); ++link) {
        if (link != longest) sum += (sum.empty() ? "" : " + ") + link_text(g, *link, digits);
    }
    return text + " is longer than " + sum + (links->size() > 2 ? " = " + shown(others) + " m together" : "");
}

}  // namespace bondgraph::compile
