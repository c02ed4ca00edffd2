#include "bondgraph/io/load_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;
using model::Text;

constexpr const char* kStatesAdvice = "write 'states: {off: {exits: {on: u < 1}}, on: {exits: {off: u > 2}}}'";

struct Exit {
    Text target;
    Text guard;
    std::size_t state = 0;  ///< the target's number
};

struct State {
    Text name;
    std::vector<Exit> exits;
    std::vector<model::Setting> entry;
};

std::vector<Exit> read_exits(YamlNode&& node, Diagnostics& diagnostics) {
    std::vector<Exit> exits;
    if (!is_map(node, {"exits"}, diagnostics, "write 'exits: {on: u < 1}'")) return exits;
    for (std::size_t i = 0; i < node.size(); ++i) {
        Text target = text_of(std::move(node.children[2 * i]));
        if (auto guard = read_text(std::move(node.children[2 * i + 1]), {target.text}, "a condition", diagnostics))
            exits.push_back({std::move(target), *std::move(guard)});
    }
    return exits;
}

State read_state(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics) {
    State state;
    check_name(name, "a state", diagnostics);
    state.name = text_of(std::move(name));
    if (node.kind == Kind::null) return state;  // the end of the machine
    if (node.kind != Kind::map) {
        report_kind(node, {state.name.text}, "a map", diagnostics, {{"try", kStatesAdvice}});
        return state;
    }
    read_keys(std::move(node), fmt::format("state {}", quoted_excerpt(state.name.text)),
              {{"exits", [&](const YamlNode&, YamlNode&& v) { state.exits = read_exits(std::move(v), diagnostics); }},
               {"entry", [&](const YamlNode&,
                             YamlNode&& v) { state.entry = read_settings(std::move(v), "entry", diagnostics); }},
               {"doc", [&](const YamlNode&, YamlNode&& v) { read_doc(std::move(v), {"doc"}, diagnostics); }}},
              diagnostics);
    return state;
}

/// Finds the states that exits lead to.
void join_exits(std::vector<State>& states, Diagnostics& diagnostics) {
    std::vector<std::string> names;
    for (const State& s : states) names.push_back(s.name.text);
    std::vector<bool> reached(states.size(), false);
    if (!reached.empty()) reached.front() = true;
    for (State& from : states) {
        for (Exit& exit : from.exits) {
            const auto found = std::ranges::find(names, exit.target.text);
            exit.state = static_cast<std::size_t>(found - names.begin());
            if (found != names.end() && exit.target.text != from.name.text) {
                reached[exit.state] = true;
                continue;
            }
            const bool itself = found != names.end();
            diagnostics.error("BG-M089", exit.target.position,
                              itself ? fmt::format("state '{}' leads to itself", from.name.text)
                                     : fmt::format("there is no state '{}'{}", exit.target.text,
                                                   did_you_mean(exit.target.text, names)),
                              {{"try", itself ? std::string("a state in between, or no such exit")
                                              : fmt::format("the states are {}", fmt::join(names, ", "))}});
        }
    }
    for (std::size_t k = 0; k < states.size(); ++k) {
        if (reached[k]) continue;
        diagnostics.error(
            "BG-M089", states[k].name.position, fmt::format("no exit leads to state '{}'", states[k].name.text),
            {{"because", fmt::format("the machine begins in '{}'", states.front().name.text)},
             {"try", fmt::format("an exit of another state: 'exits: {{{}: condition}}'", states[k].name.text)}});
    }
}

model::VariableDeclaration discrete(std::string name, SourcePosition position, model::ValueType type,
                                    const std::string& start) {
    model::VariableDeclaration v{
        .name = {std::move(name), position}, .start = {}, .discrete = type, .unit = {}, .doc = {}};
    v.start = model::Value{.scalar = {start, position}, .items = {}};
    return v;
}

/// "name = expression" of which mistakes in the expression are told where that stands.
Text equation(const std::string& name, const Text& expression) {
    const std::string left = name + " = ";
    SourcePosition position = expression.position;
    if (position.column > left.size()) position.column -= static_cast<std::uint32_t>(left.size());
    return {left + expression.text, position};
}

std::string exit_name(const State& from, const Exit& exit) { return from.name.text + "_to_" + exit.target.text; }

model::Body machine_of(const std::vector<State>& states, SourcePosition at) {
    model::Body body;
    const auto add = [&](std::string name, SourcePosition position, model::ValueType type, const std::string& start) {
        body.variables.push_back(discrete(std::move(name), position, type, start));
    };
    using model::ValueType;
    add("state", at, ValueType::integer, "1");
    add("entered", at, ValueType::real, "time");
    std::string next;
    for (std::size_t k = 0; k < states.size(); ++k) {
        const State& s = states[k];
        add(s.name.text, s.name.position, ValueType::boolean, k == 0 ? "true" : "false");
        body.equations.push_back({fmt::format("{} = state == {}", s.name.text, k + 1), s.name.position});
        for (const Exit& exit : s.exits) {
            const std::string name = exit_name(s, exit);
            add(name, exit.target.position, ValueType::boolean, "false");
            body.equations.push_back(equation(name, exit.guard));
            next += fmt::format("{} pre(state) == {} and {} then {}", next.empty() ? "if" : " elseif", k + 1, name,
                                exit.state + 1);
        }
        if (!s.entry.empty())
            body.whens.push_back({.condition = s.name, .reinit = {}, .set = s.entry, .warn = {}, .fail = {}});
    }
    body.equations.push_back(
        {fmt::format("state = machine({}, {}pre(state))", states.size(), next.empty() ? next : next + " else "), at});
    body.equations.push_back({"entered = if change(state) then time else pre(entered)", at});
    return body;
}

}  // namespace

model::Body load_states(YamlNode&& node, Diagnostics& diagnostics) {
    const SourcePosition at = node.position;
    if (!is_map(node, {"states"}, diagnostics, kStatesAdvice)) return {};
    const std::size_t errors = diagnostics.error_count();
    std::vector<State> states;
    for (std::size_t i = 0; i < node.size(); ++i)
        states.push_back(read_state(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), diagnostics));
    join_exits(states, diagnostics);
    if (diagnostics.error_count() > errors) return {};
    return machine_of(states, at);
}

}  // namespace bondgraph::io
