#include "bondgraph/simulation/indeterminate.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "bondgraph/compile/ancestry.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/row_dependences.hpp"

namespace bondgraph::simulation {

using compile::ClosedMechanism;
using compile::PointTape;
using compile::PointValues;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using expression::Expr;
using expression::ExprMatrix;
using model::BondGraph;
using model::Element;
using model::ElementId;

namespace {

constexpr double kUnloaded = 1e-9;  // of the largest: directions and loads below are what rounding leaves of 0
constexpr double kOfModel = 1e-13;  // of the largest effort of the whole model, of which a loop's may be what cancels

struct Frame {
    ExprMatrix x, R, f, t;
};

struct Reaction {
    Vector3d f, t;
};

/// Of a component's connector; nothing where it is no frame in space.
std::optional<Frame> frame_of(const BondGraph& g, ElementId id, const std::string& connector) {
    const auto value = [&](const char* what) { return model::element_variable(g, id, connector + what); };
    const auto x = value(".x"), R = value(".R"), f = value(".f"), t = value(".t");
    if (!x || !R || !f || !t || x->value.size() != 3 || R->value.size() != 9) return std::nullopt;
    return Frame{x->value, R->value, f->value, t->value};
}

void append(std::vector<Expr>& all, const ExprMatrix& m) {
    for (Index i = 0; i < m.rows(); ++i) {
        for (Index k = 0; k < m.cols(); ++k) all.push_back(m(i, k));
    }
}

/// The numbers of the variables of a matrix; kNone for entries that are no variables.
std::vector<std::uint32_t> variables_of(const expression::Graph& graph, const ExprMatrix& m) {
    std::vector<Expr> all;
    append(all, m);
    std::vector<std::uint32_t> result;
    for (const Expr& e : all) {
        const bool variable = !e.is_literal() && graph[e.node()].op == expression::Op::variable;
        result.push_back(variable ? graph[e.node()].a : expression::kNoNode);
    }
    return result;
}

Vector3d three(std::span<const double> v) { return {v[0], v[1], v[2]}; }

/// The largest effort between mechanical parts.
double largest_effort(const BondGraph& g, std::span<const double> values, const char* domain) {
    const model::DomainIndex wanted = *model::find_domain(domain);
    double most = 0.0;
    for (const model::Bond& b : g.bonds) {
        if (b.domain != wanted) continue;
        for (std::uint32_t k = 0; k < b.size; ++k)
            most = std::max(most, std::abs(values[BondGraph::effort(b.first + k).index()]));
    }
    return most;
}

/// An orthonormal basis of what some vectors span.
MatrixXd span_of(const MatrixXd& vectors) {
    const auto [sizes, directions] = structure::singular_vectors(vectors.transpose());
    Index rank = 0;
    while (rank < sizes.size() && sizes[rank] > kUnloaded) ++rank;
    return directions.leftCols(rank);
}

std::string direction_text(Vector3d n) {
    constexpr double kShown = 5e-7;
    for (Index i = 0; i < 3; ++i) {
        if (std::abs(n[i]) < kShown) n[i] = 0.0;
    }
    const double first = n[0] != 0.0 ? n[0] : n[1] != 0.0 ? n[1] : n[2];
    n *= first < 0.0 ? -1.0 : 1.0;
    return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", n[0] + 0.0, n[1] + 0.0, n[2] + 0.0);
}

/// "forces along [0, 0, 1]", "torques across [0, 0, 1]"; empty where there is none.
std::string directions_text(const char* what, const MatrixXd& basis) {
    if (basis.cols() == 0) return "";
    if (basis.cols() == 1) return fmt::format("{} along {}", what, direction_text(basis.col(0)));
    if (basis.cols() == 3) return fmt::format("{} in all directions", what);
    const Vector3d a = basis.col(0), b = basis.col(1);
    return fmt::format("{} across {}", what, direction_text(a.cross(b)));
}

}  // namespace

/// A mechanism with conditions left out: what its self-stresses and reactions are computed from.
struct IndeterminateReactions::Loop {
    struct Side {
        ElementId closure;
        std::size_t first = 0, count = 0;  ///< its conditions
        std::vector<std::uint32_t> x, R;   ///< variables of the far side's pose
        std::size_t frame = 0;             ///< of the far side: index into `frames`
    };
    struct Joint {
        ElementId element;
        std::size_t frame = 0;
        std::vector<double> sign;  ///< per side: whether moving beyond the joint moves its far side, or its near one
    };

