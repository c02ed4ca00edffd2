#include "bondgraph/drawing/clusters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

using model::CircuitNet;

bool alike(Point a, Point b) { return std::abs(a.x - b.x) < 1e-6 && std::abs(a.y - b.y) < 1e-6; }

constexpr double kLabelGap = 3.0;

/// The label of a part: above it, right of it, below or left of it, wherever nothing else is; else beside all of what
/// is placed with it. Nothing where there is nothing to write.
std::optional<PartLabel> label_beside(const Part& part, const Box& box, const Box& all, const std::vector<Box>& taken) {
    PartLabel label;
    for (const std::string* text : {&part.name, &part.value}) {
        if (!text->empty()) label.lines.push_back(*text);
    }
    if (label.lines.empty()) return std::nullopt;
    double width = 0.0;
    for (const std::string& line : label.lines) width = std::max(width, text_width(line, kSmallSize));
    const double height = kLabelLine * static_cast<double>(label.lines.size());
    const double above = box.top() - kLabelGap - height / 2;
    const double below = box.bottom() + kLabelGap + height / 2;
    const double x = box.centre.x;
    const double right = box.right() + kLabelGap + width / 2;
    const double left = box.left() - kLabelGap - width / 2;
    const double y = box.centre.y;
    const std::array<std::pair<Point, Anchor>, 8> places{{{{x, above}, Anchor::middle},
                                                          {{right, y}, Anchor::start},
                                                          {{x, below}, Anchor::middle},
                                                          {{left, y}, Anchor::end},
                                                          {{x + width / 2 + kLabelGap, above}, Anchor::start},
                                                          {{x - width / 2 - kLabelGap, above}, Anchor::end},
                                                          {{x + width / 2 + kLabelGap, below}, Anchor::start},
                                                          {{right, above}, Anchor::start}}};
    for (const auto& [at, anchor] : places) {
        label.anchor = anchor;
        label.box = {at, width, height};
        if (std::ranges::none_of(taken, [&](const Box& other) { return overlap(other, label.box); })) return label;
    }
    label.anchor = Anchor::start;
    label.box.centre = {all.right() + kCircuitGrid + width / 2, y};
    return label;
}

class Clustering {
   public:
    Clustering(const Schematic& schematic, Stances& stances) : s_(schematic), stances_(stances) {
        net_at_.resize(s_.parts.size());
        grounds_.resize(s_.parts.size());
        for (std::uint32_t k = 0; k < s_.parts.size(); ++k) {
            net_at_[k].assign(s_.parts[k].pins.size(), kNowhere);
            if (s_.parts[k].ground_of) grounds_[*s_.parts[k].ground_of].push_back(k);
        }
        for (std::uint32_t n = 0; n < s_.nets.size(); ++n) {
            for (const CircuitNet::End& end : s_.nets[n].ends) net_at_[end.part][end.pin] = n;
        }
        taken_.assign(s_.parts.size(), false);
    }

