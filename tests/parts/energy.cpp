#include "tests/parts/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "tests/parts/exceptions.hpp"
#include "tests/parts/tested_model.hpp"
#include "tests/parts/time_limit.hpp"

namespace bondgraph::parts {
namespace {

using api::Values;

/// Local errors of a run are kept below its tolerance of what the unknowns are; the balance adds those of all steps up.
/// A hundred thousand of them in one direction would make this of 1e-8.
constexpr double kTolerance = 1e-8;
constexpr double kClosed = 1e-6;
/// What is further off than that has to come from steps: at a hundredth of the tolerance it is a tenth at most.
constexpr double kCloser = 0.01;
constexpr double kLess = 0.1;
/// Less than this (J) is what rounding makes of a model at rest; picofarads at a volt move a hundred times as much.
constexpr double kNothing = 1e-14;
/// Values are multiplied by factors from 1/3 to 3, evenly in their logarithm.
constexpr double kFactor = 3.0;
/// How often values that are refused are drawn anew, nearer to those of the file.
constexpr int kAttempts = 8;
/// Runs that are refused or end on their way tell nothing of the balance: not more than one in ten, or three.
constexpr int kFewest = 3;

enum class Outcome { closed, without_power, refused, ended, slow, open };

struct Account {
    Outcome outcome = Outcome::closed;
    double worst = 0.0;  ///< of imbalance and residuals of domains, of the energy moved
    std::string what;    ///< why it was refused, or what does not close
    std::string fault;   ///< the value that it was refused for, if that can be told
};

/// Those that are set have their place in "value of NAME".
Account refused(const api::Error& error) {
    Account account{.outcome = Outcome::refused, .what = error.text()};
    constexpr std::string_view kPlace = "value of ";
    for (const api::Message& m : error.messages)
        if (m.place.file.starts_with(kPlace)) account.fault = m.place.file.substr(kPlace.size());
    return account;
}

struct Draw {
    Values values;
    Account account;
};

/// What may not be, however exact the run.
std::string beyond_errors(const api::Run& run, const std::string& type, std::vector<Exception>& exceptions) {
    const double moved = run.energy.moved;
    if (std::abs(run.energy.other) > kClosed * moved)
        return fmt::format("{:.3g} J of {:.3g} J go into types without declared energies", run.energy.other, moved);
    for (const api::ElementEnergy& element : run.energy.elements)
        if (element.type == "R" && element.dissipated < -kClosed * moved &&
            find_exception(exceptions, "drives", type + "/" + element.name) == nullptr)
            return fmt::format("'{}' (R) gives {:.3g} J of {:.3g} J moved", element.name, -element.dissipated, moved);
    return {};
}

/// The largest of what does not add up, as a share of the energy moved, and where.
std::pair<double, std::string> largest_residual(const api::Run& run) {
    const double moved = run.energy.moved;
    std::pair<double, std::string> worst{0.0, ""};
    const auto look = [&](double residual, const std::string& where) {
        const double share = moved > 0.0 ? std::abs(residual) / moved : (residual == 0.0 ? 0.0 : 1.0);
        if (!(share <= worst.first)) worst = {share, where};
    };
    look(run.energy.imbalance, "in all");
    if (run.account)
        for (const api::EnergyRow& row : run.account->domains) look(row.residual, row.name);
    return worst;
}

Account account_of(const api::Model& model, const Values& values, const std::string& type, const EnergyOptions& options,
                   std::vector<Exception>& exceptions) {
    api::RunOptions how{.values = values, .energy_by_element = true, .energy_account = true, .look_again = false};
    const auto experiment = model.experiment(how);
    if (!experiment) return refused(experiment.error());
    double stop = experiment->stop;
    double tolerance = std::min(experiment->tolerance, kTolerance);
    double before = 0.0;
    for (int attempt = 0; attempt < 4; ++attempt) {
        const TimeLimit limit(options.seconds);
        how.stop = stop;
        how.tolerance = tolerance;
        how.interval = (stop - experiment->start) / 50.0;
        how.cancel = limit.flag();
        const auto run = model.run(how);
        if (limit.reached()) {
            stop = experiment->start + (stop - experiment->start) / 20.0;
            continue;
        }
        if (!run) return refused(run.error());
        if (run->failure) return {.outcome = Outcome::ended, .what = run->failure->text()};
        if (!run->energy.known || run->energy.moved < kNothing) return {.outcome = Outcome::without_power};
        if (std::string what = beyond_errors(*run, type, exceptions); !what.empty())
            return {.outcome = Outcome::open, .worst = 1.0, .what = std::move(what)};
        const auto [worst, where] = largest_residual(*run);
        if (worst <= kClosed || (before > 0.0 && worst <= kLess * before)) return {.worst = worst};
        if (before > 0.0)
            return {
                .outcome = Outcome::open,
                .worst = worst,
                .what = fmt::format("{}: {:.2g} of {:.3g} J moved are missing at the tolerance {:g}, {:.2g} at {:g}",
                                    where, worst, run->energy.moved, tolerance, before, tolerance / kCloser)};
        before = worst;
        tolerance *= kCloser;
    }
    return {.outcome = Outcome::slow, .what = fmt::format("not done after {:g} s", options.seconds)};
}

std::string command_of(const std::string& file, const Values& values) {
    std::string text = "bondgraph run " + file;
    for (const auto& [name, value] : values) text += fmt::format(" --set {}='{}'", name, value.text());
    return text;
}

/// Numbers of parts, orders and the like: they can't be a third more.
bool may_be_a_count(const Changeable& c) {
    return !c.start && c.plain && c.value && *c.value >= 1.0 && *c.value == std::floor(*c.value);
}

/// What differs from the test model in a draw, and how much.
struct Spread {
    bool counts = true;     ///< whole numbers do
    bool starts = true;     ///< start values do
    double share = 1.0;     ///< of all values
    double exponent = 1.0;  ///< the smaller, the nearer factors are to 1
};

/// Values that differ from those of the file by random factors.
Values values_of(const TestedModel& tested, const std::map<std::string, double>& exponents, const Spread& spread,
                 Random& random) {
    Values values;
    for (const Changeable& c : tested.changeable) {
        if (random.uniform() >= spread.share || !exponents.contains(c.name)) continue;
        if ((!spread.counts && may_be_a_count(c)) || (!spread.starts && c.start)) continue;
        if (c.derived && c.written == nullptr) continue;  // it goes with the others
        const double factor = std::pow(kFactor, spread.exponent * exponents.at(c.name));
        if (c.written != nullptr) {
            if (const auto text = times(*c.written, factor)) values.emplace(c.name, *text);
        } else if (c.value && *c.value != 0.0) {
            values.emplace(c.name, factor * *c.value);
        }
    }
    return values;
}

/// Fewer values, and nearer to those of the file, until the model takes them; one that is refused by itself stays as in
/// the file.
Draw draw_values(const TestedModel& tested, const api::Model& model, const EnergyOptions& options, int number,
                 std::vector<Exception>& exceptions) {
    const std::string type = std::filesystem::path(tested.file).stem().string();
    Random random(options.seed + static_cast<std::uint64_t>(number), type);
    std::map<std::string, double> exponents;
    for (const Changeable& c : tested.changeable) {
        const double exponent = 2.0 * random.uniform() - 1.0;
        if (find_exception(exceptions, "keep", type + "/" + c.name) == nullptr) exponents[c.name] = exponent;
    }
    Draw draw;
    Spread spread;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        draw.values = values_of(tested, exponents, spread, random);
        do {
            draw.account = account_of(model, draw.values, type, options, exceptions);
        } while (!draw.account.fault.empty() && draw.values.erase(draw.account.fault) != 0);
        if (draw.account.outcome != Outcome::refused) break;
        if (spread.counts)
            spread.counts = false;
        else if (spread.starts)
            spread.starts = false;
        else
            spread = {.counts = false, .starts = false, .share = spread.share * 0.7, .exponent = spread.exponent * 0.8};
    }
    return draw;
}

}  // namespace

