#include "bondgraph/simulation/singular.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::simulation {

std::vector<DiagnosticNote> singular_positions(Evaluator& evaluator, double time, std::span<const double> y,
                                               std::span<const double> yp) {
    // Nearer than this the coordinates' rates are a thousand times those of the motion they describe.
    constexpr double kNear = 1e-3;
    const compile::CompiledModel& m = evaluator.model();
    std::vector<DiagnosticNote> notes;
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
        if (!(std::abs(distance[0]) < kNear)) continue;
        notes.push_back({"because", fmt::format("{} of '{}' are in a singular position", position->what, e.name)});
        notes.push_back({"try", std::string(position->remedy)});
    }
    return notes;
}

}  // namespace bondgraph::simulation
