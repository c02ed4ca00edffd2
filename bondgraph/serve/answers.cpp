#include "bondgraph/serve/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <set>
#include <string_view>

#include "bondgraph/serve/folder.hpp"
#include "bondgraph/serve/written_unit.hpp"

namespace bondgraph::serve {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string error_text(const std::string& why) { return text_of({{"error", why}}); }

Json messages_of(const std::vector<api::Message>& messages, const fs::path& root) {
    Json list = Json::array();
    for (const api::Message& m : messages) {
        Json notes = Json::array();
        for (const api::Note& n : m.notes) notes.push_back({n.label, n.text});
        const std::string file = m.place.file.starts_with(root.string() + "/")
                                     ? fs::path(m.place.file).lexically_relative(root).string()
                                     : m.place.file;
        list.push_back({{"warning", m.warning},
                        {"code", m.code},
                        {"text", m.text},
                        {"file", file},
                        {"line", m.place.line},
                        {"column", m.place.column},
                        {"notes", std::move(notes)}});
    }
    return list;
}

Json parameters_of(const api::Model& model, const std::string& file, const std::string& text, const UnitSystem& units) {
    const TextLines lines(text);
    Json list = Json::array();
    for (const api::Parameter& p : model.parameters()) {
        if (!p.value || !std::isfinite(*p.value)) continue;
        const bool own = p.place.file == file;
        list.push_back({{"name", p.name},
                        {"unit", p.unit},
                        {"value", *p.value},
                        {"line", own ? p.place.line : 0},
                        {"column", own ? p.place.column : 0}});
        const auto written =
            own ? written_unit(lines.from(p.place.line, p.place.column), *p.value, units) : std::nullopt;
        if (written)
            list.back()["written"] = {{"unit", written->name}, {"scale", written->scale}, {"offset", written->offset}};
    }
    return list;
}

api::Values values_of(const Json& request) {
    api::Values values;
    const auto given = request.find("values");
    if (given == request.end() || !given->is_object()) return values;
    for (const auto& [name, value] : given->items()) {
        // Numbers only: a text could name a file.
        if (value.is_number()) values.emplace(name, value.get<double>());
    }
    return values;
}

/// Of a page's results those that a request names as looked at: {"results": [names], "frames": [names of frames, all
/// that is known of which]}. Of mechanisms these are few of very many. All where it names none of them.
std::vector<std::string> seen_of(const Json& request, const std::vector<std::string>& all) {
    const auto seen = request.find("seen");
    if (seen == request.end() || !seen->is_object()) return all;
    const auto named = [&](const char* what) {
        std::set<std::string> names;
        if (const auto list = seen->find(what); list != seen->end() && list->is_array()) {
            for (const Json& name : *list) {
                if (name.is_string()) names.insert(name.get<std::string>());
            }
        }
        return names;
    };
    const std::set<std::string> results = named("results");
    const std::set<std::string> frames = named("frames");
    std::vector<std::string> kept;
    std::ranges::copy_if(all, std::back_inserter(kept), [&](const std::string& name) {
        return results.contains(name) || frames.contains(name.substr(0, name.rfind('.')));
    });
    return kept.empty() ? all : kept;
}

/// Whether what needs more than results is looked at; so it is where nothing is said of it.
bool is_seen(const Json& request, const char* what) {
    const auto seen = request.find("seen");
    return seen == request.end() || !seen->is_object() || seen->value(what, true);
}

/// [["source->j", "to"], …]
std::vector<api::PlacedStroke> placed_of(const Json& request) {
    std::vector<api::PlacedStroke> placed;
    const auto given = request.find("placed");
    if (given == request.end()) return placed;
    for (const Json& p : *given) placed.push_back({p.at(0).get<std::string>(), p.at(1).get<std::string>()});
    return placed;
}

const char* verdict_word(api::JudgedStroke::Verdict verdict) {
    switch (verdict) {
        case api::JudgedStroke::Verdict::forced:
            return "forced";
        case api::JudgedStroke::Verdict::chosen:
            return "chosen";
        case api::JudgedStroke::Verdict::wrong:
            return "wrong";
        case api::JudgedStroke::Verdict::unknown:
            break;
    }
    return "unknown";
}

Json types_json(const std::vector<std::string>& import_folders) {
    Json all = Json::array();
    for (const api::TypeReference& t : api::type_references(import_folders)) {
        Json sections = Json::array();
        for (const api::ReferenceSection& s : t.sections)
            sections.push_back({{"title", s.title}, {"text", s.text}, {"rows", s.rows}});
        all.push_back({{"name", t.name},
                       {"group", t.group},
                       {"import", t.import},
                       {"summary", t.summary},
                       {"sections", std::move(sections)}});
    }
    return all;
}

fs::file_time_type time_of(const std::string& file) {
    std::error_code unknown;
    return fs::last_write_time(file, unknown);
}

}  // namespace

