#include "bondgraph/compile/closures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "bondgraph/compile/ancestry.hpp"
#include "bondgraph/compile/assembly.hpp"
#include "bondgraph/compile/coordinate_rates.hpp"
#include "bondgraph/compile/idle_locks.hpp"
#include "bondgraph/compile/kinematics.hpp"
#include "bondgraph/compile/plane_of_motion.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::Connector;
using model::ElementId;

namespace {

constexpr std::size_t kMostInPlace = 12;  // coordinates, for closed forms to be looked for

/// The conditions of one part: its rows of the equation system, in coordinates.
struct Hold {
    ElementId part;
    std::vector<std::uint32_t> rows = {};
    std::vector<Expr> residuals = {};
    std::vector<Expr> upright = {};
    std::optional<Expr> gap = {};    ///< where the single residual is no length itself
    std::vector<Expr> assumed = {};  ///< what the rest of the loop is to keep as it is
    std::vector<std::uint32_t> variables = {};
};

class Closing {
   public:
    Closing(EquationSystem& s, LoopRows rows)
        : s_(s), rows_(rows), g_(*s.causal->graph), graph_(*g_.expressions), ancestry_(g_), in_world_(s) {}

    void run() {
        collect();
        put_in_coordinates();
        fold_constants();
        auto loops = std::make_shared<ClosedLoops>();
        for (const auto& group : groups()) loops->mechanisms.push_back(close(group, *loops));
        loops->places = std::move(places_);
        s_.loops = std::move(loops);
    }

   private:
    void collect() {
        std::map<std::uint32_t, std::size_t> hold_of;
        for (std::uint32_t r = 0; r < s_.equations.size(); ++r) {
            const ElementId id = s_.equations[r].element;
            if (!id.valid() || !g_.elements[id.index()].type->holds_positions) continue;
            if (const auto on = switch_of(g_.elements[id.index()])) {
                if (s_.equations[r].target == on->first) continue;  // says which mode this is
                if (!on->second) {
                    release(id, r, released_[id.value]++);
                    continue;
                }
            }
            const auto [at, fresh] = hold_of.emplace(id.value, holds_.size());
            if (fresh) holds_.push_back({.part = id});
            holds_[at->second].rows.push_back(r);
        }
    }

    /// Of a part whose conditions may come and go: the discrete variable for it, and whether they are there in this
    /// mode.
    std::optional<std::pair<model::VariableId, bool>> switch_of(const model::Element& part) const {
        for (const model::Element::Slot& slot : part.slots) {
            if (slot.kind == model::Element::Slot::Kind::discrete)
                return std::pair(g_.slot_variable(slot.first), s_.causal->modes[slot.first_discrete] != 0.0);
        }
        return std::nullopt;
    }

    Kinematics& kinematics_of(const model::Element& component) {
        const Connector* common = ancestry_.common(component.connectors[0], component.connectors[1]);
        const auto [at, fresh] = kinematics_.try_emplace(common);
        if (fresh) at->second = std::make_unique<Kinematics>(s_, common);
        return *at->second;
    }

    void put_in_coordinates() {
        for (Hold& hold : holds_) {
            const model::Element& part = g_.elements[hold.part.index()];
            Kinematics& kinematics = kinematics_of(g_.elements[part.owner.index()]);
            for (const std::uint32_t r : hold.rows) {
                OrientedEquation& e = s_.equations[r];
                e.lhs = kinematics.in_coordinates(e.lhs - e.rhs);
                e.rhs = 0.0;
                e.target = {};
                hold.residuals.push_back(e.lhs);
            }
            if (const model::Quantity* upright = part.parameter("upright"))
                hold.upright.push_back(kinematics.in_coordinates(upright->value(0, 0)));
            if (const model::Quantity* gap = part.parameter("gap"))
                hold.gap = kinematics.in_coordinates(gap->value(0, 0));
            if (const model::Quantity* assumed = part.parameter("assumed")) {
                for (const Expr& e : assumed->value.reshaped()) hold.assumed.push_back(kinematics.in_coordinates(e));
            }
            hold.variables = variables_in(graph_, hold.residuals);
            if (hold.variables.size() <= kMostInPlace && (places_.empty() || places_.back().owner != part.owner))
                places_.push_back({part.owner, poses(g_.elements[part.owner.index()], kinematics)});
        }
    }

    std::array<std::vector<Expr>, 2> poses(const model::Element& component, Kinematics& kinematics) const {
        const auto in_coordinates = [&](Expr e) { return kinematics.in_coordinates(e); };
        return {pose_of(g_, component.connectors[0], in_coordinates),
                pose_of(g_, component.connectors[1], in_coordinates)};
    }

