#include "bondgraph/api/behaviour.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>

#include "bondgraph/base/numbers.hpp"

namespace bondgraph::api {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using equivalence::OnePort;
using equivalence::Traits;

/// Beyond it a dense solution at each frequency takes too long.
constexpr std::size_t kMostStatesCompared = 300;
constexpr std::size_t kFrequencies = 24;
/// Of the largest entry: matrices of equal systems in other coordinates differ by rounding, which their condition
/// multiplies.
constexpr double kEqualTransfer = 1e-8;
/// Of the largest pole: double roots are known to half the digits only.
constexpr double kEqualPoles = 1e-6;
/// Of the largest power: what a run at the usual tolerance of 1e-6 is good for, ten times.
constexpr double kEqualPowers = 1e-5;
constexpr std::size_t kFewestTimes = 10;

bool alike(const OnePort& a, const OnePort& b) {
    const bool open = a.domain == "generic" || b.domain == "generic";
    return a.type == b.type && (open || a.domain == b.domain) &&
           std::abs(std::abs(a.value) - std::abs(b.value)) <= 1e-9 * std::abs(a.value);
}

std::string effort_or_flow(const OnePort& p, bool effort) { return p.name + (effort ? ".e" : ".f"); }

// ---- linear models --------------------------------------------------------------------------------------------------

MatrixXd matrix(const std::vector<double>& entries, std::size_t rows, std::size_t cols) {
    using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const ByRows>(entries.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
}

/// Without the states of elements that nothing reads, which only add poles of their own.
void drop_states(LinearModel& m, const std::vector<std::string>& elements) {
    const std::size_t n = m.states.size();
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < n; ++k) {
        const bool dropped =
            std::ranges::any_of(elements, [&](const std::string& name) { return m.states[k].starts_with(name + "."); });
        if (!dropped) kept.push_back(k);
    }
    if (kept.size() == n) return;
    const auto part_of = [](const std::vector<double>& entries, const std::vector<std::size_t>& rows,
                            const std::vector<std::size_t>& cols, std::size_t width) {
        std::vector<double> result;
        for (const std::size_t r : rows) {
            for (const std::size_t c : cols) result.push_back(entries[r * width + c]);
        }
        return result;
    };
    const auto all = [](std::size_t count) {
        std::vector<std::size_t> result(count);
        for (std::size_t k = 0; k < count; ++k) result[k] = k;
        return result;
    };
    m.A = part_of(m.A, kept, kept, n);
    m.B = part_of(m.B, kept, all(m.inputs.size()), m.inputs.size());
    m.C = part_of(m.C, all(m.outputs.size()), kept, n);
    std::vector<std::string> states;
    for (const std::size_t k : kept) states.push_back(m.states[k]);
    m.states = std::move(states);
    m.eigenvalues.clear();
    if (kept.empty()) return;
    const Eigen::VectorXcd poles = matrix(m.A, kept.size(), kept.size()).eigenvalues();
    m.eigenvalues.assign(poles.begin(), poles.end());
}

std::optional<LinearModel> linear_of(const Model& model, const Traits& traits, std::string& why) {
    LinearizeOptions asked;
    for (const OnePort& s : traits.sources) {
        asked.inputs.push_back(s.name);
        asked.outputs.push_back(effort_or_flow(s, s.type == "Sf"));
    }
    for (const OnePort& s : traits.storages) asked.outputs.push_back(effort_or_flow(s, s.type == "C"));
    auto found = model.linearize(asked);
    if (!found) {
        why = found.error().messages.empty() ? "" : found.error().messages.front().text;
        return std::nullopt;
    }
    if (!found->left_out.empty()) {
        why = fmt::format("the rate of '{}' is needed", found->left_out.front());
        return std::nullopt;
    }
    if (found->states.size() > kMostStatesCompared) {
        why = fmt::format("there are {} states", found->states.size());
        return std::nullopt;
    }
    drop_states(*found, traits.unread);
    return std::move(*found);
}

/// Half way round the right half plane, where there are no poles of stable systems, over all sizes of poles.
std::vector<Complex> frequencies(const LinearModel& a, const LinearModel& b) {
    double low = 0.0;
    double high = 0.0;
    for (const LinearModel* m : {&a, &b}) {
        for (const Complex pole : m->eigenvalues) {
            const double size = std::abs(pole);
            if (size == 0.0) continue;
            low = low == 0.0 ? size : std::min(low, size);
            high = std::max(high, size);
        }
    }
    if (high == 0.0) low = high = 1.0;
    low = std::max(low, 1e-9 * high);
    std::vector<Complex> result;
    for (std::size_t k = 0; k < kFrequencies; ++k) {
        const double part = static_cast<double>(k) / (kFrequencies - 1);
        const double size = 0.1 * low * std::pow(100.0 * high / low, part);
        result.push_back(std::polar(size, 0.3 + 1.1 * std::fmod(part * 7.3, 1.0)));
    }
    return result;
}

/// From the sources to what answers them, then to the storages, at each frequency.
std::vector<MatrixXcd> transfers(const LinearModel& m, const Traits& traits, const std::vector<Complex>& at) {
    const std::size_t n = m.states.size();
    const std::size_t in = m.inputs.size();
    const std::size_t out = m.outputs.size();
    const MatrixXd A = matrix(m.A, n, n);
    const MatrixXcd B = matrix(m.B, n, in).cast<Complex>();
    const MatrixXd C = matrix(m.C, out, n);
    const MatrixXd D = matrix(m.D, out, in);
    std::vector<MatrixXcd> result;
    for (const Complex s : at) {
        MatrixXcd H = D.cast<Complex>();
        if (n > 0) {
            const auto order = static_cast<Eigen::Index>(n);
            const MatrixXcd pencil = s * MatrixXcd::Identity(order, order) - A.cast<Complex>();
            H += C.cast<Complex>() * pencil.partialPivLu().solve(B);
        }
        for (std::size_t k = 0; k < traits.sources.size(); ++k)
            H.row(static_cast<Eigen::Index>(k)) *= traits.sources[k].conjugate_sign;
        result.push_back(std::move(H));
    }
    return result;
}

/// The largest difference of poles after each has been given to the nearest one left, of the largest pole; nothing
/// where there are more of one model.
std::optional<double> distance_of_poles(const LinearModel& a, const LinearModel& b) {
    if (a.eigenvalues.size() != b.eigenvalues.size()) return std::nullopt;
    std::vector<Complex> rest = b.eigenvalues;
    double largest = 0.0;
    double distance = 0.0;
    for (const Complex p : a.eigenvalues) {
        const auto nearest = std::ranges::min_element(rest, {}, [&](Complex q) { return std::abs(p - q); });
        largest = std::max(largest, std::abs(p));
        distance = std::max(distance, std::abs(p - *nearest));
        rest.erase(nearest);
    }
    return largest > 0.0 ? distance / largest : distance;
}

/// Gives each source of the model one of the reference with the same entries, one after the other, back and forth.
class Assignment {
   public:
    Assignment(const Traits& mine, const Traits& reference, const std::vector<MatrixXcd>& H,
               const std::vector<MatrixXcd>& G)
        : mine_(mine.sources), reference_(reference.sources), H_(H), G_(G), taken_(reference_.size()) {}

