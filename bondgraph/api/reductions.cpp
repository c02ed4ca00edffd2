#include "bondgraph/api/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "bondgraph/api/messages.hpp"
#include "bondgraph/io/take_out.hpp"

namespace bondgraph::api {
namespace {

using model::BondGraph;
using model::Element;

/// What is set to 0 at a junction may have this share, as root mean square, of the largest that is there.
constexpr double kSmall = 0.1;

/// Without its components in square brackets.
std::string owner_in(const std::string& setting) { return setting.substr(0, setting.find_first_of(".=[")); }

// ---- Activities

bool counts(const Element& e) {
    return !e.ports.empty() && e.type->energy != model::Energy::none && e.type->energy != model::Energy::supplied &&
           !e.type->holds_positions;
}

std::vector<ElementActivity> activities_of(const BondGraph& graph, const Run& run, double keep) {
    std::vector<ElementActivity> all;
    double total = 0.0;
    for (const ElementEnergy& e : run.energy.elements) {
        const auto id = graph.element_by_name.find(e.name);
        if (id == graph.element_by_name.end() || !counts(graph.elements[id->second.index()])) continue;
        all.push_back({.name = e.name, .type = e.type, .activity = e.moved, .remark = {}});
        total += e.moved;
    }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.activity > b.activity; });
    double sum = 0.0;
    for (ElementActivity& e : all) {
        // What rounding leaves of a sum is no reason to keep what adds nothing.
        e.little = sum >= keep * total * (1.0 - 1e-12);
        sum += e.activity;
        e.share = total > 0.0 ? e.activity / total : 0.0;
        e.cumulative = total > 0.0 ? sum / total : 0.0;
    }
    return all;
}

// ---- Where the graph may be cut

/// The bonds of an element.
std::vector<std::vector<std::size_t>> bonds_by_element(const BondGraph& g) {
    std::vector<std::vector<std::size_t>> bonds(g.elements.size());
    for (std::size_t b = 0; b < g.bonds.size(); ++b) {
        bonds[g.bonds[b].from.index()].push_back(b);
        bonds[g.bonds[b].to.index()].push_back(b);
    }
    return bonds;
}

/// A bond that may go with all behind it.
struct Candidate {
    std::size_t bond = 0;
    std::size_t junction = 0;           ///< element, which stays
    std::vector<std::size_t> elements;  ///< which go
    double activity = 0.0;
};

class Cuts {
   public:
    Cuts(const BondGraph& g, std::set<std::size_t> little, std::map<std::string, std::string> used)
        : g_(g), bonds_(bonds_by_element(g)), little_(std::move(little)), used_(std::move(used)) {}

    /// Why an element can't go with its text; empty: it can.
    [[nodiscard]] std::string stays(std::size_t element) const {
        const Element& e = g_.elements[element];
        if (e.name.find_first_of(".[") != std::string::npos || e.owner.valid())
            return "it is part of another component, and has no line of its own in the file";
        if (e.position.file != 0) return "it stands in an imported file";
        const bool kind = e.type->in_junction_structure() ||
                          (e.type->structure == model::Structure::border && counts(e) && e.type->build == nullptr);
        if (!kind || e.declaration != nullptr || e.type->is_own_type())
            return "only R, C, I, fields and what joins them are left out";
        if (const auto use = used_.find(e.name); use != used_.end())
            return fmt::format("its results are used in {}", use->second);
        return {};
    }

    /// All of them that have an element in them, the largest first.
    [[nodiscard]] std::vector<Candidate> around(std::size_t element) const {
        std::vector<Candidate> found;
        std::set<std::size_t> inside{element};
        std::vector<std::size_t> open{element};
        // Bonds that part what may go from a junction lie around elements that may go.
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            for (const std::size_t b : bonds_[at]) {
                const std::size_t other = across(b, at);
                if (g_.elements[other].is_junction()) {
                    if (auto c = behind(b, other)) found.push_back(*std::move(c));
                }
                if (may_go(other) && inside.insert(other).second) open.push_back(other);
            }
        }
        std::erase_if(found,
                      [&](const Candidate& c) { return std::ranges::find(c.elements, element) == c.elements.end(); });
        std::ranges::stable_sort(
            found, [](const Candidate& a, const Candidate& b) { return a.elements.size() > b.elements.size(); });
        return found;
    }

    [[nodiscard]] const std::vector<std::size_t>& bonds_of(std::size_t element) const { return bonds_[element]; }

   private:
    [[nodiscard]] std::size_t across(std::size_t bond, std::size_t from) const {
        const model::Bond& b = g_.bonds[bond];
        return b.from.index() == from ? b.to.index() : b.from.index();
    }

    [[nodiscard]] bool may_go(std::size_t element) const {
        return stays(element).empty() && (!counts(g_.elements[element]) || little_.contains(element));
    }

    /// What hangs on a junction by a bond, if nothing of it has to stay.
    [[nodiscard]] std::optional<Candidate> behind(std::size_t bond, std::size_t junction) const {
        Candidate c{.bond = bond, .junction = junction, .elements = {across(bond, junction)}};
        if (g_.elements[junction].name.find_first_of(".[") != std::string::npos) return std::nullopt;
        std::set<std::size_t> seen{c.elements.front()};
        for (std::size_t k = 0; k < c.elements.size(); ++k) {
            const std::size_t at = c.elements[k];
            if (at == junction || !may_go(at)) return std::nullopt;
            for (const std::size_t b : bonds_[at]) {
                if (b != bond && seen.insert(across(b, at)).second) c.elements.push_back(across(b, at));
            }
        }
        return c;
    }

    const BondGraph& g_;
    std::vector<std::vector<std::size_t>> bonds_;
    std::set<std::size_t> little_;
    std::map<std::string, std::string> used_;
};

