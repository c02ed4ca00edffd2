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

bool same_bond(const api::JudgedStroke& a, const api::JudgedStroke& b) {
    return a.bond == b.bond && a.at.empty() == b.at.empty();
}

/// Whether one before it is the same: it counts once, right or wrong.
bool is_given_before(const std::vector<api::JudgedStroke>& judged, std::size_t k) {
    return std::any_of(judged.begin(), judged.begin() + static_cast<std::ptrdiff_t>(k),
                       [&](const api::JudgedStroke& s) { return same_bond(s, judged[k]) && s.end == judged[k].end; });
}

bool all_right(const std::vector<api::JudgedStroke>& judged) {
    for (std::size_t k = 0; k < judged.size(); ++k) {
        if (!judged[k].accepted() && !is_given_before(judged, k)) return false;
    }
    return true;
}

std::string judged_text(const api::JudgedStrokes& strokes) {
    Table table({Align::left, Align::left, Align::left, Align::left});
    for (std::size_t k = 0; k < strokes.judged.size(); ++k) {
        const api::JudgedStroke& s = strokes.judged[k];
        const bool before = is_given_before(strokes.judged, k);
        table.add({s.bond, s.at.empty() ? s.end : "at " + s.at, before ? "given before" : verdict_text(s.verdict),
                   before ? "" : reason_shown(s)});
    }
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

std::vector<std::string> texts_of(const std::vector<Entry>& entries) {
    std::vector<std::string> texts;
    for (const Entry& e : entries) texts.push_back(e.text);
    return texts;
}

/// What is told of a line that has no "=".
std::string no_entry_text(const Entry& entry, const char* what) {
    return fmt::format("{}:{} is no {}, as it has no \"=\"", entry.file, entry.line, what);
}

/// Of those the first; they are taken away.
std::string take_others(std::vector<Entry>& entries, const char* what) {
    const auto first = std::ranges::find_if(entries, [](const Entry& e) { return !e.has_sign(); });
    if (first == entries.end()) return "";
    const std::string text = fmt::format("{}: {}", no_entry_text(*first, what), first->text);
    const std::size_t count = std::erase_if(entries, [](const Entry& e) { return !e.has_sign(); });
    return count == 1 ? text : fmt::format("{} (and {} more)", text, count - 1);
}

void add_remark(std::string& remark, const std::string& text) {
    if (!text.empty()) remark += (remark.empty() ? "" : "; ") + text;
}

/// What is the same, or the contrary, of a stroke before it.
std::string repeated_text(const std::vector<api::JudgedStroke>& judged, const std::vector<Entry>& entries) {
    std::string text;
    std::vector<std::string> twice;
    for (std::size_t k = 0; k < judged.size(); ++k) {
        if (is_given_before(judged, k)) {
            twice.push_back(entries[k].text);
            continue;
        }
        if (judged[k].at.empty()) continue;
        for (std::size_t other = 0; other < k; ++other) {
            if (!same_bond(judged[other], judged[k]) || is_given_before(judged, other)) continue;
            add_remark(text,
                       fmt::format("strokes {} and {} contradict each other", entries[other].text, entries[k].text));
        }
    }
    constexpr std::size_t kShown = 5;
    const std::size_t more = twice.size() > kShown ? twice.size() - kShown : 0;
    twice.resize(twice.size() - more);
    if (!twice.empty())
        add_remark(text, fmt::format("given twice: {}{}", fmt::join(twice, ", "),
                                     more > 0 ? fmt::format(" and {} more", more) : ""));
    return text;
}

std::vector<api::PlacedStroke> placed_of(const std::vector<Entry>& entries) {
    std::vector<api::PlacedStroke> placed;
    for (const Entry& entry : entries) {
        const auto equals = entry.text.find('=');
        placed.push_back({trimmed_entry(entry.text.substr(0, equals)), trimmed_entry(entry.text.substr(equals + 1))});
    }
    return placed;
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

std::vector<Entry> entries_of(const std::vector<std::string>& typed) {
    std::vector<Entry> entries;
    for (const std::string& text : typed) {
        if (text.find('=') != std::string::npos) {
            entries.push_back({trimmed_entry(text)});
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
            if (!line.empty()) entries.push_back({line, text, number});
        }
    }
    return entries;
}

std::vector<api::PlacedStroke> placed_strokes(const std::vector<std::string>& typed) {
    const std::vector<Entry> entries = entries_of(typed);
    for (const Entry& e : entries) {
        if (!e.has_sign()) throw UsageError(fmt::format("line {} of '{}' has no \"=\"", e.line, e.file));
    }
    return placed_of(entries);
}

FoundByHand strokes_in(const api::Model& model, const std::string& file, std::vector<api::PlacedStroke>& placed) {
    FoundByHand found;
    std::vector<Entry> entries = entries_of({file});
    const std::string others = take_others(entries, "stroke");
    const std::vector<api::PlacedStroke> all = placed_of(entries);
    const auto judged = model.judge(api::StrokesOptions{.values = {}, .placed = all});
    if (!judged) return {.remark = judged.error().messages.empty() ? "" : judged.error().messages.front().text};
    for (std::size_t k = 0; k < judged->judged.size(); ++k) {
        const api::JudgedStroke& s = judged->judged[k];
        if (s.accepted()) placed.push_back(all[k]);
        if (s.accepted() || is_given_before(judged->judged, k)) continue;
        // What contradicts one that is accepted is told as such.
        const bool told = std::any_of(judged->judged.begin(), judged->judged.begin() + static_cast<std::ptrdiff_t>(k),
                                      [&](const api::JudgedStroke& o) { return o.accepted() && same_bond(o, s); });
        ++found.wrong;
        if (found.remark.empty() && !told)
            found.remark = fmt::format("stroke {}={}: {}", all[k].bond, all[k].end, s.reason);
    }
    add_remark(found.remark, repeated_text(judged->judged, entries));
    add_remark(found.remark, others);
    found.right = static_cast<std::size_t>(
        std::ranges::count_if(judged->places, [](const api::StrokePlace& p) { return p.placed && !p.inside; }));
    found.of = found.right + judged->left();
    return found;
}

FoundByHand equations_in(const api::Model& model, const std::string& file,
                         const std::vector<api::PlacedStroke>& placed) {
    FoundByHand found;
    std::vector<Entry> entries = entries_of({file});
    const std::string others = take_others(entries, "equation");
    const auto judged =
        model.judge(api::DerivationsOptions{.values = {}, .placed = placed, .equations = texts_of(entries)});
    if (!judged) return {.remark = judged.error().messages.empty() ? "" : judged.error().messages.front().text};
    if (!judged->unjudged.empty()) return {.remark = judged->unjudged};
    std::vector<std::string> left = judged->states;
    for (std::size_t k = 0; k < judged->judged.size(); ++k) {
        const api::JudgedEquation& e = judged->judged[k];
        if (e.right)
            std::erase(left, e.state);
        else if (found.wrong++ == 0)
            found.remark = fmt::format("{}: {}", entries[k].text, e.text);
    }
    add_remark(found.remark, others);
    found.of = judged->states.size();
    found.right = found.of - left.size();
    return found;
}

int judge_strokes(const api::Model& model, const std::vector<std::string>& placed, bool json) {
    const api::JudgedStrokes found =
        value_of(model.judge(api::StrokesOptions{.values = {}, .placed = placed_strokes(placed)}));
    put(json ? judged_json(found) : judged_text(found));
    return all_right(found.judged) ? kDone : kWrongUsage;
}

int judge_equations(const api::Model& model, const std::vector<std::string>& derived,
                    const std::vector<std::string>& placed, bool json) {
    const std::vector<Entry> entries = entries_of(derived);
    const std::vector<api::PlacedStroke> strokes = placed_strokes(placed);
    if (!strokes.empty()) {
        const auto judged = value_of(model.judge(api::StrokesOptions{.placed = strokes})).judged;
        for (std::size_t k = 0; k < judged.size(); ++k) {
            const api::JudgedStroke& s = judged[k];
            if (!s.accepted() && !is_given_before(judged, k))
                throw UsageError(fmt::format("the stroke '{}={}' is {}: {}", s.bond, s.end,
                                             s.verdict == api::JudgedStroke::Verdict::wrong ? "wrong" : "not known",
                                             s.reason));
        }
    }
    const std::vector<std::string> texts = texts_of(entries);
    api::JudgedEquations found =
        value_of(model.judge(api::DerivationsOptions{.values = {}, .placed = strokes, .equations = texts}));
    if (!found.unjudged.empty())
        throw UsageError(fmt::format("equations of this model can't be judged: {}", found.unjudged));
    for (std::size_t k = 0; k < entries.size(); ++k) {
        if (!entries[k].has_sign()) found.judged[k].text = no_entry_text(entries[k], "equation") + ".";
    }
    put(json ? judged_json(found, texts) : judged_text(found, texts));
    return std::ranges::all_of(found.judged, &api::JudgedEquation::right) ? kDone : kWrongUsage;
}

}  // namespace bondgraph::cli