    const ClosedMechanism* mechanism = nullptr;
    std::size_t self_stresses = 0;
    std::vector<std::uint32_t> coordinates;
    std::vector<Side> sides;
    std::vector<Joint> joints;
    std::vector<bool> rotational;  ///< by condition
    std::unique_ptr<PointTape> by_coordinates, by_poses;
    std::unique_ptr<PointValues> frames;  ///< per frame x, R, f and t
    double force = 0.0, torque = 0.0;     ///< the largest so far
    bool found = false;

    static constexpr std::size_t kFrame = 18;

    [[nodiscard]] std::size_t conditions() const { return rotational.size(); }
    bool make(const Mode& mode, const ClosedMechanism& of, std::span<const Expr> gaps);
    std::optional<IndeterminateLoad> at(std::span<const double> values, double time, std::span<const double> held);

   private:
    [[nodiscard]] std::optional<MatrixXd> self_stress(std::span<const double> values, double time,
                                                      std::span<const double> held, double& length) const;
    void collect_joints(const BondGraph& g, std::vector<Expr>& of_frames);
    /// Per side the forces and torques (about its far frame) of self-stresses; nothing where that can't be told.
    [[nodiscard]] std::optional<std::vector<MatrixXd>> wrenches(const MatrixXd& stress, const MatrixXd& gradients,
                                                                std::span<const double> frame_values,
                                                                double length) const;
    [[nodiscard]] MatrixXd by_far_sides(std::span<const double> values, double time,
                                        std::span<const double> held) const;
    [[nodiscard]] std::vector<Reaction> reactions(std::span<const double> now);
    [[nodiscard]] MatrixXd at_joint(const Joint& joint, std::span<const MatrixXd> wrenches, std::span<const double> now,
                                    double length) const;
    const BondGraph* g_ = nullptr;
};

namespace {

MatrixXd dense(const PointTape& tape, std::span<const double> values, double time, std::span<const double> held,
               std::span<const std::uint32_t> columns) {
    MatrixXd m = MatrixXd::Zero(static_cast<Index>(tape.size()), static_cast<Index>(columns.size()));
    const std::vector<double> entries = tape.jacobian(values, time, held);
    const structure::Incidence& pattern = tape.pattern();
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            const auto at = std::ranges::lower_bound(columns, pattern.columns[k]);
            if (at != columns.end() && *at == pattern.columns[k])
                m(static_cast<Index>(r), at - columns.begin()) = entries[k];
        }
    }
    return m;
}

/// The conditions of a part that holds, in the poses of the frames it holds together.
std::vector<Expr> conditions_of(const Element& part) {
    const model::Quantity* q = part.parameter("gap");
    if (q == nullptr) q = part.parameter("position");
    std::vector<Expr> result;
    if (q != nullptr) append(result, q->value);
    return result;
}

/// The size of a mechanism's conditions: those of distances are lengths, those of directions numbers.
std::vector<double> sizes_of(const MatrixXd& J, const std::vector<bool>& rotational) {
    double most[2] = {0.0, 0.0};
    for (Index r = 0; r < J.rows(); ++r) {
        double& m = most[rotational[static_cast<std::size_t>(r)] ? 1 : 0];
        m = std::max(m, J.row(r).cwiseAbs().maxCoeff());
    }
    std::vector<double> result;
    for (const bool turn : rotational) result.push_back(most[turn ? 1 : 0] > 0.0 ? most[turn ? 1 : 0] : 1.0);
    return result;
}

}  // namespace

