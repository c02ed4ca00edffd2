#include "bondgraph/io/load_events.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;

constexpr const char* kWhenAdvice = "write '- {if: height < 0, reinit: {ball.f: -0.8*ball.f}}'";

std::optional<model::WhenDeclaration> read_when(YamlNode&& node, Diagnostics& diagnostics) {
    if (node.kind != Kind::map) {
        report_kind(node, {"when", true}, "a map", diagnostics, {{"try", kWhenAdvice}});
        return std::nullopt;
    }
    const SourcePosition position = node.position;
    const std::size_t errors = diagnostics.error_count();
    std::optional<model::Text> condition;
    model::WhenDeclaration when;
    read_keys(
        std::move(node), "an entry of 'when'",
        {{"if", [&](const YamlNode&,
                    YamlNode&& value) { condition = read_text(std::move(value), {"if"}, "a condition", diagnostics); }},
         {"reinit", [&](const YamlNode&,
                        YamlNode&& value) { when.reinit = read_settings(std::move(value), "reinit", diagnostics); }},
         {"set",
          [&](const YamlNode&, YamlNode&& value) { when.set = read_settings(std::move(value), "set", diagnostics); }},
         {"warn", [&](const YamlNode&,
                      YamlNode&& value) { when.warn = read_text(std::move(value), {"warn"}, "a text", diagnostics); }},
         {"fail", [&](const YamlNode&,
                      YamlNode&& value) { when.fail = read_text(std::move(value), {"fail"}, "a text", diagnostics); }}},
        diagnostics);
    if (diagnostics.error_count() > errors) return std::nullopt;
    if (!condition) {
        diagnostics.error("BG-M040", position, "this entry of 'when' has no condition: 'if:' is missing",
                          {{"try", kWhenAdvice}});
        return std::nullopt;
    }
    if (when.reinit.empty() && when.set.empty() && !when.warn && !when.fail) {
        diagnostics.error("BG-M040", position, "this entry of 'when' does nothing",
                          {{"try",
                            "give new values to states with 'reinit:' or to discrete variables with 'set:', or say "
                            "something with 'warn:' or 'fail:'"}});
        return std::nullopt;
    }
    for (const auto& said : {when.warn, when.fail}) {
        if (!said || !said->text.empty()) continue;
        diagnostics.error("BG-M040", position, "this entry of 'when' says nothing: its text is empty",
                          {{"try", "say what is wrong, and what to do about it"}});
        return std::nullopt;
    }
    when.condition = *std::move(condition);
    return when;
}

}  // namespace

void load_whens(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    if (node.kind == Kind::null) return;
    if (node.kind == Kind::scalar) {
        report_kind(node, {"when"}, "a list of maps", diagnostics, {{"try", kWhenAdvice}});
        return;
    }
    const auto add = [&](YamlNode&& entry) {
        if (auto when = read_when(std::move(entry), diagnostics)) body.whens.push_back(*std::move(when));
    };
    if (node.kind == Kind::map) return add(std::move(node));
    for (YamlNode& entry : node.children) add(std::move(entry));
}

void load_initial(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    if (node.kind == Kind::scalar && node.scalar == "steady") {
        body.steady = true;
        return;
    }
    if (node.kind == Kind::map) {
        report_kind(node, {"initial"}, "'steady', an equation or a list of equations", diagnostics,
                    {{"try", "start values belong to components: 'C1: {type: C, C: 1 uF, initial: {q: 0 C}}'"}});
        return;
    }
    auto equations = read_texts(std::move(node), "initial", "an equation", diagnostics);
    for (model::Text& equation : equations) body.initial_equations.push_back(std::move(equation));
}

void load_initial(YamlNode&& node, model::ComponentDeclaration& component, Diagnostics& diagnostics) {
    if (node.kind == Kind::scalar && node.scalar == "steady") {
        component.steady = true;
    } else if (node.kind == Kind::scalar || node.kind == Kind::sequence) {
        report_kind(node, {"initial"}, "a map such as {q: 0 C}, or 'steady'", diagnostics);
    } else {
        component.initial = read_settings(std::move(node), "initial", diagnostics);
    }
}

}  // namespace bondgraph::io