    /// What stands still is a number, however many parts it follows from. Such signals are left out of exact
    /// elimination, which would put orientations in terms of positions where lengths are numbers.
    void fold_constants() {
        for (const std::uint32_t r : in_world_.equations()) {
            if (r == kNone) continue;
            const Expr value = in_world_.in_coordinates(s_.equations[r].rhs);
            if (value.is_constant())
                s_.equations[r].rhs = of_orientation(s_.equations[r].lhs) ? without_rounding(value) : value;
            else
                s_.equations[r].explicit_signal = true;
        }
    }

    /// Whether a signal is an entry of a matrix.
    bool of_orientation(Expr signal) const {
        const auto& slot = g_.slot_variables[graph_[signal.node()].a - 2 * std::size_t{g_.bond_components}];
        const std::string& name = g_.elements[slot.element.index()].slots[slot.slot].name;
        const std::size_t dot = name.find('.');
        const Connector* connector = g_.elements[slot.element.index()].connector(name.substr(0, dot));
        return std::ranges::any_of(connector->type->signals, [&](const model::ConnectorSignal& signal) {
            return signal.cols > 1 && signal.name == name.substr(dot + 1);
        });
    }

    /// Rotations there and back again leave 1e-16 where directions stand upright on each other: a coefficient to all
    /// that looks at structure.
    static Expr without_rounding(Expr entry) {
        constexpr double kRounding = 1e-14;
        const double nearest = std::round(entry.constant());
        return std::abs(entry.constant() - nearest) < kRounding ? Expr(nearest) : entry;
    }

    /// Holds that share coordinates.
    std::vector<std::vector<std::size_t>> groups() const {
        boost::disjoint_sets_with_storage<> sets(holds_.size());
        std::map<std::uint32_t, std::size_t> first;
        for (std::size_t h = 0; h < holds_.size(); ++h) {
            for (const std::uint32_t v : holds_[h].variables) {
                const auto [at, fresh] = first.emplace(v, h);
                if (!fresh) sets.union_set(h, at->second);
            }
            // The force and the torque of one constraint.
            if (h > 0 && owner(holds_[h]) == owner(holds_[h - 1])) sets.union_set(h, h - 1);
        }
        std::map<std::size_t, std::vector<std::size_t>> by_set;
        for (std::size_t h = 0; h < holds_.size(); ++h) by_set[sets.find_set(h)].push_back(h);
        std::vector<std::vector<std::size_t>> result;
        for (auto& [set, members] : by_set) result.push_back(std::move(members));
        return result;
    }

    ElementId owner(const Hold& hold) const { return g_.elements[hold.part.index()].owner; }

    ClosedMechanism close(const std::vector<std::size_t>& group, ClosedLoops& loops) {
        AssemblyProblem problem{.system = &s_};
        std::set<std::uint32_t> variables;
        for (const std::size_t h : group) {
            for (const Expr& e : holds_[h].residuals) {
                problem.residuals.push_back(e);
                problem.gaps.push_back(e);
                problem.parts.push_back(holds_[h].part);
            }
            if (holds_[h].gap) problem.gaps.back() = *holds_[h].gap;
            for (const Expr& e : holds_[h].upright) {
                problem.upright.push_back(e);
                problem.upright_parts.push_back(holds_[h].part);
            }
            variables.insert(holds_[h].variables.begin(), holds_[h].variables.end());
        }
        problem.variables.assign(variables.begin(), variables.end());
        if (variables.empty()) nothing_moves(g_.elements[owner(holds_[group.front()]).index()]);
        problem.kinematics = [this](Expr e) { return in_world_.in_coordinates(e); };
        const Assembly assembly = assemble(problem);
        for (std::size_t k = 0; k < problem.variables.size(); ++k) {
            const std::uint32_t v = problem.variables[k];
            loops.position.push_back(
                {v, assembly.point.values[v], is_number(g_, v), assembly.before[k], assembly.given[k]});
        }
        if (assembly.out_of_reach) loops.out_of_reach.push_back(*assembly.out_of_reach);
        loops.gaps.insert(loops.gaps.end(), problem.gaps.begin(), problem.gaps.end());
        loops.upright.insert(loops.upright.end(), problem.upright.begin(), problem.upright.end());
        refuse_other_motions(problem, assembly, assumed_in(group));
        std::optional<CoordinateRates> rates;
        if (rows_ == LoopRows::by_rates) rates = CoordinateRates::of(problem);
        const auto [needed, weakest] = needed_rows(problem, assembly, rows_, rates);
        if (rates && !stay_independent(problem, assembly, needed, *rates))
            refuse_turning_frames(group, needed, rates->count());
        for (const std::uint32_t row : locks_too_many(problem, assembly, needed)) leave_idle(row, loops);

        ClosedMechanism mechanism;
        mechanism.coordinates = rates_of(problem.variables);
        if (rates) mechanism.rates = rates->count();
        mechanism.weakest = weakest;
        std::size_t at = 0;
        for (const std::size_t h : group) {
            Closure closure{.hold = holds_[h].part,
                            .conditions = holds_[h].rows.size(),
                            .redundant = {},
                            .coordinates = holds_[h].variables};
            for (std::uint32_t i = 0; i < holds_[h].rows.size(); ++i) {
                if (needed[at++]) continue;
                closure.redundant.push_back(i);
                release(holds_[h].part, holds_[h].rows[i], i);
            }
            mechanism.closures.push_back(std::move(closure));
        }
        return mechanism;
    }