bool IndeterminateReactions::Loop::make(const Mode& mode, const ClosedMechanism& of, std::span<const Expr> gaps) {
    const compile::CompiledModel& m = *mode.model;
    const BondGraph& g = m.graph();
    g_ = &g;
    mechanism = &of;
    self_stresses = of.redundant();
    std::vector<Expr> by_pose, of_frames;
    const model::DomainIndex turning = *model::find_domain("rotational");
    for (const compile::Closure& c : of.closures) {
        const Element& part = g.elements[c.hold.index()];
        const Element& owner = g.elements[part.owner.index()];
        self_stresses += static_cast<std::size_t>(
            std::ranges::count(m.choice->removed, c.hold, [](const auto& r) { return r.element; }));
        const std::vector<Expr> conditions = conditions_of(part);
        if (conditions.size() != c.conditions || owner.connectors.size() < 2) return false;
        const auto frame = frame_of(g, part.owner, owner.connectors[1].name);
        if (!frame || !frame_of(g, part.owner, owner.connectors[0].name)) return false;
        sides.push_back({part.owner, by_pose.size(), conditions.size(), variables_of(*g.expressions, frame->x),
                         variables_of(*g.expressions, frame->R), of_frames.size() / kFrame});
        for (const ExprMatrix* e : {&frame->x, &frame->R, &frame->f, &frame->t}) append(of_frames, *e);
        by_pose.insert(by_pose.end(), conditions.begin(), conditions.end());
        rotational.insert(rotational.end(), conditions.size(), part.ports[0].domain == turning);
        coordinates.insert(coordinates.end(), c.coordinates.begin(), c.coordinates.end());
    }
    if (self_stresses == 0 || by_pose.size() != gaps.size()) return false;
    std::ranges::sort(coordinates);
    coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
    collect_joints(g, of_frames);
    const auto leaves = [&](std::span<const Expr> e) {
        return compile::input_leaf_count(*g.expressions, e, m.inputs.size());
    };
    const auto tape = [&](std::span<const Expr> e) {
        return std::make_unique<PointTape>(*g.expressions, g.variable_count(), leaves(e), m.held_count(), e);
    };
    by_coordinates = tape(gaps);
    by_poses = tape(by_pose);
    frames =
        std::make_unique<PointValues>(*g.expressions, g.variable_count(), leaves(of_frames), m.held_count(), of_frames);
    return true;
}

void IndeterminateReactions::Loop::collect_joints(const BondGraph& g, std::vector<Expr>& of_frames) {
    const compile::Ancestry ancestry(g);
    std::vector<ElementId> moving;
    for (const std::uint32_t v : coordinates) {
        const std::size_t bonds = 2 * std::size_t{g.bond_components};
        if (v >= bonds) moving.push_back(g.slot_variables[v - bonds].element);
    }
    std::ranges::sort(moving);
    moving.erase(std::unique(moving.begin(), moving.end()), moving.end());
    for (const ElementId id : moving) {
        const Element& e = g.elements[id.index()];
        if (e.connectors.empty()) continue;
        const auto frame = frame_of(g, id, e.connectors[0].name);
        if (!frame) continue;
        joints.push_back({id, of_frames.size() / kFrame, std::vector<double>(sides.size(), 0.0)});
        for (const ExprMatrix* m : {&frame->x, &frame->R, &frame->f, &frame->t}) append(of_frames, *m);
    }
    const std::size_t on_way = joints.size();
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const Element& closure = g.elements[sides[s].closure.index()];
        const model::Connector* common = ancestry.common(closure.connectors[0], closure.connectors[1]);
        for (const int end : {0, 1}) {
            for (const ElementId id : ancestry.between(closure.connectors[static_cast<std::size_t>(end)], common)) {
                for (std::size_t j = 0; j < on_way; ++j) {
                    if (joints[j].element == id) joints[j].sign[s] += end == 0 ? -1.0 : 1.0;
                }
            }
        }
        // What closes the loop is a joint itself where the file says so; a connection is none.
        if (closure.type->name == closure.connectors[0].type->closure) continue;
        auto own = std::ranges::find(joints, sides[s].closure, &Joint::element);
        if (own == joints.end())
            own = joints.insert(joints.end(), {sides[s].closure, sides[s].frame, std::vector(sides.size(), 0.0)});
        own->sign[s] = 1.0;
    }
}

/// Combinations of the conditions that say nothing of any coordinate, in columns: orthonormal where forces count by the
/// mechanism's length. Nothing in a position where more of them depend on each other than anywhere.
std::optional<MatrixXd> IndeterminateReactions::Loop::self_stress(std::span<const double> values, double time,
                                                                  std::span<const double> held, double& length) const {
    MatrixXd J = dense(*by_coordinates, values, time, held, coordinates);
    if (!J.allFinite()) return std::nullopt;
    const std::vector<double> sizes = sizes_of(J, rotational);
    length = 1.0;
    for (Index r = 0; r < J.rows(); ++r) {
        J.row(r) /= sizes[static_cast<std::size_t>(r)];
        if (!rotational[static_cast<std::size_t>(r)]) length = sizes[static_cast<std::size_t>(r)];
    }
    auto result = structure::row_dependences(J, static_cast<Index>(self_stresses));
    if (!result) return std::nullopt;
    for (Index r = 0; r < result->rows(); ++r) result->row(r) /= sizes[static_cast<std::size_t>(r)];
    return result;
}

