#include "tests/parts/mutations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "tests/parts/exceptions.hpp"
#include "tests/parts/tested_model.hpp"
#include "tests/parts/time_limit.hpp"

namespace bondgraph::parts {
namespace {

/// What a change of one number leads to.
enum class Effect { noticed, unnoticed, refused };

Effect effect_of(const api::Model& model, const std::string& name, const api::Value& value, double seconds) {
    const TimeLimit limit(seconds);
    const auto verdict = model.test({.values = {{name, value}}, .cancel = limit.flag()});
    if (limit.reached()) return Effect::noticed;
    if (!verdict || verdict->wrong) return Effect::refused;
    return verdict->passed() ? Effect::unnoticed : Effect::noticed;
}

/// Whether a value changes anything of a run at all.
bool does_anything(const api::Model& model, const std::string& name, const api::Value& value) {
    const auto plain = model.run({.energy = false, .look_again = false});
    const auto other = model.run({.values = {{name, value}}, .energy = false, .look_again = false});
    if (!plain || !other) return true;
    const auto rows = [](const api::Run& run) {
        std::vector<double> all(run.series.time().begin(), run.series.time().end());
        for (std::size_t c = 0; c < run.series.columns().size(); ++c) {
            const auto column = run.series.column(c);
            all.insert(all.end(), column.begin(), column.end());
        }
        return all;
    };
    const std::vector<double> a = rows(*plain);
    const std::vector<double> b = rows(*other);
    double largest = 0.0;
    for (const double x : a) largest = std::max(largest, std::abs(x));
    return !std::ranges::equal(a, b, [&](double x, double y) { return std::abs(x - y) <= 1e-12 * largest; });
}

/// The values of one number, each with that changed upwards or downwards.
std::vector<api::Value> changed(const Changeable& c, double factor) {
    std::vector<api::Value> values;
    if (c.written != nullptr)
        for (std::string& text : one_by_one(*c.written, factor)) values.emplace_back(std::move(text));
    else if (c.value)
        values.emplace_back(*c.value == 0.0 ? factor - 1.0 : factor * *c.value);
    return values;
}

/// Of one number of a parameter: whether any instance notices it; refused where no change was taken.
Effect effect_anywhere(const api::Model& model, const std::vector<const Changeable*>& instances, std::size_t k,
                       const MutationOptions& options) {
    constexpr int kMostInstances = 12;  // of arrays those at the beginning will do
    Effect effect = Effect::refused;
    int looked_at = 0;
    for (const Changeable* c : instances) {
        if (++looked_at > kMostInstances) break;
        for (const double factor : {1.0 + options.change, 1.0 - options.change}) {
            const auto values = changed(*c, factor);
            if (k >= values.size()) break;
            const Effect one = effect_of(model, c->name, values[k], options.seconds);
            if (one == Effect::noticed) return one;
            if (one == Effect::unnoticed) {
                effect = one;
                break;
            }
        }
    }
    return effect;
}

struct Counts {
    int noticed = 0;
    int refused = 0;
    int excused = 0;
    int idle = 0;
    int survived = 0;
};

class Mutations {
   public:
    explicit Mutations(const MutationOptions& options) : options_(options), random_(options.seed, "sample") {
        if (!options.exceptions.empty()) exceptions_ = read_exceptions(options.exceptions);
    }

    void look_at(const std::string& file) {
        const TestedModel tested = read_tested_model(file, options_.folders);
        if (tested.type.empty()) return;
        std::map<std::string, std::vector<const Changeable*>> parameters;
        for (const Changeable& c : tested.changeable)
            if (c.tested && !c.start) parameters[c.declared].push_back(&c);
        const auto model = api::Model::load(file, {.import_folders = options_.folders});
        for (auto& [name, instances] : parameters) {
            if (random_.uniform() >= options_.sample) continue;
            // Those that the test gives a value say more.
            std::ranges::stable_partition(instances, [](const Changeable* c) { return c->written != nullptr; });
            std::size_t numbers = 0;
            for (const Changeable* c : instances) numbers = std::max(numbers, changed(*c, 2.0).size());
            for (std::size_t k = 0; k < numbers; ++k)
                count(tested, name, numbers > 1 ? k + 1 : 0, *model, instances, k);
        }
        std::fflush(stdout);
    }

    bool tell() {
        bool all_needed = true;
        for (const Exception& e : exceptions_) {
            if (e.kind != "survives" || !noticed_.contains(e.pattern)) continue;
            fmt::print("no exception any more: {}\n", e.pattern);
            all_needed = false;
        }
        fmt::print(
            "{} changes of parameters are noticed, {} are not, {} are exceptions, {} of records do nothing, {} "
            "can't be made\n",
            counts_.noticed, counts_.survived, counts_.excused, counts_.idle, counts_.refused);
        return counts_.survived == 0 && all_needed;
    }

   private:
    void count(const TestedModel& tested, const std::string& name, std::size_t number, const api::Model& model,
               const std::vector<const Changeable*>& instances, std::size_t k) {
        const std::string full = tested.type + "." + name + (number > 0 ? fmt::format("[{}]", number) : "");
        const Effect effect = effect_anywhere(model, instances, k, options_);
        if (effect == Effect::noticed) {
            ++counts_.noticed;
            noticed_.insert(full);
        } else if (effect == Effect::refused) {
            ++counts_.refused;
            if (options_.verbose) fmt::print("refused {} {}\n", tested.file, full);
        } else if (of_a_record(name) && does_nothing(model, instances, k)) {
            ++counts_.idle;
        } else if (find_exception(exceptions_, "survives", full) != nullptr) {
            ++counts_.excused;
        } else {
            ++counts_.survived;
            fmt::print("unnoticed {} {} ({})\n", tested.file, full, instances.front()->name);
        }
    }

    /// A record has all that its liquid or material is known by; a part takes of it what it needs.
    static bool of_a_record(const std::string& name) { return name.find('.') != std::string::npos; }

    bool does_nothing(const api::Model& model, const std::vector<const Changeable*>& instances, std::size_t k) const {
        return std::ranges::none_of(instances, [&](const Changeable* c) {
            const auto values = changed(*c, 1.0 + options_.change);
            return k < values.size() && does_anything(model, c->name, values[k]);
        });
    }

    const MutationOptions& options_;
    Random random_;
    std::vector<Exception> exceptions_;
    std::set<std::string> noticed_;
    Counts counts_;
};

}  // namespace

bool mutate_parameters(const MutationOptions& options) {
    Mutations mutations(options);
    for (const std::string& file : test_models(options.places)) mutations.look_at(file);
    return mutations.tell();
}

}  // namespace bondgraph::parts
