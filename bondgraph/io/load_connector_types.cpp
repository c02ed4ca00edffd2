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

void refuse_signals(const YamlNode& key, Diagnostics& diagnostics) {
    diagnostics.error(
        "BG-M079", key.position, "a connector type of your own has no signals",
        {{"because", "what all connectors of a connection share has to be computed by one of the components"},
         {"try", "join them under 'signals:'"}});
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
             {"signals", [&](const YamlNode& key, YamlNode&&) { refuse_signals(key, diagnostics); }, false}},
            diagnostics);
    }
    declaration.flawed = declaration.flawed || diagnostics.error_count() > errors;
    if (declaration.flawed) type.bonds.clear();  // what is left of them would only be said not to fit
    if (!type.bonds.empty() || declaration.flawed) return declaration;
    diagnostics.error("BG-M079", declaration.name.position,
                      fmt::format("connector type {} has no bonds", quoted_excerpt(type.name)),
                      {{"try", "bonds: {p: {domain: electrical}}"}});
    declaration.flawed = true;
    return declaration;
}

}  // namespace bondgraph::io
