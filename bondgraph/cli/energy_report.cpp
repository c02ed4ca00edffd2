#include "bondgraph/cli/energy_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bondgraph/api/json_text.hpp"
#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A column of figures and what it is called in tables and JSON.
struct Figure {
    const char* heading;
    const char* key;
    double EnergyRow::*value;
};

constexpr std::array kFigures{
    Figure{"supplied", "supplied", &EnergyRow::supplied},
    Figure{"in", "in", &EnergyRow::in},
    Figure{"out", "out", &EnergyRow::out},
    Figure{"stored", "stored", &EnergyRow::stored},
    Figure{"dissipated", "dissipated", &EnergyRow::dissipated},
    Figure{"own types", "own_types", &EnergyRow::other},
    Figure{"lost in events", "lost_in_events", &EnergyRow::events},
    Figure{"residual", "residual", &EnergyRow::residual},
};

/// What lies this far below the energy moved is rounding, whatever its digits.
constexpr double kRounding = 1e-14;

std::string figure_text(const Figure& figure, double value, double moved) {
    if (std::abs(value) <= kRounding * moved) return figure.value == &EnergyRow::residual ? "0" : "";
    return figure.value == &EnergyRow::residual ? fmt::format("{:.2g}", value) : fmt::format("{:.6g}", value);
}

/// Columns that are empty in all rows are left out, but for the residual.
std::string table_text(const char* title, const std::vector<const EnergyRow*>& rows, bool types, double moved) {
    std::vector<Figure> shown;
    for (const Figure& figure : kFigures) {
        const bool any = std::any_of(rows.begin(), rows.end(), [&](const EnergyRow* row) {
            return !figure_text(figure, row->*figure.value, moved).empty();
        });
        if (any) shown.push_back(figure);
    }
    std::vector<Align> columns{Align::left};
    std::vector<std::string> head{title};
    if (types) {
        columns.push_back(Align::left);
        head.emplace_back("type");
    }
    for (const Figure& figure : shown) {
        columns.push_back(Align::right);
        head.emplace_back(figure.heading);
    }
    Table table(columns);
    table.add(head);
    for (const EnergyRow* row : rows) {
        std::vector<std::string> cells{row->name};
        if (types) cells.push_back(row->type);
        for (const Figure& figure : shown) cells.push_back(figure_text(figure, row->*figure.value, moved));
        table.add(std::move(cells));
    }
    return table.text();
}

/// Elements are listed even if they did nothing; junctions and domains only if anything went through them.
std::vector<const EnergyRow*> rows_that(const std::vector<EnergyRow>& rows, bool pass_on, bool idle) {
    std::vector<const EnergyRow*> chosen;
    for (const EnergyRow& row : rows) {
        const bool busy = row.supplied != 0.0 || row.in != 0.0 || row.out != 0.0 || row.stored != 0.0;
        if (row.passes_on == pass_on && (busy || idle)) chosen.push_back(&row);
    }
    return chosen;
}

std::string totals_text(const api::Energy& energy) {
    Table totals({Align::left, Align::right});
    totals.add({"supplied by sources", fmt::format("{:.6g}", energy.supplied)});
    totals.add({"stored", fmt::format("{:.6g}", energy.stored)});
    totals.add({"dissipated", fmt::format("{:.6g}", energy.dissipated)});
    if (energy.events != 0.0) totals.add({"lost in events", fmt::format("{:.6g}", energy.events)});
    if (energy.other != 0.0) totals.add({"taken by own types", fmt::format("{:.6g}", energy.other)});
    totals.add({"imbalance", fmt::format("{:.3g}", energy.imbalance)});
    return totals.text();
}

Json row_json(const EnergyRow& row, bool type) {
    Json json{{"name", row.name}};
    if (type) json["type"] = row.type;
    if (row.passes_on) {
        json["in"] = row.in;
        json["out"] = row.out;
        json["residual"] = row.residual;
        return json;
    }
    for (const Figure& figure : kFigures) json[figure.key] = row.*figure.value;
    return json;
}

Json balance_json(const api::Energy& b) {
    return {{"supplied", b.supplied}, {"stored", b.stored},         {"dissipated", b.dissipated},
            {"own_types", b.other},   {"lost_in_events", b.events}, {"imbalance", b.imbalance},
            {"moved", b.moved}};
}

}  // namespace

std::string audit_text(const std::string& model, const EnergyAccount& account) {
    const api::Energy& energy = account.balance;
    if (!energy.known)
        return fmt::format("{}: no bond of this model carries power, so there is no energy to audit\n", model);
    std::string text =
        fmt::format("Energy of {} from {:.6g} s to {:.6g} s, in joule\n", model, account.from, account.to);
    text += table_text("element", rows_that(account.components, false, true), true, energy.moved);
    const auto passing = rows_that(account.components, true, false);
    if (!passing.empty()) text += table_text("junction, two-port", passing, true, energy.moved);
    text += table_text("domain", rows_that(account.domains, false, false), false, energy.moved);
    return text + "Balance, in joule\n" + totals_text(energy);
}

std::string audit_json(const std::string& model, const EnergyAccount& account) {
    const api::Energy& energy = account.balance;
    Json report{{"model", model}, {"from", account.from}, {"to", account.to}, {"unit", "J"}};
    report["balance"] = balance_json(energy);
    for (const char* key : {"elements", "junctions", "domains", "flows"}) report[key] = Json::array();
    for (const EnergyRow& row : account.components)
        report[row.passes_on ? "junctions" : "elements"].push_back(row_json(row, true));
    for (const EnergyRow& row : account.domains) report["domains"].push_back(row_json(row, false));
    for (const EnergyFlow& flow : account.flows) {
        report["flows"].push_back({{"from", account.components[flow.from].name},
                                   {"to", account.components[flow.to].name},
                                   {"bond", flow.bond},
                                   {"domain", flow.domain},
                                   {"energy", flow.energy}});
    }
    return api::json_text(report);
}

}  // namespace bondgraph::cli