    /// How closely the matrices agree; nothing where no assignment makes them, or none was found in time.
    std::optional<double> search() {
        if (mine_.size() != reference_.size() || mine_.empty() || !assign(0)) return std::nullopt;
        return worst_;
    }
    [[nodiscard]] bool in_time() const { return tries_ < kMostTries; }

   private:
    static constexpr std::size_t kMostTries = 100'000;

    bool assign(std::size_t k) {
        if (k == mine_.size()) return true;
        for (std::size_t r = 0; r < reference_.size() && in_time(); ++r) {
            if (taken_[r] || !alike(mine_[k], reference_[r])) continue;
            ++tries_;
            to_.push_back(static_cast<Eigen::Index>(r));
            taken_[r] = true;
            const double before = worst_;
            if (agree(k) && assign(k + 1)) return true;
            worst_ = before;
            taken_[r] = false;
            to_.pop_back();
        }
        return false;
    }

    bool agree(std::size_t k) {
        const auto turned = [&](std::size_t i) {
            return mine_[i].value * reference_[static_cast<std::size_t>(to_[i])].value < 0.0 ? -1.0 : 1.0;
        };
        for (std::size_t w = 0; w < H_.size(); ++w) {
            const auto sources = static_cast<Eigen::Index>(mine_.size());
            const double size =
                std::max(H_[w].topRows(sources).cwiseAbs().maxCoeff(), G_[w].topRows(sources).cwiseAbs().maxCoeff());
            for (std::size_t i = 0; i <= k; ++i) {
                const auto a = static_cast<Eigen::Index>(i);
                const auto b = static_cast<Eigen::Index>(k);
                const double sign = turned(i) * turned(k);
                const double difference = std::max(std::abs(H_[w](a, b) - sign * G_[w](to_[i], to_[k])),
                                                   std::abs(H_[w](b, a) - sign * G_[w](to_[k], to_[i])));
                if (!(difference <= kEqualTransfer * size)) return false;
                if (size > 0.0) worst_ = std::max(worst_, difference / size);
            }
        }
        return true;
    }

