#include "bondgraph/simulation/barriers.hpp"

#include <fmt/format.h>

#include <utility>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::simulation {

BarrierTape::BarrierTape(const compile::CompiledModel& m) {
    std::vector<expression::Expr> components;
    std::vector<model::Equation> none;
    for (std::size_t i = 0; i < m.graph().elements.size(); ++i) {
        const model::Element& e = m.graph().elements[i];
        if (e.type->singular == nullptr) continue;
        const auto position = e.type->singular(model::LawContext(m.graph(), model::ElementId(i), none));
        if (!position || position->barrier.size() == 0) continue;
        watched.push_back({i, std::string(position->what), std::string(position->remedy),
                           static_cast<Eigen::Index>(components.size()), position->barrier.size()});
        for (const expression::Expr& x : position->barrier.reshaped()) components.push_back(m.in_unknowns(x));
    }
    if (!components.empty()) tape = m.tape(components);
}

const BarrierTape& Barriers::tape_of(const Evaluator& evaluator) {
    if (of_ != evaluator.shared_findings()) {
        of_ = evaluator.shared_findings();
        tape_ = &of_->of<BarrierTape>();
    }
    return *tape_;
}

Eigen::VectorXd Barriers::values(Evaluator& evaluator, const Point& point) {
    const BarrierTape& t = tape_of(evaluator);
    if (t.watched.empty()) return {};
    Eigen::VectorXd result(static_cast<Eigen::Index>(t.tape.output_count()));
    auto work = t.tape.make_workspace<double>();
    evaluator.run(t.tape, work, point.time, point.y, point.yp, {result.data(), t.tape.output_count()});
    return result;
}

void Barriers::begin(Evaluator& evaluator, const Point& point) {
    constexpr double kThere = 1e-9;
    before_ = values(evaluator, point);
    Diagnostics d;
    for (const BarrierTape::Watched& w : tape_of(evaluator).watched) {
        if (!(before_.segment(w.first, w.size).norm() < kThere)) continue;
        const model::Element& e = evaluator.model().graph().elements[w.element];
        d.error("BG-I004", e.position,
                fmt::format("'{}' ({}) is in a singular position at time {:g}", e.name, e.type->name, point.time),
                {{"because", fmt::format("{} of '{}' are not determined there", w.what, e.name)},
                 {"try", "start from another position"}});
    }
    d.throw_if_errors();
}

std::optional<Failure> Barriers::passed(Evaluator& evaluator, const Point& point) {
    // Far from there a vector turns because the component does, and is seen to turn.
    constexpr double kFar = 0.5;
    const Eigen::VectorXd now = values(evaluator, point);
    const Eigen::VectorXd before = std::exchange(before_, now);
    if (before.size() != now.size()) return std::nullopt;
    for (const BarrierTape::Watched& w : tape_of(evaluator).watched) {
        const auto a = before.segment(w.first, w.size);
        const auto b = now.segment(w.first, w.size);
        if (a.dot(b) > 0.0 || a.norm() > kFar || b.norm() > kFar) continue;
        const model::Element& e = evaluator.model().graph().elements[w.element];
        return Failure{.message = fmt::format("{} of '{}' are no longer determined; {}", w.what, e.name, w.remedy),
                       .component = fmt::format("'{}' ({})", e.name, e.type->name),
                       .time = point.time,
                       .position = e.position};
    }
    return std::nullopt;
}

}  // namespace bondgraph::simulation
