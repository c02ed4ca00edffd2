#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/packed_numbers.hpp"
#include "bondgraph/api/page_energy.hpp"
#include "bondgraph/api/page_filling.hpp"
#include "bondgraph/api/page_frames.hpp"
#include "bondgraph/api/page_json.hpp"
#include "bondgraph/api/page_modes.hpp"
#include "bondgraph/api/page_openings.hpp"
#include "bondgraph/api/page_template.hpp"

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

/// What the page is made of, and what is wrong with the model.
class PageMaking {
   public:
    PageMaking(const Model& model, const ReportOptions& options) : model_(model), options_(options) {}

    Result<Report> run() {
        data_ = {{"format", 1},
                 {"program", fmt::format("bondgraph {}", version())},
                 {"model", model_.name()},
                 {"description", model_.description()}};
        if (alone() && !options_.results.empty()) {
            add_run(options_.results);
            return finished();
        }
        const auto folded = draw({});
        if (!folded) return folded.error();
        data_["graphs"] = Json::array();
        data_["graphs"].push_back(drawing_json(*folded, "Bond graph"));
        drawn_.push_back(*folded);
        report_.conflict = folded->conflict;
        add_opened(*folded);
        if (const auto expanded = draw({.expand = true}); expanded && expanded->text != folded->text) {
            data_["graphs"].push_back(drawing_json(*expanded, "Looked into"));
            drawn_.push_back(*expanded);
        }
        if (alone())
            data_.erase("graphs");
        else
            add_circuit();
        if (!options_.solved) data_["unsolved"] = true;
        if (!report_.conflict && !alone() && options_.solved) add_equations();
        if (!report_.conflict) add_run(wanted());
        if (!report_.conflict && !alone() && options_.solved) add_linear();
        if (!report_.conflict && !options_.sensitivities.empty()) add_sensitivities();
        return finished();
    }

   private:
    Report finished() {
        data_["conflict"] = report_.conflict ? messages_json(report_.conflict->messages) : Json();
        data_["failure"] = report_.failure ? messages_json(report_.failure->messages) : Json();
        data_["warnings"] = messages_json(report_.warnings);
        fill();
        return std::move(report_);
    }

    Result<Drawing> draw(DrawOptions options) const {
        options.values = options_.values;
        options.strokes = options_.solved;
        options.parts = true;
        return model_.draw(options);
    }

    // While a text is edited, several together would take longer than they are worth.
    void add_opened(const Drawing& folded) {
        if (alone()) return;
        PageOpenings page = openings_of(
            folded, [&](const std::vector<std::string>& names) { return draw({.opened = names}); },
            options_.content == ReportOptions::Content::page);
        Json& graph = data_["graphs"].back();
        graph["opened"] = std::move(page.opened);
        graph["closed"] = std::move(page.closed);
        for (Drawing& d : page.drawn) drawn_.push_back(std::move(d));
    }

    void add_sensitivities() {
        const auto found = sensitivities(model_, {.values = options_.values,
                                                  .results = options_.sensitivities,
                                                  .stop = options_.stop,
                                                  .interval = options_.interval,
                                                  .tolerance = options_.tolerance,
                                                  .cancel = options_.cancel});
        if (!found) {
            report_.no_sensitivities = found.error();
            data_["no_sensitivities"] = messages_json(found.error().messages);
            return;
        }
        data_["sensitivities"] = sensitivities_json(*found);
    }

    // One where a component has a symbol of its own: others would be boxes only.
    void add_circuit() {
        const auto circuit = draw({.circuit = true, .if_symbols = true});
        if (!circuit || circuit->text.empty()) return;
        data_["graphs"].push_back(circuit_json(*circuit));
        circuit_ = *circuit;
    }

    Json circuit_json(const Drawing& circuit) const {
        Json parts = Json::array();
        for (const DrawnPart& p : circuit.parts) parts.push_back({{"name", p.name}, {"type", p.type}});
        Json nets = Json::array();
        for (const DrawnNet& n : circuit.nets) {
            Json pins = Json::array();
            for (const DrawnPin& p : n.pins)
                pins.push_back({{"part", p.part}, {"name", p.name}, {"x", p.x}, {"y", p.y}, {"inward", p.inward}});
            nets.push_back({{"kind", n.kind}, {"domain", n.domain}, {"pins", std::move(pins)}});
        }
        return {{"title", "Circuit"}, {"svg", circuit.text}, {"parts", std::move(parts)}, {"nets", std::move(nets)}};
    }

