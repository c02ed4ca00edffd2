#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/api/equations_report.hpp"
#include "bondgraph/api/linear_report.hpp"
#include "bondgraph/api/linearization.hpp"
#include "bondgraph/api/mode_report.hpp"
#include "bondgraph/api/structure.hpp"

namespace bondgraph::api {

using expression::PrintStyle;

std::vector<ElementEquations> grouped(const ReadableSystem& readable) {
    std::vector<ElementEquations> groups;
    const auto group = [&](model::ElementId element) -> ElementEquations& {
        const auto at =
            std::find_if(groups.begin(), groups.end(), [&](const ElementEquations& g) { return g.element == element; });
        if (at != groups.end()) return *at;
        groups.push_back({.element = element, .assignments = {}, .states = {}, .implicit = {}});
        return groups.back();
    };
    for (const ReadableEquation& e : readable.assignments) group(e.element).assignments.push_back(e);
    for (const ReadableEquation& e : readable.implicit) group(e.element).implicit.push_back(e);
    for (const ReadableEquation& e : readable.states) group(e.element).states.push_back(e);
    return groups;
}

std::string element_title(const compile::SortedSystem& system, model::ElementId id) {
    if (!id.valid()) return "";
    const model::Element& e = system.graph().elements[id.index()];
    return fmt::format("{} ({})", e.name,
                       e.declaration != nullptr ? std::string_view(e.declaration->name.text) : e.type->name);
}

std::vector<std::string> entries(const std::vector<analysis::LaurentRatio>& matrix,
                                 const std::vector<std::string>& names, PrintStyle style) {
    std::vector<std::string> result;
    for (const analysis::LaurentRatio& entry : matrix) result.push_back(analysis::text(entry, names, style));
    return result;
}

namespace {

class EquationsText {
   public:
    EquationsText(const EquationsReport& report, const Heading& heading)
        : r_(report), system_(*report.system), heading_(heading) {}

    std::string run() {
        if (const std::string mode = mode_text(mode_of(*system_.causal)); !mode.empty())
            text_ += fmt::format("Structure with {}\n", mode);
        Table names({Align::right, Align::left, Align::left});
        for (std::size_t k = 0; k < r_.abbreviations.size(); ++k)
            names.add({fmt::format("s{}", k + 1), "=", expression(r_.abbreviations[k])});
        section("Abbreviations", names);
        if (r_.by_element)
            groups();
        else
            sections();
        Table updates({Align::right, Align::left, Align::left});
        for (const ReadableEquation& e : r_.readable.updates) updates.add({variable(e), "=", expression(e.value)});
        section("Discrete variables (at events)", updates);
        if (!r_.readable.whens.empty()) {
            text_ += heading_("As a condition becomes true");
            for (const ReadableWhen& w : r_.readable.whens) when(w);
        }
        parameters();
        state_space();
        return std::move(text_);
    }

   private:
    [[nodiscard]] std::string expression(expression::Expr e) const {
        return equation_text(system_, e, PrintStyle::text, r_.parameters);
    }
    [[nodiscard]] std::string variable(const ReadableEquation& e) const {
        return variable_text(system_, e.variable, PrintStyle::text);
    }
    [[nodiscard]] std::string derivative(const ReadableEquation& e) const {
        return derivative_text(system_, e.variable, PrintStyle::text);
    }
    [[nodiscard]] std::vector<std::string> implicit(const ReadableEquation& e) const {
        return {"0", "=", expression(e.value), fmt::format("for {}", e.rate ? derivative(e) : variable(e))};
    }

    void section(const std::string& title, const Table& table) {
        if (!table.empty()) text_ += heading_(title) + table.text();
    }

    void sections() {
        Table sorted({Align::right, Align::left, Align::left});
        for (const ReadableEquation& e : r_.readable.assignments) sorted.add({variable(e), "=", expression(e.value)});
        section("Sorted equations", sorted);
        Table states({Align::right, Align::left, Align::left});
        for (const ReadableEquation& e : r_.readable.states) states.add({derivative(e), "=", expression(e.value)});
        section("State equations", states);
        Table rows({Align::right, Align::left, Align::left, Align::left});
        for (const ReadableEquation& e : r_.readable.implicit) rows.add(implicit(e));
        section("Implicit equations (solved together)", rows);
    }

    void groups() {
        for (const ElementEquations& g : grouped(r_.readable)) {
            Table table({Align::right, Align::left, Align::left, Align::left});
            for (const ReadableEquation& e : g.assignments) table.add({variable(e), "=", expression(e.value), ""});
            for (const ReadableEquation& e : g.implicit) table.add(implicit(e));
            for (const ReadableEquation& e : g.states) table.add({derivative(e), "=", expression(e.value), ""});
            section(element_title(system_, g.element), table);
        }
    }

    void when(const ReadableWhen& w) {
        text_ += fmt::format("  when {}\n", expression(w.condition));
        Table actions({Align::left, Align::left, Align::left});
        const auto add = [&](const char* what, const std::vector<ReadableWhen::Action>& list) {
            for (const ReadableWhen::Action& a : list)
                actions.add({fmt::format("  {} {}", what, a.target), "=", expression(a.value)});
        };
        add("reinit", w.reinit);
        add("set", w.set);
        text_ += actions.text();
    }

    void parameters() {
        if (r_.parameters.empty()) return;
        Table table({Align::right, Align::left, Align::left, Align::left});
        for (const analysis::Symbol& s : r_.parameters)
            table.add({s.name, "=", expression::number_text(s.value), s.path == s.name ? "" : s.path});
        section("Parameters (SI units)", table);
    }

    void matrix(const char* name, const std::vector<analysis::LaurentRatio>& values,
                const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
        if (values.empty()) return;
        const auto texts = entries(values, r_.state_space->names, PrintStyle::text);
        text_ += matrix_text(name, rows, columns,
                             [&](std::size_t r, std::size_t c) { return texts[r * columns.size() + c]; });
    }

    void state_space() {
        if (!r_.state_space) return;
        const auto& [numbers, symbols, names, latex] = *r_.state_space;
        text_ += heading_(numbers.outputs.empty() ? "State space (linear model): dx/dt = A x + B u"
                                                  : "State space (linear model): dx/dt = A x + B u, y = C x + D u");
        text_ += state_space_text(linear_values(numbers));
        if (!symbols) return;
        text_ += heading_("State space in symbols");
        matrix("A", symbols->A, numbers.states, numbers.states);
        matrix("B", symbols->B, numbers.states, numbers.inputs);
        matrix("C", symbols->C, numbers.outputs, numbers.states);
        matrix("D", symbols->D, numbers.outputs, numbers.inputs);
    }

    const EquationsReport& r_;
    const compile::SortedSystem& system_;
    const Heading& heading_;
    std::string text_;
};

}  // namespace

std::string equations_text(const EquationsReport& report, const Heading& heading) {
    return EquationsText(report, heading).run();
}

}  // namespace bondgraph::api
