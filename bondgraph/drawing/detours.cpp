#include "bondgraph/drawing/detours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>

namespace bondgraph::drawing {
namespace {

constexpr double kBeyondEnds = 260.0;  // how far around both ends a way is looked for
constexpr double kBend = 14.0;         // the length a bend counts for
constexpr double kCrossing = 70.0;     // a crossing
constexpr double kAlong = 12.0;        // a piece of kSample beside another line
constexpr double kForeign = 20.0;      // a length within a foreign area
constexpr double kBesideArea = 4.0;    // what is kept from its border
constexpr double kSample = 12.0;
constexpr double kBeside = 8.0;
// Work is counted in pieces that are put in line; one that is looked at counts for so many.
constexpr std::size_t kLook = 10;
constexpr std::size_t kMostOfOne = 6'000'000;   // for one way
constexpr std::size_t kMostOfAll = 25'000'000;  // for all ways of a picture

double distance(Point p, Point a, Point b) {
    const Point along = b - a;
    const double square = along.x * along.x + along.y * along.y;
    const double share =
        square > 0.0 ? std::clamp(((p.x - a.x) * along.x + (p.y - a.y) * along.y) / square, 0.0, 1.0) : 0.0;
    return length(p - (a + share * along));
}

}  // namespace

/// A search for one way. Points 0 and 1 are its ends.
class DetourSearch {
   public:
    DetourSearch(const Detours& all, std::uint32_t from, std::uint32_t to, std::span<const Box> foreign,
                 std::size_t most)
        : all_(all), from_(from), to_(to), most_(most) {
        const Box& a = all.boxes_[from];
        const Box& b = all.boxes_[to];
        window_ = around(a, b).grown(kBeyondEnds);
        near_ = all.boxes_.near(window_);
        points_ = {a.centre, b.centre};
        // The corners of large areas lie outside the window, and beside them others.
        for (const Box& area : foreign) foreign_.push_back(area.grown(kBesideArea));
    }

    /// Nothing where no way keeps that far from all other boxes.
    std::optional<Polyline> run(double clearance) {
        clearance_ = clearance;
        points_.resize(2);
        for (const double out : {clearance + 3.0, clearance + 13.0}) add_corners(out);
        const std::optional<Polyline> way = shortest();
        if (way) return rounded(*way);
        return std::nullopt;
    }

    [[nodiscard]] std::size_t work() const { return work_; }

   private:
    void add_corners(double out) {
        for (const std::uint32_t n : near_) add_corners(all_.boxes_[n].grown(out));
        for (const Box& area : foreign_) {
            if (overlap(area, window_)) add_corners(area.grown(out / 4));
        }
    }

    void add_corners(const Box& box) {
        for (const double x : {box.left(), box.right()}) {
            for (const double y : {box.top(), box.bottom()}) {
                if (is_open({x, y})) points_.push_back({x, y});
            }
        }
    }

    [[nodiscard]] bool is_open(Point p) const {
        return !all_.boxes_.any_along(p, p, clearance_,
                                      [&](std::uint32_t n) { return all_.boxes_[n].grown(clearance_).contains(p); });
    }

    [[nodiscard]] bool is_clear(Point a, Point b, bool first, bool last) const {
        return !all_.boxes_.any_along(a, b, clearance_, [&](std::uint32_t n) {
            if ((first && n == from_) || (last && n == to_)) return false;
            return crosses(all_.boxes_[n].grown(clearance_), a, b);
        });
    }