bool audit_energy(const EnergyOptions& options) {
    std::vector<Exception> exceptions;
    if (!options.exceptions.empty()) exceptions = read_exceptions(options.exceptions);
    std::map<Outcome, int> counts;
    double worst = 0.0;
    for (const std::string& file : test_models(options.places)) {
        std::optional<TestedModel> tested;
        try {
            tested = read_tested_model(file, options.folders);
        } catch (const ModelError& e) {
            fmt::print("{}: {}\n", file, e.what());
            ++counts[Outcome::open];
            continue;
        }
        const auto model = api::Model::load(file, {.import_folders = options.folders});
        for (int k = 0; k < options.draws; ++k) {
            const Draw draw = draw_values(*tested, *model, options, k, exceptions);
            const Account& account = draw.account;
            ++counts[account.outcome];
            if (account.outcome == Outcome::closed) worst = std::max(worst, account.worst);
            if (options.verbose) fmt::print("{} {:.1e}\n", command_of(file, draw.values), account.worst);
            if (account.what.empty()) continue;
            const std::map<Outcome, const char*> names{{Outcome::refused, "refused"},
                                                       {Outcome::ended, "ended"},
                                                       {Outcome::slow, "slow"},
                                                       {Outcome::open, "FAIL"}};
            fmt::print("{} {} (draw {})\n  {}\n", names.at(account.outcome), file, k,
                       account.what.substr(0, account.what.find('\n')));
            if (account.outcome != Outcome::refused || options.verbose)
                fmt::print("  {}\n", command_of(file, draw.values));
        }
        std::fflush(stdout);
    }
    fmt::print(
        "{} balances close (the worst to {:.1e} of the energy moved), {} don't; {} models without power, {} "
        "refused, {} ended on their way, {} too slow\n",
        counts[Outcome::closed], worst, counts[Outcome::open], counts[Outcome::without_power], counts[Outcome::refused],
        counts[Outcome::ended], counts[Outcome::slow]);
    const int without = counts[Outcome::refused] + counts[Outcome::ended] + counts[Outcome::slow];
    const bool few = without <= std::max(kFewest, (counts[Outcome::closed] + without) / 10);
    if (!few) fmt::print("too many runs tell nothing of the balance\n");
    return counts[Outcome::open] == 0 && few;
}

}  // namespace bondgraph::parts
