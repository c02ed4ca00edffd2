#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bondgraph/expression/tape.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using expression::Expr;

/// A relation of continuous quantities (a < b) whose truth is held between events. It is true where `difference`
/// (a − b for < and <=, b − a for > and >=) is negative.
struct Relation {
    std::uint32_t node = 0;  ///< the relation in the expression graph
    Expr difference;         ///< in the model's variables, discrete ones and relations inside replaced by held values
    std::uint32_t held = 0;  ///< the held value that stands for it
    model::ElementId element;
    SourcePosition position;
    bool in_equations = false;  ///< the residuals depend on it (not only updates and conditions of `when:`)
};

/// What changes at events, whatever the mode: found once per model. Held values are those of the bond graph, then one
/// per relation.
struct EventTable {
    std::vector<Relation> relations;
    std::vector<model::Update> updates;  ///< values frozen as in Relation::difference
    std::vector<model::When> whens;      ///< conditions and values frozen likewise
    std::size_t held_count = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> held_of;  ///< node of a relation → held value

    [[nodiscard]] bool empty() const { return held_count == 0 && whens.empty(); }
};

/// Relations of a model's laws and conditions. Left as they are: what stands inside noEvent() or smooth(), relations of
/// time alone (their times are known beforehand), == and !=.
EventTable collect_events(const model::BondGraph& graph);

/// An expression with relations and discrete variables replaced by held values. Where `modes` are given (one value per
/// discrete variable), structural discrete variables become these numbers.
Expr freeze(const model::BondGraph& graph, const EventTable& table, Expr e, std::span<const double> modes = {});

/// What is evaluated at events, in one mode: in the order of the table's relations, updates, whens, and their actions
/// one after the other.
struct EventExpressions {
    std::vector<Expr> differences;
    std::vector<Expr> updates;
    std::vector<Expr> conditions;
    std::vector<Expr> actions;

    /// Each of them replaced by what `replace` makes of it.
    template <class Replace>
    void transform(const Replace& replace) {
        for (auto* list : {&differences, &updates, &conditions, &actions}) {
            for (Expr& e : *list) e = replace(e);
        }
    }
};
EventExpressions event_expressions(const model::BondGraph& graph, const EventTable& table,
                                   std::span<const double> modes);

/// A held value in the user's terms: "h < 0", "switch.on", "pre(counter.n)".
std::string held_text(const model::BondGraph& graph, const EventTable& table, std::uint32_t held);

}  // namespace bondgraph::compile
