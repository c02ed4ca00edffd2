#include "bondgraph/simulation/mode_record.hpp"

#include <utility>

namespace bondgraph::simulation {

void ModeRecord::note(double time, const std::vector<double>& held, const model::BondGraph& graph, ModeCourse& course) {
    std::vector<double> values;
    for (std::size_t d = 0; d < graph.discretes.size(); ++d) {
        if (graph.discretes[d].structural) values.push_back(held[2 * d]);
    }
    if (values.empty()) return;
    if (!course.time.empty() && course.time.back() == time) {
        course.time.pop_back();
        course.mode.pop_back();
        if (std::exchange(fresh_, false)) {
            known_.erase(course.modes.back());
            course.modes.pop_back();
        }
    }
    const auto [mode, fresh] = known_.emplace(std::move(values), static_cast<std::uint32_t>(course.modes.size()));
    if (!course.mode.empty() && course.mode.back() == mode->second) return;
    fresh_ = fresh;
    if (fresh) course.modes.push_back(mode->first);
    course.time.push_back(time);
    course.mode.push_back(mode->second);
}

}  // namespace bondgraph::simulation