// ---- What was small in the run

double rms(std::span<const double> time, std::span<const double> values) {
    double sum = 0.0;
    for (std::size_t i = 1; i < time.size(); ++i)
        sum += 0.5 * (time[i] - time[i - 1]) * (values[i] * values[i] + values[i - 1] * values[i - 1]);
    const double length = time.empty() ? 0.0 : time.back() - time.front();
    return length > 0.0 ? std::sqrt(sum / length) : values.empty() ? 0.0 : std::abs(values.back());
}

/// The names of the efforts (at a 1-junction) or flows of a bond.
std::vector<std::string> differing(const BondGraph& g, std::size_t bond, bool effort) {
    std::vector<std::string> names;
    const model::Bond& b = g.bonds[bond];
    for (std::uint32_t k = 0; k < b.size; ++k)
        names.push_back(g.variable_name(effort ? BondGraph::effort(b.first + k) : BondGraph::flow(b.first + k)));
    return names;
}

bool is_one(const BondGraph& g, std::size_t junction) {
    return g.elements[junction].type->structure == model::Structure::junction1;
}

double size_of(const Run& run, const std::vector<std::string>& names) {
    double sum = 0.0;
    for (const std::string& name : names) {
        const double value = rms(run.series.time(), run.series[name]);
        sum += value * value;
    }
    return std::sqrt(sum);
}

/// What would be set to 0 over the largest that another bond of the junction has there.
double ratio_of(const BondGraph& g, const Cuts& cuts, const Candidate& c, const Run& run) {
    const bool effort = is_one(g, c.junction);
    double others = 0.0;
    for (const std::size_t b : cuts.bonds_of(c.junction)) {
        if (b != c.bond) others = std::max(others, size_of(run, differing(g, b, effort)));
    }
    const double own = size_of(run, differing(g, c.bond, effort));
    return own == 0.0 ? 0.0 : own / others;
}

// ---- The reduced model

/// A model, its run, and what has come of it so far.
class Reducer {
   public:
    Reducer(const Model& model, const Session& base, const ReduceOptions& options)
        : model_(model), base_(base), g_(*base.graph), options_(options) {}

    Result<Reduction> run() {
        auto outputs = model_.outputs();
        if (!outputs) return outputs.error();
        auto run = model_.run(run_options(*outputs, true));
        if (!run) return run.error();
        if (run->failure) return *run->failure;
        if (!run->energy.known)
            return plain_error(Error::Kind::usage,
                               {"no bond of the model carries power: there is no activity to go by"});
        full_ = *std::move(run);
        result_.from = full_.series.time().front();
        result_.to = full_.series.time().back();
        result_.keep = options_.keep;
        result_.warnings = full_.warnings;
        result_.elements = activities_of(g_, full_, options_.keep);
        for (const ElementActivity& e : result_.elements) result_.total += e.activity;
        if (!(result_.total > 0.0))
            return plain_error(Error::Kind::usage, {"no power flows in this run: it does not tell what matters; let "
                                                    "something move, by a source, a start value or a longer run"});
        result_.kept = 1.0;
        choose(*outputs);
        if (auto error = reduce(*outputs)) return *std::move(error);
        return std::move(result_);
    }

   private:
    [[nodiscard]] RunOptions run_options(std::vector<std::string> outputs, bool by_element) const {
        RunOptions o;
        o.values = options_.values;
        o.outputs = std::move(outputs);
        o.stop = options_.stop;
        o.interval = options_.interval;
        o.tolerance = options_.tolerance;
        o.energy_by_element = by_element;
        o.energy = by_element;
        o.cancel = options_.cancel;
        o.look_again = by_element;
        return o;
    }

    [[nodiscard]] std::size_t element(const std::string& name) const { return g_.element_by_name.at(name).index(); }

