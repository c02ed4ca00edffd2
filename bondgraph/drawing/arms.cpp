#include "bondgraph/drawing/arms.hpp"

#include <algorithm>
#include <array>

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kMostInRow = 3;
constexpr double kBesideArm = 14.0;
constexpr double kNameOfJunction = 20.0;  // what stands above a junction or below it

void put(Arm& arm, const Arm& part, Point at) {
    for (const auto& [node, place] : part.places) arm.places.emplace_back(node, at + place);
    arm.above = std::max(arm.above, part.above - at.y);
    arm.below = std::max(arm.below, part.below + at.y);
    arm.behind = std::max(arm.behind, part.behind - at.x);
    arm.ahead = std::max(arm.ahead, part.ahead + at.x);
}

Arm turned_over(Arm arm) {
    for (auto& [node, place] : arm.places) place.y = -place.y;
    std::swap(arm.above, arm.below);
    return arm;
}

}  // namespace

std::optional<Arm> ArmMaker::make(std::uint32_t first, std::uint32_t by) const {
    std::optional<Branch> made = branch(first, by, false);
    if (!made) return std::nullopt;
    return std::move(made->arm);
}

std::optional<std::vector<ArmMaker::Child>> ArmMaker::children_of(std::uint32_t node, std::uint32_t by) const {
    std::vector<Child> children;
    for (const std::uint32_t line : lines_[node]) {
        if (line == by) continue;
        const Edge& edge = picture_.edges[line];
        const std::uint32_t other = edge.from == node ? edge.to : edge.from;
        std::optional<Branch> there = branch(other, line, false);
        if (!there) return std::nullopt;
        children.push_back({line, other, std::move(*there)});
    }
    return children;
}

std::optional<ArmMaker::Branch> ArmMaker::branch(std::uint32_t node, std::uint32_t by, bool free_above) const {
    std::optional<std::vector<Child>> children = children_of(node, by);
    if (!children) return std::nullopt;
    const Box& box = boxes_[node];
    const bool junction = picture_.nodes[node].kind == NodeKind::junction;
    const double high = junction ? kNameOfJunction : box.height / 2;
    Branch result{.arm = {{{node, {}}}, high, high, box.width / 2, box.width / 2}};
    if (children->empty()) return result;
    const auto longest = std::max_element(children->begin(), children->end(), [](const Child& a, const Child& b) {
        return a.branch.depth < b.branch.depth;
    });
    result.depth = longest->branch.depth + 1;
    const Child next = std::move(*longest);
    children->erase(longest);
    // Leaves come first: they say how far away the next node stands.
    std::array<std::vector<Child>, 2> rows;  // below and above
    std::array<std::optional<Child>, 2> ways;
    for (Child& child : *children) {
        if (child.branch.depth == 1) continue;
        const std::size_t side = free_above || ways[1] ? 0 : 1;
        std::optional<Branch> there = branch(child.node, child.line, true);
        if (ways[side] || !there) return std::nullopt;
        child.branch = std::move(*there);
        ways[side] = std::move(child);
    }
    for (Child& child : *children) {
        if (child.branch.depth > 1) continue;
        const bool up = !free_above && !ways[1] && (ways[0] || rows[1].size() < rows[0].size());
        auto& row = rows[up ? 1 : 0];
        if (ways[up ? 1 : 0] || row.size() == kMostInRow) return std::nullopt;
        row.push_back(std::move(child));
    }
    for (const bool down : {true, false}) add_row(node, rows[down ? 0 : 1], down, result.arm);
    go_on(node, next, result.arm);
    for (const bool down : {true, false}) {
        if (const auto& way = ways[down ? 0 : 1]) add_branch(node, *way, down, result.arm);
    }
    return result;
}

/// The next node of the longest way.
void ArmMaker::go_on(std::uint32_t node, const Child& next, Arm& arm) const {
    const double line = boxes_[node].width / 2 + bond_ + boxes_[next.node].width / 2;
    const double x = std::max(line, arm.ahead + kBesideArm + next.branch.arm.behind);
    put(arm, next.branch.arm, {x, 0.0});
}

void ArmMaker::add_row(std::uint32_t node, const std::vector<Child>& row, bool down, Arm& arm) const {
    double total = 0.0;
    double apart = 0.0;
    for (const Child& child : row) {
        total += width_with_texts(child);
        apart = std::max(apart, upright(child.line));
    }
    double along = -total / 2;
    for (const Child& child : row) {
        const double width = width_with_texts(child);
        const double depth = boxes_[node].height / 2 + apart + boxes_[child.node].height / 2;
        Arm leaf = child.branch.arm;
        leaf.ahead = leaf.behind = (width - kBesideArm) / 2;
        put(arm, leaf, {along + width / 2, down ? depth : -depth});
        along += width;
    }
}

/// A way that branches off, beyond all that stands on its side. Nothing hangs between it and where it comes from.
void ArmMaker::add_branch(std::uint32_t node, const Child& child, bool down, Arm& arm) const {
    const double line = (boxes_[node].height + boxes_[child.node].height) / 2 + upright(child.line);
    const double beyond = kBesideArm + (down ? arm.below : arm.above) + child.branch.arm.above;
    const double y = std::max(line, beyond);
    put(arm, down ? child.branch.arm : turned_over(child.branch.arm), {0.0, down ? y : -y});
}

/// An upright line has its texts beside it, and the names of ports above each other.
double ArmMaker::upright(std::uint32_t line) const {
    constexpr double kLine = 12.0;
    const Edge& edge = picture_.edges[line];
    if (edge.effort.empty()) return kShortestBond;
    return kShortestBond + kLine * ((edge.ports[0].empty() ? 0.0 : 1.0) + (edge.ports[1].empty() ? 0.0 : 1.0));
}

double ArmMaker::width_with_texts(const Child& child) const {
    const Edge& edge = picture_.edges[child.line];
    const double text = std::max(text_width(edge.effort, kSmallSize), text_width(edge.flow, kSmallSize));
    const double beside = text > 0.0 ? 2 * (text + kBesideArm) : 0.0;
    return std::max(boxes_[child.node].width, beside) + kBesideArm;
}

}  // namespace bondgraph::drawing
