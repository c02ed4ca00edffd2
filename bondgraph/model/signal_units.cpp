// The units of signals: what a block is given in tells what it gives.

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/model/late_checks.hpp"

namespace bondgraph::model {

namespace {

using expression::Op;

class SignalUnits {
   public:
    explicit SignalUnits(Flattening& work) : work_(work), state_(work.graph.elements.size(), State::waiting) {}

    void run() {
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (!is_block(e)) continue;
            compare_parameters(i);
            find(i, 0);
        }
    }

   private:
    enum class State : std::uint8_t { waiting, active, done };
    static constexpr int kDeepest = 500;  ///< blocks one behind the other; further ones have no unit

    static bool is_block(const Element& e) {
        return e.type->structure == Structure::block && e.type->build == nullptr && !e.owner.valid() &&
               e.type->outputs.size() == 1;
    }

    /// A parameter that measures the output: of a block that is driven by nothing, every one without a unit of its own.
    static bool measures_output(const Element& e, const ParameterSpec& spec) {
        if (spec.kind != ParameterKind::number || spec.shape != Shape::scalar || !spec.unit.empty()) return false;
        return e.type->inputs.empty() || spec.name == "high" || spec.name == "low";
    }

    static const Quantity* given(const Element& e, std::size_t k) {
        return e.parameters[k] && e.parameters[k]->measure.known() ? &*e.parameters[k] : nullptr;
    }

    // What is added, or compared, is in one unit.
    void compare_parameters(std::uint32_t i) {
        const Element& e = work_.graph.elements[i];
        std::optional<std::size_t> first;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!measures_output(e, e.type->parameters[k]) || given(e, k) == nullptr) continue;
            if (first)
                compare(e, *first, k);
            else
                first = k;
        }
        for (const auto& [lower, upper] : e.type->ascending) {
            const auto a = index_of(e, lower);
            const auto b = index_of(e, upper);
            const bool both = given(e, a) != nullptr && given(e, b) != nullptr;
            if (both && e.type->parameters[a].unit.empty()) compare(e, std::min(a, b), std::max(a, b));
        }
    }

    static std::size_t index_of(const Element& e, std::string_view name) {
        const auto& list = e.type->parameters;
        const auto at = std::find_if(list.begin(), list.end(), [&](const ParameterSpec& p) { return p.name == name; });
        return static_cast<std::size_t>(at - list.begin());
    }

    void compare(const Element& e, std::size_t first, std::size_t second) {
        const Measure& a = e.parameters[first]->measure;
        const Measure& b = e.parameters[second]->measure;
        if (!differ(a, b)) return;
        work_.diagnostics.error(
            "BG-U002", e.parameter_positions[second],
            fmt::format("'{}' of '{}' is in {}, but its '{}' is in {}", e.type->parameters[second].name, e.name,
                        unit_name(b), e.type->parameters[first].name, unit_name(a)),
            turns_notes("", b, a));
    }

    /// Finds the unit of a block's output, after those of the blocks that drive it.
    void find(std::uint32_t i, int depth) {
        if (state_[i] != State::waiting || depth > kDeepest) return;
        state_[i] = State::active;
        Element& e = work_.graph.elements[i];
        std::optional<Measure> found;
        for (std::size_t k = 0; k < e.parameters.size() && !found; ++k) {
            if (measures_output(e, e.type->parameters[k]) && given(e, k) != nullptr) found = e.parameters[k]->measure;
        }
        if (!found && passes_on(e)) found = measure_of_inputs(i, depth);
        state_[i] = State::done;
        if (!found || !found->known()) return;
        for (Element::Slot& s : e.slots) {
            if (s.name == e.type->outputs.front().name) s.measure = *found;
        }
    }

    /// A block without parameters that says what comes in, sooner or later: it holds a sample, or adds with weights
    /// that nobody gave.
    static bool passes_on(const Element& e) {
        if (e.type->sampled || e.type->delays) return true;
        const bool adds =
            std::any_of(e.type->inputs.begin(), e.type->inputs.end(), [](const SignalSpec& s) { return s.many; });
        const Quantity* k = e.parameter("k");
        if (!adds || k == nullptr) return false;
        const auto entries = k->value.reshaped();
        return std::all_of(entries.begin(), entries.end(),
                           [](const expression::Expr& x) { return x.is_constant(1.0) || x.is_constant(-1.0); });
    }

    std::optional<Measure> measure_of_inputs(std::uint32_t i, int depth) {
        std::optional<Measure> common;
        std::string from;
        const auto signals = work_.origins[i].signals;
        for (const auto& [name, source] : signals) {
            const Element& e = work_.graph.elements[i];
            const auto input = std::find_if(e.inputs.begin(), e.inputs.end(),
                                            [&port = name](const auto& given) { return given.first == port; });
            if (input == e.inputs.end()) return std::nullopt;
            for (const std::uint32_t block : blocks_in(input->second)) find(block, depth + 1);
            Value text;
            text.scalar = *source.first;
            const auto q = evaluate_value(work_, text, source.second);
            if (!q || !q->measure.known()) return std::nullopt;
            if (common && differ(*common, q->measure)) {
                work_.diagnostics.error(
                    "BG-U002", source.first->position,
                    fmt::format("'{}' is in {}, but input '{}' of '{}' is in {}", source.first->text,
                                unit_name(q->measure), from, e.name, unit_name(*common)),
                    {{"because", fmt::format("'{}' ({}) adds them", e.name, e.type->name)}});
                return std::nullopt;
            }
            if (!common) from = name;
            common = q->measure;
        }
        return common;
    }

    /// Those that have not been come upon before.
    std::vector<std::uint32_t> blocks_in(const Quantity& q) {
        std::vector<std::uint32_t> roots;
        for (const expression::Expr& x : q.value.reshaped()) {
            if (!x.is_literal() && !x.is_constant()) roots.push_back(x.node());
        }
        std::vector<std::uint32_t> blocks;
        const BondGraph& g = work_.graph;
        seen_.resize(std::max(seen_.size(), g.expressions->size()), false);
        const auto nodes =
            expression::reachable_until(*g.expressions, roots, [&](std::uint32_t n) { return seen_[n]; });
        for (const std::uint32_t n : nodes) {
            if (seen_[n]) continue;
            seen_[n] = true;
            const expression::Node& node = (*g.expressions)[n];
            if (node.op != Op::variable || node.a < 2 * g.bond_components) continue;
            const std::uint32_t element = g.slot_variables[node.a - 2 * g.bond_components].element.value;
            if (is_block(g.elements[element])) blocks.push_back(element);
        }
        return blocks;
    }

    Flattening& work_;
    std::vector<State> state_;
    std::vector<bool> seen_;  ///< nodes in which all blocks have been found
};

}  // namespace

void find_signal_units(Flattening& work) { SignalUnits(work).run(); }

}  // namespace bondgraph::model
