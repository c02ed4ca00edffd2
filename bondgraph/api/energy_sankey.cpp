#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bondgraph/api/page_energy.hpp"
#include "bondgraph/api/pictures.hpp"
#include "bondgraph/drawing/theme.hpp"
#include "bondgraph/io/sankey.hpp"
#include "bondgraph/model/domain.hpp"

namespace bondgraph::api {
namespace {

constexpr double kVisible = 1e-3;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

constexpr const char* kNoDomain = "#888888";

model::DomainIndex index_of(const std::string& domain) { return model::find_domain(domain).value_or(model::kGeneric); }

/// As bonds of the domain are drawn.
std::string colour_of(model::DomainIndex domain) {
    static const drawing::Theme kTheme = drawing::theme_named(drawing::ThemeName::colour);
    return domain == model::kGeneric ? kNoDomain : kTheme.of(domain).line;
}

/// What a component does with energy besides handing it on: positive parts are taken out of the flow, negative ones
/// bring energy into it.
struct SankeyPart {
    double amount = 0.0;
    const char* taken;
    const char* given;
};

std::array<SankeyPart, 6> parts_of(const EnergyRow& row, bool events_apart) {
    return {SankeyPart{-row.supplied, "taken back", "supplied"},
            {row.stored, "stored", "released"},
            {row.dissipated, "dissipated", "supplied"},
            {row.other, "taken", "supplied"},
            {events_apart ? 0.0 : row.events, "lost in events", "from events"},
            {row.residual, "numerical error", "numerical error"}};
}

bool is_mechanical(const std::string& domain) { return domain == "translational" || domain == "rotational"; }

/// The flows that move anything. What forces and torques of one connection carry is one flow: how it is divided between
/// them depends on a choice of origins and means nothing.
std::vector<EnergyFlow> net_flows(const EnergyAccount& account) {
    std::vector<EnergyFlow> flows;
    for (const EnergyFlow& flow : account.flows) {
        const auto same = std::find_if(flows.begin(), flows.end(), [&](const EnergyFlow& f) {
            return is_mechanical(f.domain) && is_mechanical(flow.domain) && f.domain != flow.domain &&
                   std::minmax(f.from, f.to) == std::minmax(flow.from, flow.to);
        });
        if (same == flows.end()) {
            flows.push_back(flow);
            continue;
        }
        if (flow.energy > same->energy) same->domain = flow.domain;
        same->energy += same->from == flow.from ? flow.energy : -flow.energy;
        if (same->energy < 0.0) {
            std::swap(same->from, same->to);
            same->energy = -same->energy;
        }
    }
    std::erase_if(flows, [](const EnergyFlow& flow) { return flow.energy == 0.0; });
    return flows;
}

class SankeyBuilder {
   public:
    explicit SankeyBuilder(const EnergyAccount& account)
        : account_(account),
          flows_(net_flows(account)),
          least_(kVisible * largest()),
          node_(account.components.size(), kNone),
          colour_(account.components.size(), kNoDomain) {
        // Energy that an event hands from one storage to another has no bond to go along.
        events_apart_ = std::any_of(account.components.begin(), account.components.end(),
                                    [&](const EnergyRow& row) { return row.events < -least_; });
        find_colours();
        for (const EnergyFlow& flow : flows_) {
            if (flow.energy < least_) {
                ++left_out_;
                continue;
            }
            const std::size_t to = node_of(flow.to);  // the order in which they are numbered is that of the columns
            connect(node_of(flow.from), to, flow.energy, colour_of(index_of(flow.domain)));
            mark(index_of(flow.domain));
        }
        for (std::size_t k = 0; k < account.components.size(); ++k) add_parts(k);
        if (events_apart_) add_events();
    }

    Sankey diagram(const std::string& model) {
        sankey_.title = fmt::format("Energy of {} from {:.6g} s to {:.6g} s", model, account_.from, account_.to);
        for (std::size_t d = 0; d < present_.size(); ++d) {
            const auto domain = static_cast<model::DomainIndex>(d);
            if (present_[d]) sankey_.legend.emplace_back(colour_of(domain), std::string(model::domains()[d].name));
        }
        if (sankey_.flows.empty())
            sankey_.remark = "no energy was moved";
        else if (left_out_ > 0)
            sankey_.remark = fmt::format("not drawn: {} below {}", left_out_, energy_text(least_));
        return std::move(sankey_);
    }

   private:
    [[nodiscard]] double largest() const {
        double most = 0.0;
        for (const EnergyFlow& flow : flows_) most = std::max(most, flow.energy);
        for (const EnergyRow& row : account_.components) most = std::max(most, std::abs(row.events));
        return most;
    }

    /// That of the bond which moves most at a component.
    void find_colours() {
        std::vector<double> most(colour_.size(), 0.0);
        for (const EnergyFlow& flow : flows_) {
            for (const std::size_t k : {flow.from, flow.to}) {
                if (flow.energy <= most[k]) continue;
                most[k] = flow.energy;
                colour_[k] = colour_of(index_of(flow.domain));
            }
        }
    }

