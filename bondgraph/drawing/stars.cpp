#include "bondgraph/drawing/stars.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "bondgraph/drawing/arms.hpp"

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kFewLeaves = 44;  // stand in a circle
constexpr std::size_t kFewWays = 6;     // stand above each other
constexpr std::size_t kLongest = 24;    // nodes of an arm
constexpr double kBetweenArms = 16.0;
constexpr double kBetweenColumns = 30.0;
constexpr double kBesideSpine = 12.0;
constexpr double kTextOfBond = 18.0;  // effort above, flow below
constexpr double kProportion = 1.4;   // width by height

/// What hangs on one line of the junction.
struct Hung {
    std::uint32_t line = 0;
    bool inward = false;  ///< its bond leads to the junction
    Arm arm;

    [[nodiscard]] double height() const { return above() + below() + kBetweenArms; }
    [[nodiscard]] double above() const { return std::max(arm.above, kTextOfBond); }
    [[nodiscard]] double below() const { return std::max(arm.below, kTextOfBond); }
};

/// What stands in line with a junction.
struct Neighbours {
    std::optional<Hung> source;         ///< on its left, where nothing else does
    std::optional<std::uint32_t> next;  ///< the line to what stands on its right, where that is the only one
};

/// Arms one above the other on one side of a tooth.
struct Column {
    std::vector<std::size_t> arms;
    double height = 0.0;
    double reach = 0.0;       ///< away from the tooth
    std::vector<double> y{};  ///< of each arm
};

struct Tooth {
    Column left;
    Column right;
};

double width_of(const std::vector<Tooth>& teeth) {
    double width = 0.0;
    for (const Tooth& t : teeth) width += t.left.reach + t.right.reach + kBetweenColumns;
    return width;
}

double height_of(const std::vector<Tooth>& teeth) {
    double height = 0.0;
    for (const Tooth& t : teeth) height = std::max({height, t.left.height, t.right.height});
    return height;
}

class StarMaker {
   public:
    StarMaker(std::span<const Box> boxes, std::uint32_t hub, std::vector<Hung> arms, Neighbours neighbours, double bond)
        : boxes_(boxes), hub_(hub), arms_(std::move(arms)), neighbours_(std::move(neighbours)), bond_(bond) {}

    Star run() {
        std::vector<Tooth> teeth = columns(1);
        const auto size = [](const std::vector<Tooth>& t) { return std::max(width_of(t) / kProportion, height_of(t)); };
        // More teeth make the star lower and wider.
        for (std::size_t count = 2; count <= arms_.size(); ++count) {
            std::vector<Tooth> more = columns(count);
            if (size(more) >= size(teeth)) break;
            teeth = std::move(more);
        }
        put(hub_, {});
        if (const auto& source = neighbours_.source) {
            const double distance = half_junction() + bond_ + boxes_[source->arm.places.front().first].width / 2;
            put_arm(*source, -distance, 0.0, -1);
        }
        double x = half_junction() + kBetweenColumns;
        for (Tooth& tooth : teeth) {
            x += tooth.left.reach;
            put_tooth(tooth, x);
            x += tooth.right.reach + kBetweenColumns;
        }
        finish();
        return std::move(star_);
    }

   private:
    [[nodiscard]] double half_junction() const { return boxes_[hub_].width / 2; }

    /// From the tooth to the middle of an arm's first node.
    [[nodiscard]] double distance(const Hung& hung) const {
        const double line = bond_ + boxes_[hung.arm.places.front().first].width / 2;
        return std::max(line, hung.arm.behind + kBetweenColumns / 2);
    }

    /// In the order of the file from tooth to tooth, on both sides of each from the top to the bottom.
    [[nodiscard]] std::vector<Tooth> columns(std::size_t count) const {
        double total = 0.0;
        for (const Hung& hung : arms_) total += hung.height();
        std::vector<Tooth> teeth(1);
        const auto share = [&] { return total / (2.0 * static_cast<double>(count + 1 - teeth.size())); };
        double full = share();
        for (std::size_t i = 0; i < arms_.size(); ++i) {
            const double height = arms_[i].height();
            const Tooth& last = teeth.back();
            if (teeth.size() < count && std::min(last.left.height, last.right.height) + height / 2 > full) {
                total -= last.left.height + last.right.height;
                teeth.emplace_back();
                full = share();
            }
            Tooth& tooth = teeth.back();
            Column& column = tooth.right.height < tooth.left.height ? tooth.right : tooth.left;
            column.arms.push_back(i);
            column.height += height;
            column.reach = std::max(column.reach, distance(arms_[i]) + arms_[i].arm.ahead);
        }
        return teeth;
    }

