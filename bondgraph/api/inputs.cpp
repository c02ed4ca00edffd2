#include "bondgraph/api/inputs.hpp"

#include <algorithm>
#include <stdexcept>

#include "bondgraph/io/load_model.hpp"

namespace bondgraph::api {

model::Measure input_measure(const model::AdjustableParameter& parameter, const model::SettableParameter* given) {
    if (parameter.measure.known()) return parameter.measure;
    return given != nullptr && given->value.measure.known() ? given->value.measure : model::Measure::of(Dimension{});
}

std::optional<double> input_number(const std::string& text, const model::AdjustableParameter& parameter,
                                   const model::SettableParameter* given, const model::BondGraph& graph,
                                   const UnitSystem& units) {
    try {
        SourceMap sources;
        const model::ParsedOverride parsed = io::parse_override(parameter.name + "=" + text, sources);
        return model::number_in(parsed.value, graph, units, input_measure(parameter, given));
    } catch (const ModelError&) {
    } catch (const std::invalid_argument&) {
    }
    return std::nullopt;
}

const model::SettableParameter* find_settable(const model::BondGraph& graph, const std::string& name) {
    const auto at = std::ranges::find(graph.settable, name, &model::SettableParameter::name);
    return at == graph.settable.end() ? nullptr : &*at;
}

}  // namespace bondgraph::api