    /// Which conditions repeat others has to stay the same all along, so that they can be left out once and for all.
    [[noreturn]] void refuse_turning_frames(const std::vector<std::size_t>& group, const std::vector<bool>& needed,
                                            std::size_t rates) const {
        std::size_t row = 0;
        const model::Element* closure = nullptr;
        for (const std::size_t h : group) {
            for (std::size_t i = 0; i < holds_[h].rows.size(); ++i, ++row) {
                if (closure == nullptr && !needed[row]) closure = &g_.elements[owner(holds_[h]).index()];
            }
        }
        Diagnostics d;
        d.error("BG-M073", closure->position,
                fmt::format("'{}' holds wheels together that roll: {} conditions stand against {} rates", closure->name,
                            needed.size(), rates),
                {{"because",
                  "most of them repeat others once the wheels roll the same way, but which ones changes as the frames "
                  "turn in which they are told"},
                 {"try",
                  "put CutRevolute in place of the hinge of every wheel but one (frame_a on the side that doesn't "
                  "turn), or model the wheels of an axle as a RollingWheelSet"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    std::vector<AssumedStill> assumed_in(const std::vector<std::size_t>& group) const {
        std::vector<AssumedStill> result;
        for (const std::size_t h : group) {
            if (!holds_[h].assumed.empty()) result.push_back({holds_[h].part, holds_[h].assumed});
        }
        return result;
    }

    /// A lock of what is held already takes no effort; that it has nothing to hold is watched.
    void leave_idle(std::uint32_t row, ClosedLoops& loops) {
        OrientedEquation& e = s_.equations[row];
        const model::Port& port = g_.elements[e.element.index()].ports[0];
        loops.idle.push_back({e.element, port.first_effort + 1});
        e.target = model::BondGraph::effort(port.first_effort / 2);
        e.lhs = g_.variable(e.target);
        e.rhs = 0.0;
    }

    /// Both frames belong to one rigid body, or stand still.
    [[noreturn]] static void nothing_moves(const model::Element& closure) {
        Diagnostics d;
        d.error(
            "BG-M052", closure.position,
            fmt::format("'{}' ({}) joins two frames between which nothing can move", closure.name, closure.type->name),
            {{"because", "both belong to one rigid body, or stand still: its conditions hold always, or never"},
             {"try", "remove it, or put a joint between the frames"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    /// The force of a condition that is redundant, or not there, is 0 in place of the condition.
    void release(ElementId part, std::uint32_t row, std::uint32_t i) {
        OrientedEquation& e = s_.equations[row];
        const model::Port& port = g_.elements[part.index()].ports[0];
        e.target = model::BondGraph::effort(port.first_effort / 2 + i);
        e.lhs = g_.variable(e.target);
        e.rhs = 0.0;
    }

    /// As many as the coordinates have rates: a quaternion has one less than components.
    std::size_t rates_of(const std::vector<std::uint32_t>& variables) const {
        const std::size_t bonds = 2 * std::size_t{g_.bond_components};
        std::size_t count = variables.size();
        for (const std::uint32_t v : variables) {
            if (v < bonds) continue;
            const auto& slot = g_.slot_variables[v - bonds];
            if (g_.elements[slot.element.index()].slots[slot.slot].unit_length && slot.component == 3) --count;
        }
        return count;
    }

    EquationSystem& s_;
    LoopRows rows_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    Ancestry ancestry_;
    Kinematics in_world_;
    std::vector<Hold> holds_;
    std::vector<ClosedLoops::Place> places_;
    std::map<std::uint32_t, std::uint32_t> released_;  ///< part → how many of its conditions aren't there
    std::map<const Connector*, std::unique_ptr<Kinematics>> kinematics_;
};

}  // namespace

std::size_t ClosedMechanism::conditions() const {
    std::size_t sum = 0;
    for (const Closure& c : closures) sum += c.conditions;
    return sum;
}

std::size_t ClosedMechanism::redundant() const {
    std::size_t sum = 0;
    for (const Closure& c : closures) sum += c.redundant.size();
    return sum;
}

bool has_closed_loops(const model::BondGraph& graph) {
    return std::ranges::any_of(graph.elements, [](const model::Element& e) { return e.type->holds_positions; });
}

void close_loops(EquationSystem& system, LoopRows rows) {
    if (has_closed_loops(*system.causal->graph)) Closing(system, rows).run();
}

}  // namespace bondgraph::compile