    /// Half of a column above the spine, half below.
    void stack(Column& column) const {
        double above = 0.0;
        std::size_t first_below = 0;
        while (first_below < column.arms.size()) {
            const double height = arms_[column.arms[first_below]].height();
            if (above + height / 2 > column.height / 2) break;
            above += height;
            ++first_below;
        }
        double y = -kBesideSpine - above;
        for (std::size_t k = 0; k < column.arms.size(); ++k) {
            const Hung& hung = arms_[column.arms[k]];
            if (k == first_below) y = kBesideSpine;
            column.y.push_back(y + kBetweenArms / 2 + hung.above());
            y += hung.height();
        }
    }

    void put_tooth(Tooth& tooth, double x) {
        constexpr double kBeyond = 8.0;
        double top = 0.0;
        double bottom = 0.0;
        for (const int side : {-1, 1}) {
            Column& column = side < 0 ? tooth.left : tooth.right;
            stack(column);
            for (std::size_t k = 0; k < column.arms.size(); ++k) {
                const Hung& hung = arms_[column.arms[k]];
                star_.feet.push_back({hung.line, {x, column.y[k]}});
                put_arm(hung, x + side * distance(hung), column.y[k], side);
                top = std::min(top, column.y[k] - kBeyond);
                bottom = std::max(bottom, column.y[k] + kBeyond);
            }
        }
        star_.bar.push_back({{x, top}, {x, bottom}});
        spine_ = x;
    }

    void put(std::uint32_t node, Point at) {
        star_.nodes.push_back(node);
        star_.offsets.push_back(at);
        Box box = boxes_[node];
        box.centre = at;
        star_.room = star_.nodes.size() == 1 ? box : around(star_.room, box);
    }

    void put_arm(const Hung& hung, double x, double y, int side) {
        for (const auto& [node, place] : hung.arm.places) put(node, {x + side * place.x, y + place.y});
    }

    /// The spine goes on to where the next thing stands, if that is a single one.
    void finish() {
        if (neighbours_.next) {
            spine_ = star_.room.right() + kBetweenArms;
            star_.room = around(star_.room, {{spine_, 0.0}, 0.0, 0.0});
            star_.feet.push_back({*neighbours_.next, {spine_, 0.0}});
        }
        star_.bar.insert(star_.bar.begin(), {{half_junction(), 0.0}, {spine_, 0.0}});
        const double high = std::max(-star_.room.top(), star_.room.bottom());
        star_.room.centre.y = 0.0;
        star_.room.height = 2 * high;
    }

    std::span<const Box> boxes_;
    std::uint32_t hub_;
    std::vector<Hung> arms_;
    Neighbours neighbours_;
    double bond_;
    double spine_ = 0.0;
    Star star_;
};

class StarFinder {
   public:
    StarFinder(const Picture& picture, std::span<const Box> boxes, std::vector<bool> taken, double bond)
        : picture_(picture),
          boxes_(boxes),
          taken_(std::move(taken)),
          bond_(bond),
          lines_at_(picture.nodes.size()),
          signals_at_(picture.nodes.size()) {
        for (std::uint32_t e = 0; e < picture.edges.size(); ++e) {
            const Edge& edge = picture.edges[e];
            auto& at = edge.kind == EdgeKind::signal ? signals_at_ : lines_at_;
            at[edge.from].push_back(e);
            if (edge.to != edge.from) at[edge.to].push_back(e);
        }
        take_loose_blocks();
    }

    std::vector<Star> run() {
        std::vector<std::pair<std::size_t, std::uint32_t>> hubs;
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            if (picture_.nodes[n].kind == NodeKind::junction && lines_at_[n].size() > kFewWays)
                hubs.emplace_back(lines_at_[n].size(), n);
        }
        std::stable_sort(hubs.begin(), hubs.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        std::vector<Star> stars;
        for (const auto& [count, hub] : hubs) {
            if (!taken_[hub]) look_at(hub, stars);
        }
        return stars;
    }