std::optional<std::vector<MatrixXd>> IndeterminateReactions::Loop::wrenches(const MatrixXd& stress,
                                                                            const MatrixXd& gradients,
                                                                            std::span<const double> frame_values,
                                                                            double length) const {
    std::vector<MatrixXd> result;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const Side& side = sides[s];
        const std::span<const double> R = frame_values.subspan(side.frame * kFrame + 3, 9);
        const auto first = static_cast<Index>(side.first);
        const auto count = static_cast<Index>(side.count);
        MatrixXd along(count, 6);  // rates of the conditions by the far side's velocity and angular velocity
        for (Index i = 0; i < 3; ++i) {
            along.col(i) = gradients.block(first, static_cast<Index>(12 * s) + i, count, 1);
            along.col(3 + i).setZero();
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const Vector3d turned = Vector3d::Unit(i).cross(three(R.subspan(3 * axis, 3)));
                along.col(3 + i) +=
                    gradients.block(first, static_cast<Index>(12 * s + 3 + 3 * axis), count, 3) * turned;
            }
        }
        const MatrixXd own = stress.middleRows(first, count);
        MatrixXd wrench = along.transpose() * own;
        wrench.topRows(3) *= length;
        const double there = own.cwiseAbs().maxCoeff() * std::max(1.0, length);
        if (there > kUnloaded && !(wrench.cwiseAbs().maxCoeff() > kUnloaded * there)) return std::nullopt;
        result.push_back(std::move(wrench));
    }
    return result;
}

/// Gradients of the conditions by the poses of their far sides, twelve columns each.
MatrixXd IndeterminateReactions::Loop::by_far_sides(std::span<const double> values, double time,
                                                    std::span<const double> held) const {
    MatrixXd gradients = MatrixXd::Zero(static_cast<Index>(conditions()), static_cast<Index>(12 * sides.size()));
    const std::vector<double> entries = by_poses->jacobian(values, time, held);
    const structure::Incidence& pattern = by_poses->pattern();
    for (std::size_t s = 0; s < sides.size(); ++s) {
        for (std::size_t r = sides[s].first; r < sides[s].first + sides[s].count; ++r) {
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                for (std::size_t i = 0; i < 12; ++i) {
                    if ((i < 3 ? sides[s].x[i] : sides[s].R[i - 3]) == pattern.columns[k])
                        gradients(static_cast<Index>(r), static_cast<Index>(12 * s + i)) = entries[k];
                }
            }
        }
    }
    return gradients;
}

/// Forces and torques on the joints in the axes of the world, the largest so far noted; empty where any is not finite.
std::vector<Reaction> IndeterminateReactions::Loop::reactions(std::span<const double> now) {
    std::vector<Reaction> result;
    double extent = 0.0;
    for (const Joint& j : joints) {
        const auto frame = now.subspan(j.frame * kFrame, kFrame);
        const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(frame.subspan(3, 9).data());
        result.push_back({three(frame.subspan(12, 3)), R.transpose() * three(frame.subspan(15, 3))});
        if (!result.back().f.allFinite() || !result.back().t.allFinite()) return {};
        force = std::max(force, result.back().f.norm());
        torque = std::max(torque, result.back().t.norm());
        extent = std::max(extent, (three(frame) - three(now.subspan(joints[0].frame * kFrame, 3))).norm());
    }
    torque = std::max(torque, force * extent);
    return result;
}

/// What self-stresses put on a joint: per column a force, by the mechanism's length, and a torque about its frame.
MatrixXd IndeterminateReactions::Loop::at_joint(const Joint& joint, std::span<const MatrixXd> wrenches,
                                                std::span<const double> now, double length) const {
    MatrixXd result = MatrixXd::Zero(6, static_cast<Index>(self_stresses));
    for (std::size_t s = 0; s < sides.size(); ++s) {
        if (joint.sign[s] == 0.0) continue;
        const Vector3d lever =
            (three(now.subspan(sides[s].frame * kFrame, 3)) - three(now.subspan(joint.frame * kFrame, 3))) / length;
        for (Index k = 0; k < result.cols(); ++k) {
            const Vector3d along = wrenches[s].block<3, 1>(0, k);
            result.block<3, 1>(0, k) += joint.sign[s] * along;
            result.block<3, 1>(3, k) += joint.sign[s] * (wrenches[s].block<3, 1>(3, k) + lever.cross(along));
        }
    }
    return result;
}