    std::vector<Cluster> run() {
        std::vector<std::uint32_t> order(s_.parts.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return stances_.order[k]; });
        // what others stand upon takes them before they are taken by themselves
        std::vector<Cluster> clusters(s_.parts.size());
        for (const std::uint32_t part : order) {
            if (s_.parts[part].ground_of || taken_[part] || ends_of(s_.parts[part])) continue;
            clusters[part] = begin(part);
            if (!is_placed(part)) stack(clusters[part], part);
        }
        std::vector<Cluster> result;
        for (const std::uint32_t part : order) {
            if (s_.parts[part].ground_of) continue;
            if (clusters[part].members.empty() && !taken_[part]) clusters[part] = begin(part);
            if (clusters[part].members.empty()) continue;
            finish(clusters[part]);
            result.push_back(std::move(clusters[part]));
        }
        return result;
    }

   private:
    static constexpr std::uint32_t kNowhere = UINT32_MAX;

    bool is_placed(std::uint32_t part) const { return s_.parts[part].place.has_value(); }
    Point pin_at(std::uint32_t part, std::uint32_t pin) const {
        return stances_.of[part].of(s_.parts[part].pins[pin].at);
    }
    Point pin_out(std::uint32_t part, std::uint32_t pin) const {
        return stances_.of[part].of(s_.parts[part].pins[pin].out);
    }

    Cluster begin(std::uint32_t part) {
        taken_[part] = true;
        Cluster made;
        made.members.push_back({part, {}});
        add_grounds(made, part, {});
        return made;
    }

    void add_grounds(Cluster& made, std::uint32_t part, Point offset) {
        for (const std::uint32_t ground : grounds_[part]) {
            const std::uint32_t net = net_at_[ground][0];
            for (const CircuitNet::End& end : s_.nets[net].ends) {
                if (end.part == part) add_ground(made, ground, {part, end.pin}, offset);
            }
        }
    }

    /// Whether another wire of the part leaves on the same side further down.
    bool is_above_another(const CircuitNet::End& end) const {
        const Point at = pin_at(end.part, end.pin);
        const Point out = pin_out(end.part, end.pin);
        for (std::uint32_t k = 0; k < s_.parts[end.part].pins.size(); ++k) {
            if (k != end.pin && alike(pin_out(end.part, k), out) && pin_at(end.part, k).y > at.y) return true;
        }
        return false;
    }

    void add_ground(Cluster& made, std::uint32_t ground, const CircuitNet::End& end, Point offset) {
        const Point out = pin_out(end.part, end.pin);
        const Pin& pin = s_.parts[ground].pins.front();
        Point at = offset + pin_at(end.part, end.pin) + kCircuitGrid * out;
        Stance& stance = stances_.of[ground];
        const bool hangs = pin.out.y < 0 && out.x != 0.0 && !is_above_another(end);
        if (hangs) {
            at = at + Point{0, kCircuitGrid};
        } else {
            const Point wanted = -1.0 * out;
            stance.mirrored = pin.out.x != 0.0 && out.x == pin.out.x;
            while (!alike(stance.of(pin.out), wanted)) stance.turns = (stance.turns + 1) % 4;
        }
        made.members.push_back({ground, at - stance.of(pin.at)});
    }

    /// What goes on from pins at the top and bottom of a symbol.
    void stack(Cluster& made, std::uint32_t part) {
        for (std::uint32_t pin = 0; pin < s_.parts[part].pins.size(); ++pin) {
            const std::uint32_t net = net_at_[part][pin];
            const Point out = pin_out(part, pin);
            if (net == kNowhere || out.y == 0.0 || s_.nets[net].kind == CircuitNet::Kind::signal) continue;
            // one for each side: a second one beside it would lie on it
            const bool other = std::ranges::any_of(made.members, [&](const Cluster::Member& m) {
                return m.part != part && !s_.parts[m.part].ground_of && (m.offset.y > 0) == (out.y > 0);
            });
            if (!other) stack_at(made, {part, pin}, net);
        }
    }

    void stack_at(Cluster& made, const CircuitNet::End& end, std::uint32_t net) {
        const CircuitNet& joined = s_.nets[net];
        for (const CircuitNet::End& next : joined.ends) {
            if (taken_[next.part] || is_placed(next.part) || s_.parts[next.part].ground_of) continue;
            const bool grounded = goes_to_ground(next);
            const bool upwards = pin_out(end.part, end.pin).y < 0;
            if (grounded && upwards) continue;  // a ground is below what it is connected to
            const bool lies = joined.ends.size() == 2 || grounded;
            const Stance before = stances_.of[next.part];
            if (!lies || !stand_at(next, end)) continue;
            const Point out = pin_out(end.part, end.pin);
            const Point at = pin_at(end.part, end.pin) + 2 * kCircuitGrid * out - pin_at(next.part, next.pin);
            Cluster added;
            added.members.push_back({next.part, at});
            add_grounds(added, next.part, at);
            if (is_in_the_way(made, added)) {
                stances_.of[next.part] = before;
                for (const std::uint32_t ground : grounds_[next.part]) stances_.of[ground] = {};
                continue;
            }
            taken_[next.part] = true;
            made.members.insert(made.members.end(), added.members.begin(), added.members.end());
            return;
        }
    }

    Box box_of(const Cluster::Member& m) const {
        Box box = standing_box(s_.parts[m.part], stances_.of[m.part]);
        box.centre = m.offset;
        return box;
    }

    bool is_in_the_way(const Cluster& made, const Cluster& added) const {
        return std::ranges::any_of(added.members, [&](const Cluster::Member& one) {
            return std::ranges::any_of(
                made.members, [&](const Cluster::Member& other) { return overlap(box_of(one), box_of(other)); });
        });
    }

    bool goes_to_ground(const CircuitNet::End& end) const {
        const auto ends = ends_of(s_.parts[end.part]);
        if (!ends) return false;
        const std::uint32_t other = ends->first == end.pin ? ends->second : ends->first;
        const std::uint32_t net = net_at_[end.part][other];
        return net != kNowhere && std::ranges::any_of(s_.nets[net].ends, [&](const auto& e) {
                   return s_.parts[e.part].ground_of == end.part;
               });
    }

    /// Turns what lies along a wire so that its pin meets another one. Whether that can be.
    bool stand_at(const CircuitNet::End& next, const CircuitNet::End& end) {
        const Part& part = s_.parts[next.part];
        const Point wanted = -1.0 * pin_out(end.part, end.pin);
        const auto ends = ends_of(part);
        if (!ends) return part.pins.size() == 1 && alike(pin_out(next.part, next.pin), wanted);
        if (next.pin != ends->first && next.pin != ends->second) return false;
        Stance& stance = stances_.of[next.part];
        stance = {};
        while (!alike(stance.of(part.pins[next.pin].out), wanted)) stance.turns = (stance.turns + 1) % 4;
        return true;
    }

    bool is_inside(const Cluster& made, std::uint32_t net) const {
        return std::ranges::all_of(s_.nets[net].ends, [&](const auto& end) {
            return std::ranges::any_of(made.members, [&](const auto& m) { return m.part == end.part; });
        });
    }

    void finish(Cluster& made) const {
        std::vector<Box> taken;
        for (const Cluster::Member& m : made.members) taken.push_back(box_of(m));
        made.box = taken.front();
        for (const Box& box : taken) made.box = around(made.box, box);
        for (const Cluster::Member& m : made.members) {
            for (std::uint32_t k = 0; k < s_.parts[m.part].pins.size(); ++k) {
                const std::uint32_t net = net_at_[m.part][k];
                if (net == kNowhere) continue;
                const Point out = pin_out(m.part, k);
                const Point at = m.offset + pin_at(m.part, k) + kCircuitGrid * out;
                made.box = around(made.box, {at, 0, 0});
                taken.push_back({at - 0.5 * kCircuitGrid * out, std::abs(out.x) * kCircuitGrid + 1,
                                 std::abs(out.y) * kCircuitGrid + 1});
                if (!is_inside(made, net)) made.exits.push_back({net, at, out});
            }
        }
        for (std::size_t k = 0; k < made.members.size(); ++k) {
            Cluster::Member& m = made.members[k];
            m.label = label_beside(s_.parts[m.part], taken[k], made.box, taken);
            if (!m.label) continue;
            taken.push_back(m.label->box);
            made.box = around(made.box, m.label->box);
        }
    }

    const Schematic& s_;
    Stances& stances_;
    std::vector<std::vector<std::uint32_t>> net_at_;
    std::vector<std::vector<std::uint32_t>> grounds_;
    std::vector<bool> taken_;
};

}  // namespace

Box standing_box(const Part& part, const Stance& stance) {
    Box box{{}, part.size.x, part.size.y};
    if (stance.turns % 2 == 1) std::swap(box.width, box.height);
    return box;
}

std::vector<Cluster> cluster(const Schematic& schematic, Stances& stances) {
    return Clustering(schematic, stances).run();
}

}  // namespace bondgraph::drawing