    const std::vector<OnePort>& mine_;
    const std::vector<OnePort>& reference_;
    const std::vector<MatrixXcd>& H_;
    const std::vector<MatrixXcd>& G_;
    std::vector<bool> taken_;
    std::vector<Eigen::Index> to_;
    double worst_ = 0.0;
    std::size_t tries_ = 0;
};

/// What each storage answers to all sources together, over the frequencies.
std::vector<Eigen::VectorXcd> answers(const Traits& traits, const std::vector<MatrixXcd>& H) {
    Eigen::VectorXcd given(static_cast<Eigen::Index>(traits.sources.size()));
    for (std::size_t k = 0; k < traits.sources.size(); ++k)
        given(static_cast<Eigen::Index>(k)) = traits.sources[k].value;
    std::vector<Eigen::VectorXcd> result;
    for (std::size_t k = 0; k < traits.storages.size(); ++k) {
        Eigen::VectorXcd answer(static_cast<Eigen::Index>(H.size()));
        for (std::size_t w = 0; w < H.size(); ++w)
            answer(static_cast<Eigen::Index>(w)) =
                (H[w].row(static_cast<Eigen::Index>(traits.sources.size() + k)) * given).value();
        result.push_back(std::move(answer));
    }
    return result;
}

/// How closely the storages of both answer alike; nothing where some of them does not, or nothing answers.
std::optional<double> like_answers(const Traits& mine, const std::vector<MatrixXcd>& H, const Traits& reference,
                                   const std::vector<MatrixXcd>& G) {
    if (mine.storages.empty() || mine.storages.size() != reference.storages.size()) return std::nullopt;
    const auto a = answers(mine, H);
    const auto b = answers(reference, G);
    std::vector<bool> taken(b.size());
    double worst = 0.0;
    bool moved = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        bool found = false;
        for (std::size_t r = 0; r < b.size() && !found; ++r) {
            if (taken[r] || !alike(mine.storages[k], reference.storages[r])) continue;
            const double size = std::max(a[k].cwiseAbs().maxCoeff(), b[r].cwiseAbs().maxCoeff());
            // The direction in which a storage counts is a convention.
            const double difference =
                std::min((a[k] - b[r]).cwiseAbs().maxCoeff(), (a[k] + b[r]).cwiseAbs().maxCoeff());
            if (!(difference <= kEqualTransfer * size)) continue;
            taken[r] = found = true;
            moved = moved || size > 0.0;
            if (size > 0.0) worst = std::max(worst, difference / size);
        }
        if (!found) return std::nullopt;
    }
    return moved ? std::optional(worst) : std::nullopt;
}

/// Whether both have the same dissipative elements: what those lose that no storage feels shows nowhere else.
bool same_losses(const Traits& mine, const Traits& reference) {
    if (mine.resistors.size() != reference.resistors.size()) return false;
    std::vector<const OnePort*> rest;
    for (const OnePort& r : reference.resistors) rest.push_back(&r);
    for (const OnePort& p : mine.resistors) {
        const auto found = std::ranges::find_if(rest, [&](const OnePort* r) { return alike(p, *r); });
        if (found == rest.end()) return false;
        rest.erase(found);
    }
    return true;
}

