#include "bondgraph/api/page_openings.hpp"

#include <bit>
#include <cstdint>

#include "bondgraph/api/page_json.hpp"

namespace bondgraph::api {
namespace {

constexpr std::size_t kMostNodes = 150;
constexpr std::size_t kMostOpened = 40;
constexpr std::size_t kMostText = 1'500'000;
constexpr std::size_t kMostTogether = 26;  ///< drawings: all combinations of five, the pairs of seven
constexpr std::size_t kMostTextTogether = 1'000'000;

std::string key_of(const std::vector<std::string>& names) {
    std::string key;
    for (const std::string& n : names) key += (key.empty() ? "" : "\n") + n;
    return key;
}

/// Combinations of two and more of so many, smaller ones first, as bits.
std::vector<std::uint32_t> combinations(std::size_t count) {
    std::vector<std::uint32_t> all;
    if (count > 16) return all;
    const auto largest = static_cast<int>((std::size_t{1} << count) - 1 - 1 - count <= kMostTogether ? count : 2);
    for (int size = 2; size <= largest; ++size) {
        for (std::uint32_t bits = 0; bits < (1U << count); ++bits) {
            if (std::popcount(bits) == size) all.push_back(bits);
        }
    }
    return all.size() <= kMostTogether ? all : std::vector<std::uint32_t>{};
}

}  // namespace

PageOpenings openings_of(const Drawing& folded, const DrawOpened& draw, bool together) {
    PageOpenings page{nlohmann::ordered_json::object(), nlohmann::ordered_json::array(), {}};
    std::size_t text = 0;
    std::vector<std::string> single;
    const auto add = [&](const std::vector<std::string>& names, const Drawing& drawing) {
        text += drawing.text.size();
        page.opened[key_of(names)] = drawing_json(drawing, names.front().c_str());
        page.drawn.push_back(drawing);
    };
    for (const DrawnNode& n : folded.nodes) {
        if (n.kind != "composite") continue;
        const bool room = folded.nodes.size() <= kMostNodes && single.size() < kMostOpened;
        const auto opened = room && text < kMostText ? draw({n.name}) : Result<Drawing>(folded);
        if (!opened || opened->text == folded.text || text + opened->text.size() > kMostText) {
            if (!room || text + (opened ? opened->text.size() : 0) > kMostText) page.closed.push_back(n.name);
            continue;
        }
        add({n.name}, *opened);
        single.push_back(n.name);
    }
    if (!together) return page;
    const std::size_t most = text + kMostTextTogether;
    for (const std::uint32_t bits : combinations(single.size())) {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < single.size(); ++k) {
            if ((bits >> k & 1U) != 0) names.push_back(single[k]);
        }
        const auto opened = draw(names);
        // What is left out leaves all larger ones out: a page takes components together from any of its states.
        if (!opened || text + opened->text.size() > most) break;
        add(names, *opened);
    }
    return page;
}

}  // namespace bondgraph::api
