#include "bondgraph/expression/layout.hpp"

#include <utility>

namespace bondgraph::expression {
namespace {

constexpr std::size_t kTextLimit = 100'000;
constexpr std::size_t kCasesLimit = 100;

/// One place in the text where a node is printed. Its operands' places are consecutive, beginning at `first`.
struct Place {
    std::uint32_t node = kNoNode;
    bool expanded = false;
    std::size_t first = 0;
    Layout layout = {};
};

}  // namespace

Layout& Layout::text(std::string_view text) {
    parts_.push_back({std::string(text), kNoNode});
    return *this;
}

Layout& Layout::operand(std::uint32_t node) {
    parts_.push_back({{}, node});
    return *this;
}

Layout& Layout::operand(std::uint32_t node, bool enclosed, std::string_view open, std::string_view close) {
    if (!enclosed) return operand(node);
    return text(open).operand(node).text(close);
}

std::string print_layouts(std::uint32_t root, const LayoutOf& layout_of, std::string_view ellipsis) {
    // Breadth first, so that the limit cuts what is farthest from the root.
    std::vector<Place> places{{.node = root}};
    std::size_t length = 0;
    for (std::size_t i = 0; i < places.size() && length <= kTextLimit; ++i) {
        Layout layout = layout_of(places[i].node);
        places[i].expanded = true;
        places[i].first = places.size();
        for (const Part& part : layout.parts()) {
            length += part.text.size();
            if (part.node != kNoNode) places.push_back({.node = part.node});
        }
        places[i].layout = std::move(layout);
    }

    struct Cursor {
        std::size_t place;
        std::size_t part;
        std::size_t operand;
    };
    std::string result;
    std::vector<Cursor> open{{0, 0, places[0].first}};
    while (!open.empty()) {
        Cursor& cursor = open.back();
        const Place& place = places[cursor.place];
        if (!place.expanded) result += ellipsis;
        if (!place.expanded || cursor.part == place.layout.parts().size()) {
            open.pop_back();
            continue;
        }
        const Part& part = place.layout.parts()[cursor.part++];
        result += part.text;
        if (part.node == kNoNode) continue;
        const std::size_t next = cursor.operand++;
        open.push_back({next, 0, places[next].first});
    }
    return result;
}

Cases cases_of(const Graph& graph, std::uint32_t node) {
    Cases cases;
    while (graph[node].op == Op::if_else && cases.conditions.size() < kCasesLimit) {
        cases.conditions.push_back(graph[node].a);
        cases.values.push_back(graph[node].b);
        node = graph[node].c;
    }
    cases.values.push_back(node);
    return cases;
}

}  // namespace bondgraph::expression
