// Domains spread along bonds. Each class of bonds that must share a domain keeps the set of domains still possible;
// declared domains and the dimensions of parameters narrow it. An empty set is a contradiction and names both ends.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/pending/disjoint_sets.hpp>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/scope.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {
namespace {

using Mask = std::uint16_t;
constexpr Mask kAll = (1U << 9) - 2;  // every domain but generic

class DomainInference {
   public:
    explicit DomainInference(Flattening& work)
        : work_(work), graph_(work.graph), classes_(graph_.bonds.size()), class_(graph_.bonds.size()) {}

    void run() {
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) join_ports(i);
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) declared(i);
        for (const BoundaryPort& b : work_.boundary_ports) connector_bond(b);
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) parameters(i);
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::uint32_t i : two_ports_) changed |= narrow_pair(i);
            for (const std::uint32_t i : joined_) changed |= narrow_parts(i);
        }
        for (Bond& b : graph_.bonds) b.domain = decided(static_cast<std::uint32_t>(&b - graph_.bonds.data()));
        for (Element& e : graph_.elements) {
            for (Port& p : e.ports) p.domain = graph_.bonds[p.bond.index()].domain;
        }
        for (std::uint32_t i = 0; i < graph_.elements.size(); ++i) check(i);
    }

   private:
    struct Class {
        Mask mask = kAll;
        std::uint32_t element = Id<void>::kNone;  // who narrowed it first
        std::string end;                          // and at which of its ports
        std::string why;
        bool broken = false;
    };

    std::size_t find(std::uint32_t b) { return classes_.find_set(b); }

    void join(const Port& a, const Port& b) { classes_.union_set(a.bond.value, b.bond.value); }

    void join_ports(std::uint32_t i) {
        const Element& e = graph_.elements[i];
        const bool through = e.type->structure == Structure::wiring && e.type->pattern == PortPattern::fixed;
        if (e.is_junction() || through) {
            for (std::size_t k = 1; k < e.ports.size(); ++k) join(e.ports[0], e.ports[k]);
        }
        if (e.type->structure == Structure::wiring && !through) joined_.push_back(i);
        if (e.type->is_two_port()) two_ports_.push_back(i);
    }

    static std::string list(Mask mask) {
        std::string text;
        for (std::size_t d = 1; d < domains().size(); ++d) {
            if ((mask >> d & 1U) != 0) text += (text.empty() ? "" : " or ") + std::string(domains()[d].name);
        }
        return text;
    }

    /// Ports of one element may be of several domains; those of a junction are of one.
    static std::string end_name(const Element& e, const Port& port) {
        const bool several = e.ports.size() > 1 && !e.is_junction() && !port.name.empty();
        return several ? e.name + "." + port.name : e.name;
    }

    void narrow(std::uint32_t element, const Port& port, Mask mask, const std::string& why) {
        Class& c = class_[find(port.bond.value)];
        if (c.broken) return;
        const Mask both = c.mask & mask;
        if (both == 0) {
            c.broken = true;
            const Element& now = graph_.elements[element];
            const Element& first = graph_.elements[c.element];
            if (element == c.element && end_name(now, port) == c.end) {
                work_.diagnostics.error("BG-M011", now.position,
                                        fmt::format("domains differ: '{}' can't be {} ({}) and {} ({}) at once", c.end,
                                                    list(c.mask), c.why, list(mask), why),
                                        {{"try", "correct the unit, or the 'domain:' that is declared"}});
                return;
            }
            std::vector<DiagnosticNote> notes;
            if (element != c.element)
                notes.push_back({"where", fmt::format("'{}' stands in {}", first.name,
                                                      graph_.line_text(first.position, now.position))});
            notes.push_back({"try", "couple two domains with a TF or GY, or correct the unit"});
            work_.diagnostics.error(
                "BG-M011", now.position,
                fmt::format("domains differ: '{}' is {} ({}), but it is joined to '{}', which is {} ({})",
                            end_name(now, port), list(mask), why, c.end, list(c.mask), c.why),
                std::move(notes));
            return;
        }
        if (both != c.mask && (c.element == Id<void>::kNone || std::popcount(c.mask) > 1)) {
            c.element = element;
            c.end = end_name(graph_.elements[element], port);
            c.why = why;
        }
        c.mask = both;
    }

    void declared(std::uint32_t i) {
        const Element& e = graph_.elements[i];
        if (const auto& text = work_.origins[i].declaration->domain; text && e.declaration == nullptr) {
            if (const auto d = find_domain(text->text); d && *d != kGeneric) {
                for (const Port& p : e.ports) {
                    if (!is_heat(*e.type, p.name)) narrow(i, p, static_cast<Mask>(1U << *d), "declared");
                }
            }
        }
        for (const Port& p : e.ports) {
            if (p.domain != kGeneric) narrow(i, p, static_cast<Mask>(1U << p.domain), "declared");
            if (is_heat(*e.type, p.name)) narrow(i, p, thermal(), "heat");
        }
    }

    /// The bond behind a connector's port is of the domain that its type says, also where it is bonded and not
    /// connected.
    void connector_bond(const BoundaryPort& b) {
        const auto bond = graph_.bond_by_name.find(b.name);
        if (!b.of_connector || bond == graph_.bond_by_name.end()) return;
        const auto domain = find_domain(b.declaration->domain->text);
        if (!domain || *domain == kGeneric) return;
        const Bond& at = graph_.bonds[bond->second.bond.index()];
        narrow(at.to.value, graph_.elements[at.to.index()].ports[at.to_port], static_cast<Mask>(1U << *domain),
               fmt::format("the connector's bond '{}'", b.name));
    }

    static bool is_inertia(const Element& e) {
        return e.type->is_storage() && e.type->states.size() == 1 && e.type->states.front().covariable == "f";
    }

    static Mask thermal() {
        return static_cast<Mask>(1U << *find_domain("thermal") | 1U << *find_domain("thermal_pseudo"));
    }

    static bool is_heat(const ComponentType& type, const std::string& port) {
        return std::ranges::any_of(type.ports, [&](const PortSpec& p) { return p.heat && p.name == port; });
    }

    static std::string units_by_domain(const Element& e, const ParameterSpec& spec) {
        std::string text;
        for (std::size_t d = 1; d < domains().size(); ++d) {
            if (is_inertia(e) && !domains()[d].inertia) continue;
            const auto dimension = spec.dimension.in(static_cast<DomainIndex>(d));
            if (!dimension) continue;
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", shown_unit(spec.dimension, *dimension),
                                domains()[d].name);
        }
        return text;
    }

    void parameters(std::uint32_t i) {
        const Element& e = graph_.elements[i];
        if (e.ports.empty() || e.type->is_own_type()) return;
        for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (!e.parameters[k] || !e.parameters[k]->measure.known() || !spec.dimension.checked) continue;
            if (spec.dimension.uses_second_port()) continue;
            if (e.ports[0].size > 1) continue;  // the components of a multibond may be of several kinds
            Mask mask = 0;
            for (std::size_t d = 1; d < domains().size(); ++d) {
                if (spec.dimension.in(static_cast<DomainIndex>(d)) == e.parameters[k]->measure.dimension)
                    mask |= 1U << d;
            }
            const std::string unit = shown_unit(spec.dimension, e.parameters[k]->measure.dimension);
            const std::string why = fmt::format("its {} is in {}", spec.name, unit);
            if (mask == 0) {
                work_.diagnostics.error(
                    "BG-U003", e.parameter_positions[k],
                    fmt::format("'{}' of '{}' is in {}: no domain measures {} so", spec.name, e.name, unit, spec.doc),
                    {{"try", units_by_domain(e, spec)}});
                continue;
            }
            for (const Port& p : e.ports) {
                if (is_heat(*e.type, p.name)) continue;
                const Class& c = class_[find(p.bond.value)];
                if ((c.mask & mask) == 0 && std::popcount(c.mask) == 1 && !c.broken && c.element != i) {
                    wrong_unit(i, k, c, unit);
                    class_[find(p.bond.value)].broken = true;
                } else {
                    narrow(i, p, mask, why);
                }
            }
        }
    }

    void wrong_unit(std::uint32_t i, std::size_t k, const Class& c, const std::string& unit) {
        const Element& e = graph_.elements[i];
        const ParameterSpec& spec = e.type->parameters[k];
        const Element& maker = graph_.elements[c.element];
        const auto domain = static_cast<DomainIndex>(std::countr_zero(c.mask));
        work_.diagnostics.error(
            "BG-U002", e.parameter_positions[k],
            fmt::format("'{}' of '{}' is in {}; in the {} domain it is in {}", spec.name, e.name, unit,
                        domains()[domain].name, shown_unit(spec.dimension, *spec.dimension.in(domain))),
            {{"because",
              fmt::format("'{}' in {} makes the domain {} ({})", maker.name,
                          graph_.line_text(maker.position, e.parameter_positions[k]), domains()[domain].name, c.why)},
             {"try", "correct the unit, or couple two domains with a TF or GY"}});
    }

    // The modulus of a two-port relates the domains of its sides: keep the pairs that fit its dimension.
    bool narrow_pair(std::uint32_t i) {
        const Element& e = graph_.elements[i];
        if (e.ports[0].size > 1 || e.ports[1].size > 1) return false;
        bool changed = false;
        for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (!e.parameters[k] || !e.parameters[k]->measure.known() || !spec.dimension.checked) continue;
            Class& a = class_[find(e.ports[0].bond.value)];
            Class& b = class_[find(e.ports[1].bond.value)];
            if (a.broken || b.broken) return false;
            if (std::popcount(a.mask) > 1 && std::popcount(b.mask) > 1) return false;  // one side leads
            Mask ma = 0;
            Mask mb = 0;
            for (std::size_t da = 1; da < domains().size(); ++da) {
                for (std::size_t db = 1; db < domains().size(); ++db) {
                    if ((a.mask >> da & 1U) == 0 || (b.mask >> db & 1U) == 0) continue;
                    const auto dimension =
                        spec.dimension.in(static_cast<DomainIndex>(da), static_cast<DomainIndex>(db));
                    if (dimension != e.parameters[k]->measure.dimension) continue;
                    ma |= 1U << da;
                    mb |= 1U << db;
                }
            }
            if (ma == 0) {
                pair_error(i, k, a, b);
                a.broken = b.broken = true;
                return false;
            }
            const std::string why = fmt::format("from {} '{}' and its {}", e.type->name, e.name, spec.name);
            changed |= ma != a.mask || mb != b.mask;
            narrow(i, e.ports[0], ma, why);
            narrow(i, e.ports[1], mb, why);
        }
        return changed;
    }

    // A multibond is of a domain when all its parts are, and they are when it is; parts of several make it generic.
    bool narrow_parts(std::uint32_t i) {
        const Element& e = graph_.elements[i];
        Mask whole = kAll;
        Mask parts = 0;
        for (const Port& p : e.ports) {
            const Class& c = class_[find(p.bond.value)];
            if (c.broken) return false;
            if (p.name == "p")
                whole = c.mask;
            else
                parts |= c.mask;
        }
        const Mask known = std::popcount(parts) == 1 ? parts : whole;
        if (std::popcount(known) != 1) return false;
        bool changed = false;
        for (const Port& p : e.ports) {
            if (class_[find(p.bond.value)].mask == known) continue;
            narrow(i, p, known, fmt::format("{} '{}' joins what is of one domain", e.type->name, e.name));
            changed = true;
        }
        return changed;
    }

    void pair_error(std::uint32_t i, std::size_t k, const Class& a, const Class& b) {
        const Element& e = graph_.elements[i];
        const ParameterSpec& spec = e.type->parameters[k];
        const auto name = [](const Class& c) { return std::popcount(c.mask) > 2 ? "an unknown domain" : list(c.mask); };
        const auto side = [&](const Class& c) {
            return c.element == Id<void>::kNone
                       ? name(c)
                       : fmt::format("{} ('{}': {})", name(c), graph_.elements[c.element].name, c.why);
        };
        work_.diagnostics.error("BG-U002", e.parameter_positions[k],
                                fmt::format("'{}' of '{}' is in {}, which doesn't fit its two sides", spec.name, e.name,
                                            shown_unit(spec.dimension, e.parameters[k]->measure.dimension)),
                                {{"where", fmt::format("p1 is {}; p2 is {}", side(a), side(b))},
                                 {"try", fitting_units(spec, a.mask, b.mask)}});
    }

    /// What the modulus between the domains of two sides is in.
    static std::string fitting_units(const ParameterSpec& spec, Mask a, Mask b) {
        std::vector<std::string> units;
        for (std::size_t da = 1; da < domains().size(); ++da) {
            for (std::size_t db = 1; db < domains().size(); ++db) {
                if ((a >> da & 1U) == 0 || (b >> db & 1U) == 0) continue;
                const auto dimension = spec.dimension.in(static_cast<DomainIndex>(da), static_cast<DomainIndex>(db));
                if (!dimension) continue;
                const std::string unit = fmt::format("{} ({} to {})", shown_unit(spec.dimension, *dimension),
                                                     domains()[da].name, domains()[db].name);
                if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
            }
        }
        constexpr std::size_t kMost = 9;
        if (units.size() > kMost) return "correct the unit, or give 'domain:' to what is on the other side";
        return fmt::format("a value in {}", fmt::join(units, " or "));
    }

    DomainIndex decided(std::uint32_t bond) {
        const Class& c = class_[find(bond)];
        // After a contradiction neither side is right, and what follows from one would only confuse.
        if (c.broken) return kGeneric;
        return std::popcount(c.mask) == 1 ? static_cast<DomainIndex>(std::countr_zero(c.mask)) : kGeneric;
    }

    // What is in Hz, or per Hz, fits rotation by its dimension, but flows there are angular velocities.
    void check_turns(std::uint32_t i) {
        static const DomainIndex rotational = *find_domain("rotational");
        const Element& e = graph_.elements[i];
        const auto turns = [](const Port& p) { return p.domain == rotational; };
        if (std::none_of(e.ports.begin(), e.ports.end(), turns)) return;
        for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (!e.parameters[k] || !spec.dimension.checked) continue;
            const Measure& given = e.parameters[k]->measure;
            if (given.turns != Turns::periods) continue;
            const Measure place{given.kind, given.dimension, Turns::angle};
            work_.diagnostics.error(
                "BG-U002", e.parameter_positions[k],
                unit_name(given) == "Hz"
                    ? fmt::format("'{}' of '{}' is in rad/s, not Hz", spec.name, e.name)
                    : fmt::format("the unit of '{}' of '{}' holds Hz; in rotation it holds rad/s", spec.name, e.name),
                turns_notes("", given, place));
        }
    }

    void check(std::uint32_t i) {
        check_turns(i);
        const Element& e = graph_.elements[i];
        if (e.type->check_power != nullptr && !e.owner.valid())
            e.type->check_power(LawContext(graph_, ElementId(i), no_equations_), work_.diagnostics);
        if (e.ports.empty() || !is_inertia(e)) return;
        const Domain& d = domains()[e.ports[0].domain];
        if (d.inertia) return;
        work_.diagnostics.error("BG-M012", e.position,
                                fmt::format("'{}' is an I in the {} domain: there is none", e.name, d.name),
                                {{"because",
                                  "no thermal or chemical effect stores energy by virtue of a flow; an I there would "
                                  "let heat or matter oscillate by itself"},
                                 {"try", "use C for a capacity and R or RS for a resistance"}});
    }

    Flattening& work_;
    BondGraph& graph_;
    std::vector<Equation> no_equations_;
    boost::disjoint_sets_with_storage<> classes_;
    std::vector<Class> class_;
    std::vector<std::uint32_t> two_ports_;
    std::vector<std::uint32_t> joined_;  // Compose and Decompose
};

}  // namespace

void infer_domains(Flattening& work) { DomainInference(work).run(); }

}  // namespace bondgraph::model