    void add_equations() {
        const auto causality = model_.causality({.values = options_.values, .expand = true});
        if (causality) data_["causality"] = causality_json(*causality);
        const auto add = [&](const char* key, bool symbols) {
            auto equations = model_.equations({.values = options_.values,
                                               .format = EquationsOptions::Format::json,
                                               .symbols = symbols,
                                               .typeset = true});
            if (equations) data_[key] = Json::parse(equations->text);
            return equations;
        };
        if (const auto numbers = add("equations", false); !numbers) {
            report_.conflict = numbers.error();
            return;
        }
        add("symbolic", true);  // not of every model
    }

    /// Along the run where that is short enough to be made once more.
    void add_linear() {
        constexpr std::size_t kLinearInstants = 25;
        constexpr long kMostSteps = 200'000;
        const auto along = model_.linearize_along(
            steps_ <= kMostSteps ? kLinearInstants : 1,
            {.values = options_.values, .stop = options_.stop, .cancel = options_.cancel, .or_states = true});
        if (along && !along->empty()) data_["linear"] = shown_linear(*along);
    }

    /// The model's outputs, then the efforts and flows of the bonds that are drawn, of those that are looked into as
    /// long as there is room.
    std::vector<std::string> wanted() const {
        std::vector<std::string> names;
        std::set<std::string> seen = kept_back();
        const auto take = [&](const std::string& name) {
            const auto found = model_.results(name);
            if (!found) return;
            for (const std::string& one : *found) {
                if (seen.insert(one).second) names.push_back(one);
            }
        };
        if (const auto outputs = model_.outputs()) {
            for (const std::string& name : *outputs) take(name);
        }
        for (const std::string& frame : frames_drawn()) {
            for (const char* variable : {".x", ".R", ".phi", ".f", ".t"}) take(frame + variable);
        }
        constexpr std::size_t kMostColumns = 4000;
        for (const DrawnNet& net : circuit_.nets) {
            for (const DrawnPin& pin : net.pins) {
                if (names.size() >= kMostColumns) return names;
                if (pin.inward == 0) continue;
                take(fmt::format("{}.{}.e", circuit_.parts[pin.part].name, pin.name));
                take(fmt::format("{}.{}.f", circuit_.parts[pin.part].name, pin.name));
            }
        }
        for (const Drawing& drawing : drawn_) {
            for (const DrawnEdge& e : drawing.edges) {
                if (names.size() >= kMostColumns) return names;
                if (e.effort.empty()) continue;
                take(e.effort);
                take(e.flow);
            }
        }
        return names;
    }

    /// Which storages are states is an answer, too.
    std::set<std::string> kept_back() const {
        if (options_.solved) return {};
        const auto structure = model_.structure(options_.values);
        if (!structure) return {};
        return {structure->states.begin(), structure->states.end()};
    }

    /// A connection of frames is drawn as one, or by what goes through it: the bonds of "joint.frame_a".
    static bool joins_frames(const DrawnEdge& edge) {
        return edge.kind == "frame" || std::ranges::any_of(kFrames, [&](std::string_view end) {
                   return edge.name.find(fmt::format(".{}.", end)) != std::string::npos;
               });
    }

    /// What frames join in the drawings, by its first name.
    std::set<std::string> joined_by_frames() const {
        std::set<std::string> joined;
        for (const Drawing& drawing : drawn_) {
            for (const DrawnEdge& e : drawing.edges) {
                if (!joins_frames(e)) continue;
                for (const std::size_t end : {e.from, e.to}) {
                    const std::string& name = drawing.nodes[end].name;
                    joined.insert(name.substr(0, name.find('.')));
                }
            }
        }
        return joined;
    }

    /// Components with frames that are drawn, then those inside them.
    std::vector<std::string> components_with_frames() const {
        std::vector<std::string> components;
        const std::set<std::string> joined = joined_by_frames();
        std::set<std::string> seen;
        for (const Drawing& drawing : drawn_) {
            for (const DrawnNode& node : drawing.nodes) {
                std::size_t dot = node.name.find('.');
                if (!joined.contains(node.name.substr(0, dot))) continue;
                for (;; dot = node.name.find('.', dot + 1)) {
                    std::string component = node.name.substr(0, dot);
                    if (seen.insert(component).second) components.push_back(std::move(component));
                    if (dot == std::string::npos) break;
                }
            }
        }
        return components;
    }

    /// As many as there is room for.
    std::vector<std::string> frames_drawn() const {
        std::vector<std::string> frames;
        for (const std::string& component : components_with_frames()) {
            for (const std::string_view end : kFrames) {
                std::string frame = fmt::format("{}.{}", component, end);
                if (!model_.results(frame + ".x")) continue;
                frames.push_back(std::move(frame));
                if (frames.size() == kMostFrames) return frames;
            }
        }
        return frames;
    }

