#include "bondgraph/drawing/frames.hpp"

#include <utility>
#include <vector>

namespace bondgraph::drawing {
namespace {

/// The frames around a node that are too small to hold its box, as large as they would have to be.
std::vector<std::pair<std::uint32_t, Box>> frames_to_grow(const Picture& picture, const Box& box, std::uint32_t node,
                                                          std::span<const Box> frames) {
    constexpr double kInside = 8.0;
    constexpr double kTitle = 12.0;
    std::vector<std::pair<std::uint32_t, Box>> grown;
    Box inner = box;
    for (std::uint32_t f = picture.nodes[node].frame; f != kNone; f = picture.frames[f].parent) {
        Box needed = inner.grown(kInside);
        needed.height += kTitle;
        needed.centre.y -= kTitle / 2;
        inner = around(frames[f], needed);
        if (inner.width <= frames[f].width && inner.height <= frames[f].height) break;
        grown.emplace_back(f, inner);
    }
    return grown;
}

bool is_inside(const Picture& picture, std::uint32_t frame, std::uint32_t outer) {
    while (frame != kNone && frame != outer) frame = picture.frames[frame].parent;
    return frame == outer;
}

/// What doesn't belong into a frame but would lie on its area.
std::size_t strangers_in(const Picture& picture, std::span<const Box> boxes, std::uint32_t frame, const Box& area,
                         std::span<const Box> frames) {
    std::size_t count = 0;
    for (std::uint32_t n = 0; n < boxes.size(); ++n) {
        if (!is_inside(picture, picture.nodes[n].frame, frame) && overlap(area, boxes[n])) ++count;
    }
    for (std::uint32_t f = 0; f < frames.size(); ++f) {
        const bool apart = !is_inside(picture, f, frame) && !is_inside(picture, frame, f);
        if (apart && overlap(area, frames[f])) ++count;
    }
    return count;
}

}  // namespace

std::size_t out_of_frame(const Picture& picture, std::span<const Box> boxes, std::uint32_t node,
                         std::span<const Box> frames) {
    constexpr std::size_t kStranger = 6;
    std::size_t count = 0;
    for (std::uint32_t f = 0; f < frames.size(); ++f) {
        if (!is_inside(picture, picture.nodes[node].frame, f) && overlap(boxes[node], frames[f])) count += kStranger;
    }
    for (const auto& [frame, area] : frames_to_grow(picture, boxes[node], node, frames))
        count += 1 + kStranger * strangers_in(picture, boxes, frame, area, frames);
    return count;
}

std::vector<Box> foreign_frames(const Picture& picture, std::uint32_t a, std::uint32_t b, std::span<const Box> frames) {
    std::vector<Box> foreign;
    for (std::uint32_t f = 0; f < frames.size(); ++f) {
        if (!is_inside(picture, picture.nodes[a].frame, f) && !is_inside(picture, picture.nodes[b].frame, f))
            foreign.push_back(frames[f]);
    }
    return foreign;
}

void grow_frames(const Picture& picture, const Box& box, std::uint32_t node, std::span<Box> frames) {
    for (const auto& [frame, area] : frames_to_grow(picture, box, node, frames)) frames[frame] = area;
}

}  // namespace bondgraph::drawing
