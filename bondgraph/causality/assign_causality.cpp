#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "bondgraph/causality/assignment.hpp"
#include "bondgraph/causality/modulus.hpp"
#include "bondgraph/causality/partial_causality.hpp"
#include "bondgraph/causality/placed_strokes.hpp"
#include "bondgraph/causality/plan.hpp"
#include "bondgraph/model/modes.hpp"

namespace bondgraph::causality {

using model::BondGraph;
using model::Element;
using model::ElementId;
using model::PortCausality;
using model::StatePreference;

namespace {

constexpr std::array kPreferences{StatePreference::never, StatePreference::always, StatePreference::prefer,
                                  StatePreference::standard, StatePreference::avoid};

struct PortPlace {
    ElementId element;
    std::uint32_t port;
    std::uint32_t component;
    std::uint32_t bond_component;
    std::uint32_t number;
    bool at_head;
    PortCausality demand;
};

// Propagation led into a contradiction after a choice: where own types close a cycle, the choice must be the other one.
struct Contradiction {
    std::uint32_t component = kNoVertex;  ///< of the choice, if there was one
    bool effort_in = false;               ///< as chosen, at the element's end
};

/// What a port is to become, unless it is known by then.
struct Choice {
    std::uint32_t place;
    bool effort_in;
    Reason::Kind kind;
};

/// Choices that led into contradictions, turned round: bond component → effort in.
using Forced = std::map<std::uint32_t, bool>;

class Scap {
   public:
    Scap(const BondGraph& graph, ScalarGraph scalar, const Forced& forced, const std::vector<double>& modes,
         std::span<const PlacedStroke> placed = {})
        : g_(graph),
          a_(graph, std::move(scalar)),
          plans_(graph, a_.scalar),
          forced_(forced),
          modes_(modes),
          placed_(placed) {
        a_.modes = modes;
        for (std::uint32_t i = 0; i < g_.elements.size(); ++i) collect(i);
        collect_choices();
        modulated_ = modulated_two_ports(g_);
    }

    CausalGraph run() {
        check_demands(g_, a_.scalar, diagnostics_);
        diagnostics_.throw_if_errors();
        if (const auto conflict = a_.propagate()) report(*conflict, {});
        plan();
        fixed();
        if (diagnostics_.has_errors()) diagnostics_.throw_if_errors();
        place();
        storages();
        choices();
        diagnostics_.throw_if_errors();
        inside_meshes();
        return result();
    }

    /// Assigns until a conflict is met. What else goes wrong is no matter here: run() has reported it.
    PartialCausality run_up_to_conflict() {
        try {
            if (const auto conflict = a_.propagate()) report(*conflict, {});
            plan();
            fixed();
            if (!diagnostics_.has_errors()) storages();
            if (!diagnostics_.has_errors()) choices();
        } catch (const Contradiction& why) {
            if (why.component != kNoVertex) conflicting_.insert(why.component);
        }
        PartialCausality partial;
        partial.causal.graph = &g_;
        partial.causal.modes = modes_;
        partial.causal.strokes = a_.strokes;
        partial.causal.reasons = a_.reasons;
        partial.conflicting.assign(conflicting_.begin(), conflicting_.end());
        return partial;
    }

   private:
    void collect(std::uint32_t i) {
        const Element& e = g_.elements[i];
        if (e.is_junction() || (e.type->in_junction_structure() && !e.directed)) return;
        std::uint32_t number = 0;
        for (std::uint32_t p = 0; p < e.ports.size(); ++p) {
            for (std::uint32_t k = 0; k < e.ports[p].size; ++k, ++number) {
                const auto demand = model::demanded_causality(g_, modes_, ElementId(i), p, k);
                places_.push_back({ElementId(i), p, k, g_.bonds[e.ports[p].bond.index()].first + k, number,
                                   e.ports[p].at_head, demand});
            }
        }
    }

    static bool is_fixed(PortCausality d) { return d == PortCausality::effort_out || d == PortCausality::flow_out; }
    static bool wants_effort_out(PortCausality d) {
        return d == PortCausality::effort_out || d == PortCausality::prefers_effort_out ||
               d == PortCausality::likes_effort_out;
    }

