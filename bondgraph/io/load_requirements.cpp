#include "bondgraph/io/load_requirements.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bondgraph/io/form.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kCondition = "a condition on parameters such as 'upper > lower'";

std::optional<model::Requirement> read_requirement(YamlNode&& node, Diagnostics& diagnostics) {
    model::Requirement requirement;
    if (node.kind == Kind::scalar) {
        requirement.condition = text_of(std::move(node));
        return requirement;
    }
    if (node.kind != Kind::map) {
        report_kind(node, {"require", true}, kCondition, diagnostics);
        return std::nullopt;
    }
    const SourcePosition position = node.position;
    const std::vector<KeyReader> readers{
        {"condition",
         [&](const YamlNode&, YamlNode&& value) {
             if (auto text = read_text(std::move(value), {"condition"}, kCondition, diagnostics))
                 requirement.condition = *std::move(text);
         }},
        {"message", [&](const YamlNode&, YamlNode&& value) {
             requirement.message = read_doc(std::move(value), {"message"}, diagnostics);
         }}};
    const bool lacks = node.find("condition") == nullptr && !has_misspelt(node, "condition", readers);
    read_keys(std::move(node), "an entry of 'require'", readers, diagnostics);
    if (lacks)
        diagnostics.error("BG-M037", position, "this entry of 'require' has no 'condition:'",
                          {{"try", "write {condition: upper > lower, message: the upper limit is below the lower}"}});
    if (requirement.condition.text.empty()) return std::nullopt;
    return requirement;
}

}  // namespace

void load_requirements(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    std::vector<YamlNode> entries;
    if (node.kind == Kind::scalar || node.kind == Kind::map)
        entries.push_back(std::move(node));
    else if (is_list(node, {"require"}, diagnostics, "write 'require: [upper > lower]'"))
        entries = std::move(node.children);
    for (YamlNode& entry : entries) {
        if (auto requirement = read_requirement(std::move(entry), diagnostics))
            body.requirements.push_back(*std::move(requirement));
    }
}

}  // namespace bondgraph::io