    /// What a piece costs beyond its length; beyond `most` no more than that it does.
    [[nodiscard]] double nuisance(Point a, Point b, double most) {
        double sum = 0.0;
        for (const Box& area : foreign_) {
            const auto part = inside(area, a, b);
            sum += kForeign * std::max(part[1] - part[0], 0.0) * length(b - a);
        }
        if (sum >= most) return sum;
        near_pieces_.clear();
        (void)all_.segments_.any_along(a, b, kBeside, [&](std::uint32_t s) {
            near_pieces_.push_back(s);
            return false;
        });
        std::sort(near_pieces_.begin(), near_pieces_.end());
        near_pieces_.erase(std::unique(near_pieces_.begin(), near_pieces_.end()), near_pieces_.end());
        const double count = std::floor(length(b - a) / kSample);
        for (const std::uint32_t s : near_pieces_) {
            if (sum >= most) return sum;
            const Box beside = all_.segments_[s].grown(kBeside);
            const auto part = inside(beside, a, b);
            if (part[0] > part[1]) continue;
            const auto& [c, d] = all_.pieces_[s];
            if (segments_cross(a, b, c, d)) sum += kCrossing;
            // Places of the piece at which it may run beside the other.
            for (double i = std::ceil(part[0] * count - 0.5); i < count && i + 0.5 <= part[1] * count; ++i) {
                const Point p = a + ((i + 0.5) / count) * (b - a);
                if (distance(p, c, d) < kBeside && is_open_country(p)) sum += kAlong;
            }
        }
        return sum;
    }

    /// At its ends a line meets others in any case.
    [[nodiscard]] bool is_open_country(Point p) const {
        constexpr double kNearEnd = 30.0;
        return !all_.boxes_[from_].grown(kNearEnd).contains(p) && !all_.boxes_[to_].grown(kNearEnd).contains(p);
    }

    /// A piece of a way from a point that is done. What stands in between is looked at when its turn comes only: most
    /// pieces are no part of any good way.
    struct Piece {
        double estimate = 0.0;  ///< of the whole way over it, and no more than that
        std::uint32_t to = 0;

        bool operator>(const Piece& other) const { return std::tie(estimate, to) > std::tie(other.estimate, other.to); }
    };

    /// Pieces from one point, as a heap with the most promising first.
    using Pieces = std::vector<Piece>;

    /// What has its turn next: a point, or the first of the pieces from one.
    struct Turn {
        Piece piece;
        std::uint32_t from = 0;
        bool looked_at = true;

        bool operator>(const Turn& other) const {
            return std::tie(piece.estimate, piece.to, from) >
                   std::tie(other.piece.estimate, other.piece.to, other.from);
        }
    };

    /// A*. Each point that is done has only its best piece in line, so that the line stays short.
    std::optional<Polyline> shortest() {
        constexpr double kFar = std::numeric_limits<double>::max();
        rest_.clear();
        for (const Point p : points_) rest_.push_back(length(points_[1] - p));
        cost_.assign(points_.size(), kFar);
        done_.assign(points_.size(), false);
        std::vector<std::size_t> before(points_.size(), 0);
        std::vector<Pieces> pieces(points_.size());
        std::priority_queue<Turn, std::vector<Turn>, std::greater<>> open;
        const auto put_first_of = [&](std::uint32_t from) {
            if (!pieces[from].empty()) open.push({pieces[from].front(), from, false});
        };
        cost_[0] = 0.0;
        open.push({{rest_[0], 0}, 0, true});
        while (!open.empty()) {
            if (work_ > most_) return std::nullopt;
            const auto [piece, from, looked_at] = open.top();
            open.pop();
            const std::uint32_t to = piece.to;
            if (!looked_at) {
                std::pop_heap(pieces[from].begin(), pieces[from].end(), std::greater<>());
                pieces[from].pop_back();
                put_first_of(from);
                if (done_[to] || !look_at(from, to)) continue;
                before[to] = from;
                open.push({{cost_[to] + rest_[to], to}, from, true});
                continue;
            }
            if (done_[to]) continue;
            done_[to] = true;
            if (to == 1) return way_to_end(before);
            pieces[to] = pieces_from(to);
            put_first_of(to);
        }
        return std::nullopt;
    }

    /// Of those that may be better than what is known already.
    [[nodiscard]] Pieces pieces_from(std::uint32_t from) {
        Pieces pieces;
        for (std::uint32_t next = 1; next < points_.size(); ++next) {
            if (done_[next]) continue;
            const double bare = bare_cost(from, next);
            if (bare < cost_[next] && bare + rest_[next] < cost_[1]) pieces.push_back({bare + rest_[next], next});
        }
        std::make_heap(pieces.begin(), pieces.end(), std::greater<>());
        work_ += pieces.size();
        return pieces;
    }

