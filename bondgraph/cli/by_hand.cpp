// Strokes and equations that somebody has found by hand, judged.

#include "bondgraph/cli/by_hand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bondgraph/api/json_text.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

std::string trimmed_entry(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

const char* verdict_text(api::JudgedStroke::Verdict verdict) {
    switch (verdict) {
        case api::JudgedStroke::Verdict::forced:
            return "right";
        case api::JudgedStroke::Verdict::chosen:
            return "possible";
        case api::JudgedStroke::Verdict::wrong:
            return "wrong";
        case api::JudgedStroke::Verdict::unknown:
            break;
    }
    return "not judged";
}

std::vector<std::string> bonds_left(const api::JudgedStrokes& strokes) {
    std::vector<std::string> left;
    for (const api::StrokePlace& p : strokes.places) {
        if (!p.placed && !p.inside) left.push_back(p.bond);
    }
    return left;
}

std::string reason_shown(const api::JudgedStroke& s) {
    return s.verdict == api::JudgedStroke::Verdict::chosen ? "either end is possible: what follows, follows from this"
                                                           : s.reason;
}

std::string judged_text(const api::JudgedStrokes& strokes) {
    Table table({Align::left, Align::left, Align::left, Align::left});
    for (const api::JudgedStroke& s : strokes.judged)
        table.add({s.bond, s.at.empty() ? s.end : "at " + s.at, verdict_text(s.verdict), reason_shown(s)});
    std::string text = heading("Strokes that were placed") + table.text();
    if (const auto left = bonds_left(strokes); !left.empty())
        text += heading(fmt::format("Without a stroke yet: {}", fmt::join(left, ", ")));
    return text;
}

std::string judged_json(const api::JudgedStrokes& strokes) {
    nlohmann::ordered_json report{{"strokes", nlohmann::ordered_json::array()}};
    for (const api::JudgedStroke& s : strokes.judged)
        report["strokes"].push_back({{"bond", s.bond},
                                     {"end", s.end},
                                     {"at", s.at},
                                     {"verdict", verdict_text(s.verdict)},
                                     {"reason", s.reason}});
    report["left"] = bonds_left(strokes);
    return api::json_text(report);
}

std::string judged_text(const api::JudgedEquations& equations, const std::vector<std::string>& derived) {
    std::string text = heading("Equations that were derived");
    std::vector<std::string> left = equations.states;
    for (std::size_t k = 0; k < derived.size(); ++k) {
        const api::JudgedEquation& e = equations.judged[k];
        text += fmt::format("  {}\n    {}\n", derived[k], e.text);
        if (e.right) std::erase(left, e.state);
    }
    if (!left.empty()) text += heading(fmt::format("Without a right one yet: {}", fmt::join(left, ", ")));
    return text;
}

std::string judged_json(const api::JudgedEquations& equations, const std::vector<std::string>& derived) {
    nlohmann::ordered_json report{
        {"equations", nlohmann::ordered_json::array()}, {"states", equations.states}, {"known", equations.known}};
    for (std::size_t k = 0; k < derived.size(); ++k) {
        const api::JudgedEquation& e = equations.judged[k];
        report["equations"].push_back(
            {{"equation", derived[k]}, {"state", e.state}, {"right", e.right}, {"text", e.text}});
    }
    return api::json_text(report);
}

}  // namespace

std::vector<std::string> entries_of(const std::vector<std::string>& typed) {
    std::vector<std::string> entries;
    for (const std::string& text : typed) {
        if (text.find('=') != std::string::npos) {
            entries.push_back(trimmed_entry(text));
            continue;
        }
        std::ifstream file(text);
        std::error_code unknown;
        if (std::filesystem::is_directory(text, unknown))
            throw UsageError(fmt::format("'{}' has no \"=\", and is a folder", text));
        if (!file) throw UsageError(fmt::format("'{}' has no \"=\", and there is no such file", text));
        std::string line;
        for (int number = 1; std::getline(file, line); ++number) {
            constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
            if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
            line = trimmed_entry(line.substr(0, line.find('#')));
            if (line.empty()) continue;
            if (line.find('=') == std::string::npos)
                throw UsageError(fmt::format("line {} of '{}' has no \"=\"", number, text));
            entries.push_back(line);
        }
    }
    return entries;
}