    void report(const Conflict& conflict, ElementId source) {
        Conflict full = conflict;
        if (source.valid()) full.at = full.at.valid() ? full.at : source;
        mark(full.components);
        const Diagnostic d = explain(g_, a_, full);
        // One conflict is told once, not again for everything that follows from it.
        if (!reported_.insert(d.message).second || reported_.size() > 10) return;
        diagnostics_.append(std::span(&d, 1));
    }

    /// The bond components of a conflict and those that led to it.
    void mark(std::vector<std::uint32_t> stack) {
        while (!stack.empty()) {
            const std::uint32_t c = stack.back();
            stack.pop_back();
            if (!conflicting_.insert(c).second) continue;
            const auto before = a_.antecedents(c);
            stack.insert(stack.end(), before.begin(), before.end());
        }
    }

    /// Everything that is to be decided, in order: sources, sensors and one-way laws, residual sinks; storages by
    /// preference; laws as written; resistors.
    void collect_choices() {
        const auto rank = [&](const PortPlace& p) {
            const model::ComponentType& type = *g_.elements[p.element.index()].type;
            return type.is_source() ? 0 : type.is_constraint() ? 2 : 1;
        };
        for (int stage = 0; stage < 3; ++stage) {
            for (const PortPlace& p : places_) {
                if (is_fixed(p.demand) && rank(p) == stage)
                    choose(p, !wants_effort_out(p.demand), stage == 0 ? Reason::Kind::source : Reason::Kind::fixed_law);
            }
        }
        demands_ = choices_.size();
        collect_storages();
        storages_ = choices_.size();
        for (const PortPlace& p : places_) {
            if (p.demand == PortCausality::likes_effort_out || p.demand == PortCausality::likes_flow_out)
                choose(p, p.demand == PortCausality::likes_flow_out, Reason::Kind::written_law);
        }
        for (const PortPlace& p : places_) {
            const Element& e = g_.elements[p.element.index()];
            if (e.type->is_resistor())
                choose(p, e.parameter("R") == nullptr && e.given_equations.empty(), Reason::Kind::resistive_choice);
        }
    }

    void collect_storages() {
        for (const StatePreference preference : kPreferences) {
            for (const PortPlace& p : places_) {
                if (!prefers(p.demand) || g_.elements[p.element.index()].preference != preference) continue;
                const bool never = preference == StatePreference::never;
                const bool integral_in = !wants_effort_out(p.demand);
                choose(p, never ? !integral_in : integral_in,
                       never ? Reason::Kind::refused_state : Reason::Kind::integral);
            }
        }
    }

    static bool prefers(PortCausality d) {
        return d == PortCausality::prefers_effort_out || d == PortCausality::prefers_flow_out;
    }

    void choose(const PortPlace& p, bool effort_in, Reason::Kind kind) {
        if (const auto forced = forced_.find(p.bond_component); !is_fixed(p.demand) && forced != forced_.end()) {
            effort_in = forced->second;
            kind = Reason::Kind::own_type;
        }
        choices_.push_back({static_cast<std::uint32_t>(&p - places_.data()), effort_in, kind});
    }

    /// The ports of regions, as far as is known now.
    std::vector<Conflict> planned() {
        if (a_.scalar.regions.empty()) return {};
        std::vector<Preference> preferences;
        for (std::size_t k = 0; k < choices_.size(); ++k) {
            const PortPlace& p = places_[choices_[k].place];
            preferences.push_back({p.bond_component, choices_[k].effort_in, k < demands_, p.element});
        }
        return plans_.make(a_, preferences);
    }

    void plan() {
        for (const Conflict& conflict : planned()) report(conflict, {});
    }

    void fixed() {
        for (std::size_t k = 0; k < demands_; ++k) {
            const PortPlace& p = places_[choices_[k].place];
            if (!a_.set(p.bond_component, p.at_head, choices_[k].effort_in,
                        {.kind = choices_[k].kind, .at = p.element})) {
                report({p.element, {p.bond_component}}, p.element);
                continue;
            }
            if (const auto conflict = a_.propagate()) report(*conflict, {});
            if (a_.off_plan && !diagnostics_.has_errors()) plan();
        }
    }

