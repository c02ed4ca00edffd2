#pragma once

#include <span>
#include <string>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Finds free places for texts beside lines and boxes.
class Labels {
   public:
    /// A text never lies across one of these if that can be helped.
    void avoid(const Box& box) { boxes_.push_back(box); }
    void avoid(const Polyline& line) { lines_.push_back(line); }
    /// A text, or something else with a name beside it that would be read together with one close to it.
    void keep_apart(const Box& text) { boxes_.push_back({text.centre, text.width + 2 * kGap, text.height}); }

    /// The first of the candidates that is free, else the one that hides least; it is taken from then on.
    Box place(std::span<const Box> candidates);

   private:
    static constexpr double kGap = 4.5;

    [[nodiscard]] double cost(const Box& box) const;

    std::vector<Box> boxes_;
    std::vector<Polyline> lines_;
};

/// The box of a text (without place).
Box text_box(const std::string& text, double size, bool bold = false);

/// The box moved so that it touches `point` from the side `towards` points to, with some air between.
Box beside(Box box, Point point, Point towards, double air);

}  // namespace bondgraph::drawing
