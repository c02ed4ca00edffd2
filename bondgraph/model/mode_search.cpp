#include "bondgraph/model/mode_search.hpp"

#include <fmt/format.h>

#include "bondgraph/model/modes.hpp"

namespace bondgraph::model {
std::vector<ReactingMode> reacting_modes(const BondGraph& graph) {
    std::vector<ReactingMode> result;
    for (std::size_t k = 0; k < graph.discretes.size(); ++k) {
        const DiscreteVariable& d = graph.discretes[k];
        if (!d.reacts_to_impulse) continue;
        // Friction slides one way, sticks or slides the other way; it is free by its load, not by what it meets.
        const bool boolean = d.type == ValueType::boolean;
        result.push_back({k, boolean ? std::vector{0.0, 1.0} : std::vector{1.0, -1.0, 0.0}, d.structural});
    }
    return result;
}

std::vector<ReactingMode> start_modes_to_try(const BondGraph& graph) {
    std::vector<ReactingMode> result;
    for (std::size_t k = 0; k < graph.discretes.size(); ++k) {
        const std::vector<double>& values = graph.discretes[k].start_values;
        if (!values.empty()) result.push_back({k, values, true});
    }
    return result;
}

std::vector<ReactingMode> conditions_to_try(const BondGraph& graph) {
    std::vector<ReactingMode> result;
    for (const std::size_t d : open_at_start(graph)) {
        const DiscreteVariable& v = graph.discretes[d];
        const bool of_file = graph.elements[v.element.index()].type->is_own_type();
        if (of_file || v.reacts_to_impulse || !v.structural || v.type != ValueType::boolean) continue;
        result.push_back({d, {0.0, 1.0}, true});
    }
    return result;
}

std::string mode_text(const BondGraph& graph, const std::vector<ReactingMode>& reacting,
                      const std::vector<double>& modes) {
    constexpr std::size_t kMostNamed = 6;
    std::string text;
    std::size_t named = 0;
    for (const ReactingMode& r : reacting) {
        if (!r.structural) continue;
        if (named == kMostNamed) return text + ", …";
        text += fmt::format("{}'{}' = {:g}", named++ == 0 ? "" : ", ",
                            graph.variable_name(graph.discretes[r.discrete].variable), modes[r.discrete]);
    }
    return text;
}

void ModeSearch::propose(std::vector<double> modes) {
    if (seen_.insert(modes).second) open_.push_back(std::move(modes));
}

void ModeSearch::propose_single_changes(const std::vector<double>& from) {
    for (const ReactingMode& r : reacting_) {
        for (const double value : r.values) {
            if (!r.structural || value == from[r.discrete]) continue;
            std::vector<double> other = from;
            other[r.discrete] = value;
            propose(std::move(other));
        }
    }
}

void ModeSearch::propose(const std::vector<double>& from, const Verdict& verdict) {
    if (verdict.kind == Verdict::Kind::impossible) return propose_single_changes(from);
    std::vector<double> all = from;
    for (const ReactingMode& r : reacting_) all[r.discrete] = verdict.wanted[r.discrete];
    propose(std::move(all));
    for (const ReactingMode& r : reacting_) {
        std::vector<double> one = from;
        one[r.discrete] = verdict.wanted[r.discrete];
        propose(std::move(one));
    }
}

std::optional<std::vector<double>> ModeSearch::find(const std::vector<double>& first, const Judge& judge) {
    open_.clear();
    seen_.clear();
    propose(first);
    std::size_t widened = 0;  // of the combinations tried, those whose single changes have been proposed
    for (std::size_t next = 0; next < most_; ++next) {
        while (next == open_.size() && widened < open_.size()) propose_single_changes(std::vector(open_[widened++]));
        if (next == open_.size()) break;
        const std::vector<double> modes = open_[next];
        const Verdict verdict = judge(modes);
        if (verdict.kind == Verdict::Kind::agrees) return modes;
        propose(modes, verdict);
    }
    return std::nullopt;
}

}  // namespace bondgraph::model