    /// The mesh inside which a bond component lies.
    [[nodiscard]] std::uint32_t mesh_around(std::uint32_t component) const {
        const std::uint32_t tail = a_.scalar.tail_vertex[component];
        const std::uint32_t head = a_.scalar.head_vertex[component];
        if (tail == kNoVertex || head == kNoVertex || a_.scalar.mesh_of[tail] != a_.scalar.mesh_of[head])
            return kNoVertex;
        return a_.scalar.mesh_of[tail];
    }

    /// Strokes that are given, at the ports of meshes and outside of them.
    void place() {
        for (const PlacedStroke& p : placed_) {
            if (mesh_around(p.component) != kNoVertex) continue;
            const Reason reason{.kind = Reason::Kind::free_choice,
                                .at = g_.bonds[g_.bond_of_component(p.component).index()].from};
            if (!a_.set(p.component, true, p.stroke == Stroke::at_to, reason) || a_.propagate() ||
                (a_.off_plan && !planned().empty()))
                throw Contradiction{};
        }
    }

    void inside_meshes() {
        std::set<std::uint32_t> given;
        for (const PlacedStroke& p : placed_) {
            const std::uint32_t mesh = mesh_around(p.component);
            if (mesh == kNoVertex) continue;
            if (a_.known(p.component) && a_.strokes[p.component] != p.stroke) throw Contradiction{};
            a_.strokes[p.component] = p.stroke;
            given.insert(mesh);
        }
        for (const std::uint32_t mesh : assign_inside_meshes(a_)) {
            if (given.contains(mesh)) throw Contradiction{};
        }
    }

    void take(const Choice& choice) {
        const PortPlace& p = places_[choice.place];
        if (a_.known(p.bond_component)) return;
        Reason reason{.kind = choice.kind, .at = p.element};
        bool effort_in = choice.effort_in;
        if (const Stroke planned = a_.planned[p.bond_component]; planned != Stroke::open) {
            effort_in = planned == (p.at_head ? Stroke::at_to : Stroke::at_from);
            if (effort_in != choice.effort_in) reason = {.kind = Reason::Kind::mesh, .at = mesh_of(p.bond_component)};
        }
        set(p.bond_component, p.at_head, effort_in, reason);
    }

    void set(std::uint32_t component, bool at_head, bool effort_in, Reason reason) {
        a_.set(component, at_head, effort_in, reason);
        if (a_.propagate() || (a_.off_plan && !planned().empty())) throw Contradiction{component, effort_in};
    }

    [[nodiscard]] ElementId mesh_of(std::uint32_t component) const {
        const std::uint32_t tail = a_.scalar.tail_vertex[component];
        const std::uint32_t vertex = tail == kNoVertex ? a_.scalar.head_vertex[component] : tail;
        for (const Region& region : a_.scalar.regions) {
            if (std::ranges::binary_search(region.vertices, vertex)) return a_.scalar.vertices[region.mesh].element;
        }
        return {};
    }

    void storages() {
        auto next = choices_.begin() + static_cast<std::ptrdiff_t>(demands_);
        const auto end = choices_.begin() + static_cast<std::ptrdiff_t>(storages_);
        for (const StatePreference preference : kPreferences) {
            own_types(preference);
            const auto alike = [&](const Choice& c) {
                return g_.elements[places_[c.place].element.index()].preference == preference;
            };
            for (const auto last = std::find_if_not(next, end, alike); next != last; ++next) {
                const auto first = safest(next, last);
                std::rotate(next, first, first + 1);
                const PortPlace& p = places_[next->place];
                take(*next);
                check_preference(p, a_.effort_in(p.bond_component, p.at_head) == !wants_effort_out(p.demand));
            }
        }
    }

