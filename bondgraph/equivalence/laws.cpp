#include "bondgraph/equivalence/laws.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "bondgraph/equivalence/words.hpp"

namespace bondgraph::equivalence {
namespace {

/// What the law of one part says, as text in which variables are those of places of the skeleton and operations stand
/// as numbers.
struct Law {
    const Part* part = nullptr;
    std::string text;
    bool signal = false;          ///< it is what goes into a block
    std::vector<double> numbers;  ///< in it, ascending
};

/// By colour of the part in the skeleton: the lowest of its ports', whichever is called the first.
using Laws = std::map<std::uint32_t, std::vector<Law>>;

/// Operations by what they do with which operands.
using Operations = std::map<std::string, std::size_t>;

class Reading {
   public:
    /// `places` are colours of the items of the form's skeleton, in their order.
    Reading(const NormalForm& form, const std::vector<std::uint32_t>& places, const NumberClasses* numbers,
            Operations& operations)
        : form_(form),
          numbers_(numbers),
          operations_(operations),
          place_(form.items.size()),
          from_(form.items.size()),
          to_(form.items.size()) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < form.items.size(); ++i) {
            if (form.items[i].skeleton) place_[i] = places[next++];
        }
        for (const ItemArc& a : form.arcs) {
            from_[a.from / 2].emplace_back(a.label, a.to / 2);
            to_[a.to / 2].emplace_back(a.label, a.from / 2);
        }
        for (auto* arcs : {&from_, &to_}) {
            for (auto& list : *arcs) {
                std::ranges::sort(list);
                list.erase(std::unique(list.begin(), list.end()), list.end());
            }
        }
    }

    [[nodiscard]] Laws laws() {
        Laws result;
        for (const Part& part : form_.parts) {
            std::vector<std::uint32_t> items = part.ports;
            if (std::ranges::find(items, part.hub) == items.end()) items.push_back(part.hub);
            std::vector<std::string> texts;
            Law law{&part};
            std::set<std::uint32_t> seen;
            for (const std::uint32_t item : items) {
                texts.push_back(form_.items[item].given);
                for (const auto& [label, to] : from_[item]) {
                    if (form_.items[to].skeleton || label.starts_with("own ") || label.starts_with("start")) continue;
                    // From either side of a two-port alike: which is the first is a convention.
                    texts.push_back(fmt::format("{} {}", label, operation(to)));
                    law.signal = law.signal || label.starts_with("input");
                    gather_numbers(to, seen, law.numbers);
                }
            }
            std::ranges::sort(texts);
            std::ranges::sort(law.numbers);
            law.text = fmt::format("{}", fmt::join(texts, ";"));
            std::uint32_t place = place_[items.front()];
            for (const std::uint32_t item : items) place = std::min(place, place_[item]);
            result[place].push_back(std::move(law));
        }
        return result;
    }

   private:
    std::size_t operation(std::uint32_t item) {
        if (const auto found = known_.find(item); found != known_.end()) return found->second;
        known_[item] = 0;  // for what refers to itself: a value and what it was before
        const Item& what = form_.items[item];
        std::string made;
        if (what.skeleton) {
            made = fmt::format("at {}", place_[item]);
        } else {
            made = what.kind;
            if (numbers_ != nullptr) {
                for (const double v : what.values) made += fmt::format(" {}", std::abs(numbers_->of(v)));
            }
            std::vector<std::string> operands;
            for (const auto& [label, to] : from_[item]) operands.push_back(fmt::format("{} {}", label, operation(to)));
            for (const auto& [label, from] : to_[item]) {
                if (label.starts_with("own ")) operands.push_back(fmt::format("{} of {}", label, place_[from]));
            }
            std::ranges::sort(operands);
            made += fmt::format("({})", fmt::join(operands, ","));
        }
        return known_[item] = operations_.try_emplace(std::move(made), operations_.size() + 1).first->second;
    }

    void gather_numbers(std::uint32_t item, std::set<std::uint32_t>& seen, std::vector<double>& numbers) const {
        if (form_.items[item].skeleton || !seen.insert(item).second) return;
        for (const double v : form_.items[item].values) {
            if (std::abs(v) != 1.0) numbers.push_back(std::abs(v));
        }
        for (const auto& [label, to] : from_[item]) gather_numbers(to, seen, numbers);
    }

    const NormalForm& form_;
    const NumberClasses* numbers_;
    Operations& operations_;
    std::vector<std::uint32_t> place_;
    std::vector<std::vector<std::pair<std::string, std::uint32_t>>> from_;  ///< per item
    std::vector<std::vector<std::pair<std::string, std::uint32_t>>> to_;
    std::map<std::uint32_t, std::size_t> known_;
};

/// What the single number of one that is not among those of the other has to do with that.
std::string single_mistake(const Law& mine, const Law& reference) {
    const auto less = [](const std::vector<double>& some, const std::vector<double>& others) {
        std::vector<double> rest = others;
        std::vector<double> result;
        for (const double v : some) {
            const auto same = std::ranges::find_if(rest, [&](double r) { return std::abs(r - v) <= 1e-9 * v; });
            if (same == rest.end())
                result.push_back(v);
            else
                rest.erase(same);
        }
        return result;
    };
    const std::vector<double> here = less(mine.numbers, reference.numbers);
    const std::vector<double> there = less(reference.numbers, mine.numbers);
    return here.size() == 1 && there.size() == 1 ? mistake(here[0], there[0], false) : "";
}

Difference told(const Law& law, const Law& other, std::size_t alike, bool numbers) {
    const std::string what = law.signal ? "signal that goes into" : "law of";
    const std::string kind = noun(law.part->type, law.part->domain);
    const std::string those = alike == 1
                                  ? fmt::format("that of the {} in its place in the reference", kind)
                                  : fmt::format("that of every {} of the reference that could take its place", kind);
    Difference result;
    if (numbers)
        result.text = fmt::format("A number in the {} your {} is another one than in {}.{}", what, called(*law.part),
                                  those, alike == 1 ? single_mistake(law, other) : "");
    else
        result.text = fmt::format("The {} your {} is another one than {}.", what, called(*law.part), those);
    result.revealed = fmt::format("it is compared with '{}' of the reference", other.part->name);
    return result;
}

}  // namespace

std::optional<Difference> by_laws(const NormalForm& mine, const NormalForm& reference) {
    const ColouredPair bare = coloured(skeleton(mine), skeleton(reference), {.numbers = false, .signs = false});
    const StableColours places = stable_colours(bare.first, bare.second);
    const NumberClasses classes(mine, reference);
    for (const bool numbers : {false, true}) {
        Operations operations;
        const Laws here = Reading(mine, places.first, numbers ? &classes : nullptr, operations).laws();
        const Laws there = Reading(reference, places.second, numbers ? &classes : nullptr, operations).laws();
        for (const auto& [colour, laws] : here) {
            const auto found = there.find(colour);
            if (found == there.end()) continue;
            std::vector<const Law*> rest;
            for (const Law& law : found->second) rest.push_back(&law);
            const Law* odd = nullptr;
            for (const Law& law : laws) {
                const auto same = std::ranges::find_if(rest, [&](const Law* r) { return r->text == law.text; });
                if (same != rest.end())
                    rest.erase(same);
                else if (odd == nullptr)
                    odd = &law;
            }
            if (odd != nullptr && !rest.empty()) return told(*odd, *rest.front(), laws.size(), numbers);
        }
    }
    return std::nullopt;
}

}  // namespace bondgraph::equivalence
