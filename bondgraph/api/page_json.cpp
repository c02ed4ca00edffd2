// What the page holds, as JSON.

#include "bondgraph/api/page_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bondgraph/api/packed_numbers.hpp"

namespace bondgraph::api {

using Json = nlohmann::ordered_json;

namespace {

const char* stroke_word(CausalBond::Stroke stroke) {
    switch (stroke) {
        case CausalBond::Stroke::at_from:
            return "from";
        case CausalBond::Stroke::at_to:
            return "to";
        case CausalBond::Stroke::open:
            break;
    }
    return "open";
}

/// Answers of those channels that are not dead, at no more points than a picture shows; NaN for what is no number.
Json responses_json(const Responses& responses, bool phases) {
    constexpr std::size_t kMostPoints = 301;
    const std::vector<std::size_t> kept = kept_rows(responses.abscissa.size(), 1, kMostPoints);
    const auto numbers = [&](const std::vector<double>& values) {
        std::vector<float> list;
        for (const std::size_t i : kept) {
            const auto v = static_cast<float>(values[i]);
            list.push_back(std::isfinite(v) ? v : std::numeric_limits<float>::quiet_NaN());
        }
        return packed(std::span<const float>(list));
    };
    Json channels = Json::array();
    for (std::size_t c = 0; c < responses.channels.size(); ++c) {
        const Responses::Channel& channel = responses.channels[c];
        if (channel.dead) continue;
        channels.push_back({{"input", channel.input},
                            {"output", channel.output},
                            {"unit", channel.output_unit},
                            {"values", numbers(responses.values[c])}});
        if (phases) channels.back()["phases"] = numbers(responses.phases[c]);
    }
    return {{"abscissa", numbers(responses.abscissa)}, {"channels", std::move(channels)}};
}

Json columns_json(const Series& series, std::span<const std::size_t> columns, std::span<const std::size_t> kept) {
    Json list = Json::array();
    for (const std::size_t c : columns) {
        const Series::Column& column = series.columns()[c];
        const bool wide = is_wide(series.column(c));
        list.push_back({{"name", column.name},
                        {"unit", column.unit},
                        {"description", column.description},
                        {"data", wide ? packed_wide(series.column(c), kept) : packed_rows(series.column(c), 1, kept)}});
        if (wide) list.back()["wide"] = true;
    }
    return list;
}

}  // namespace

Json messages_json(const std::vector<Message>& messages) {
    Json list = Json::array();
    for (const Message& m : messages) {
        Json notes = Json::array();
        for (const Note& n : m.notes) notes.push_back({n.label, n.text});
        list.push_back({{"warning", m.warning},
                        {"code", m.code},
                        {"text", m.text},
                        {"line", m.place.line},
                        {"notes", std::move(notes)},
                        {"shown", m.shown}});
    }
    return list;
}

Json drawing_json(const Drawing& drawing, const char* title) {
    Json nodes = Json::array();
    for (const DrawnNode& n : drawing.nodes) {
        nodes.push_back({{"name", n.name},
                         {"type", n.type},
                         {"value", n.value},
                         {"kind", n.kind},
                         {"domain", n.domain},
                         {"derivative", n.derivative},
                         {"conflict", n.conflict},
                         {"loop", n.loop}});
    }
    Json edges = Json::array();
    for (const DrawnEdge& e : drawing.edges) {
        Json components = Json::array();
        for (const CausalBond& c : e.components) {
            components.push_back({{"stroke", stroke_word(c.stroke)},
                                  {"kind", c.kind},
                                  {"reason", c.reason},
                                  {"order", c.order},
                                  {"follows", c.follows_from}});
        }
        edges.push_back({{"kind", e.kind},
                         {"name", e.name},
                         {"from", e.from},
                         {"to", e.to},
                         {"domain", e.domain},
                         {"effort", e.effort},
                         {"flow", e.flow},
                         {"against", e.against},
                         {"conflict", e.conflict},
                         {"loop", e.loop},
                         {"components", std::move(components)}});
    }
    return {{"title", title},
            {"svg", drawing.text},
            {"nodes", std::move(nodes)},
            {"edges", std::move(edges)},
            {"frames", drawing.frames}};
}

Json causality_json(const Causality& c) {
    Json report{{"storages", Json::array()}, {"paths", Json::array()}, {"loops", Json::array()}};
    for (const CausalStorage& s : c.storages)
        report["storages"].push_back({{"name", s.name}, {"integral", s.integral}, {"depends", s.depends_on}});
    for (const CausalPath& p : c.paths) {
        report["paths"].push_back(
            {{"from", p.from}, {"to", p.to}, {"variables", p.variables}, {"gain", p.gain.value_or("")}});
    }
    for (const AlgebraicLoop& l : c.algebraic_loops)
        report["loops"].push_back({{"elements", l.elements}, {"variables", l.path}});
    report["causal_loops"] = Json::array();
    if (c.causal_loops) {
        for (const CausalLoop& l : *c.causal_loops)
            report["causal_loops"].push_back({{"variables", l.nodes}, {"gain", l.gain}});
    }
    return report;
}

namespace {

Json shown_linear(const LinearModel& linear, bool responses) {
    Json poles = Json::array();
    for (const std::complex<double>& p : linear.eigenvalues) poles.push_back({p.real(), p.imag()});
    Json report{{"states", linear.states},
                {"inputs", linear.inputs},
                {"outputs", linear.outputs},
                {"poles", std::move(poles)},
                {"time", linear.time}};
    constexpr std::size_t kMostStates = 60;
    constexpr std::size_t kMostChannels = 24;
    const std::size_t channels = linear.inputs.size() * linear.outputs.size();
    if (!responses || channels == 0 || channels > kMostChannels || linear.states.size() > kMostStates) return report;
    report["bode"] = responses_json(frequency_responses(std::span(&linear, 1)), true);
    report["step"] = responses_json(step_responses(std::span(&linear, 1)), false);
    return report;
}

}  // namespace

Json shown_linear(std::span<const LinearModel> along) {
    constexpr std::size_t kMostOfResponses = 600'000;
    Json list = Json::array();
    for (const LinearModel& linear : along) list.push_back(shown_linear(linear, packed_size(list) <= kMostOfResponses));
    if (packed_size(list) <= kMostOfResponses) return list;
    for (std::size_t i = 1; i < list.size(); ++i) {
        list[i].erase("bode");
        list[i].erase("step");
    }
    return list;
}

Json table_json(const Series& series, std::span<const std::size_t> columns, std::size_t most) {
    const std::vector<std::size_t> kept = kept_rows(series.rows(), columns.size(), most);
    return {{"time", packed_times(series.time(), kept)}, {"columns", columns_json(series, columns, kept)}};
}

/// Places between the corners of the box around all, in 65535 steps along each side; triangles as numbers of these, of
/// two bytes or four (`wide`).
Json packed_mesh(const AnimatedMesh& mesh) {
    constexpr double kSteps = 65535.0;
    std::array<double, 3> low{};
    std::array<double, 3> side{};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto [least, most] = std::ranges::minmax(mesh.vertices, {}, [&](const auto& v) { return v[k]; });
        low[k] = double{least[k]};
        side[k] = double{most[k]} - low[k];
    }
    std::vector<std::uint16_t> places;
    places.reserve(3 * mesh.vertices.size());
    for (const auto& v : mesh.vertices) {
        for (std::size_t k = 0; k < 3; ++k)
            places.push_back(side[k] > 0.0
                                 ? static_cast<std::uint16_t>(std::lround(kSteps * (double{v[k]} - low[k]) / side[k]))
                                 : std::uint16_t{0});
    }
    const bool wide = mesh.vertices.size() > static_cast<std::size_t>(kSteps) + 1;
    Json parts = Json::array();
    for (const AnimatedMesh::Part& part : mesh.parts) {
        std::vector<std::uint32_t> numbers;
        for (const auto& t : part.triangles) numbers.insert(numbers.end(), t.begin(), t.end());
        const std::vector<std::uint16_t> narrow(numbers.begin(), wide ? numbers.begin() : numbers.end());
        parts.push_back({{"colour", part.colour},
                         {"triangles", wide ? packed(std::span<const std::uint32_t>(numbers))
                                            : packed(std::span<const std::uint16_t>(narrow))}});
    }
    return {{"low", low},
            {"side", side},
            {"wide", wide},
            {"places", packed(std::span<const std::uint16_t>(places))},
            {"parts", std::move(parts)}};
}

