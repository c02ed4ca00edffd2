// Temperatures below absolute zero, in what is known before the run.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/late_checks.hpp"

namespace bondgraph::model {

namespace {

class Temperatures {
   public:
    explicit Temperatures(Flattening& work) : work_(work) {}

    void run() {
        for (const Element& e : work_.graph.elements) {
            if (!has_temperature(e)) continue;
            if (e.type->is_source()) source(e);
            for (const StartValue& s : e.starts) start(e, s);
        }
        for (const Scope& s : work_.scopes) {
            std::vector<std::string> names;
            for (const auto& [name, value] : s.values) names.push_back(name);
            std::sort(names.begin(), names.end());
            for (const std::string& name : names) parameter(s, name, s.values.at(name));
        }
    }

   private:
    /// "T", "T1", "T_room", "temperature": not "dT", which is a difference.
    static bool names_temperature(std::string_view name) {
        if (name.starts_with("temperature") || name.starts_with("Temperature")) return true;
        if (!name.starts_with('T')) return false;
        return name.size() == 1 || name[1] == '_' || (name[1] >= '0' && name[1] <= '9');
    }

    /// A parameter of the model or of an own type that its name and its unit call a temperature. A value that has been
    /// told of where a source, a start value or another parameter has it is not told of again.
    void parameter(const Scope& scope, const std::string& name, const ScopeValue& v) {
        if (v.state != ScopeValue::State::done || v.value == nullptr || !names_temperature(name)) return;
        const Quantity& q = v.result;
        if (!q.measure.known() || !(q.measure.dimension == Dimension{.kelvin = 1}) || !q.is_scalar()) return;
        const expression::Expr x = q.value(0, 0);
        if (!x.is_constant() || !(x.constant() < 0.0) || told_.contains(x.constant())) return;
        told_.insert(x.constant());
        tell(scope.prefix + name, x.constant(), v.value->position());
    }

    /// Whether the effort of an element is a temperature, and no difference of two: those stand at 1-junctions, where a
    /// negative source opposes another.
    bool has_temperature(const Element& e) const {
        static const DomainIndex thermal = *find_domain("thermal");
        static const DomainIndex pseudo = *find_domain("thermal_pseudo");
        if (e.owner.valid() || e.ports.size() != 1 || e.is_junction()) return false;
        const Port& p = e.ports.front();
        if (p.domain != thermal && p.domain != pseudo) return false;
        const Bond& b = work_.graph.bonds[p.bond.index()];
        const ElementId other = p.at_head ? b.from : b.to;
        return work_.graph.elements[other.index()].type->structure != Structure::junction1;
    }

    void source(const Element& e) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (e.type->parameters[k].name == "e" && e.parameters[k])
                check(e, *e.parameters[k], 1.0, e.parameter_positions[k]);
        }
    }

    void start(const Element& e, const StartValue& s) {
        if (s.variable == "e") return check(e, s.value, 1.0, s.position);
        const Quantity* capacity = e.parameter("C");
        if (s.variable != "q" || capacity == nullptr || !capacity->is_scalar()) return;
        const expression::Expr c = capacity->value(0, 0);
        if (c.is_constant() && c.constant() > 0.0) check(e, s.value, 1.0 / c.constant(), s.position);
    }

    void check(const Element& e, const Quantity& value, double factor, SourcePosition position) {
        for (const expression::Expr& x : value.value.reshaped()) {
            if (!x.is_constant() || !(x.constant() * factor < 0.0)) continue;
            told_.insert(x.constant());
            tell(e.name, x.constant() * factor, position);
            return;
        }
    }

    void tell(const std::string& name, double kelvin, SourcePosition position) {
        work_.diagnostics.warning("BG-M070", position,
                                  fmt::format("the temperature of '{}' is {:g} K, below absolute zero", name, kelvin),
                                  {{"try", "give temperatures in K, or with their unit: 20 degC"}});
    }

    Flattening& work_;
    std::set<double> told_;
};

}  // namespace

void warn_of_cold(Flattening& work) { Temperatures(work).run(); }

}  // namespace bondgraph::model
