#include "bondgraph/cli/structure_report.hpp"

#include <nlohmann/json.hpp>

namespace bondgraph::cli {

nlohmann::ordered_json mode_json(const causality::CausalGraph& causal) {
    nlohmann::ordered_json modes = nlohmann::ordered_json::object();
    for (const ModeValue& m : mode_of(causal)) {
        if (m.boolean)
            modes[m.name] = m.value != 0.0;
        else
            modes[m.name] = m.value;
    }
    return modes;
}

}  // namespace bondgraph::cli
