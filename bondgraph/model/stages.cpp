#include "bondgraph/model/stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "bondgraph/expression/print.hpp"
#include "bondgraph/model/passes.hpp"

namespace bondgraph::model {
namespace {

/// The lines of a stage.
class StageText {
   public:
    explicit StageText(const Flattening& work) : work_(work), g_(work.graph) {}

    std::string run() {
        components();
        if (work_.stage >= Stage::connected) {
            bonds();
            signals();
        }
        return std::move(text_);
    }

   private:
    void components() {
        text_ += "components\n";
        for (const Scope& s : work_.scopes) {
            if (s.instance == nullptr || s.self.valid()) continue;
            text_ += fmt::format("  {}: {}\n", s.prefix.substr(0, s.prefix.size() - 1), s.instance->type.text);
        }
        for (const Element& e : g_.elements) {
            text_ += fmt::format("  {}: {}", e.name, e.declaration == nullptr ? e.type->name : type_of(e));
            if (e.owner.valid()) text_ += fmt::format(", part of {}", g_.elements[e.owner.index()].name);
            if (work_.stage >= Stage::evaluated) values(e);
            text_ += '\n';
        }
    }

    static std::string_view type_of(const Element& e) { return e.declaration->name.text; }

    void values(const Element& e) {
        std::vector<std::string> given;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (e.parameters[k])
                given.push_back(fmt::format("{} = {}", e.type->parameters[k].name, text_of(*e.parameters[k])));
        }
        if (!given.empty()) text_ += fmt::format(" ({})", fmt::join(given, ", "));
    }

    [[nodiscard]] std::string text_of(const Quantity& q) const {
        const auto name = [&](const expression::Node& leaf) { return leaf_name(leaf); };
        std::vector<std::string> rows;
        for (Eigen::Index r = 0; r < q.value.rows(); ++r) {
            std::vector<std::string> row;
            for (Eigen::Index c = 0; c < q.value.cols(); ++c)
                row.push_back(expression::to_text(g_.expressions->at(g_.expressions->node_of(q.value(r, c))), name));
            rows.push_back(row.size() == 1 ? row[0] : fmt::format("[{}]", fmt::join(row, ", ")));
        }
        const std::string unit = unit_name(q.measure);
        const std::string value = rows.size() == 1 ? rows[0] : fmt::format("[{}]", fmt::join(rows, ", "));
        return unit.empty() || unit == "1" ? value : value + " " + unit;
    }

    [[nodiscard]] std::string leaf_name(const expression::Node& leaf) const {
        if (leaf.op == expression::Op::variable) return g_.variable_name(VariableId(std::size_t{leaf.a}));
        if (leaf.op == expression::Op::derivative)
            return fmt::format("der({})", g_.variable_name(VariableId(std::size_t{leaf.a})));
        return leaf.op == expression::Op::held ? "what events set" : "an input";
    }

    [[nodiscard]] std::string end(ElementId element, std::uint32_t port) const {
        const Element& e = g_.elements[element.index()];
        return e.is_junction() || e.ports.size() == 1 ? e.name : fmt::format("{}.{}", e.name, e.ports[port].name);
    }

    void bonds() {
        if (!g_.bonds.empty()) text_ += "bonds\n";
        for (const Bond& b : g_.bonds) {
            const std::string name = b.name.empty() ? "" : b.name + ": ";
            const bool turned = b.reversed;  // as drawn
            text_ += fmt::format("  {}{} -> {}", name, end(turned ? b.to : b.from, turned ? b.to_port : b.from_port),
                                 end(turned ? b.from : b.to, turned ? b.from_port : b.to_port));
            std::vector<std::string> said;
            if (work_.stage >= Stage::sized) said.push_back(fmt::format("{}", b.size));
            if (work_.stage >= Stage::evaluated) said.emplace_back(domains()[b.domain].name);
            text_ += said.empty() ? "\n" : fmt::format(" ({})\n", fmt::join(said, ", "));
        }
    }

    void signals() {
        std::string lines;
        for (std::size_t i = 0; i < work_.origins.size(); ++i) {
            for (const auto& [input, source] : work_.origins[i].signals) {
                if (source.first == nullptr) continue;
                lines += fmt::format("  {}{} -> {}.{}\n", work_.scopes[source.second].prefix, source.first->text,
                                     g_.elements[i].name, input);
            }
        }
        if (!lines.empty()) text_ += "signals\n" + lines;
    }

    const Flattening& work_;
    const BondGraph& g_;
    std::string text_;
};

}  // namespace

std::string text_after(Stage stage, const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                       std::span<const ParsedOverride> overrides) {
    if (stage == Stage::declared) throw std::invalid_argument("the file tells what is declared");
    Flattening work{.model = model, .catalogue = catalogue, .units = units};
    run_passes(work, overrides, true, stage);
    work.diagnostics.throw_if_errors();
    return StageText(work).run();
}

}  // namespace bondgraph::model