   private:
    [[nodiscard]] std::uint32_t other_end(std::uint32_t line, std::uint32_t node) const {
        const Edge& e = picture_.edges[line];
        return e.from == node ? e.to : e.from;
    }

    /// What a single signal joins to the rest belongs to what it is joined to.
    void take_loose_blocks() {
        std::vector<std::uint32_t> loose;
        const auto look_at = [&](std::uint32_t node) {
            if (signals_at_[node].size() == 1 && bonds_at(node) == 0) loose.push_back(node);
        };
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) look_at(n);
        for (std::size_t i = 0; i < loose.size(); ++i) {
            const std::uint32_t node = loose[i];
            if (signals_at_[node].empty()) continue;  // of two blocks alone the second
            const std::uint32_t line = signals_at_[node].front();
            const std::uint32_t other = other_end(line, node);
            if (other == node) continue;
            for (const std::uint32_t n : {node, other}) {
                std::erase(signals_at_[n], line);
                lines_at_[n].push_back(line);
            }
            look_at(other);
        }
    }

    [[nodiscard]] std::size_t bonds_at(std::uint32_t node) const {
        return static_cast<std::size_t>(
            std::count_if(lines_at_[node].begin(), lines_at_[node].end(),
                          [&](std::uint32_t line) { return picture_.edges[line].kind != EdgeKind::signal; }));
    }

    void look_at(std::uint32_t hub, std::vector<Star>& stars) {
        std::vector<Hung> arms;
        std::size_t ways = 0;
        std::vector<std::uint32_t> in;
        std::vector<std::uint32_t> out;  // what is no arm
        for (const std::uint32_t line : lines_at_[hub]) {
            const bool inward = picture_.edges[line].to == hub;
            std::optional<Arm> arm = arm_on(line, hub);
            if (!arm) {
                (inward ? in : out).push_back(line);
                continue;
            }
            if (!is_hung(*arm)) ++ways;
            arms.push_back({line, inward, std::move(*arm)});
        }
        if (ways <= kFewWays && arms.size() <= kFewLeaves) return;
        Neighbours neighbours;
        const auto source = std::find_if(arms.begin(), arms.end(), [](const Hung& h) { return h.inward; });
        if (in.empty() && source != arms.end()) {
            neighbours.source = std::move(*source);
            arms.erase(source);
        }
        if (out.size() == 1) neighbours.next = out.front();
        stars.push_back(StarMaker(boxes_, hub, std::move(arms), std::move(neighbours), bond_).run());
        for (const std::uint32_t n : stars.back().nodes) taken_[n] = true;
    }

    /// A single element, which hangs on its junction in any case.
    [[nodiscard]] bool is_hung(const Arm& arm) const {
        const std::uint32_t node = arm.places.front().first;
        return arm.places.size() == 1 && signals_at_[node].empty() && picture_.nodes[node].kind != NodeKind::composite;
    }

    /// Nothing where the line leads on to the rest, or around.
    [[nodiscard]] std::optional<Arm> arm_on(std::uint32_t line, std::uint32_t hub) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> found{{other_end(line, hub), line}};
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto [node, by] = found[i];
            if (node == hub || taken_[node] || picture_.nodes[node].frame != picture_.nodes[hub].frame)
                return std::nullopt;
            for (const std::uint32_t next : lines_at_[node]) {
                if (next == by) continue;
                found.emplace_back(other_end(next, node), next);
                if (found.size() > kLongest) return std::nullopt;
            }
        }
        return ArmMaker(picture_, boxes_, lines_at_, bond_).make(found.front().first, line);
    }

    const Picture& picture_;
    std::span<const Box> boxes_;
    std::vector<bool> taken_;
    double bond_;
    std::vector<std::vector<std::uint32_t>> lines_at_;    ///< per node those that may be part of an arm
    std::vector<std::vector<std::uint32_t>> signals_at_;  ///< and the other signals
};

}  // namespace

std::vector<Star> find_stars(const Picture& picture, std::span<const Box> boxes, const std::vector<bool>& taken,
                             double bond) {
    return StarFinder(picture, boxes, taken, bond).run();
}

}  // namespace bondgraph::drawing