    void mark(model::DomainIndex domain) {
        present_.resize(std::max<std::size_t>(present_.size(), domain + std::size_t{1}), false);
        present_[domain] = true;
    }

    std::size_t add_node(const std::string& name, const std::string& note) {
        sankey_.nodes.push_back({name, note});
        return sankey_.nodes.size() - 1;
    }

    std::size_t node_of(std::size_t component) {
        if (node_[component] == kNone) node_[component] = add_node(account_.components[component].name, "");
        return node_[component];
    }

    void connect(std::size_t from, std::size_t to, double energy, const std::string& colour) {
        sankey_.flows.push_back({from, to, energy, colour, energy_text(energy)});
    }

    /// The only thing a component does, where it is the end of all of its bands: its note then says so.
    [[nodiscard]] std::optional<SankeyPart> only_part(const EnergyRow& row) const {
        if (std::min(row.in, row.out) >= least_ || (events_apart_ && std::abs(row.events) >= least_))
            return std::nullopt;
        std::optional<SankeyPart> only;
        for (const SankeyPart& part : parts_of(row, events_apart_)) {
            if (std::abs(part.amount) < least_) continue;
            if (only) return std::nullopt;
            only = part;
        }
        return only;
    }

    void add_parts(std::size_t component) {
        const EnergyRow& row = account_.components[component];
        if (row.passes_on) return;
        if (const auto only = only_part(row)) {
            const std::size_t node = node_of(component);
            sankey_.nodes[node].note = fmt::format("{} {}", energy_text(std::abs(only->amount)),
                                                   only->amount > 0.0 ? only->taken : only->given);
            return;
        }
        for (const SankeyPart& part : parts_of(row, events_apart_)) {
            const double energy = std::abs(part.amount);
            if (energy < least_ || energy == 0.0) continue;
            const std::size_t end = add_node(
                row.name, fmt::format("{} {}", energy_text(energy), part.amount > 0.0 ? part.taken : part.given));
            if (part.amount > 0.0)
                connect(node_of(component), end, energy, colour_[component]);
            else
                connect(end, node_of(component), energy, colour_[component]);
        }
    }

    void add_events() {
        const std::size_t events = add_node("events", "");
        double lost = 0.0;
        for (std::size_t k = 0; k < account_.components.size(); ++k) {
            const double energy = account_.components[k].events;
            if (std::abs(energy) < least_) continue;
            lost += energy;
            if (energy > 0.0)
                connect(node_of(k), events, energy, colour_[k]);
            else
                connect(events, node_of(k), -energy, colour_[k]);
        }
        if (std::abs(lost) < least_) return;
        const std::size_t end =
            add_node("events", fmt::format("{} {}", energy_text(std::abs(lost)), lost > 0.0 ? "lost" : "supplied"));
        if (lost > 0.0)
            connect(events, end, lost, kNoDomain);
        else
            connect(end, events, -lost, kNoDomain);
    }

    const EnergyAccount& account_;
    std::vector<EnergyFlow> flows_;
    double least_;
    std::vector<std::size_t> node_;
    std::vector<std::string> colour_;
    std::vector<bool> present_;
    bool events_apart_ = false;
    std::size_t left_out_ = 0;
    Sankey sankey_;
};

}  // namespace

std::string band_colour(const std::string& domain) { return colour_of(index_of(domain)); }

std::string energy_text(double joule) {
    struct Prefix {
        double factor;
        const char* text;
    };
    constexpr std::array kPrefixes{Prefix{1e12, "TJ"}, Prefix{1e9, "GJ"},  Prefix{1e6, "MJ"},  Prefix{1e3, "kJ"},
                                   Prefix{1.0, "J"},   Prefix{1e-3, "mJ"}, Prefix{1e-6, "µJ"}, Prefix{1e-9, "nJ"}};
    const double size = std::abs(joule);
    if (size == 0.0) return "0 J";
    for (const Prefix& p : kPrefixes) {
        // What four digits round up to 1000 takes the next prefix.
        if (size >= 0.99995 * p.factor) return fmt::format("{:.4g} {}", joule / p.factor, p.text);
    }
    return fmt::format("{:.4g} J", joule);
}

Sankey sankey(const EnergyAccount& account, const std::string& model) { return SankeyBuilder(account).diagram(model); }

std::string picture(const Sankey& sankey) {
    io::Sankey diagram{
        .title = sankey.title, .nodes = {}, .flows = {}, .legend = sankey.legend, .remark = sankey.remark};
    for (const SankeyNode& node : sankey.nodes) diagram.nodes.push_back({node.name, node.note});
    for (const SankeyFlow& flow : sankey.flows)
        diagram.flows.push_back({flow.from, flow.to, flow.amount, flow.colour, flow.label});
    return io::draw_sankey(diagram);
}

}  // namespace bondgraph::api
