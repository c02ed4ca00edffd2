#include "bondgraph/simulation/singular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::simulation {

namespace {

struct Near {
    const model::Element* element = nullptr;
    model::SingularPosition position;
};

std::vector<Near> near_ones(Evaluator& evaluator, double time, std::span<const double> y, std::span<const double> yp) {
    // Nearer than this the coordinates' rates are a thousand times those of the motion they describe.
    constexpr double kNear = 1e-3;
    const compile::CompiledModel& m = evaluator.model();
    std::vector<Near> result;
    std::vector<model::Equation> none;
    for (std::size_t i = 0; i < m.graph().elements.size(); ++i) {
        const model::Element& e = m.graph().elements[i];
        if (e.type->singular == nullptr) continue;
        const auto position = e.type->singular(model::LawContext(m.graph(), model::ElementId(i), none));
        if (!position) continue;
        const std::array roots{m.in_unknowns(position->distance)};
        std::array<double, 1> distance{};
        const expression::Tape tape = m.tape(roots);
        auto work = tape.make_workspace<double>();
        evaluator.run(tape, work, time, y, yp, distance);
        if (std::abs(distance[0]) < kNear) result.push_back({&e, *position});
    }
    return result;
}

}  // namespace

std::vector<DiagnosticNote> singular_positions(Evaluator& evaluator, double time, std::span<const double> y,
                                               std::span<const double> yp) {
    const auto hold = evaluator.model().hold();
    std::vector<DiagnosticNote> notes;
    for (const Near& near : near_ones(evaluator, time, y, yp)) {
        notes.push_back(
            {"because", fmt::format("{} of '{}' {}", near.position.what, near.element->name, near.position.says)});
        notes.push_back({"try", std::string(near.position.remedy)});
    }
    return notes;
}

SourcePosition singular_place(Evaluator& evaluator, double time, std::span<const double> y,
                              std::span<const double> yp) {
    const auto near = near_ones(evaluator, time, y, yp);
    return near.empty() ? SourcePosition{} : near.front().element->position;
}

std::vector<DiagnosticNote> end_of_reach(const compile::CompiledModel& model, model::ElementId element) {
    if (!model.reduced || !model.reduced->loops) return {};
    const model::BondGraph& g = model.graph();
    const std::size_t bonds = 2 * std::size_t{g.bond_components};
    for (const compile::ClosedMechanism& mechanism : model.reduced->loops->mechanisms) {
        const auto closure = std::ranges::find(mechanism.closures, element, &compile::Closure::hold);
        if (closure == mechanism.closures.end()) continue;
        std::vector<std::string> joints;
        for (const std::uint32_t v : closure->coordinates) {
            if (v < bonds) continue;
            const std::string& name = g.elements[g.slot_variables[v - bonds].element.index()].name;
            if (std::ranges::find(joints, name) == joints.end()) joints.push_back(name);
        }
        return {{"because",
                 fmt::format("the closed loop with the joints {} comes to the end of its reach there: no positions of "
                             "the others close it where those that are driven or integrated go on",
                             compile::some_names(joints))},
                {"try", "keep away from this position: change lengths, axes or the way of the drive"}};
    }
    return {};
}

}  // namespace bondgraph::simulation
