#include "bondgraph/io/symbol_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace bondgraph::io {
namespace {

using Place = model::Symbol::Place;

constexpr double kFarthest = 1000.0;  // points: larger than any symbol

/// Points along a circle's arc so near to each other that it looks round.
constexpr double kTurn = std::numbers::pi / 16;
constexpr int kCurvePoints = 12;

std::size_t numbers_of(char letter) {
    switch (letter) {
        case 'M':
        case 'L':
            return 2;
        case 'H':
        case 'V':
            return 1;
        case 'C':
            return 6;
        case 'A':
            return 7;
        default:
            return 0;
    }
}

/// The arc of an ellipse from a to b: from its endpoints to its centre as in the appendix of the SVG recommendation.
void add_arc(std::vector<Place>& points, Place b, const std::array<double, 7>& n) {
    const Place a = points.back();
    double rx = std::abs(n[0]);
    double ry = std::abs(n[1]);
    if (rx == 0.0 || ry == 0.0 || a == b) {
        points.push_back(b);
        return;
    }
    const double c = std::cos(n[2] * std::numbers::pi / 180.0);
    const double s = std::sin(n[2] * std::numbers::pi / 180.0);
    const double x = (c * (a[0] - b[0]) + s * (a[1] - b[1])) / 2;
    const double y = (c * (a[1] - b[1]) - s * (a[0] - b[0])) / 2;
    const double too_far = x * x / (rx * rx) + y * y / (ry * ry);
    if (too_far > 1.0) {
        rx *= std::sqrt(too_far);
        ry *= std::sqrt(too_far);
    }
    const double rest = rx * rx * ry * ry - rx * rx * y * y - ry * ry * x * x;
    const double k = std::sqrt(std::max(0.0, rest / (rx * rx * y * y + ry * ry * x * x))) *
                     ((n[3] != 0.0) == (n[4] != 0.0) ? -1.0 : 1.0);
    const double cx = k * rx * y / ry;
    const double cy = -k * ry * x / rx;
    const double first = std::atan2((y - cy) / ry, (x - cx) / rx);
    double turn = std::atan2((-y - cy) / ry, (-x - cx) / rx) - first;
    if (n[4] != 0.0 && turn < 0) turn += 2 * std::numbers::pi;
    if (n[4] == 0.0 && turn > 0) turn -= 2 * std::numbers::pi;
    const Place centre{c * cx - s * cy + (a[0] + b[0]) / 2, s * cx + c * cy + (a[1] + b[1]) / 2};
    const int steps = std::max(1, static_cast<int>(std::ceil(std::abs(turn) / kTurn)));
    for (int i = 1; i < steps; ++i) {
        const double u = rx * std::cos(first + turn * i / steps);
        const double v = ry * std::sin(first + turn * i / steps);
        points.push_back({centre[0] + c * u - s * v, centre[1] + s * u + c * v});
    }
    points.push_back(b);
}

void add_curve(std::vector<Place>& points, const std::array<double, 7>& n) {
    const Place a = points.back();
    for (int i = 1; i <= kCurvePoints; ++i) {
        const double t = static_cast<double>(i) / kCurvePoints;
        const double u = 1.0 - t;
        const std::array<double, 4> w{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
        points.push_back({w[0] * a[0] + w[1] * n[0] + w[2] * n[2] + w[3] * n[4],
                          w[0] * a[1] + w[1] * n[1] + w[2] * n[3] + w[3] * n[5]});
    }
}

class PathReader {
   public:
    explicit PathReader(std::string_view text) : text_(text) {}

    std::variant<std::vector<model::Symbol::Line>, PathMistake> run() {
        skip_blanks();
        while (at_ < text_.size() && !mistake_) step();
        if (mistake_) return *mistake_;
        std::erase_if(lines_, [](const auto& line) { return line.points.size() < 2; });
        return std::move(lines_);
    }

   private:
    void step() {
        constexpr std::string_view kLetters = "MLHVCAZ";
        const char c = text_[at_];
        if (kLetters.find(c) != std::string_view::npos) {
            letter_ = c;
            ++at_;
            skip_blanks();
        } else if (!letter_ || *letter_ == 'Z' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            return refuse(fmt::format("'{}' is none of the letters M, L, H, V, C, A and Z", c));
        }
        if (lines_.empty() && *letter_ != 'M') return refuse("a path begins with M and a place");
        if (*letter_ == 'Z') return close();
        std::array<double, 7> n{};
        for (std::size_t k = 0; k < numbers_of(*letter_); ++k) {
            const std::optional<double> one = number();
            if (!one) return;
            n[k] = *one;
        }
        draw(n);
    }

    void draw(const std::array<double, 7>& n) {
        const char letter = *letter_;
        if (letter == 'M') {
            lines_.push_back({.points = {{n[0], n[1]}}});
            letter_ = 'L';  // further places are joined by lines
            return;
        }
        if (closed_) lines_.push_back({.points = {lines_.back().points.back()}});
        closed_ = false;
        auto& points = lines_.back().points;
        const Place from = points.back();
        switch (letter) {
            case 'L':
                points.push_back({n[0], n[1]});
                break;
            case 'H':
                points.push_back({n[0], from[1]});
                break;
            case 'V':
                points.push_back({from[0], n[0]});
                break;
            case 'C':
                add_curve(points, n);
                break;
            default:
                add_arc(points, {n[5], n[6]}, n);
        }
    }

    void close() {
        auto& points = lines_.back().points;
        if (points.back() != points.front()) points.push_back(points.front());
        closed_ = true;
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == ',' || text_[at_] == '\n')) ++at_;
    }

    std::optional<double> number() {
        double value = 0.0;
        const char* begin = text_.data() + at_;
        const auto [end, mistake] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (mistake != std::errc() || std::abs(value) > kFarthest) {
            refuse(at_ == text_.size() ? fmt::format("the path ends where a number of {} is missing", *letter_)
                                       : fmt::format("{} needs a number from -1000 to 1000 here", *letter_));
            return std::nullopt;
        }
        at_ += static_cast<std::size_t>(end - begin);
        skip_blanks();
        return value;
    }

    void refuse(std::string message) { mistake_ = PathMistake{at_, std::move(message)}; }

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<char> letter_;
    bool closed_ = false;
    std::vector<model::Symbol::Line> lines_;
    std::optional<PathMistake> mistake_;
};

}  // namespace

std::variant<std::vector<model::Symbol::Line>, PathMistake> read_path(std::string_view text) {
    return PathReader(text).run();
}

}  // namespace bondgraph::io