Json animation_json(const Animation& animation, std::size_t most) {
    constexpr std::size_t kPose = 12;
    const std::vector<std::size_t> kept =
        kept_rows(animation.time.size(), std::max<std::size_t>(1, kPose * animation.shapes.size()), most);
    Json shapes = Json::array();
    for (const AnimatedShape& s : animation.shapes) {
        const auto scale = animation.scale.find(s.measures);
        shapes.push_back({{"component", s.component},
                          {"kind", s.kind},
                          {"measures", s.measures},
                          {"scale", scale == animation.scale.end() ? 1.0 : scale->second},
                          {"x", packed_rows(s.x, 3, kept)},
                          {"R", packed_rows(s.R, 9, kept)},
                          {"size", packed_rows(s.size, 3, kept)}});
        if (s.mesh) shapes.back()["mesh"] = *s.mesh;
        if (s.nominal_thickness) shapes.back()["nominal"] = s.nominal_length ? "all" : "thickness";
    }
    Json json{
        {"time", packed_times(animation.time, kept)}, {"gravity", animation.gravity}, {"shapes", std::move(shapes)}};
    if (!animation.meshes.empty()) json["meshes"] = Json::array();
    for (const AnimatedMesh& mesh : animation.meshes) json["meshes"].push_back(packed_mesh(mesh));
    return json;
}

Json sensitivities_json(const Sensitivities& found) {
    const auto measures = [](const std::vector<RunMeasures>& all) {
        Json list = Json::array();
        for (const RunMeasures& m : all) list.push_back({m.end, m.largest, m.mean});
        return list;
    };
    Json json{{"step", found.step},         {"noise", found.noise},        {"results", Json::array()},
              {"now", measures(found.now)}, {"parameters", Json::array()}, {"zero", found.zero},
              {"left_out", found.left_out}};
    for (const Series::Column& c : found.results) json["results"].push_back({{"name", c.name}, {"unit", c.unit}});
    for (const ParameterSensitivity& p : found.parameters) {
        json["parameters"].push_back({{"name", p.parameter},
                                      {"unit", p.unit},
                                      {"value", p.value},
                                      {"less", measures(p.less)},
                                      {"more", measures(p.more)},
                                      {"failure", p.failure}});
    }
    return json;
}

}  // namespace bondgraph::api