    ElementActivity& activity(std::size_t id) {
        return *std::ranges::find(result_.elements, g_.elements[id].name, &ElementActivity::name);
    }

    /// What may go: text, names and causes are looked at, and where a cut would set something small to 0.
    void choose(const std::vector<std::string>& outputs) {
        std::set<std::size_t> little;
        std::set<std::string> names;
        for (const ElementActivity& e : result_.elements) {
            if (e.little) little.insert(element(e.name));
        }
        if (little.empty()) return;
        for (const Element& e : g_.elements) names.insert(e.name);
        const std::string& text = base_.sources.text(0);
        const Cuts cuts(g_, little, io::names_in_use(text, names));
        std::map<std::size_t, std::vector<Candidate>> candidates;
        std::set<std::string> wanted(outputs.begin(), outputs.end());
        for (const std::size_t id : little) {
            ElementActivity& a = activity(id);
            a.remark = base_.stored ? "a compiled model has no text to take it out of" : cuts.stays(id);
            if (!a.remark.empty()) continue;
            candidates[id] = cuts.around(id);
            if (candidates[id].empty()) a.remark = "it does not hang on a junction by a single bond";
            for (const Candidate& c : candidates[id]) {
                for (const std::size_t b : cuts.bonds_of(c.junction)) {
                    for (std::string& name : differing(g_, b, is_one(g_, c.junction))) wanted.insert(std::move(name));
                }
            }
        }
        if (candidates.empty()) return;
        auto measured = model_.run(run_options({wanted.begin(), wanted.end()}, false));
        if (!measured || measured->failure) return;  // the run before did not fail
        for (auto& [id, list] : candidates) {
            if (gone_.contains(id)) continue;
            for (const Candidate& c : list) {
                if (take(cuts, c, *measured)) break;
            }
        }
    }

    /// Whether a cut has been made.
    bool take(const Cuts& cuts, const Candidate& c, const Run& measured) {
        const bool overlap = std::ranges::any_of(c.elements, [&](std::size_t e) { return gone_.contains(e); });
        if (overlap || gone_.contains(c.junction)) return false;
        const bool effort = is_one(g_, c.junction);
        std::size_t left = 0;
        for (const std::size_t b : cuts.bonds_of(c.junction)) {
            const std::size_t from = g_.bonds[b].from.index();
            const std::size_t other = from == c.junction ? g_.bonds[b].to.index() : from;
            if (b != c.bond && !gone_.contains(other)) ++left;
        }
        const double ratio = ratio_of(g_, cuts, c, measured);
        std::string refused;
        if (left < 2)
            refused = fmt::format("without it '{}' would join nothing any more", g_.elements[c.junction].name);
        else if (!(ratio <= kSmall))
            refused = fmt::format("its {} is {:.3g} of the largest at '{}' (rms): without it that would be 0",
                                  effort ? "effort" : "flow", ratio, g_.elements[c.junction].name);
        if (!refused.empty()) {
            for (const std::size_t e : c.elements) {
                if (counts(g_.elements[e]) && activity(e).remark.empty()) activity(e).remark = refused;
            }
            return false;
        }
        Cut cut{.junction = g_.elements[c.junction].name, .effort = effort, .ratio = ratio, .components = {}};
        for (const std::size_t e : c.elements) {
            gone_.insert(e);
            cut.components.push_back(g_.elements[e].name);
            if (!counts(g_.elements[e])) continue;
            activity(e).removed = true;
            activity(e).remark = fmt::format("its {} at '{}' is {:.3g} of the largest there (rms)",
                                             effort ? "effort" : "flow", cut.junction, ratio);
        }
        result_.cuts.push_back(std::move(cut));
        return true;
    }

    void restore(std::size_t cut, const std::string& because) {
        for (const std::string& name : result_.cuts[cut].components) {
            const std::size_t id = element(name);
            gone_.erase(id);
            if (!counts(g_.elements[id])) continue;
            activity(id).removed = false;
            activity(id).remark = "without it: " + because;
        }
        result_.cuts.erase(result_.cuts.begin() + static_cast<std::ptrdiff_t>(cut));
    }

    [[nodiscard]] std::set<std::string> gone_names() const {
        std::set<std::string> names;
        for (const Cut& cut : result_.cuts) names.insert(cut.components.begin(), cut.components.end());
        return names;
    }

    [[nodiscard]] Result<Model> load(const std::string& text, const std::set<std::string>& gone) const {
        LoadOptions load{.values = {}, .settings = {}, .command_line = base_.command_line};
        for (const auto& folder : base_.import_folders) load.import_folders.push_back(folder.string());
        for (const std::string& setting : base_.settings) {
            if (!gone.contains(owner_in(setting))) load.settings.push_back(setting);
        }
        return Model::parse(text, base_.file, load);
    }