    /// Of storages that are wanted alike the first one that divides by no modulus; else by none that is 0 at the start.
    std::vector<Choice>::iterator safest(std::vector<Choice>::iterator first, std::vector<Choice>::iterator last) {
        constexpr std::size_t kMostWork = 20'000'000;  // copied strokes: beyond, the order of the file decides
        const auto count = static_cast<std::size_t>(last - first);
        if (modulated_.empty() || a_.strokes.size() > kMostWork / (count * count)) return first;
        auto best = first;
        Division least = Division::singular;
        for (auto at = first; at != last; ++at) {
            const Division division = divides(places_[at->place]);
            if (division == Division::harmless) return at;
            if (division < least) {
                least = division;
                best = at;
            }
        }
        return best;
    }

    /// The worst division that a storage's integral causality brings about.
    Division divides(const PortPlace& p) {
        if (a_.known(p.bond_component)) return Division::harmless;
        Assignment trial = a_;
        trial.set(p.bond_component, p.at_head, !wants_effort_out(p.demand),
                  {.kind = Reason::Kind::integral, .at = p.element});
        trial.propagate();  // a contradiction is met again when it is taken
        return worst_division(g_, modulated_, a_, trial);
    }

    /// Ends at which own types store: as the storages of the same preference, before them.
    void own_types(StatePreference preference) {
        if (preference == StatePreference::never) return;
        for (std::uint32_t v = 0; v < a_.scalar.vertices.size(); ++v) {
            const ScalarVertex& vertex = a_.scalar.vertices[v];
            if (vertex.kind != ScalarVertex::Kind::own_type) continue;
            if (g_.elements[vertex.element.index()].preference != preference) continue;
            for (std::size_t k = 0; k < vertex.ends.size(); ++k) {
                const auto wanted = a_.integral_end(v, k);
                if (!wanted) continue;
                const ScalarEnd end = vertex.ends[k];
                const auto forced = forced_.find(end.component);
                set(end.component, end.at_head, forced != forced_.end() ? forced->second : *wanted,
                    {.kind = Reason::Kind::integral, .at = vertex.element});
            }
        }
    }

    void check_preference(const PortPlace& p, bool integral) {
        const Element& e = g_.elements[p.element.index()];
        if ((e.preference == StatePreference::always && !integral) ||
            (e.preference == StatePreference::never && integral)) {
            std::set<std::string> names;
            std::vector<std::uint32_t> stack{p.bond_component};
            std::vector<bool> seen(a_.strokes.size(), false);
            while (!stack.empty()) {
                const std::uint32_t c = stack.back();
                stack.pop_back();
                if (seen[c]) continue;
                seen[c] = true;
                const auto before = a_.antecedents(c);
                if (before.empty()) names.insert(g_.elements[named_one(g_, a_.reasons[c].at).index()].name);
                stack.insert(stack.end(), before.begin(), before.end());
            }
            names.erase(e.name);
            std::string list;
            for (const std::string& n : names) list += (list.empty() ? "'" : ", '") + n + "'";
            const bool always = e.preference == StatePreference::always;
            const std::string_view plural = names.size() == 1 ? "s" : "";
            const std::string why = list.empty() ? "nothing else determines it"
                                    : always     ? fmt::format("{} determine{} it already", list, plural)
                                                 : fmt::format("{} leave{} it independent", list, plural);
            diagnostics_.error(
                "BG-C004", e.position,
                fmt::format("'{}' is {} to be a state (states: {}), but {}", e.name, always ? "always" : "never",
                            always ? "always" : "never", why),
                {{"try", always ? "states: prefer on it, or states: avoid on the others" : "states: avoid"}});
        }
    }

    void choices() {
        for (std::size_t k = storages_; k < choices_.size(); ++k) take(choices_[k]);
        for (std::uint32_t c = 0; c < a_.strokes.size(); ++c) {
            if (mesh_around(c) != kNoVertex || a_.known(c)) continue;
            const bool effort_in = a_.planned[c] == Stroke::open || a_.planned[c] == Stroke::at_to;
            set(c, true, effort_in,
                {.kind = Reason::Kind::free_choice, .at = g_.bonds[g_.bond_of_component(c).index()].from});
        }
    }

