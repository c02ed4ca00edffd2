#include "bondgraph/drawing/stances.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace bondgraph::drawing {
namespace {

using model::CircuitNet;

constexpr std::uint32_t kNoNet = UINT32_MAX;
constexpr int kUpright = 3;  ///< quarter turns that bring the left end to the top

bool hangs(model::DomainIndex domain) {
    static const auto electrical = model::find_domain("electrical");
    static const auto magnetic = model::find_domain("magnetic");
    return domain == electrical || domain == magnetic;
}

class StandUp {
   public:
    explicit StandUp(const Schematic& schematic) : s_(schematic) {
        net_at_.resize(s_.parts.size());
        for (std::size_t k = 0; k < s_.parts.size(); ++k) net_at_[k].assign(s_.parts[k].pins.size(), kNoNet);
        for (std::uint32_t n = 0; n < s_.nets.size(); ++n) {
            for (const CircuitNet::End& end : s_.nets[n].ends) net_at_[end.part][end.pin] = n;
        }
        result_.of.resize(s_.parts.size());
        result_.order.assign(s_.parts.size(), 0);
        reached_.assign(s_.parts.size(), false);
        level_.assign(s_.nets.size(), std::nullopt);
    }

    Stances run() {
        for (std::uint32_t k = 0; k < s_.parts.size(); ++k) {
            if (s_.parts[k].ground_of || reached_[k]) continue;
            stand_first(k);
            reach(k);
            follow();
        }
        for (std::uint32_t k = 0; k < s_.parts.size(); ++k) {
            if (s_.parts[k].ground_of) result_.order[k] = next_++;
        }
        return std::move(result_);
    }

   private:
    bool stands_already(std::uint32_t part) {
        const auto& place = s_.parts[part].place;
        if (!place || !(place->turned || place->mirrored)) return false;
        result_.of[part] = {place->quarter_turns, place->mirrored};
        return true;
    }

    void reach(std::uint32_t part) {
        reached_[part] = true;
        result_.order[part] = next_++;
        queue_.push_back(part);
        for (std::uint32_t pin = 0; pin < s_.parts[part].pins.size(); ++pin) {
            const std::uint32_t net = net_at_[part][pin];
            if (net != kNoNet && !level_[net]) level_[net] = level_at(part, pin);
        }
    }

    /// The ground at a pin, if there is one.
    const Part* ground_at(std::uint32_t part, std::uint32_t pin) const {
        const std::uint32_t net = net_at_[part][pin];
        if (net == kNoNet) return nullptr;
        for (const CircuitNet::End& end : s_.nets[net].ends) {
            if (s_.parts[end.part].ground_of == part) return &s_.parts[end.part];
        }
        return nullptr;
    }

    bool falls_to_ground(std::uint32_t part, std::uint32_t pin) const {
        const Part* ground = ground_at(part, pin);
        return ground != nullptr && ground->pins.front().out.y < 0;
    }

    /// What stands upright because one end is grounded below. Whether it does.
    bool hang_to_ground(std::uint32_t part) {
        const auto ends = ends_of(s_.parts[part]);
        if (!ends) return false;
        const bool left = falls_to_ground(part, ends->first);
        const bool right = falls_to_ground(part, ends->second);
        if (!left && !right) return false;
        result_.of[part].turns = left && !right ? 1 : kUpright;
        return true;
    }

    void stand_first(std::uint32_t part) {
        if (stands_already(part) || hang_to_ground(part)) return;
        const auto ends = ends_of(s_.parts[part]);
        if (!ends) return;
        const std::uint32_t a = net_at_[part][ends->first];
        const std::uint32_t b = net_at_[part][ends->second];
        if (a != kNoNet && b != kNoNet && hangs(s_.nets[a].domain) && !ground_at(part, ends->first) &&
            !ground_at(part, ends->second))
            result_.of[part].turns = kUpright;
    }

    bool is_reached(std::uint32_t net, std::uint32_t but) const {
        return std::ranges::any_of(s_.nets[net].ends,
                                   [&](const auto& end) { return end.part != but && reached_[end.part]; });
    }

    /// What lies across a higher and a lower wire that have been reached already stands upright.
    bool lie_across(std::uint32_t part) {
        const auto ends = ends_of(s_.parts[part]);
        if (!ends) return false;
        const std::uint32_t a = net_at_[part][ends->first];
        const std::uint32_t b = net_at_[part][ends->second];
        if (a == kNoNet || b == kNoNet || a == b || !hangs(s_.nets[a].domain)) return false;
        if (!is_reached(a, part) || !is_reached(b, part)) return false;
        const double high_a = level_[a].value_or(0.0);
        const double high_b = level_[b].value_or(0.0);
        if (high_a * high_b > 0.0) return false;  // along two wires of the same height, or one after the other
        result_.of[part].turns = high_a >= high_b ? kUpright : 1;
        return true;
    }

    void stand(std::uint32_t part, std::uint32_t pin, Point from) {
        if (stands_already(part) || hang_to_ground(part) || lie_across(part)) return;
        const double wanted = from.x < 0 ? 1 : -1;  // it is entered from the other side
        const double out = s_.parts[part].pins[pin].out.x;
        result_.of[part].mirrored = out != 0.0 && out != wanted;
    }

    void follow() {
        while (!queue_.empty()) {
            const std::uint32_t part = queue_.front();
            queue_.pop_front();
            for (std::uint32_t pin = 0; pin < s_.parts[part].pins.size(); ++pin) {
                const std::uint32_t net = net_at_[part][pin];
                if (net == kNoNet) continue;
                const Point out = result_.of[part].of(s_.parts[part].pins[pin].out);
                for (const CircuitNet::End& end : s_.nets[net].ends) {
                    if (reached_[end.part] || s_.parts[end.part].ground_of) continue;
                    stand(end.part, end.pin, out);
                    reach(end.part);
                }
            }
        }
    }

    /// How high the wire at a pin is compared with others: through what lies along it, its height stays.
    double level_at(std::uint32_t part, std::uint32_t pin) const {
        constexpr double kHigh = 100.0;
        const Stance stance = result_.of[part];
        const auto ends = ends_of(s_.parts[part]);
        if (ends && stance.turns % 2 == 0) {
            const std::uint32_t other = pin == ends->first ? ends->second : ends->first;
            const std::uint32_t net = net_at_[part][other];
            if (net != kNoNet && level_[net]) return *level_[net];
        }
        return -stance.of(s_.parts[part].pins[pin].at).y / kHigh;
    }

    const Schematic& s_;
    std::vector<std::vector<std::uint32_t>> net_at_;
    Stances result_;
    std::vector<bool> reached_;
    std::vector<std::optional<double>> level_;
    std::deque<std::uint32_t> queue_;
    std::uint32_t next_ = 0;
};

}  // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> ends_of(const Part& part) {
    if (part.look != Part::Look::symbol) return std::nullopt;
    std::optional<std::uint32_t> left;
    std::optional<std::uint32_t> right;
    for (std::uint32_t k = 0; k < part.pins.size(); ++k) {
        const Pin& pin = part.pins[k];
        if (pin.signal || pin.at.y != 0.0 || pin.out.x == 0.0) {
            if (!pin.signal && pin.out.x != 0.0) return std::nullopt;
            continue;
        }
        (pin.out.x < 0 ? left : right) = k;
    }
    if (!left || !right) return std::nullopt;
    return std::pair(*left, *right);
}

Stances stand_up(const Schematic& schematic) { return StandUp(schematic).run(); }

}  // namespace bondgraph::drawing
