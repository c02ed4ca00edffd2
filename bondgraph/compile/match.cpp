#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/structure/matching.hpp"

namespace bondgraph::compile {

using model::BondGraph;

namespace {

std::string unknown_name(const EquationSystem& s, std::uint32_t u) {
    const std::string name = s.causal->graph->variable_name(VariableId(std::size_t{u}));
    return s.is_state[u] ? fmt::format("der({})", name) : name;
}

// The components behind rows, each once, in the order of the file.
std::vector<std::string> components(const EquationSystem& s, const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t r : rows) ids.push_back(s.equations[r].element.value);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<std::string> names;
    for (const std::uint32_t id : ids) names.push_back(s.causal->graph->elements[id].name);
    return names;
}

// Whether the equations would suffice if they were also differentiated: states count as unknowns like their rates.
bool solvable_by_differentiation(const EquationSystem& s) {
    const expression::Graph& graph = *s.causal->graph->expressions;
    structure::Incidence rows;
    for (const OrientedEquation& e : s.equations) {
        std::vector<std::uint32_t> roots;
        for (const Expr& x : {e.lhs, e.rhs}) {
            if (!x.is_literal()) roots.push_back(x.node());
        }
        std::vector<std::uint32_t> row;
        for (const std::uint32_t n : expression::reachable(graph, roots)) {
            if (graph[n].op == expression::Op::variable || graph[n].op == expression::Op::derivative)
                row.push_back(graph[n].a);
        }
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        rows.add_row(row);
    }
    return s.equations.size() == s.is_state.size() &&
           structure::maximum_matching(rows, s.is_state.size()).size() == s.is_state.size();
}

// What prescribes an effort or flow among the components with an equation too many: there the mistake is, if anywhere.
std::string prescribing(const EquationSystem& s, const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t r : rows) {
        const model::Element& e = s.causal->graph->elements[s.equations[r].element.index()];
        if (e.type->energy == model::Energy::supplied && !e.type->holds_positions)
            ids.push_back(s.equations[r].element.value);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (ids.size() < 2) return {};
    std::string text;
    for (std::size_t k = 0; k < ids.size() && k < 8; ++k) {
        const model::Element& e = s.causal->graph->elements[ids[k]];
        text += fmt::format("{}'{}' ({})", k == 0 ? "" : k + 1 == ids.size() ? " and " : ", ", e.name, e.type->name);
    }
    return text;
}

[[noreturn]] void singular(const EquationSystem& s, const structure::Incidence& rows,
                           const structure::Matching& matching) {
    const auto parts = structure::singular_parts(rows, s.is_state.size(), matching);
    Diagnostics d;
    if (solvable_by_differentiation(s)) {
        const auto row = parts.overdetermined_rows.front();
        d.error("BG-E002", s.equations[row].position,
                "this model needs more index reduction than this version does: a constraint ties states together",
                {{"where", fmt::format("{} determine one variable too often",
                                       some_names(components(s, parts.overdetermined_rows)))},
                 {"because", "the constraint would have to be differentiated to find the force that keeps it"},
                 {"try",
                  "join the storages directly (one then takes derivative causality), or put a stiff C in place of the "
                  "constraint"}});
        d.throw_if_errors();
    }
    SourcePosition position = s.causal->graph->model_position;
    std::vector<DiagnosticNote> notes;
    if (!parts.overdetermined_rows.empty()) {
        position = s.equations[parts.overdetermined_rows.front()].position;
        notes.push_back(
            {"where", fmt::format("too many equations at {}", some_names(components(s, parts.overdetermined_rows)))});
    }
    if (!parts.underdetermined_columns.empty()) {
        std::vector<std::string> names;
        for (const std::uint32_t u : parts.underdetermined_columns) names.push_back(unknown_name(s, u));
        notes.push_back({"where", fmt::format("nothing determines {}", some_names(names))});
        if (parts.overdetermined_rows.empty())
            position =
                s.causal->graph->variable_position(VariableId(std::size_t{parts.underdetermined_columns.front()}));
    }
    if (const std::string sources = prescribing(s, parts.overdetermined_rows); !sources.empty()) {
        notes.push_back({"because", sources + " prescribe the same effort or flow"});
        notes.push_back({"try", "remove one of them"});
    } else
        notes.push_back({"try", "check the equations of own types and the signals that drive these components"});
    d.error("BG-E001", position, "the equations don't determine all variables", std::move(notes));
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

}  // namespace

void match_equations(EquationSystem& s) {
    const bool complete =
        s.equations.size() == s.is_state.size() &&
        std::all_of(s.equations.begin(), s.equations.end(), [](const auto& e) { return e.target.valid(); });
    if (complete) return;
    structure::Incidence rows;
    structure::Matching start;
    start.row_of.assign(s.is_state.size(), structure::kUnmatched);
    start.column_of.assign(s.equations.size(), structure::kUnmatched);
    for (std::uint32_t r = 0; r < s.equations.size(); ++r) {
        auto unknowns = unknowns_of(s, s.equations[r]);
        const VariableId target = s.equations[r].target;
        if (s.equations[r].forced) {
            unknowns.insert(std::lower_bound(unknowns.begin(), unknowns.end(), target.value), target.value);
            unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
        }
        rows.add_row(unknowns);
        // An orientation whose variable simplification removed is no longer one.
        if (target.valid() && std::binary_search(unknowns.begin(), unknowns.end(), target.value)) {
            start.row_of[target.index()] = r;
            start.column_of[r] = target.value;
        }
    }
    const auto matching = structure::maximum_matching(rows, s.is_state.size(), std::move(start));
    if (matching.size() < s.is_state.size() || s.equations.size() != s.is_state.size()) singular(s, rows, matching);
    for (std::uint32_t r = 0; r < s.equations.size(); ++r)
        s.equations[r].target = VariableId(std::size_t{matching.column_of[r]});
}

}  // namespace bondgraph::compile
