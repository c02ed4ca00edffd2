#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/pictures.hpp"
#include "bondgraph/api/reports.hpp"
#include "bondgraph/api/results.hpp"
#include "bondgraph/api/runs.hpp"
#include "bondgraph/api/sensitivities.hpp"

namespace bondgraph::api {

// Parts of the page, as web/src/data.ts reads them.

nlohmann::ordered_json messages_json(const std::vector<Message>& messages);
nlohmann::ordered_json drawing_json(const Drawing& drawing, const char* title);
nlohmann::ordered_json causality_json(const Causality& causality);
/// Of each poles; frequency responses and answers to steps where states and channels are not too many for a picture,
/// beyond the first only where all of them find room.
nlohmann::ordered_json shown_linear(std::span<const LinearModel> along);
/// These columns of a series, `most` numbers in all: rows are left out at even distances.
nlohmann::ordered_json table_json(const Series& series, std::span<const std::size_t> columns, std::size_t most);
nlohmann::ordered_json animation_json(const Animation& animation, std::size_t most);
/// Of a result: percent for percent is (more − less)/(2 step now).
nlohmann::ordered_json sensitivities_json(const Sensitivities& found);

}  // namespace bondgraph::api