    void add_run(std::vector<std::string> results) {
        RunOptions asked{.values = options_.values, .outputs = results};
        report_.results = std::move(results);
        // While a slider is dragged the next run is on its way already.
        asked.look_again = !alone();
        asked.stop = options_.stop;
        asked.interval = options_.interval;
        asked.tolerance = options_.tolerance;
        asked.energy = with_energy();
        asked.energy_account = with_energy();
        constexpr std::size_t kInstants = 300;
        asked.energy_instants = with_energy() ? kInstants : 0;
        asked.animation = with_space();
        asked.modes = options_.solved;
        asked.progress = options_.progress;
        asked.cancel = options_.cancel;
        Json events = Json::array();
        constexpr std::size_t kMostEvents = 5000;
        asked.on_event = [&](const Event& e) {
            if (events.size() < kMostEvents)
                events.push_back({{"time", e.time}, {"cause", e.cause}, {"jumped", e.jumped}});
        };
        auto run = model_.run(asked);
        if (!run) {
            report_.failure = run.error();
            return;
        }
        report_.failure = run->failure;
        steps_ = run->statistics.steps;
        report_.warnings.insert(report_.warnings.end(), run->warnings.begin(), run->warnings.end());
        report_.rows = run->series.rows();
        report_.columns = run->series.columns().size();
        if (report_.rows == 0) return;
        data_["run"] = run_json(*run, std::move(events));
        if (!run->modes) return;
        data_["run"]["modes"] = mode_course_json(*run->modes);
        if (!alone()) data_["modes"] = structures_json(model_, options_.values, *run->modes, options_.cancel);
    }

    Json run_json(const Run& run, Json events) const {
        std::set<std::string> own;
        if (const auto outputs = model_.outputs()) {
            for (const std::string& name : *outputs) {
                if (const auto found = model_.results(name)) own.insert(found->begin(), found->end());
            }
        }
        const std::vector<FrameColumns> frames = frames_of(run.series);
        std::set<std::size_t> of_frames;
        for (const FrameColumns& frame : frames) {
            for (const auto* columns : {&frame.x, &frame.R, &frame.f, &frame.t})
                of_frames.insert(columns->begin(), columns->end());
        }
        std::vector<std::size_t> first;
        std::vector<std::size_t> others;
        // A model that names no outputs has all efforts and flows as such.
        constexpr std::size_t kMostWhole = 60;
        for (std::size_t c = 0; c < run.series.columns().size(); ++c) {
            const bool whole = own.contains(run.series.columns()[c].name) && first.size() < kMostWhole;
            if (!whole && of_frames.contains(c)) continue;
            (whole ? first : others).push_back(c);
        }
        Json json{{"start", run.experiment.start},
                  {"stop", run.experiment.stop},
                  {"tolerance", run.experiment.tolerance},
                  {"steps", run.statistics.steps},
                  {"events", std::move(events)}};
        constexpr std::size_t kWhole = static_cast<std::size_t>(-1);
        json["tables"] = {table_json(run.series, first, kWhole)};
        if (!others.empty()) json["tables"].push_back(table_json(run.series, others, options_.most_numbers));
        if (with_energy()) json["energy"] = energy_json(run, model_.name());
        if (!with_space()) return json;
        const bool moves = run.animation && !run.animation->shapes.empty();
        json["animation"] = moves ? animation_json(*run.animation, options_.most_numbers) : Json();
        json["frames"] = moves ? frames_json(frames, run.series, options_.most_numbers / 4) : Json();
        return json;
    }

    bool alone() const { return options_.content == ReportOptions::Content::run; }
    bool with_energy() const { return options_.energy || !alone(); }
    bool with_space() const { return options_.space || !alone(); }

    void fill() {
        if (options_.content == ReportOptions::Content::page) {
            report_.page = filled_page(std::move(data_));
            return;
        }
        if (options_.as_bytes && alone())
            report_.numbers = part_bytes(data_);
        else
            write_base64(data_);
        report_.page = data_.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

    const Model& model_;
    const ReportOptions& options_;
    Report report_;
    std::vector<Drawing> drawn_;
    Drawing circuit_;
    long steps_ = 0;  ///< of the run
    Json data_;
};

}  // namespace

std::string_view empty_page() { return page_template(); }

Result<Report> report(const Model& model, const ReportOptions& options) {
    const bool whole = options.content == ReportOptions::Content::page;
    if (whole && page_template().find(kPageData) == std::string_view::npos)
        return plain_error(Error::Kind::usage, {"this build has no page: it was made without npm"});
    return PageMaking(model, options).run();
}

}  // namespace bondgraph::api