    [[nodiscard]] double activity_of(const Cut& cut) const {
        double sum = 0.0;
        for (const ElementActivity& e : result_.elements) {
            if (std::ranges::find(cut.components, e.name) != cut.components.end()) sum += e.activity;
        }
        return sum;
    }

    /// Runs what is left; where that can't be run, the most active part that is gone comes back, until it can.
    std::optional<Error> reduce(const std::vector<std::string>& outputs) {
        while (!result_.cuts.empty()) {
            const std::set<std::string> gone = gone_names();
            const std::string text = io::without_components(base_.sources.text(0), gone);
            auto reduced = load(text, gone);
            std::optional<Error> error;
            if (!reduced)
                error = reduced.error();
            else if (auto refused = compare(*reduced, text, gone, outputs); refused)
                error = *std::move(refused);
            if (!error) return std::nullopt;
            if (error->kind == Error::Kind::cancelled) return error;
            const auto worst = std::ranges::max_element(
                result_.cuts, [&](const Cut& a, const Cut& b) { return activity_of(a) < activity_of(b); });
            restore(static_cast<std::size_t>(worst - result_.cuts.begin()),
                    error->messages.empty() ? "the model can't be run" : error->messages.front().text);
        }
        return std::nullopt;
    }

    /// Why the reduced model can't be run; nothing where it can, and the result is filled in.
    std::optional<Error> compare(const Model& reduced, const std::string& text, const std::set<std::string>& gone,
                                 const std::vector<std::string>& outputs) {
        ReduceOptions options = options_;
        std::erase_if(options.values, [&](const auto& v) { return gone.contains(owner_in(v.first)); });
        std::vector<std::string> common;
        std::vector<std::string> lost;
        for (const std::string& name : outputs) (reduced.results(name) ? common : lost).push_back(name);
        RunOptions o = run_options(common, false);
        o.values = options.values;
        auto run = reduced.run(o);
        if (!run) return run.error();
        if (run->series.rows() == 0 && run->failure) return run->failure;
        auto structure = reduced.structure(options.values);
        auto before = model_.structure(options_.values);
        if (!structure || !before) return structure ? before.error() : structure.error();
        result_.text = text;
        result_.failure = run->failure;
        result_.outputs_gone = lost;
        result_.states = structure->states.size();
        for (const std::string& state : before->states) {
            if (std::ranges::find(structure->states, state) == structure->states.end())
                result_.states_gone.push_back(state);
        }
        for (const Message& m : run->warnings) result_.warnings.push_back(m);
        result_.kept = 1.0;
        for (const Cut& cut : result_.cuts) result_.kept -= activity_of(cut) / result_.total;
        for (const std::string& name : common) result_.outputs.push_back(deviation(name, run->series));
        return std::nullopt;
    }

    /// At times that both have; where events give several rows of one time, at the last of these.
    [[nodiscard]] OutputDeviation deviation(const std::string& name, const Series& reduced) const {
        const Series& full = full_.series;
        const std::span<const double> a = full[name];
        const std::span<const double> b = reduced[name];
        OutputDeviation d{.name = name, .unit = full.columns()[full.find(name).front()].unit};
        std::vector<double> times;
        std::vector<double> differences;
        double least = std::numeric_limits<double>::infinity();
        double most = -least;
        std::size_t j = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            least = std::min(least, a[i]);
            most = std::max(most, a[i]);
            const double t = full.time()[i];
            if (i + 1 < a.size() && full.time()[i + 1] == t) continue;
            const double same = 1e-9 * (full.time().back() - full.time().front());
            while (j < b.size() && reduced.time()[j] < t - same) ++j;
            if (j == b.size() || reduced.time()[j] > t + same) continue;
            while (j + 1 < b.size() && reduced.time()[j + 1] <= t + same) ++j;
            times.push_back(t);
            differences.push_back(b[j] - a[i]);
            d.largest = std::max(d.largest, std::abs(differences.back()));
        }
        d.rms = rms(times, differences);
        d.range = most - least;
        if (!(d.range > 1e-9 * std::max(std::abs(most), std::abs(least))))
            d.range = std::max(std::abs(most), std::abs(least));
        return d;
    }

    const Model& model_;
    const Session& base_;
    const BondGraph& g_;
    const ReduceOptions& options_;
    Run full_;
    Reduction result_;
    std::set<std::size_t> gone_;
};

}  // namespace

Result<Reduction> reduction_of(const Model& model, const Session& base, const ReduceOptions& options) {
    if (!(options.keep > 0.0) || !(options.keep <= 1.0))
        return plain_error(Error::Kind::usage, {"the share of activity to keep has to be above 0 and at most 1"});
    return Reducer(model, base, options).run();
}

}  // namespace bondgraph::api