api::LoadOptions Answers::load_options() const {
    return {.import_folders = options_.import_folders, .only_within = {options_.root}};
}

api::Result<Answers::Kept*> Answers::model(const std::string& name, const std::string& text) {
    constexpr std::size_t kMostKept = 4;
    for (auto k = kept_.begin(); k != kept_.end(); ++k) {
        if (k->name != name || k->text != text) continue;
        bool fresh = true;
        for (const auto& [file, time] : k->files) fresh = fresh && time_of(file) == time;
        if (!fresh) {
            kept_.erase(k);
            break;
        }
        kept_.splice(kept_.begin(), kept_, k);
        return &kept_.front();
    }
    auto loaded = api::Model::parse(text, name, load_options());
    if (!loaded) return loaded.error();
    Kept kept{.name = name, .text = text, .files = {}, .model = *std::move(loaded)};
    for (const std::string& file : kept.model.files()) {
        if (file != name) kept.files.emplace_back(file, time_of(file));
    }
    kept_.push_front(std::move(kept));
    if (kept_.size() > kMostKept) kept_.pop_back();
    return &kept_.front();
}

std::string Answers::page(const Json& request, api::ReportOptions::Content content) {
    const std::string name = (fs::path(options_.root) / request.at("name").get<std::string>()).string();
    const auto found = model(name, request.at("text").get<std::string>());
    if (!found) return text_of({{"messages", messages_of(found.error().messages, options_.root)}});
    Kept& kept = **found;
    const api::Model& model = kept.model;
    Json head{{"messages", messages_of(model.warnings(), options_.root)}};
    if (content == api::ReportOptions::Content::data)
        head["parameters"] = parameters_of(model, name, kept.text, units_);
    api::ReportOptions options{.values = values_of(request), .content = content};
    options.solved = request.value("solved", true);
    const bool alone = content == api::ReportOptions::Content::run;
    if (alone) {
        options.results = seen_of(request, kept.results);
        options.energy = is_seen(request, "energy");
        options.space = is_seen(request, "space");
        options.as_bytes = request.value("bytes", false);
    }
    const auto report = api::report(model, options);
    const auto tell = [&](const std::vector<api::Message>& messages) {
        for (Json& m : messages_of(messages, options_.root)) head["messages"].push_back(std::move(m));
    };
    if (!report) {
        tell(report.error().messages);
        return text_of(head);
    }
    if (options.results.empty()) kept.results = report->results;
    if (report->conflict) tell(report->conflict->messages);
    if (report->failure) tell(report->failure->messages);
    tell(report->warnings);
    // The data are JSON already, and large.
    std::string text = text_of(head);
    text.pop_back();
    text += ",\"data\":" + report->page + "}";
    return alone && options.as_bytes ? fmt::format("{}\n", text.size()) + text + report->numbers : text;
}