    [[nodiscard]] double bare_cost(std::uint32_t from, std::uint32_t to) const {
        return cost_[from] + length(points_[to] - points_[from]) + (to == 1 ? 0.0 : kBend);
    }

    /// Whether the piece is the best way to its end so far; its cost then is known.
    bool look_at(std::uint32_t from, std::uint32_t to) {
        const double bare = bare_cost(from, to);
        if (bare >= cost_[to]) return false;
        work_ += kLook;
        if (!is_clear(points_[from], points_[to], from == 0, to == 1)) return false;
        const double total = bare + nuisance(points_[from], points_[to], cost_[to] - bare);
        if (total >= cost_[to]) return false;
        cost_[to] = total;
        return true;
    }

    [[nodiscard]] Polyline way_to_end(const std::vector<std::size_t>& before) const {
        Polyline way{points_[1]};
        for (std::size_t p = 1; p != 0; p = before[p]) way.push_back(points_[before[p]]);
        std::reverse(way.begin(), way.end());
        return way;
    }

    /// Bends become curves, as wide as there is room.
    [[nodiscard]] Polyline rounded(const Polyline& way) const {
        Polyline line{way.front()};
        for (std::size_t i = 1; i + 1 < way.size(); ++i) {
            const double room = std::min(length(way[i] - way[i - 1]), length(way[i + 1] - way[i])) / 2;
            Polyline curve{way[i]};
            for (const double radius : {90.0, 60.0, 40.0, 24.0, 12.0}) {
                const double r = std::min(radius, room);
                Polyline wide = bend(way[i] - r * direction(way[i - 1], way[i]), way[i],
                                     way[i] + r * direction(way[i], way[i + 1]));
                if (!is_clear(wide) || enters_foreign_areas(wide)) continue;
                curve = std::move(wide);
                break;
            }
            line.insert(line.end(), curve.begin(), curve.end());
        }
        line.push_back(way.back());
        return line;
    }

    [[nodiscard]] bool enters_foreign_areas(const Polyline& line) const {
        return std::any_of(foreign_.begin(), foreign_.end(), [&](const Box& area) { return crosses(area, line); });
    }

    static Polyline bend(Point a, Point corner, Point b) {
        constexpr int kPieces = 8;
        Polyline curve;
        for (int i = 0; i <= kPieces; ++i) {
            const double t = static_cast<double>(i) / kPieces;
            curve.push_back((1 - t) * ((1 - t) * a + t * corner) + t * ((1 - t) * corner + t * b));
        }
        return curve;
    }

    [[nodiscard]] bool is_clear(const Polyline& line) const {
        for (std::size_t i = 1; i < line.size(); ++i) {
            if (!is_clear(line[i - 1], line[i], true, true)) return false;
        }
        return true;
    }

    const Detours& all_;
    std::uint32_t from_;
    std::uint32_t to_;
    double clearance_ = 0.0;
    Box window_;
    std::vector<std::uint32_t> near_;
    std::vector<Box> foreign_;
    std::vector<Point> points_;
    std::vector<double> rest_;  ///< of each point: its distance from the end
    std::vector<double> cost_;  ///< of the best way to it that is known
    std::vector<bool> done_;
    std::vector<std::uint32_t> near_pieces_;
    std::size_t work_ = 0;
    std::size_t most_;
};

void Detours::lay(const Polyline& line) {
    for (std::size_t i = 1; i < line.size(); ++i) {
        pieces_.push_back({line[i - 1], line[i]});
        segments_.add_line(line[i - 1], line[i]);
    }
}

Polyline Detours::find(std::uint32_t from, std::uint32_t to, std::span<const Box> foreign) {
    DetourSearch search(*this, from, to, foreign, std::min(kMostOfOne, kMostOfAll - work_));
    std::optional<Polyline> way;
    for (const double clearance : {9.0, 5.0, 2.0}) {
        way = search.run(clearance);
        if (way) break;
    }
    work_ = std::min(work_ + search.work(), kMostOfAll);
    return way ? *way : Polyline{boxes_[from].centre, boxes_[to].centre};
}

}  // namespace bondgraph::drawing
