// Values at the start of a model, and what is said of one that has no start.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/simulation/evaluator.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {

/// Values of results at the start.
class Started {
   public:
    explicit Started(std::string_view text) : pipeline_(text), point_(pipeline_.start()) {}

    double operator()(const std::string& name) {
        const auto& m = pipeline_.compiled();
        const std::vector<compile::Expr> value{m.in_unknowns(model::resolve_name(m.graph(), name)->value)};
        return evaluated(value);
    }
    double rate(const std::string& state) {
        const auto& m = pipeline_.compiled();
        for (std::size_t i = 0; i < m.state_count; ++i) {
            if (m.name(m.unknowns[i].variable) == state) return point_.yp[i];
        }
        throw std::invalid_argument("no state named " + state);
    }
    double parameter(std::size_t index = 0) const { return point_.held[2 * discretes() + index]; }
    const simulation::Point& point() const { return point_; }
    std::vector<std::string> defaulted() const {
        std::vector<std::string> names;
        for (const auto& d : point_.defaulted) names.push_back(d.name);
        return names;
    }
    std::vector<std::string> moved() const {
        std::vector<std::string> names;
        for (const auto& m : point_.moved) names.push_back(m.name);
        return names;
    }

   private:
    std::size_t discretes() const { return const_cast<Pipeline&>(pipeline_).graph().discretes.size(); }
    double evaluated(const std::vector<compile::Expr>& value) {
        const auto& m = pipeline_.compiled();
        const expression::Tape tape = m.tape(value);
        auto work = tape.make_workspace<double>();
        simulation::Evaluator ev(m);
        ev.set_held(point_.held);
        double result = 0.0;
        ev.run(tape, work, point_.time, point_.y, point_.yp, {&result, 1});
        return result;
    }

    Pipeline pipeline_;
    simulation::Point point_;
};

inline Diagnostic first_error(std::string_view text) {
    try {
        Pipeline(text).start();
    } catch (const ModelError& e) {
        return e.diagnostics().front();
    }
    return {};
}

inline std::string note_of(const Diagnostic& d, const std::string& label) {
    for (const auto& n : d.notes) {
        if (n.label == label) return n.text;
    }
    return {};
}

}  // namespace bondgraph::test