Agreement linear_agreement(const Model& mine, const Traits& a, const Model& reference, const Traits& b) {
    if (a.sources.empty() || b.sources.empty())
        return {false, "no source drives it, so that behaviour at rest says nothing"};
    std::string why;
    const auto first = linear_of(mine, a, why);
    const auto second = first ? linear_of(reference, b, why) : std::nullopt;
    if (!first) return {false, "whether they behave alike was not found out: " + why};
    if (!second) return {false, "whether they behave alike was not found out: the reference can't be run", false, why};
    const std::vector<Complex> at = frequencies(*first, *second);
    const std::vector<MatrixXcd> H = transfers(*first, a, at);
    const std::vector<MatrixXcd> G = transfers(*second, b, at);
    const auto poles = distance_of_poles(*first, *second);
    const std::string number =
        first->states.empty() ? "no poles" : fmt::format("the same {}", counted(first->states.size(), "pole"));
    const std::string where = fmt::format("at {} complex frequencies", at.size());
    if (!poles || *poles > kEqualPoles) return {false, "poles differ"};
    const std::string poles_text =
        first->states.empty() ? number : fmt::format("{} (to {:.0e})", number, std::max(*poles, 1e-16));
    Assignment assignment(a, b, H, G);
    if (const auto worst = assignment.search())
        return {true, fmt::format("{}, and the same answers to all sources {} (to {:.0e} of the largest)", poles_text,
                                  where, std::max(*worst, 1e-16))};
    if (!assignment.in_time()) return {false, "there are too many equal sources to find out which is which"};
    if (const auto worst = like_answers(a, H, b, G)) {
        if (!same_losses(a, b))
            return {false,
                    "storages answer alike what the sources give, but sources differ, and so do the resistances: what "
                    "is lost in those can't be compared"};
        return {true,
                fmt::format("{}, every storage answers alike what the sources give, {} (to {:.0e} of its largest), and "
                            "resistances are the same; the sources themselves differ, and so may what they deliver",
                            poles_text, where, std::max(*worst, 1e-16))};
    }
    return {false, "they answer their sources differently"};
}

// ---- runs -----------------------------------------------------------------------------------------------------------

/// Powers over time of single elements.
struct Powers {
    std::vector<double> time;
    std::vector<std::vector<double>> supplied;  ///< per source
    std::vector<std::vector<double>> stored;    ///< per storage
};

std::optional<Powers> powers(const Model& model, const Traits& traits, const Experiment& experiment, std::string& why) {
    RunOptions options;
    for (const auto* list : {&traits.sources, &traits.storages}) {
        for (const OnePort& p : *list) options.outputs.push_back(p.name + ".power");
    }
    options.stop = experiment.stop;
    options.interval = experiment.interval;
    options.tolerance = experiment.tolerance;
    options.energy = false;
    options.look_again = false;
    const auto run = model.run(options);
    if (!run || run->failure) {
        const Error& error = run ? *run->failure : run.error();
        why = error.messages.empty() ? "the run failed" : error.messages.front().text;
        return std::nullopt;
    }
    Powers result;
    result.time.assign(run->series.time().begin(), run->series.time().end());
    const auto of_each = [&](const std::vector<OnePort>& parts) {
        std::vector<std::vector<double>> each;
        for (const OnePort& p : parts) {
            const auto column = run->series[p.name + ".power"];
            std::vector<double> power(result.time.size());
            for (std::size_t k = 0; k < power.size(); ++k) power[k] = p.power_sign * column[k];
            each.push_back(std::move(power));
        }
        return each;
    };
    result.supplied = of_each(traits.sources);
    result.stored = of_each(traits.storages);
    return result;
}

/// Which rows of two runs belong to the same time.
std::vector<std::pair<std::size_t, std::size_t>> common_times(const Powers& first, const Powers& second, double near) {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    std::size_t j = 0;
    for (std::size_t i = 0; i < first.time.size(); ++i) {
        while (j < second.time.size() && second.time[j] < first.time[i] - near) ++j;
        if (j == second.time.size()) break;
        if (std::abs(second.time[j] - first.time[i]) <= near) result.emplace_back(i, j++);
    }
    return result;
}