std::optional<IndeterminateLoad> IndeterminateReactions::Loop::at(std::span<const double> values, double time,
                                                                  std::span<const double> held) {
    const std::vector<double> now = frames->values(values, time, held);
    double length = 1.0;
    const auto stress = self_stress(values, time, held, length);
    if (!stress) return std::nullopt;
    const auto forces = wrenches(*stress, by_far_sides(values, time, held), now, length);
    const std::vector<Reaction> on_joints = reactions(now);
    if (!forces || on_joints.empty()) return std::nullopt;
    const double least_force = std::max(kUnloaded * force, kOfModel * largest_effort(*g_, values, "translational"));
    const double least_torque = std::max(kUnloaded * torque, kOfModel * largest_effort(*g_, values, "rotational"));
    IndeterminateLoad load{.time = time, .closures = {}, .conditions = self_stresses, .joints = {}};
    bool loaded = false;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const MatrixXd open = at_joint(joints[j], *forces, now, length);
        const MatrixXd along = span_of(open.topRows(3)), about = span_of(open.bottomRows(3));
        if (along.cols() + about.cols() == 0) continue;
        const double force_there = (along.transpose() * on_joints[j].f).norm();
        const double torque_there = (about.transpose() * on_joints[j].t).norm();
        loaded = loaded || force_there > least_force || torque_there > least_torque;
        std::string directions = directions_text("forces", along);
        if (along.cols() > 0 && about.cols() > 0) directions += ", ";
        directions += directions_text("torques", about);
        load.joints.push_back({g_->elements[joints[j].element.index()].name, directions,
                               force_there > least_force ? force_there : 0.0,
                               torque_there > least_torque ? torque_there : 0.0});
    }
    if (!loaded) return std::nullopt;
    for (const Side& s : sides) {
        const std::string& name = g_->elements[s.closure.index()].name;
        if (std::ranges::find(load.closures, name) == load.closures.end()) load.closures.push_back(name);
    }
    return load;
}

IndeterminateReactions::IndeterminateReactions(const Settings& settings)
    : start_(settings.start), stop_(settings.stop), next_(settings.start) {}

IndeterminateReactions::Loops& IndeterminateReactions::loops_of(Mode& mode) {
    const auto [at, fresh] = loops_.try_emplace(mode.model);
    if (!fresh) return at->second;
    if (!mode.model->reduced || !mode.model->reduced->loops || !mode.model->choice) return at->second;
    const compile::ClosedLoops& all = *mode.model->reduced->loops;
    std::size_t first = 0;
    for (const ClosedMechanism& mechanism : all.mechanisms) {
        auto loop = std::make_shared<Loop>();
        const std::size_t count = mechanism.conditions();
        if (first + count <= all.gaps.size() &&
            loop->make(mode, mechanism, std::span(all.gaps).subspan(first, count))) {
            conditions_ = std::max(conditions_, count);
            at->second.push_back(std::move(loop));
        }
        first += count;
    }
    return at->second;
}

bool IndeterminateReactions::due(Mode& mode, double time, bool after_event) {
    constexpr int kAfterEvents = 30;
    constexpr double kLooks = 20.0;
    constexpr double kLarge = 100.0;  // conditions, for which a look takes as long as a few steps: it grows with n^3
    if (std::ranges::all_of(loops_of(mode), [](const auto& loop) { return loop->found; })) return false;
    if (after_event && after_events_ < kAfterEvents) {
        ++after_events_;
        return true;
    }
    if (time < next_ && time < stop_) return false;
    const double large = std::max(1.0, static_cast<double>(conditions_) / kLarge);
    next_ = time + (stop_ - start_) * std::min(0.5, large * large * large / kLooks);
    return true;
}

void IndeterminateReactions::look(Mode& mode, const Point& point, std::vector<IndeterminateLoad>& found) {
    const Loops& loops = loops_of(mode);
    std::vector<double> values;
    for (const auto& loop : loops) {
        if (loop->found) continue;
        if (values.empty()) {
            values.resize(mode.tapes->variables.output_count());
            mode.evaluator->run(mode.tapes->variables, mode.variable_work, point.time, point.y, point.yp, values);
        }
        auto load = loop->at(values, point.time, mode.evaluator->held());
        if (!load) continue;
        loop->found = true;
        const bool known = std::ranges::any_of(
            found, [&](const IndeterminateLoad& other) { return other.closures == load->closures; });
        if (!known) found.push_back(std::move(*load));
    }
}

}  // namespace bondgraph::simulation
