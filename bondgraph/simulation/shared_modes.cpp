#include "bondgraph/simulation/shared_modes.hpp"

namespace bondgraph::simulation {

SharedModes::SharedModes(const compile::CompiledModel& first)
    : first_{nullptr,
             std::shared_ptr<const compile::CompiledModel>(std::shared_ptr<const compile::CompiledModel>(), &first),
             std::make_shared<const Findings>(first)} {}

CompiledMode SharedModes::find_in(const Kept& kept, const std::vector<double>& key) const {
    const std::scoped_lock lock(guard_);
    const auto place = kept.find(key);
    return place == kept.end() ? CompiledMode{} : place->second;
}

void SharedModes::keep_in(Kept& kept, const std::vector<double>& key, const CompiledMode& mode) {
    const std::scoped_lock lock(guard_);
    kept.emplace(key, mode);
}

}  // namespace bondgraph::simulation
