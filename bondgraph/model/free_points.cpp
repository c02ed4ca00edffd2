// Pass of flattening: points without mass at which dampers act along too few lines.

#include "bondgraph/model/free_points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

class FreePoints {
   public:
    explicit FreePoints(Flattening& work) : work_(work) {}

    void check() {
        for (const Flattening::ComputedSignals& computed : work_.signal_order) {
            const Element& point = element(computed.element);
            if (!point.root || !is_free_point(*point.type)) continue;
            std::size_t lines = 0;
            bool others = false;
            for (const auto& [id, connector] : computed.joined) {
                const auto line = work_.graph.element_by_name.find(element(id).name + ".line");
                if (line != work_.graph.element_by_name.end())
                    lines += damped(element(line->second)) ? 1 : 0;
                else
                    others = others || has_resistor(id);
            }
            if (!others && (lines == 1 || lines == 2)) report(point, lines);
            if (turns(computed.element)) report_turned(point, computed);
        }
    }

   private:
    const Element& element(ElementId id) const { return work_.graph.elements[id.index()]; }

    /// Whether something that takes torques gives it an orientation.
    bool turns(ElementId point) const {
        return std::ranges::any_of(work_.origins[point.index()].slots,
                                   [](const Element::Slot& slot) { return slot.name == "q"; });
    }

    void report_turned(const Element& point, const Flattening::ComputedSignals& computed) {
        std::string names;
        for (const auto& [id, connector] : computed.joined) {
            const auto& bonds = element(id).connectors[connector].type->bonds;
            for (std::size_t b = 0; b < bonds.size(); ++b) {
                if (bonds[b].domain == "rotational" && work_.inner_ends.contains({id, connector, b}))
                    names += (names.empty() ? "'" : ", '") + element(id).name + "'";
            }
        }
        work_.diagnostics.error(
            "BG-F012", point.position,
            fmt::format("'{}' ({}) is a point, but what is connected to it turns with it or takes torques", point.name,
                        point.type->name),
            {{"where", names},
             {"because", "a balance of forces gives a place, and no orientation"},
             {"try", "connect what acts along lines, or forces; a part that turns is a Body"}});
    }

    bool is_resistor(ElementId id) const { return id.valid() && element(id).type->is_resistor(); }

    bool damped(const Element& junction) const {
        return std::ranges::any_of(junction.ports, [&](const Port& port) {
            if (!port.bond.valid()) return false;
            const RawBond& bond = work_.raw_bonds[port.bond.index()];
            return is_resistor(bond.from.element) || is_resistor(bond.to.element);
        });
    }

    bool has_resistor(ElementId component) const {
        return std::ranges::any_of(work_.graph.elements,
                                   [&](const Element& e) { return e.owner == component && e.type->is_resistor(); });
    }

    void report(const Element& point, std::size_t lines) {
        work_.diagnostics.error(
            "BG-F011", point.position,
            fmt::format("dampers act on '{}' ({}) along {}", point.name, point.type->name,
                        lines == 1 ? "one line only" : "two lines only"),
            {{"because",
              "without mass, the point moves at the rate at which they balance the other forces, and across their "
              "lines "
              "nothing is said of that"},
             {"try",
              "dampers in three directions, or none; for springs and dampers in a row along one line, elements at the "
              "port of one LineForce, or SpringDamperSeries; or a PointMass in place of the point"}});
    }

    Flattening& work_;
};

}  // namespace

void check_free_points(Flattening& work) { FreePoints(work).check(); }

}  // namespace bondgraph::model