    CausalGraph result() {
        CausalGraph causal;
        causal.graph = &g_;
        causal.modes = modes_;
        causal.meshes = a_.scalar.meshes;
        for (const PortPlace& p : places_) {
            const Element& e = g_.elements[p.element.index()];
            // A body's inertia follows the joints by the nature of mechanics: that tells nobody anything.
            const bool follows = e.owner.valid() && e.preference == StatePreference::never;
            if (!e.type->is_storage() || follows) continue;
            const bool integral = a_.effort_in(p.bond_component, p.at_head) == !wants_effort_out(p.demand);
            causal.storages.push_back({p.element, p.port, p.component, p.bond_component, p.number, integral, {}});
        }
        causal.strokes = a_.strokes;
        causal.reasons = a_.reasons;
        find_loops(causal, a_);
        find_dependencies(causal, a_);
        return causal;
    }

    const BondGraph& g_;
    Assignment a_;
    RegionPlans plans_;
    std::vector<PortPlace> places_;
    std::vector<Choice> choices_;
    std::vector<ModulatedTwoPort> modulated_;
    std::size_t demands_ = 0;   ///< of the choices, the first
    std::size_t storages_ = 0;  ///< and where those of the storages end
    const Forced& forced_;
    const std::vector<double>& modes_;
    std::span<const PlacedStroke> placed_;
    Diagnostics diagnostics_;
    std::set<std::string> reported_;
    std::set<std::uint32_t> conflicting_;
};

}  // namespace

std::size_t CausalGraph::dependent_storage_count() const {
    return static_cast<std::size_t>(
        std::count_if(storages.begin(), storages.end(), [](const auto& s) { return !s.integral; }));
}

PartialCausality assign_as_far_as_possible(const BondGraph& graph) {
    std::vector<Diagnostic> mistakes;
    try {
        return {.causal = assign_causality(graph)};
    } catch (const ModelError& e) {
        mistakes = e.diagnostics();
    }
    const Forced forced;
    const std::vector<double> modes = model::start_modes(graph);
    PartialCausality partial;
    try {
        partial = Scap(graph, build_scalar_graph(graph, kRankLimit), forced, modes).run_up_to_conflict();
    } catch (const ModelError&) {  // a junction structure that leaves variables undetermined: no stroke can be drawn
        partial.causal.graph = &graph;
        partial.causal.modes = modes;
        partial.causal.strokes.assign(graph.bond_components, Stroke::open);
        partial.causal.reasons.resize(graph.bond_components);
    }
    partial.mistakes = std::move(mistakes);
    return partial;
}

std::optional<CausalGraph> assign_with(const BondGraph& graph, const std::vector<double>& modes,
                                       std::span<const PlacedStroke> placed) {
    Forced forced;
    for (std::size_t attempt = 0; attempt <= graph.bond_components; ++attempt) {
        try {
            return Scap(graph, build_scalar_graph(graph, kRankLimit), forced, modes, placed).run();
        } catch (const Contradiction& why) {
            if (why.component == kNoVertex || !forced.emplace(why.component, !why.effort_in).second) break;
        } catch (const ModelError&) {  // a storage is to be a state, or none, and can't with these strokes
            break;
        }
    }
    return std::nullopt;
}

CausalGraph assign_causality(const BondGraph& graph, std::vector<double> modes, std::size_t rank_limit) {
    Forced forced;
    for (std::size_t attempt = 0;; ++attempt) {
        try {
            return Scap(graph, build_scalar_graph(graph, rank_limit), forced, modes).run();
        } catch (const Contradiction& why) {
            const bool fresh = why.component != kNoVertex && forced.emplace(why.component, !why.effort_in).second;
            if (fresh && attempt <= graph.bond_components) continue;
            Diagnostics d;
            const SourcePosition at = why.component == kNoVertex
                                          ? graph.model_position
                                          : graph.bonds[graph.bond_of_component(why.component).index()].position;
            d.error("BG-C003", at,
                    "causal conflict: no causality satisfies the junctions and own types around this bond",
                    {{"because", "the equations of the own types here can be computed in one direction only"},
                     {"try",
                      "write their equations so that effort or flow can be given, or separate them by an R, C or I"}});
            d.throw_if_errors();
        }
    }
}

}  // namespace bondgraph::causality
