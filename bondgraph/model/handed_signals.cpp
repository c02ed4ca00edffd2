#include "bondgraph/model/handed_signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace bondgraph::model {
namespace {

constexpr std::uint32_t kNobody = kNone;
constexpr std::uint32_t kReportedAsMissing = kNone - 1;

/// "bus.speed": the name of a connector's signal in its own instance.
std::string local_name(const Flattening& work, const ConnectorPlace& place, std::size_t signal) {
    return place.name.substr(work.scopes[place.scope].prefix.size()) + "." + place.kind->signals[signal].name.text;
}

const Text* source_of(const Flattening& work, const ConnectorPlace& place, std::size_t signal) {
    const auto& values = work.scopes[place.scope].values;
    const auto found = values.find(local_name(work, place, signal));
    if (found == values.end()) return nullptr;
    const ScopeValue& value = found->second;
    if (value.signal != nullptr) return value.signal;
    return value.driven.signals.empty() ? nullptr : value.driven.signals.front().from;
}

std::string joined_names(const Flattening& work, const std::vector<std::uint32_t>& places) {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (const std::uint32_t p : places) names.push_back(fmt::format("'{}'", work.connectors[p].name));
    if (names.size() > kMost) {
        const std::size_t others = names.size() - kMost;
        names.resize(kMost);
        return fmt::format("{} and {} others", fmt::join(names, ", "), others);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

Measure measure_of(Flattening& work, const VariableDeclaration& signal) {
    if (!signal.unit) return {};
    if (const auto unit = parse_unit(work, *signal.unit)) return Measure::of(*unit);
    return {};
}

void report_two(Flattening& work, std::uint32_t first, std::uint32_t second, std::size_t signal) {
    const ConnectorPlace& a = work.connectors[first];
    const ConnectorPlace& b = work.connectors[second];
    const std::string& name = b.kind->signals[signal].name.text;
    const Text& before = *source_of(work, a, signal);
    const Text& again = *source_of(work, b, signal);
    work.diagnostics.error("BG-M086", again.position, fmt::format("'{}.{}' is given twice", b.name, name),
                           {{"where", fmt::format("'{} -> {}.{}' gives it in {}", before.text, a.name, name,
                                                  work.graph.line_text(before.position, again.position))},
                            {"because", "all connectors that are joined share their signals"},
                            {"try", "one of the two signals, or another name for one of them in the connector type"}});
}

/// A signal to one of the connectors that are joined: the model, or a type, may give one to what it has itself.
std::string how_to_give(const Flattening& work, std::uint32_t place, const std::vector<std::uint32_t>& joined,
                        const std::string& signal) {
    const auto is_of_the_model = [&](std::uint32_t p) { return work.scopes[work.connectors[p].scope].outer == 0; };
    const auto outermost = std::ranges::find_if(joined, is_of_the_model);
    if (!is_of_the_model(place) && outermost != joined.end()) place = *outermost;
    const ConnectorPlace& c = work.connectors[place];
    const Scope& around = work.scopes[work.scopes[c.scope].outer];
    const std::string to = fmt::format("{}.{}", c.name.substr(around.prefix.size()), signal);
    const std::string where = around.prefix.empty()
                                  ? std::string("the model")
                                  : fmt::format("the type of '{}'", around.prefix.substr(0, around.prefix.size() - 1));
    return fmt::format("a signal to it: 'source -> {}' in {}, or to the connector of a type inside that", to, where);
}

}  // namespace

std::optional<std::pair<std::uint32_t, std::size_t>> handed_signal(const Flattening& work, std::uint32_t scope,
                                                                   const std::string& name) {
    const auto dot = name.rfind('.');
    if (dot == std::string::npos || work.scopes[scope].declaration == nullptr) return std::nullopt;
    const auto place = work.connector_by_name.find(work.scopes[scope].prefix + name.substr(0, dot));
    if (place == work.connector_by_name.end()) return std::nullopt;
    const ConnectorPlace& c = work.connectors[place->second];
    if (c.kind == nullptr || c.scope != scope) return std::nullopt;
    const auto at = std::ranges::find_if(
        c.kind->signals, [&](const VariableDeclaration& v) { return v.name.text == name.substr(dot + 1); });
    return std::pair(place->second, static_cast<std::size_t>(at - c.kind->signals.begin()));
}

void join_handed_signals(Flattening& work, const ConnectionSets& sets) {
    for (const auto& places : sets.nodes) {
        const ConnectorTypeDeclaration* kind = work.connectors[places.front()].kind;
        if (kind == nullptr) continue;
        auto givers = std::make_shared<std::vector<std::uint32_t>>(kind->signals.size(), kNobody);
        for (const std::uint32_t p : places) {
            work.connectors[p].givers = givers;
            for (std::size_t k = 0; k < givers->size(); ++k) {
                if (source_of(work, work.connectors[p], k) == nullptr) continue;
                if ((*givers)[k] != kNobody)
                    report_two(work, (*givers)[k], p, k);
                else
                    (*givers)[k] = p;
            }
        }
    }
    work.signals_joined = sets.complete;
}

std::optional<std::pair<std::uint32_t, std::string>> giver_of(Flattening& work, std::uint32_t place,
                                                              std::size_t signal) {
    const ConnectorPlace& c = work.connectors[place];
    if (c.givers == nullptr) return std::nullopt;
    std::uint32_t& giver = (*c.givers)[signal];
    if (giver != kNobody && giver != kReportedAsMissing) {
        const ConnectorPlace& from = work.connectors[giver];
        return std::pair(from.scope, local_name(work, from, signal));
    }
    const Scope& reader = work.scopes[c.scope];
    if (giver == kReportedAsMissing || !work.signals_joined || reader.body->gaps.any()) return std::nullopt;
    giver = kReportedAsMissing;
    std::vector<std::uint32_t> joined;
    for (std::uint32_t p = 0; p < work.connectors.size(); ++p) {
        if (p != place && work.connectors[p].givers == c.givers) joined.push_back(p);
    }
    const std::string name = fmt::format("{}.{}", c.name, c.kind->signals[signal].name.text);
    work.diagnostics.error("BG-M086", reader.position, fmt::format("nothing gives '{}'", name),
                           {{"because", joined.empty() ? fmt::format("'{}' is connected to nothing", c.name)
                                                       : fmt::format("none of the connectors joined to it does: {}",
                                                                     joined_names(work, joined))},
                            {"try", how_to_give(work, place, joined, c.kind->signals[signal].name.text)}});
    return std::nullopt;
}

namespace {

/// Puts the values of signals that instances give among the results, and compares them with the units that are
/// declared.
class Giving {
   public:
    explicit Giving(Flattening& work) : work_(work) {}

    /// `name` in `scope` is what `declared` stands for, and the result `full`.
    void give(std::uint32_t scope, const std::string& name, const VariableDeclaration& declared,
              const std::string& full, const std::string& called) {
        auto q = lookup(work_, scope, name);
        if (!q || is_unknown(*q)) return;
        Quantity& result = work_.graph.handed_signals.insert_or_assign(full, *q).first->second;
        if (!declared.unit) return;
        const Measure wanted = measure_of(work_, declared);
        if (!result.measure.known()) result.measure = wanted;
        const ScopeValue& value = work_.scopes[scope].values.at(name);
        const Text* source = value.signal != nullptr        ? value.signal
                             : value.driven.signals.empty() ? nullptr
                                                            : value.driven.signals.front().from;
        if (source == nullptr || !wanted.known() || !reported_.insert(source).second) return;
        // What it was first asked for without a domain has been taken to be in this unit.
        Value text;
        text.scalar = *source;
        if (value.signal != nullptr) q = evaluate_value(work_, text, value.evaluated_in);
        if (!q || !differ(q->measure, wanted)) return;
        work_.diagnostics.error(
            "BG-U002", source->position,
            fmt::format("'{}' is in {}, not {}", called, declared.unit->text, written_unit(text, *q)),
            turns_notes(source->text, q->measure, wanted));
    }

   private:
    Flattening& work_;
    std::set<const Text*> reported_;
};

}  // namespace

void evaluate_handed_signals(Flattening& work) {
    Giving giving(work);
    for (std::uint32_t p = 0; p < work.connectors.size(); ++p) {
        const ConnectorPlace& place = work.connectors[p];
        if (place.kind == nullptr || place.givers == nullptr) continue;
        for (std::size_t k = 0; k < place.kind->signals.size(); ++k) {
            const std::uint32_t giver = (*place.givers)[k];
            if (giver == kNobody || giver == kReportedAsMissing) continue;  // nobody asks for it
            const ConnectorPlace& from = work.connectors[giver];
            const VariableDeclaration& declared = place.kind->signals[k];
            giving.give(from.scope, local_name(work, from, k), declared, place.name + "." + declared.name.text,
                        fmt::format("{}.{}", from.name, declared.name.text));
        }
    }
    for (std::uint32_t s = 0; s < work.scopes.size(); ++s) {
        const TypeDeclaration* type = work.scopes[s].declaration;
        if (type == nullptr || type->record) continue;
        for (const VariableDeclaration& output : type->outputs) {
            const std::string& name = output.name.text;
            if (!work.scopes[s].values.contains(name)) continue;  // the type's equations give it
            giving.give(s, name, output, work.scopes[s].prefix + name, work.scopes[s].prefix + name);
        }
    }
}

}  // namespace bondgraph::model
