#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/results.hpp"

namespace bondgraph::api {

/// The ends of components at which the page shows frames.
constexpr std::array<std::string_view, 2> kFrames{"frame_a", "frame_b"};
constexpr std::size_t kMostFrames = 64;

/// Of a frame of mechanics: the results that tell where it is and what acts on its component there.
struct FrameColumns {
    std::string name;  ///< rod.frame_a
    std::vector<std::size_t> x, R, f, t;
    [[nodiscard]] bool planar() const { return x.size() == 2; }
};

/// The frames of which a run has all results.
std::vector<FrameColumns> frames_of(const Series& series);

/// Poses, forces and torques of frames, `most` numbers in all; null where there are none.
nlohmann::ordered_json frames_json(const std::vector<FrameColumns>& frames, const Series& series, std::size_t most);

}  // namespace bondgraph::api
