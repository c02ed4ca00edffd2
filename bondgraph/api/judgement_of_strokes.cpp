#include "bondgraph/api/judgement_of_strokes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bondgraph/api/causality_report.hpp"

namespace bondgraph::api {
namespace {

using PlacedList = std::vector<causality::PlacedStroke>;
using StrokeVerdict = JudgedStroke::Verdict;

const char* end_word(CausalBond::Stroke stroke) { return stroke == CausalBond::Stroke::at_from ? "from" : "to"; }

/// What is drawn as one stroke: all components of a bond have it at the same end.
bool has_one_stroke(const std::vector<CausalBond>& bond) {
    return !bond.front().frames && bond.front().stroke != CausalBond::Stroke::open &&
           std::ranges::all_of(bond, [&](const CausalBond& c) { return c.stroke == bond.front().stroke; });
}

class StrokesByName {
   public:
    explicit StrokesByName(const causality::CausalGraph& own) : own_(own), judge_(own) {
        for (std::size_t i = 0; i < own.graph->bonds.size(); ++i) {
            std::vector<CausalBond> bond = causal_bond(own, i, true);
            if (!is_of_mechanism(i) && has_one_stroke(bond)) bonds_.push_back({i, std::move(bond.front())});
        }
    }

    JudgedStroke place(const PlacedStroke& given) {
        JudgedStroke result{.bond = given.bond, .end = given.end, .at = {}, .reason = {}};
        const auto bond = find(given.bond, result.reason);
        if (!bond) return result;
        result.bond = bond->second.name;
        const bool from = given.end == "from" || is_at(bond->second.from, given.end);
        const bool to = given.end == "to" || is_at(bond->second.to, given.end);
        if (from == to) {
            result.reason = fmt::format("its ends are '{}' and '{}'", bond->second.from, bond->second.to);
            return result;
        }
        result.end = from ? "from" : "to";
        result.at = from ? bond->second.from : bond->second.to;
        const PlacedList next = strokes_of(bond->first, from);
        if (const auto there = placed_at(next.front().component)) {
            result.reason = *there == next.front().stroke ? "it has its stroke already"
                                                          : fmt::format("its stroke is at '{}' already",
                                                                        from ? bond->second.to : bond->second.from);
            return result;
        }
        result.verdict = verdict_of(judge_.judge(placed_, next));
        result.reason = reason_of(next.front().component);
        if (result.accepted()) placed_.insert(placed_.end(), next.begin(), next.end());
        return result;
    }

    /// All bonds with a stroke, as a causality with those placed has it.
    [[nodiscard]] std::vector<StrokePlace> places() const {
        const auto whole = judge_.completed(placed_);
        std::vector<StrokePlace> list;
        for (const auto& [index, own] : bonds_) {
            const CausalBond bond = causal_bond(whole ? *whole : own_, index, true).front();
            list.push_back({.bond = bond.name,
                            .from = bond.from,
                            .to = bond.to,
                            .end = end_word(bond.stroke),
                            .reason = bond.reason,
                            .placed = is_placed(own_.graph->bonds[index].first),
                            .inside = is_inside(index)});
        }
        return list;
    }

    [[nodiscard]] std::optional<causality::CausalGraph> whole() const { return judge_.completed(placed_); }

   private:
    using Named = std::pair<std::size_t, CausalBond>;

    [[nodiscard]] std::pair<const model::Element&, const model::Element&> ends_of(std::size_t index) const {
        const model::Bond& bond = own_.graph->bonds[index];
        return {own_.graph->elements[bond.from.index()], own_.graph->elements[bond.to.index()]};
    }

    /// Frames of bodies and joints decide strokes there.
    [[nodiscard]] bool is_of_mechanism(std::size_t index) const {
        const auto& [from, to] = ends_of(index);
        return from.owner.valid() && to.owner.valid();
    }

    [[nodiscard]] bool is_inside(std::size_t index) const {
        const auto& [from, to] = ends_of(index);
        const std::string part = from.name.substr(0, from.name.find('.') + 1);
        return !part.empty() && to.name.starts_with(part);
    }

    /// By its name, its ends, or the element with a single port that it belongs to.
    [[nodiscard]] bool is_called(const Named& bond, const std::string& name) const {
        const auto& [from, to] = ends_of(bond.first);
        const auto alone = [&](const model::Element& e) { return e.ports.size() == 1 && e.name == name; };
        return bond.second.name == name || bond.second.from + "->" + bond.second.to == name || alone(from) || alone(to);
    }

    [[nodiscard]] std::optional<Named> find(const std::string& name, std::string& why_not) const {
        std::optional<Named> found;
        std::vector<std::string> names;
        for (const Named& b : bonds_) {
            names.push_back(b.second.name);
            if (!is_called(b, name)) continue;
            if (found) {
                why_not = fmt::format("several bonds are called '{}'", name);
                return std::nullopt;
            }
            found = b;
        }
        if (!found)
            why_not = fmt::format("there is no bond '{}' that gets a stroke{}", name, did_you_mean(name, names));
        return found;
    }

    /// "motor.p1" is an end at "motor".
    static bool is_at(const std::string& end, const std::string& name) {
        return end == name || (end.starts_with(name) && end[name.size()] == '.');
    }

    [[nodiscard]] PlacedList strokes_of(std::size_t index, bool from) const {
        const model::Bond& bond = own_.graph->bonds[index];
        const auto stroke = from == bond.reversed ? causality::Stroke::at_to : causality::Stroke::at_from;
        PlacedList list;
        for (std::uint32_t k = 0; k < bond.size; ++k) list.push_back({bond.first + k, stroke});
        return list;
    }

    [[nodiscard]] std::optional<causality::Stroke> placed_at(std::uint32_t component) const {
        const auto found = std::ranges::find(placed_, component, &causality::PlacedStroke::component);
        return found == placed_.end() ? std::nullopt : std::optional(found->stroke);
    }
    [[nodiscard]] bool is_placed(std::uint32_t component) const { return placed_at(component).has_value(); }

    static StrokeVerdict verdict_of(causality::StrokeJudge::Verdict verdict) {
        switch (verdict) {
            case causality::StrokeJudge::Verdict::forced:
                return StrokeVerdict::forced;
            case causality::StrokeJudge::Verdict::chosen:
                return StrokeVerdict::chosen;
            case causality::StrokeJudge::Verdict::wrong:
                break;
        }
        return StrokeVerdict::wrong;
    }

    /// Why the stroke is where it is once those placed so far are there.
    [[nodiscard]] std::string reason_of(std::uint32_t component) const {
        const auto whole = judge_.completed(placed_);
        return whole ? causality::reason_text(*whole, component) : std::string();
    }

    const causality::CausalGraph& own_;
    causality::StrokeJudge judge_;
    std::vector<Named> bonds_;
    PlacedList placed_;
};

}  // namespace

std::size_t JudgedStrokes::left() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(places, [](const StrokePlace& p) { return !p.placed && !p.inside; }));
}

JudgedStrokes judged_strokes(const Session& session, const std::vector<PlacedStroke>& placed) {
    StrokesByName strokes(*session.causal);
    JudgedStrokes result;
    for (const PlacedStroke& p : placed) result.judged.push_back(strokes.place(p));
    result.places = strokes.places();
    return result;
}

causality::CausalGraph causality_with(const Session& session, const std::vector<PlacedStroke>& placed) {
    if (placed.empty()) return *session.causal;
    StrokesByName strokes(*session.causal);
    for (const PlacedStroke& p : placed) strokes.place(p);
    auto whole = strokes.whole();
    return whole ? *std::move(whole) : *session.causal;
}

}  // namespace bondgraph::api
