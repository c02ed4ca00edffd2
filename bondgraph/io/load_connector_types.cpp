#include "bondgraph/io/load_connector_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"
#include "bondgraph/model/domain.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;
using model::ConnectorBond;

constexpr std::uint32_t kMostComponents = 10000;
const std::vector<std::string> kCommon{"effort", "flow"};

/// Shafts and rods that are joined move together; pins, pipes and bodies in contact have one voltage, pressure,
/// temperature, potential. Nothing where a domain doesn't tell.
std::optional<bool> usual_common_flow(std::string_view domain) {
    if (domain.empty() || domain == "generic") return std::nullopt;
    return domain == "translational" || domain == "rotational";
}

class BondReader {
   public:
    BondReader(std::string_view type, Diagnostics& diagnostics) : type_(type), diagnostics_(diagnostics) {}

    std::optional<ConnectorBond> read(YamlNode&& name, YamlNode&& node) {
        const std::size_t errors = diagnostics_.error_count();
        check_name(name, "a bond of a connector", diagnostics_);
        ConnectorBond bond{.name = name.scalar, .domain = {}, .effort = {}, .flow = {}};
        std::optional<bool> common_flow;
        if (node.kind == Kind::map)
            read_keys_of(bond, common_flow, std::move(node));
        else if (node.kind == Kind::scalar)
            read_domain(bond, std::move(node), name.scalar);
        else if (node.kind != Kind::null)
            report_kind(node, {name.scalar}, "a domain, or a map such as {domain: electrical, size: 3}", diagnostics_);
        if (diagnostics_.error_count() > errors) return std::nullopt;
        if (!common_flow) common_flow = usual_common_flow(bond.domain);
        if (!common_flow) {
            diagnostics_.error("BG-M079", name.position,
                               fmt::format("bond {} of connector type {} has neither a domain nor 'common:'",
                                           quoted_excerpt(name.scalar), quoted_excerpt(type_)),
                               {{"because", "a connection makes either its efforts or its flows equal"},
                                {"try", "'domain:', or 'common: effort' or 'common: flow'"}});
            return std::nullopt;
        }
        bond.common_flow = *common_flow;
        const model::Domain& domain = model::domains()[model::find_domain(bond.domain).value_or(model::kGeneric)];
        bond.effort = domain.effort.empty() ? "e" : domain.effort;
        bond.flow = domain.flow.empty() ? "f" : domain.flow;
        return bond;
    }

   private:
    void read_keys_of(ConnectorBond& bond, std::optional<bool>& common_flow, YamlNode&& node) {
        read_keys(
            std::move(node),
            fmt::format("bond {} of connector type {}", quoted_excerpt(bond.name), quoted_excerpt(type_)),
            {{"domain",
              [&](const YamlNode& key, YamlNode&& value) { read_domain(bond, std::move(value), key.scalar); }},
             {"size", [&](const YamlNode&, YamlNode&& value) { read_size(bond, std::move(value)); }},
             {"common", [&](const YamlNode&, YamlNode&& value) { read_common(common_flow, std::move(value)); }},
             {"doc", [&](const YamlNode&, YamlNode&& value) { read_doc(std::move(value), {"doc"}, diagnostics_); }}},
            diagnostics_);
    }

    void read_domain(ConnectorBond& bond, YamlNode&& value, std::string_view key) {
        const auto text = read_text(std::move(value), {key}, "the name of a domain", diagnostics_);
        if (text && check_domain(*text, diagnostics_)) bond.domain = text->text;
    }

    void read_size(ConnectorBond& bond, YamlNode&& value) {
        const auto text = read_text(std::move(value), {"size"}, "a whole number", diagnostics_);
        if (!text) return;
        const char* end = text->text.data() + text->text.size();
        std::uint32_t size = 0;
        const auto [rest, failure] = std::from_chars(text->text.data(), end, size);
        if (failure == std::errc() && rest == end && size >= 1 && size <= kMostComponents) {
            bond.size = size;
            return;
        }
        diagnostics_.error("BG-M079", text->position,
                           fmt::format("the size of a connector's bond is a whole number from 1 to {}, not {}",
                                       kMostComponents, quoted_excerpt(text->text)),
                           {{"because", "all connectors of a type have the same bonds, whatever parameters are"}});
    }

    void read_common(std::optional<bool>& common_flow, YamlNode&& value) {
        const auto text = read_text(std::move(value), {"common"}, "effort or flow", diagnostics_);
        if (!text) return;
        if (text->text == "flow" || text->text == "effort") {
            common_flow = text->text == "flow";
            return;
        }
        std::string of_domain;
        for (const model::Domain& d : model::domains()) {
            if (text->text == d.effort) of_domain = "effort";
            if (text->text == d.flow) of_domain = "flow";
        }
        diagnostics_.error(
            "BG-M079", text->position,
            fmt::format(
                "'common' is effort or flow, not {}{}", quoted_excerpt(text->text),
                of_domain.empty() ? did_you_mean(text->text, kCommon) : fmt::format("; did you mean '{}'?", of_domain)),
            {{"because", "it says what is equal at all connectors that are joined; of the other the sum is 0"}});
    }

    std::string_view type_;
    Diagnostics& diagnostics_;
};

void read_bonds(YamlNode&& node, model::ConnectorTypeDeclaration& declaration, Diagnostics& diagnostics) {
    if (!is_map(node, {"bonds"}, diagnostics, "write 'bonds: {p: {domain: electrical}}'")) {
        declaration.flawed = declaration.flawed || node.kind != Kind::null;
        return;
    }
    BondReader reader(declaration.name.text, diagnostics);
    for (std::size_t i = 0; i < node.size(); ++i) {
        if (auto bond = reader.read(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1])))
            declaration.type.bonds.push_back(*std::move(bond));
        else
            declaration.flawed = true;
    }
}

