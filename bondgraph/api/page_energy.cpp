#include "bondgraph/api/page_energy.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "bondgraph/api/packed_numbers.hpp"
#include "bondgraph/api/pictures.hpp"
#include "bondgraph/model/domain.hpp"

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const EnergyRow& r) {
    return {{"name", r.name},     {"type", r.type},         {"supplied", r.supplied},     {"in", r.in},
            {"out", r.out},       {"stored", r.stored},     {"dissipated", r.dissipated}, {"other", r.other},
            {"events", r.events}, {"residual", r.residual}, {"passes_on", r.passes_on}};
}

/// One number where it is always the same.
Json packed_series(const std::vector<double>& values, std::span<const std::size_t> kept) {
    std::vector<double> numbers;
    for (const std::size_t k : kept) numbers.push_back(values[k]);
    if (std::ranges::all_of(numbers, [&](double v) { return v == numbers.front(); })) numbers.resize(1);
    return packed(std::span<const double>(numbers));
}

Json part_json(const EnergyCourse::Part& part, std::span<const std::size_t> kept) {
    Json json = Json::object();
    const auto add = [&](const char* name, const std::vector<double>& values) {
        if (std::ranges::any_of(values, [](double v) { return v != 0.0; })) json[name] = packed_series(values, kept);
    };
    add("supplied", part.supplied);
    add("stored", part.stored);
    add("dissipated", part.dissipated);
    add("other", part.other);
    add("events", part.events);
    return json;
}

bool moves(const std::vector<double>& v) {
    return std::ranges::any_of(v, [](double x) { return x != 0.0; });
}

/// Whether the page has by domain what it has by part: in mechanisms of very many parts that would be most of its data.
bool with_domains(const EnergyCourse& course) {
    constexpr std::ptrdiff_t kMostCrossings = 60;
    return std::ranges::count_if(course.crossings, moves, &EnergyCourse::Crossing::net) <= kMostCrossings;
}

/// How many series there are of what moves.
std::size_t moving(const EnergyCourse& course) {
    std::size_t count = 6;
    const auto add = [&](const std::vector<EnergyCourse::Part>& parts) {
        for (const EnergyCourse::Part& p : parts)
            count += std::size_t{moves(p.supplied)} + std::size_t{moves(p.stored)} + std::size_t{moves(p.dissipated)} +
                     std::size_t{moves(p.other)} + std::size_t{moves(p.events)};
    };
    add(course.components);
    if (with_domains(course)) {
        add(course.domains);
        count += static_cast<std::size_t>(std::ranges::count_if(course.crossings, moves, &EnergyCourse::Crossing::net));
    }
    return count + static_cast<std::size_t>(std::ranges::count_if(course.net, moves));
}

/// Of large models fewer instants, so that all numbers take no more than about a megabyte.
std::vector<std::size_t> kept_instants(const EnergyCourse& course) {
    constexpr std::size_t kMostNumbers = 100'000;
    const std::size_t fit = std::max<std::size_t>(2, kMostNumbers / moving(course));
    const std::size_t stride = (course.time.size() + fit - 1) / fit;
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < course.time.size(); k += stride) kept.push_back(k);
    if (kept.back() != course.time.size() - 1) kept.push_back(course.time.size() - 1);
    return kept;
}

Json course_json(const EnergyCourse& course) {
    const std::vector<std::size_t> kept = kept_instants(course);
    std::vector<double> time;
    for (const std::size_t k : kept) time.push_back(course.time[k]);
    Json json{{"time", packed(std::span<const double>(time))},
              {"balance", part_json(course.balance, kept)},
              {"moved", packed_series(course.moved, kept)},
              {"components", Json::array()},
              {"flows", Json::array()}};
    for (std::size_t k = 0; k < course.rows.size(); ++k)
        json["components"].push_back(part_json(course.components[k], kept));
    if (with_domains(course)) {
        json["domains"] = Json::array();
        for (const EnergyCourse::Part& part : course.domains) json["domains"].push_back(part_json(part, kept));
        json["crossings"] = Json::array();
        for (const EnergyCourse::Crossing& c : course.crossings) {
            if (moves(c.net)) json["crossings"].push_back({{"domain", c.domain}, {"net", packed_series(c.net, kept)}});
        }
    }
    std::set<std::string> present;
    for (const EnergyFlow& flow : course.flows) present.insert(flow.domain);
    json["colours"] = Json::array();
    for (const model::Domain& d : model::domains()) {
        if (present.contains(std::string(d.name)))
            json["colours"].push_back({std::string(d.name), band_colour(std::string(d.name))});
    }
    for (std::size_t f = 0; f < course.flows.size(); ++f) {
        const EnergyFlow& flow = course.flows[f];
        json["flows"].push_back({{"from", flow.from},
                                 {"to", flow.to},
                                 {"domain", flow.domain},
                                 {"net", packed_series(course.net[f], kept)}});
    }
    return json;
}

}  // namespace

Json energy_json(const Run& run, const std::string& model) {
    if (!run.account || !run.account->balance.known) return nullptr;
    const EnergyAccount& a = *run.account;
    Json report{{"from", a.from},
                {"to", a.to},
                {"supplied", a.balance.supplied},
                {"stored", a.balance.stored},
                {"dissipated", a.balance.dissipated},
                {"other", a.balance.other},
                {"events", a.balance.events},
                {"imbalance", a.balance.imbalance},
                {"moved", a.balance.moved},
                {"components", Json::array()},
                {"domains", Json::array()}};
    for (const EnergyRow& r : a.components) report["components"].push_back(row_json(r));
    for (const EnergyRow& r : a.domains) report["domains"].push_back(row_json(r));
    report["sankey"] = picture(sankey(a, model));
    if (run.course) report["course"] = course_json(*run.course);
    return report;
}

}  // namespace bondgraph::api