std::string Answers::compare(const Json& request) {
    const std::string name = request.at("name").get<std::string>();
    const fs::path root(options_.root);
    const auto place = Folder(root).place_of(solution_of(name));
    if (!place || !fs::exists(*place))
        return error_text(fmt::format("there is no solution to compare '{}' with", name));
    const auto mine = model((root / name).string(), request.at("text").get<std::string>());
    if (!mine) return text_of({{"messages", messages_of(mine.error().messages, root)}});
    const auto reference = api::Model::load(place->string(), load_options());
    if (!reference || !reference->flattened(api::FlatteningStage::evaluated))
        return error_text("the solution has mistakes: tell the author of this exercise");
    const auto comparison = (*mine)->model.compare(*reference);
    if (!comparison) return text_of({{"messages", messages_of(comparison.error().messages, root)}});
    Json steps = Json::array();
    if (comparison->likeness == api::Likeness::simplified) {
        for (const api::SimplificationStep& s : comparison->steps) steps.push_back(s.text);
    }
    return text_of({{"equal", comparison->equal()},
                    {"verdict", api::likeness_text(comparison->likeness)},
                    {"difference", comparison->difference},
                    {"behaviour", comparison->behaviour},
                    {"steps", std::move(steps)}});
}

std::string Answers::strokes(const Json& request) {
    const fs::path root(options_.root);
    const auto found =
        model((root / request.at("name").get<std::string>()).string(), request.at("text").get<std::string>());
    if (!found) return text_of({{"messages", messages_of(found.error().messages, root)}});
    const auto strokes = (*found)->model.judge(api::StrokesOptions{.values = {}, .placed = placed_of(request)});
    if (!strokes) return text_of({{"messages", messages_of(strokes.error().messages, root)}});
    Json judged = Json::array();
    for (const api::JudgedStroke& s : strokes->judged)
        judged.push_back({{"bond", s.bond},
                          {"end", s.end},
                          {"at", s.at},
                          {"verdict", verdict_word(s.verdict)},
                          {"reason", s.reason}});
    const bool reveal = request.value("reveal", false);
    Json places = Json::array();
    for (const api::StrokePlace& p : strokes->places) {
        places.push_back({{"bond", p.bond}, {"placed", p.placed}, {"inside", p.inside}});
        if (reveal || p.placed) places.back()["end"] = p.end;
        if (reveal) places.back()["reason"] = p.reason;
    }
    return text_of({{"judged", std::move(judged)}, {"places", std::move(places)}, {"left", strokes->left()}});
}

std::string Answers::derive(const Json& request) {
    const fs::path root(options_.root);
    const auto found =
        model((root / request.at("name").get<std::string>()).string(), request.at("text").get<std::string>());
    if (!found) return text_of({{"messages", messages_of(found.error().messages, root)}});
    const auto derived = (*found)->model.judge(
        api::DerivationsOptions{.values = {},
                                .placed = placed_of(request),
                                .equations = request.value("equations", std::vector<std::string>())});
    if (!derived) return text_of({{"messages", messages_of(derived.error().messages, root)}});
    Json judged = Json::array();
    for (const api::JudgedEquation& e : derived->judged)
        judged.push_back({{"state", e.state}, {"right", e.right}, {"text", e.text}});
    return text_of({{"states", derived->states},
                    {"known", derived->known},
                    {"unjudged", derived->unjudged},
                    {"judged", std::move(judged)}});
}

std::string Answers::answer(const std::string& request) {
    try {
        const Json asked = Json::parse(request);
        const std::string what = asked.at("ask").get<std::string>();
        if (what == "page") return page(asked, api::ReportOptions::Content::data);
        if (what == "run") return page(asked, api::ReportOptions::Content::run);
        if (what == "compare") return compare(asked);
        if (what == "strokes") return strokes(asked);
        if (what == "derive") return derive(asked);
        if (what == "types") return text_of({{"types", types_json(options_.import_folders)}});
        return error_text(fmt::format("nothing is known of '{}'", what));
    } catch (const std::bad_alloc&) {
        kept_.clear();
        return error_text("the memory is not enough for this model");
    } catch (const Json::exception&) {
        return error_text("the request has not the form that is expected");
    } catch (const std::exception& e) {
        return error_text(e.what());
    }
}

}  // namespace bondgraph::serve