/// What stands behind a connector's name already, so that no signal can: its bonds, and what a bond has.
std::optional<std::string> taken_by(const model::ConnectorType& type, std::string_view name) {
    for (const ConnectorBond& bond : type.bonds) {
        if (bond.name == name && type.bonds.size() > 1) return "a bond";
        if (type.bonds.size() > 1) continue;
        if (name == "e" || name == "f" || name == "power" || name == bond.effort || name == bond.flow)
            return "the effort, flow or power of its bond";
    }
    return std::nullopt;
}

model::VariableDeclaration read_signal(YamlNode&& name, YamlNode&& node, std::string_view type,
                                       Diagnostics& diagnostics) {
    check_name(name, "a signal of a connector", diagnostics);
    model::VariableDeclaration signal;
    if (node.kind == Kind::map) {
        read_keys(
            std::move(node),
            fmt::format("signal {} of connector type {}", quoted_excerpt(name.scalar), quoted_excerpt(type)),
            {{"unit", [&](const YamlNode&,
                          YamlNode&& v) { signal.unit = read_text(std::move(v), {"unit"}, "a unit", diagnostics); }},
             {"doc",
              [&](const YamlNode&, YamlNode&& v) { signal.doc = read_doc(std::move(v), {"doc"}, diagnostics); }}},
            diagnostics);
    } else if (node.kind == Kind::scalar) {
        signal.unit = text_of(std::move(node));
    } else if (node.kind != Kind::null) {
        report_kind(node, {name.scalar}, "a unit, or a map such as {unit: rad/s, doc: speed of the shaft}",
                    diagnostics);
    }
    signal.name = text_of(std::move(name));
    return signal;
}

/// `signals: {speed: rad/s, on: }`, or a list of names.
void read_signals(YamlNode&& node, model::ConnectorTypeDeclaration& declaration, Diagnostics& diagnostics) {
    const auto add = [&](YamlNode&& name, YamlNode&& value) {
        declaration.signals.push_back(
            read_signal(std::move(name), std::move(value), declaration.name.text, diagnostics));
    };
    if (node.kind == Kind::sequence) {
        for (YamlNode& child : node.children) {
            if (child.kind == Kind::scalar)
                add(std::move(child), {});
            else
                report_kind(child, {"signals", true}, "a name", diagnostics);
        }
        return;
    }
    if (!is_map(node, {"signals"}, diagnostics, "write 'signals: {speed: rad/s}'")) return;
    for (std::size_t i = 0; i < node.size(); ++i)
        add(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]));
}

void check_signals(const model::ConnectorTypeDeclaration& declaration, Diagnostics& diagnostics) {
    for (std::size_t k = 0; k < declaration.signals.size(); ++k) {
        const model::Text& name = declaration.signals[k].name;
        auto taken = taken_by(declaration.type, name.text);
        for (std::size_t before = 0; before < k && !taken; ++before) {
            if (declaration.signals[before].name.text == name.text) taken = "another signal";
        }
        if (!taken) continue;
        diagnostics.error("BG-M079", name.position,
                          fmt::format("{} can't be a signal of connector type {}: {} has this name",
                                      quoted_excerpt(name.text), quoted_excerpt(declaration.name.text), *taken),
                          {{"try", "another name"}});
    }
}

}  // namespace

bool check_domain(const model::Text& text, Diagnostics& diagnostics) {
    if (model::find_domain(text.text)) return true;
    std::vector<std::string> names;
    for (const model::Domain& domain : model::domains()) names.emplace_back(domain.name);
    diagnostics.error("BG-M011", text.position,
                      fmt::format("unknown domain {}{}", quoted_excerpt(text.text), did_you_mean(text.text, names)));
    return false;
}

model::ConnectorTypeDeclaration load_connector_type(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics) {
    model::ConnectorTypeDeclaration declaration;
    declaration.flawed = !check_name(name, "a connector type", diagnostics);
    declaration.name = text_of(std::move(name));
    model::ConnectorType& type = declaration.type;
    type.name = declaration.name.text;
    if (node.kind != Kind::map && node.kind != Kind::null) {
        report_kind(node, {type.name}, "a map such as {bonds: {p: {domain: electrical}}}", diagnostics);
        declaration.flawed = true;
        return declaration;
    }
    const std::size_t errors = diagnostics.error_count();
    if (node.kind == Kind::map) {
        read_keys(
            std::move(node), fmt::format("connector type {}", quoted_excerpt(type.name)),
            {{"doc", [&](const YamlNode&, YamlNode&& v) { type.doc = read_doc(std::move(v), {"doc"}, diagnostics); }},
             {"bonds", [&](const YamlNode&, YamlNode&& v) { read_bonds(std::move(v), declaration, diagnostics); }},
             {"signals", [&](const YamlNode&, YamlNode&& v) { read_signals(std::move(v), declaration, diagnostics); }}},
            diagnostics);
    }
    check_signals(declaration, diagnostics);
    declaration.flawed = declaration.flawed || diagnostics.error_count() > errors;
    if (declaration.flawed) {  // what is left would only be said not to fit
        type.bonds.clear();
        declaration.signals.clear();
    }
    if (!type.bonds.empty() || !declaration.signals.empty() || declaration.flawed) return declaration;
    diagnostics.error("BG-M079", declaration.name.position,
                      fmt::format("connector type {} has neither bonds nor signals", quoted_excerpt(type.name)),
                      {{"try", "bonds: {p: {domain: electrical}}, or signals: {speed: rad/s}"}});
    declaration.flawed = true;
    return declaration;
}

}  // namespace bondgraph::io
