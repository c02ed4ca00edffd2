#include "bondgraph/io/arrow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/io/yaml_mistake.hpp"
#include "bondgraph/model/array_text.hpp"

namespace bondgraph::io {

namespace {

struct Found {
    std::size_t offset = std::string_view::npos;
    std::size_t length = 0;
    std::size_t count = 0;
};

/// The first of several spellings, and how often any of them occurs.
template <std::size_t N>
Found find_any(std::string_view text, const std::array<std::string_view, N>& spellings) {
    Found found;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto spelling = std::find_if(spellings.begin(), spellings.end(),
                                           [&](std::string_view s) { return text.substr(i).starts_with(s); });
        if (spelling == spellings.end()) continue;
        if (found.count++ == 0) {
            found.offset = i;
            found.length = spelling->size();
        }
        i += spelling->size() - 1;
    }
    return found;
}

constexpr std::array<std::string_view, 2> kArrows{"->", "→"};
constexpr std::array<std::string_view, 2> kBackwardArrows{"<-", "←"};
constexpr std::array<std::string_view, 6> kOtherSigns{"--", "=>", "⇒", "–", "—", "- "};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Of the texts "a" and "b" in "a <- b".
std::pair<std::string_view, std::string_view> sides(std::string_view text, const Found& sign) {
    return {trimmed(text.substr(0, sign.offset)), trimmed(text.substr(sign.offset + sign.length))};
}

void report_no_arrow(const model::Text& text, ArrowKind kind, Diagnostics& diagnostics) {
    const Found backward = find_any(text.text, kBackwardArrows);
    if (backward.count == 1) {
        const auto [left, right] = sides(text.text, backward);
        diagnostics.error(
            "BG-M033", text.position, fmt::format("the arrow of {} points backwards", quoted_excerpt(text.text)),
            {{"because", "only '->' is an arrow"}, {"try", fmt::format("write '{} -> {}'", right, left)}});
        return;
    }
    std::vector<DiagnosticNote> notes{{"try", arrow_advice(kind)}};
    if (find_any(text.text, kOtherSigns).count > 0)
        notes.insert(notes.begin(),
                     {"because", kind == ArrowKind::bond ? "the arrow '->' gives the direction of positive power"
                                                         : "the arrow '->' leads from a value to an input"});
    diagnostics.error("BG-M033", text.position, fmt::format("{} has no arrow", quoted_excerpt(text.text)),
                      std::move(notes));
}

/// A part of a text, with its own place.
model::Text part_of(const model::Text& whole, std::string_view part) {
    model::Text text{std::string(part), whole.position, false};
    // the columns of a text over several lines are not those of the file
    if (!whole.position.known() || whole.text.find('\n') != std::string::npos) return text;
    const auto offset = static_cast<std::size_t>(part.data() - whole.text.data());
    const std::size_t characters = utf8_count(std::string_view(whole.text).substr(0, offset));
    text.position.column += static_cast<std::uint32_t>(characters + (whole.quoted ? 1 : 0));
    return text;
}

/// Ends are names with dots; whether anything has that name is found out later.
bool check_end(const model::Text& end, ArrowKind kind, Diagnostics& diagnostics) {
    if (model::without_indices(end.text).find_first_of(" \t\r\n<>-+*/=,;:'\"(){}") == std::string::npos) return true;
    diagnostics.error("BG-M033", end.position,
                      fmt::format("{} is not the name of {}", quoted_excerpt(end.text),
                                  kind == ArrowKind::bond ? "a component or port" : "an input"),
                      {{"try", arrow_advice(kind)}});
    return false;
}

}  // namespace

std::string arrow_advice(ArrowKind kind) {
    return kind == ArrowKind::bond ? "write one bond per line: 'a -> b'" : "write one signal per line: 'a.y -> b.u'";
}

std::vector<model::Text> split_joined(const model::Text& text, Diagnostics& diagnostics) {
    constexpr std::string_view kSign = "--";
    const std::string_view all = text.text;
    std::vector<model::Text> members;
    for (std::size_t begin = 0; begin <= all.size();) {
        const std::size_t sign = std::min(all.find(kSign, begin), all.size());
        members.push_back(part_of(text, trimmed(all.substr(begin, sign - begin))));
        begin = sign + kSign.size();
    }
    const bool gap = std::ranges::any_of(members, [](const model::Text& m) { return m.text.empty(); });
    if (members.size() > 1 && !gap) return members;
    diagnostics.error("BG-M033", text.position,
                      "an entry of 'connect' is a list of connectors that are joined to each other",
                      {{"try", "write '- [a.frame_b, b.frame_a]', or '- a.frame_b -- b.frame_a'"}});
    return {};
}

bool has_arrow(std::string_view text) { return find_any(text, kArrows).count > 0; }

std::optional<ArrowEnds> split_arrow(const model::Text& text, ArrowKind kind, Diagnostics& diagnostics) {
    const Found arrow = find_any(text.text, kArrows);
    if (arrow.count == 0) {
        report_no_arrow(text, kind, diagnostics);
        return std::nullopt;
    }
    const auto report = [&](const std::string& problem) {
        diagnostics.error("BG-M033", text.position, fmt::format("{} {}", quoted_excerpt(text.text), problem),
                          {{"try", arrow_advice(kind)}});
    };
    if (arrow.count > 1) {
        report(fmt::format("has {} arrows", arrow.count));
        return std::nullopt;
    }
    const auto [from, to] = sides(text.text, arrow);
    if (from.empty() || to.empty()) {
        report(fmt::format("has nothing {} the arrow", from.empty() ? "before" : "after"));
        return std::nullopt;
    }
    if (from.ends_with('-') || from.ends_with('=') || to.starts_with('>') || to.starts_with('-')) {
        constexpr std::string_view kOfArrows = "-=> \t";
        const std::string_view left = from.substr(0, from.find_last_not_of(kOfArrows) + 1);
        const std::size_t begin = to.find_first_not_of(kOfArrows);
        const std::string_view right = begin == std::string_view::npos ? std::string_view{} : to.substr(begin);
        diagnostics.error("BG-M033", text.position,
                          fmt::format("the arrow of {} is not '->'", quoted_excerpt(text.text)),
                          {{"try", left.empty() || right.empty() ? arrow_advice(kind)
                                                                 : fmt::format("write '{} -> {}'", left, right)}});
        return std::nullopt;
    }
    ArrowEnds ends{part_of(text, from), part_of(text, to)};
    const bool sound_from = kind == ArrowKind::signal || check_end(ends.from, kind, diagnostics);
    const bool sound_to = check_end(ends.to, kind, diagnostics);
    if (!sound_from || !sound_to) return std::nullopt;
    return ends;
}

}  // namespace bondgraph::io
