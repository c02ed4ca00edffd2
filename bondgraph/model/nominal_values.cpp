#include "bondgraph/model/nominal_values.hpp"

#include <fmt/format.h>

namespace bondgraph::model {
namespace {

using expression::Expr;

void nominal(Flattening& work, StartChecks& checks, std::uint32_t i, const std::string& key, const Setting& s,
             std::uint32_t scope) {
    const Element& e = work.graph.elements[i];
    if (const auto dot = key.rfind('.'); dot != std::string::npos) {
        const auto part = work.graph.element_by_name.find(e.name + "." + key.substr(0, dot));
        if (part != work.graph.element_by_name.end())
            return nominal(work, checks, part->second.value, key.substr(dot + 1), s, scope);
    }
    if (e.slot(key) == nullptr) {
        if (checks.states_unknown(e)) return;
        std::vector<std::string> known;
        for (const Element::Slot& slot : e.slots) known.push_back(slot.name);
        work.diagnostics.error("BG-M018", s.key.position,
                               fmt::format("'{}' has no state '{}'{}", e.name, key, did_you_mean(key, known)));
        return;
    }
    const auto q = evaluate_value(work, s.value, scope);
    if (!q || !checks.units_fit(e, key, s.value, scope) || !checks.measures_fit(i, key, *q, s.value)) return;
    const auto size = static_cast<Eigen::Index>(e.slot(key)->size);
    if (!q->is_scalar() && q->value.size() != size) {
        if (work.joined) checks.report_length(e, key, size, q->value.size(), s.value.position());
        return;
    }
    std::vector<double> magnitudes;
    for (const Expr& x : q->value.reshaped()) {
        if (!x.is_constant()) {
            work.diagnostics.error("BG-M020", s.value.position(),
                                   "a nominal value is a number that is known before the run");
            return;
        }
        if (!(x.constant() > 0.0)) {
            work.diagnostics.error("BG-M013", s.value.position(), "a nominal value is greater than 0");
            return;
        }
        magnitudes.push_back(x.constant());
    }
    work.graph.elements[i].nominals.emplace_back(key, std::move(magnitudes));
}

}  // namespace

void evaluate_nominals(Flattening& work, StartChecks& checks, std::uint32_t element) {
    const Flattening::Origin& origin = work.origins[element];
    for (const Setting& s : origin.declaration->nominal) nominal(work, checks, element, s.key.text, s, origin.scope);
}

}  // namespace bondgraph::model
