#pragma once

#include <span>
#include <string>
#include <vector>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Finds free places for texts beside lines and boxes.
class Labels {
   public:
    /// A text never lies across one of these if that can be helped.
    void avoid(const Box& box) { boxes_.add(box); }
    void avoid(const Polyline& line) { add(line, kOnLine); }
    /// Strokes and half arrows: what hides one hides what the drawing says.
    void avoid_hiding(const Polyline& mark) { add(mark, kHides); }
    /// A text, or something else with a name beside it that would be read together with one close to it.
    void keep_apart(const Box& text) { boxes_.add({text.centre, text.width + 2 * kGap, text.height}); }

    /// The first of the candidates that is free with some air around it, else the one that hides least; it is taken
    /// from then on.
    Box place(std::span<const Box> candidates);

   private:
    static constexpr double kGap = 4.5;
    static constexpr double kHides = 5.0;
    static constexpr double kOnLine = 1.0;
    static constexpr double kAir = 1.5;    // a text that touches a line is read as part of it
    static constexpr double kTouch = 0.1;  // what touching counts of hiding

    struct Piece {
        std::size_t line;
        double cost;
        Point a;
        Point b;
    };

    void add(const Polyline& line, double cost);
    [[nodiscard]] double cost(const Box& box) const;

    BoxIndex boxes_;
    std::vector<Piece> pieces_;
    BoxIndex around_pieces_;
    std::size_t lines_ = 0;
};

/// The box of a text (without place).
Box text_box(const std::string& text, double size, bool bold = false);

/// The box moved so that it touches `point` from the side `towards` points to, with some air between.
Box beside(Box box, Point point, Point towards, double air);

}  // namespace bondgraph::drawing
