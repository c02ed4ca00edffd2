// Frames of mechanics on the page: where they are, and what acts there.

#include "bondgraph/api/page_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "bondgraph/api/packed_numbers.hpp"

namespace bondgraph::api {

namespace {

using Json = nlohmann::ordered_json;

/// Position, orientation (h_frame = R h_world), force and torque, all in the world; planar frames at z = 0.
Json frame_json(const FrameColumns& frame, const Series& series, std::span<const std::size_t> kept) {
    const std::size_t rows = series.rows();
    const auto at = [&](const std::vector<std::size_t>& columns, std::size_t i, std::size_t row) {
        return i < columns.size() ? series.column(columns[i])[row] : 0.0;
    };
    std::vector<double> x;
    std::vector<double> R;
    std::vector<double> f;
    std::vector<double> t;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < 3; ++i) x.push_back(at(frame.x, i, row));
        for (std::size_t i = 0; i < 3; ++i) f.push_back(at(frame.f, i, row));
        if (frame.planar()) {
            const double c = std::cos(at(frame.R, 0, row));
            const double s = std::sin(at(frame.R, 0, row));
            for (const double v : {c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0}) R.push_back(v);
            for (const double v : {0.0, 0.0, at(frame.t, 0, row)}) t.push_back(v);
            continue;
        }
        for (std::size_t i = 0; i < 9; ++i) R.push_back(at(frame.R, i, row));
        for (std::size_t i = 0; i < 3; ++i) {
            double sum = 0.0;
            for (std::size_t k = 0; k < 3; ++k) sum += at(frame.R, 3 * k + i, row) * at(frame.t, k, row);
            t.push_back(sum);
        }
    }
    return {{"name", frame.name},
            {"x", packed_rows(x, 3, kept)},
            {"R", packed_rows(R, 9, kept)},
            {"f", packed_rows(f, 3, kept)},
            {"t", packed_rows(t, 3, kept)}};
}

}  // namespace

std::vector<FrameColumns> frames_of(const Series& series) {
    std::map<std::string_view, std::size_t> place;
    for (std::size_t c = 0; c < series.columns().size(); ++c) place.emplace(series.columns()[c].name, c);
    const auto all = [&](const std::string& name, const std::vector<std::string>& indices) {
        std::vector<std::size_t> columns;
        for (const std::string& index : indices) {
            const auto found = place.find(name + index);
            if (found == place.end()) return std::vector<std::size_t>{};
            columns.push_back(found->second);
        }
        return columns;
    };
    const std::vector<std::string> two{"[1]", "[2]"};
    const std::vector<std::string> three{"[1]", "[2]", "[3]"};
    std::vector<std::string> nine;
    for (int i = 1; i <= 3; ++i) {
        for (int j = 1; j <= 3; ++j) nine.push_back(fmt::format("[{},{}]", i, j));
    }
    std::vector<FrameColumns> frames;
    for (const Series::Column& column : series.columns()) {
        constexpr std::string_view kFirst = ".x[1]";
        if (!column.name.ends_with(kFirst)) continue;
        FrameColumns frame{column.name.substr(0, column.name.size() - kFirst.size()), {}, {}, {}, {}};
        const std::string& n = frame.name;
        if (std::ranges::none_of(kFrames, [&](std::string_view end) { return n.ends_with(fmt::format(".{}", end)); }))
            continue;
        const bool planar = place.contains(n + ".phi");
        frame.x = all(n + ".x", planar ? two : three);
        frame.R = planar ? all(n + ".phi", {""}) : all(n + ".R", nine);
        frame.f = all(n + ".f", planar ? two : three);
        frame.t = planar ? all(n + ".t", {""}) : all(n + ".t", three);
        if (frame.x.empty() || frame.R.empty() || frame.f.empty() || frame.t.empty()) continue;
        frames.push_back(std::move(frame));
        if (frames.size() == kMostFrames) break;
    }
    return frames;
}

nlohmann::ordered_json frames_json(const std::vector<FrameColumns>& frames, const Series& series, std::size_t most) {
    if (frames.empty()) return nullptr;
    constexpr std::size_t kNumbers = 18;
    const std::vector<std::size_t> kept = kept_rows(series.rows(), kNumbers * frames.size(), most);
    Json list = Json::array();
    for (const FrameColumns& frame : frames) list.push_back(frame_json(frame, series, kept));
    return {{"time", packed_times(series.time(), kept)}, {"frames", std::move(list)}};
}

}  // namespace bondgraph::api
