#include "bondgraph/cli/plots.hpp"

#include <algorithm>
#include <unordered_map>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

constexpr std::size_t kMostCurvesByDefault = 12;

/// Finds a signal's column, appending one where there is none yet.
class Columns {
   public:
    explicit Columns(std::vector<simulation::Signal>& signals) : signals_(signals) {
        for (std::size_t k = 0; k < signals.size(); ++k) column_.emplace(signals[k].name, k);
    }

    io::Curve curve(simulation::Signal signal) {
        const auto [entry, fresh] = column_.try_emplace(signal.name, signals_.size());
        io::Curve result{entry->second, signal.name, signal.unit};
        if (fresh) signals_.push_back(std::move(signal));
        return result;
    }

   private:
    std::vector<simulation::Signal>& signals_;
    std::unordered_map<std::string, std::size_t> column_;
};

std::vector<io::Panel> default_panels(const Session& session, std::vector<simulation::Signal>& signals,
                                      Columns& columns) {
    std::vector<io::Curve> curves;
    const std::vector<model::VariableId>& states = session.system->states;
    model::NameLookup names(*session.graph);
    for (std::size_t k = 0; k < std::min(states.size(), kMostCurvesByDefault); ++k) {
        if (auto signal = simulation::find_signal(names, session.system->name(states[k]))) {
            curves.push_back(columns.curve(*std::move(signal)));
        }
    }
    if (curves.empty()) {
        for (std::size_t k = 0; k < std::min(signals.size(), kMostCurvesByDefault); ++k) {
            curves.push_back({k, signals[k].name, signals[k].unit});
        }
    }
    if (curves.empty()) {
        throw UsageError(
            "--plot: there is nothing to draw: the model has no states, and no result under 'outputs:' or 'plots:'");
    }
    return io::panels_by_unit(session.model.name.text, curves);
}

}  // namespace

std::vector<io::Panel> plot_panels(const Session& session, std::vector<simulation::Signal>& signals) {
    Columns columns(signals);
    if (session.model.plots.empty()) return default_panels(session, signals, columns);
    std::vector<model::Text> all;
    for (const model::Plot& plot : session.model.plots) all.insert(all.end(), plot.y.begin(), plot.y.end());
    find_signals(session, all);  // reports the mistakes of all plots at once
    std::vector<io::Panel> panels;
    for (const model::Plot& plot : session.model.plots) {
        io::Panel panel{plot.title, {}};
        for (simulation::Signal& signal : find_signals(session, plot.y)) {
            panel.curves.push_back(columns.curve(std::move(signal)));
        }
        panels.push_back(std::move(panel));
    }
    return panels;
}

}  // namespace bondgraph::cli
