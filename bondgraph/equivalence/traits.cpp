#include "bondgraph/equivalence/traits.hpp"

#include <algorithm>

#include "bondgraph/equivalence/detectors.hpp"

namespace bondgraph::equivalence {
namespace {

using model::BondGraph;
using model::Element;
using model::Structure;

OnePort one_port(const BondGraph& graph, const Element& e, const Part& part, const NormalForm& form) {
    OnePort result{.name = part.name, .type = part.type, .domain = part.domain};
    for (const NamedNumber& n : part.numbers) {
        if (n.what == "start" || form.items[n.item].values.size() != 1) continue;
        result.value = form.items[n.item].values.front();
        result.constant = !part.modulated && e.ports[0].size == 1 && e.given_equations.empty();
    }
    const model::Bond& b = graph.bonds[e.ports[0].bond.index()];
    if (!b.reversed) return result;
    result.power_sign = -1;
    // Of a bond drawn against the element's direction the effort is reported with the opposite sign at a 1-junction,
    // the flow elsewhere.
    const Element& far = graph.elements[(e.ports[0].at_head ? b.from : b.to).index()];
    const bool effort_turned = far.type->structure == Structure::junction1;
    if ((part.type == "Sf") == effort_turned) result.conjugate_sign = -1;
    return result;
}

bool gives_nothing(const OnePort& source) { return source.constant && source.value == 0.0; }

}  // namespace

Traits traits_of(const BondGraph& graph) {
    const NormalForm form = normal_form(graph, false);
    Traits result{.linear = graph.whens.empty() && graph.discretes.empty() && graph.initial_equations.empty() &&
                            !graph.steady};
    result.at_rest = graph.initial_equations.empty() && !graph.steady;
    const std::vector<bool> unread_elements = unread(graph);
    for (const Part& part : form.parts) {
        const std::size_t index = graph.element_by_name.at(part.name).index();
        const Element& e = graph.elements[index];
        if (unread_elements[index]) {
            result.unread.push_back(part.name);
            continue;
        }
        const bool two_port = (part.type == "TF" || part.type == "GY") && !part.modulated && part.numbers.size() <= 1;
        result.at_rest = result.at_rest && e.initial_equations.empty() && !e.steady &&
                         std::ranges::all_of(e.starts, [](const model::StartValue& s) {
                             return !s.fixed || std::ranges::all_of(s.value.value.reshaped(), [](expression::Expr x) {
                                 return x.is_constant(0.0);
                             });
                         });
        if (two_port) continue;
        const bool source = part.type == "Se" || part.type == "Sf";
        const bool storage = part.type == "C" || part.type == "I";
        if (part.ports.size() != 1 || (!source && !storage && part.type != "R")) {
            result.linear = false;
            // Signals and detectors move no power.
            if (!e.ports.empty() && !e.type->is_two_port() && e.type->structure != Structure::wiring &&
                !e.type->is_sensor())
                result.only_one_ports = false;
            continue;
        }
        OnePort found = one_port(graph, e, part, form);
        result.linear = result.linear && found.constant;
        if (source && gives_nothing(found)) continue;
        (source ? result.sources : storage ? result.storages : result.resistors).push_back(std::move(found));
    }
    return result;
}

}  // namespace bondgraph::equivalence