/// The largest difference of powers, and the largest power of one element: sums may be rounding alone, as where all
/// that is stored stays so. Which element is which is not known: at every time both are sorted by size.
struct Spread {
    double difference = 0.0;
    double size = 0.0;
};
Spread spread_of(const std::vector<std::vector<double>>& first, const std::vector<std::vector<double>>& second,
                 const std::vector<std::pair<std::size_t, std::size_t>>& rows) {
    Spread result;
    const auto sorted_at = [](const std::vector<std::vector<double>>& powers, std::size_t row) {
        std::vector<double> values;
        for (const std::vector<double>& p : powers) values.push_back(p[row]);
        std::ranges::sort(values);
        return values;
    };
    for (const auto& [i, j] : rows) {
        const std::vector<double> a = sorted_at(first, i);
        const std::vector<double> b = sorted_at(second, j);
        for (std::size_t k = 0; k < a.size(); ++k) {
            result.size = std::max({result.size, std::abs(a[k]), std::abs(b[k])});
            result.difference = std::max(result.difference, std::abs(a[k] - b[k]));
        }
    }
    return result;
}

Agreement run_agreement(const Model& mine, const Traits& a, const Model& reference, const Traits& b) {
    if (!a.only_one_ports || !b.only_one_ports)
        return {false,
                "whether they behave alike was not found out: there are elements whose power is not known to be given, "
                "stored or lost"};
    if (a.sources.size() != b.sources.size())
        return {false, "there are more sources in one of them, so that their powers can't be compared"};
    if (a.storages.size() != b.storages.size())
        return {false, "there are more storages in one of them, so that their powers can't be compared"};
    if (a.sources.size() + a.storages.size() == 0) return {false, "nothing in it gives or stores power"};
    const auto experiment = reference.experiment();
    if (!experiment) return {false, "the reference has no experiment that can be run"};
    std::string why;
    const auto first = powers(mine, a, *experiment, why);
    const auto second = first ? powers(reference, b, *experiment, why) : std::nullopt;
    if (!first) return {false, "whether they behave alike was not found out: " + why};
    if (!second) return {false, "whether they behave alike was not found out: the reference can't be run", false, why};
    const auto rows = common_times(*first, *second, 1e-9 * std::max(experiment->interval, 1e-300));
    const Spread supplied = spread_of(first->supplied, second->supplied, rows);
    const Spread stored = spread_of(first->stored, second->stored, rows);
    const double size = std::max(supplied.size, stored.size);
    const double difference = std::max(supplied.difference, stored.difference);
    if (size == 0.0) return {false, "nothing moves in the reference's experiment, which therefore tells nothing"};
    if (rows.size() < kFewestTimes)
        return {false,
                fmt::format("the reference's experiment has only {} times at which both can be compared", rows.size())};
    if (!(difference <= std::max(kEqualPowers, 10.0 * experiment->tolerance) * size))
        return {false, fmt::format("in the reference's experiment the powers of sources or storages differ by {:.2g} "
                                   "of the largest",
                                   difference / size)};
    return {true,
            fmt::format("in the reference's experiment, at {} times from {:g} s to {:g} s, the powers of single "
                        "sources and of single storages, and so what is lost, agree to {:.0e} of the largest; "
                        "this is one motion, and no proof for others",
                        rows.size(), experiment->start, experiment->stop, std::max(difference / size, 1e-16)),
            true};
}

}  // namespace

Agreement agreement(const Model& mine, const Traits& a, const Model& reference, const Traits& b) {
    const bool at_rest = a.at_rest && b.at_rest;
    if (!a.linear || !b.linear) return run_agreement(mine, a, reference, b);
    if (at_rest) return linear_agreement(mine, a, reference, b);
    if (a.sources.empty() && b.sources.empty()) return run_agreement(mine, a, reference, b);
    const Agreement linear = linear_agreement(mine, a, reference, b);
    if (!linear.equal) return linear;
    const Agreement run = run_agreement(mine, a, reference, b);
    return {run.equal, run.equal ? linear.text + "; " + run.text : run.text};
}

}  // namespace bondgraph::api