std::vector<api::PlacedStroke> placed_strokes(const std::vector<std::string>& typed) {
    std::vector<api::PlacedStroke> placed;
    for (const std::string& entry : entries_of(typed)) {
        const auto equals = entry.find('=');
        placed.push_back({trimmed_entry(entry.substr(0, equals)), trimmed_entry(entry.substr(equals + 1))});
    }
    return placed;
}

FoundByHand strokes_in(const api::Model& model, const std::string& file, std::vector<api::PlacedStroke>& placed) {
    FoundByHand found;
    const std::vector<api::PlacedStroke> all = placed_strokes({file});
    const auto judged = model.judge(api::StrokesOptions{.values = {}, .placed = all});
    if (!judged) return {.remark = judged.error().messages.empty() ? "" : judged.error().messages.front().text};
    for (std::size_t k = 0; k < judged->judged.size(); ++k) {
        const api::JudgedStroke& s = judged->judged[k];
        if (s.accepted()) {
            placed.push_back(all[k]);
            continue;
        }
        if (found.wrong++ == 0) found.remark = fmt::format("stroke {}={}: {}", all[k].bond, all[k].end, s.reason);
    }
    found.right = static_cast<std::size_t>(
        std::ranges::count_if(judged->places, [](const api::StrokePlace& p) { return p.placed && !p.inside; }));
    found.of = found.right + judged->left();
    return found;
}

FoundByHand equations_in(const api::Model& model, const std::string& file,
                         const std::vector<api::PlacedStroke>& placed) {
    FoundByHand found;
    const std::vector<std::string> all = entries_of({file});
    const auto judged = model.judge(api::DerivationsOptions{.values = {}, .placed = placed, .equations = all});
    if (!judged) return {.remark = judged.error().messages.empty() ? "" : judged.error().messages.front().text};
    if (!judged->unjudged.empty()) return {.remark = judged->unjudged};
    std::vector<std::string> left = judged->states;
    for (std::size_t k = 0; k < judged->judged.size(); ++k) {
        const api::JudgedEquation& e = judged->judged[k];
        if (e.right)
            std::erase(left, e.state);
        else if (found.wrong++ == 0)
            found.remark = fmt::format("{}: {}", all[k], e.text);
    }
    found.of = judged->states.size();
    found.right = found.of - left.size();
    return found;
}

int judge_strokes(const api::Model& model, const std::vector<std::string>& placed, bool json) {
    const api::JudgedStrokes found =
        value_of(model.judge(api::StrokesOptions{.values = {}, .placed = placed_strokes(placed)}));
    put(json ? judged_json(found) : judged_text(found));
    return std::ranges::all_of(found.judged, &api::JudgedStroke::accepted) ? kDone : kWrongUsage;
}

int judge_equations(const api::Model& model, const std::vector<std::string>& derived,
                    const std::vector<std::string>& placed, bool json) {
    const std::vector<std::string> entries = entries_of(derived);
    const std::vector<api::PlacedStroke> strokes = placed_strokes(placed);
    if (!strokes.empty()) {
        for (const api::JudgedStroke& s : value_of(model.judge(api::StrokesOptions{.placed = strokes})).judged) {
            if (!s.accepted())
                throw UsageError(fmt::format("the stroke '{}={}' is {}: {}", s.bond, s.end,
                                             s.verdict == api::JudgedStroke::Verdict::wrong ? "wrong" : "not known",
                                             s.reason));
        }
    }
    const api::JudgedEquations found =
        value_of(model.judge(api::DerivationsOptions{.values = {}, .placed = strokes, .equations = entries}));
    if (!found.unjudged.empty())
        throw UsageError(fmt::format("equations of this model can't be judged: {}", found.unjudged));
    put(json ? judged_json(found, entries) : judged_text(found, entries));
    return std::ranges::all_of(found.judged, &api::JudgedEquation::right) ? kDone : kWrongUsage;
}

}  // namespace bondgraph::cli
