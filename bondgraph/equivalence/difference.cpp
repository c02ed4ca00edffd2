#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "bondgraph/equivalence/attachment.hpp"
#include "bondgraph/equivalence/compare.hpp"
#include "bondgraph/equivalence/words.hpp"

namespace bondgraph::equivalence {
namespace {

using Found = std::optional<Difference>;

// ---- how many there are ---------------------------------------------------------------------------------------------

/// The order in which differences are told: sources, resistors, storages, two-ports, then others.
std::size_t rank_of(const std::string& type) {
    constexpr std::array<std::string_view, 7> kOrder{"Se", "Sf", "R", "C", "I", "TF", "GY"};
    return static_cast<std::size_t>(std::ranges::find(kOrder, type) - kOrder.begin());
}

struct Sort {
    std::size_t rank = 0;
    std::string type;
    std::string domain;  ///< two-ports have two: none here
    bool modulated = false;
    friend auto operator<=>(const Sort&, const Sort&) = default;
};

Sort sort_of(const Part& part) {
    const bool two_port = part.type == "TF" || part.type == "GY";
    return {rank_of(part.type), part.type, two_port ? "" : part.domain, part.modulated};
}

using Sorted = std::map<Sort, std::vector<const Part*>>;

Sorted sorted(const NormalForm& form) {
    Sorted result;
    for (const Part& p : form.parts) result[sort_of(p)].push_back(&p);
    return result;
}

std::size_t count_in(const Sorted& parts, const Sort& sort) {
    const auto found = parts.find(sort);
    return found == parts.end() ? 0 : found->second.size();
}

/// "Your voltage source 'U'", or "One of your voltage sources" where more than one may be meant.
std::string one_of(const std::vector<const Part*>& parts) {
    const Part& first = *parts.front();
    if (parts.size() == 1) return "Your " + called(first);
    return "One of your " + noun(first.type, first.domain, 2);
}

std::string names_of(const std::vector<const Part*>& parts) {
    std::string text;
    for (const Part* p : parts) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", p->name);
    return text;
}

/// Where as many are too many of one sort as there are too few of its counterpart.
Found exchanged(const Sorted& mine, const Sorted& reference, const Sort& sort) {
    const auto excess = [&](const Sort& s) {
        return static_cast<std::ptrdiff_t>(count_in(mine, s)) - static_cast<std::ptrdiff_t>(count_in(reference, s));
    };
    const auto swapped_with = [&](Sort other) { return excess(sort) > 0 && excess(other) == -excess(sort); };
    const auto as = [&](std::string type) {
        Sort other = sort;
        other.type = std::move(type);
        other.rank = rank_of(other.type);
        return other;
    };
    if (excess(sort) <= 0) return std::nullopt;
    const std::string who = one_of(mine.at(sort));
    const auto found = [&](std::string text, const Sort& other) {
        return Difference{std::move(text), fmt::format("in the reference {}", names_of(reference.at(other)))};
    };
    const std::string effort = effort_word(sort.domain);
    const std::string flow = flow_word(sort.domain);
    if (sort.type == "TF" && swapped_with(as("GY")))
        return found(who +
                         " relates effort to effort and flow to flow; the reference has a gyrator in its place, which "
                         "relates the effort of one side to the flow of the other.",
                     as("GY"));
    if (sort.type == "GY" && swapped_with(as("TF")))
        return found(who +
                         " relates the effort of one side to the flow of the other; the reference has a transformer in "
                         "its place, which relates effort to effort and flow to flow.",
                     as("TF"));
    if (sort.type == "Se" && swapped_with(as("Sf")))
        return found(fmt::format("{} gives {}; the reference has a source that gives {} in its place.", who,
                                 with_article(effort), with_article(flow)),
                     as("Sf"));
    if (sort.type == "Sf" && swapped_with(as("Se")))
        return found(fmt::format("{} gives {}; the reference has a source that gives {} in its place.", who,
                                 with_article(flow), with_article(effort)),
                     as("Se"));
    Sort other = sort;
    other.modulated = !sort.modulated;
    if (swapped_with(other))
        return found(sort.modulated
                         ? who + " depends on time, a signal or a variable; in the reference it is constant."
                         : who + " is constant; in the reference it depends on time, a signal or a variable.",
                     other);
    return std::nullopt;
}

Found by_counts(const NormalForm& first, const NormalForm& second) {
    const Sorted mine = sorted(first);
    const Sorted reference = sorted(second);
    std::vector<Sort> all;
    for (const auto* parts : {&mine, &reference}) {
        for (const auto& [sort, list] : *parts) all.push_back(sort);
    }
    std::ranges::sort(all);
    for (const Sort& sort : all) {
        if (Found found = exchanged(mine, reference, sort)) return found;
    }
    for (const Sort& sort : all) {
        const std::size_t n = count_in(mine, sort);
        const std::size_t m = count_in(reference, sort);
        if (n == m) continue;
        const std::string modulated = sort.modulated ? "that vary " : "";
        Difference found{fmt::format("Your graph has {} {} ({}){}{}, the reference has {}.",
                                     n == 0 ? "no" : fmt::format("{}", n), noun(sort.type, sort.domain, n == 0 ? 2 : n),
                                     sort.type, sort.modulated ? " whose value varies" : "", in_domain(sort.domain),
                                     m == 0 ? "none" : fmt::format("{}", m)),
                         {}};
        if (m > 0) found.revealed = fmt::format("in the reference {}", names_of(reference.at(sort)));
        return found;
    }
    return std::nullopt;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

/// A number of a part, comparable with others of its kind.
struct Figure {
    const Part* part = nullptr;
    const NamedNumber* number = nullptr;
    double value = 0.0;
};

/// Signs that are conventions are left out, and the two directions of a transformer.
double figure_of(const Part& part, const NamedNumber& number, double value) {
    if (number.what == "m" && part.type == "TF" && value != 0.0)
        return std::max(std::abs(value), 1.0 / std::abs(value));
    const bool by_convention = number.what == "start" || part.type == "Se" || part.type == "Sf" || part.type == "GY";
    return by_convention ? std::abs(value) : value;
}

using FigureKey = std::tuple<Sort, std::string, std::uint32_t>;

/// By sort of part, what the number is, and the class of its item.
std::map<FigureKey, std::vector<Figure>> figures(const NormalForm& form, const std::vector<std::uint32_t>* classes) {
    std::map<FigureKey, std::vector<Figure>> result;
    for (const Part& p : form.parts) {
        for (const NamedNumber& n : p.numbers) {
            const std::vector<double>& values = form.items[n.item].values;
            const bool ratio = p.type == "TF" && n.what == "m";
            std::size_t end = values.size();  // a matrix has several
            for (const NamedNumber& next : p.numbers) {
                if (next.item == n.item && next.index > n.index) end = std::min(end, next.index);
            }
            for (std::size_t k = n.index; k < end; ++k) {
                const double value = ratio && classes ? values[k] : figure_of(p, n, values[k]);
                result[{sort_of(p), n.what, classes ? (*classes)[n.item] : 0}].push_back({&p, &n, value});
            }
            // Both sides of a transformer where they are told apart.
            if (ratio && classes)
                result[{sort_of(p), n.what, (*classes)[p.ports[1]]}].push_back(
                    {&p, &n, form.items[p.ports[1]].values[0]});
        }
    }
    return result;
}

/// What two numbers that ought to be equal have to do with each other.
std::string mistake(double mine, double reference) {
    if (mine == 0.0 || reference == 0.0 || !std::isfinite(mine) || !std::isfinite(reference)) return "";
    if (mine == -reference) return " It has the other sign.";
    const double ratio = std::abs(mine / reference);
    const auto is = [&](double factor) {
        return std::abs(ratio / factor - 1.0) < 1e-6 || std::abs(ratio * factor - 1.0) < 1e-6;
    };
    constexpr double kTurn = 6.283185307179586;
    for (const double power : {1e3, 1e6, 1e9, 1e12}) {
        if (is(power)) return fmt::format(" It is off by a factor of {:g}: look at the prefix of its unit.", power);
    }
    if (is(10.0) || is(100.0) || is(1e4))
        return " It is off by a power of ten: look at its unit, or the decimal point.";
    if (is(kTurn)) return " It is off by a factor of 2π: turns and radians, or Hz and rad/s, are mixed.";
    if (is(60.0) || is(kTurn / 60.0)) return " It is off by what turns rpm, or minutes, into SI units.";
    if (is(3.6)) return " It is off by a factor of 3.6: km/h and m/s are mixed.";
    if (is(180.0 / (kTurn / 2.0))) return " It is off by what turns degrees into radians.";
    if (is(9.81) || is(9.80665)) return " It is off by g: weight and mass are mixed.";
    if (is(2.0)) return " It is off by a factor of 2.";
    if (std::abs(mine * reference - 1.0) < 1e-6) return " It is the reciprocal.";
    return "";
}

Found by_figures(const NormalForm& first, const NormalForm& second, const StableColours* classes) {
    const NumberClasses same(first, second);
    const auto mine = figures(first, classes ? &classes->first : nullptr);
    auto reference = figures(second, classes ? &classes->second : nullptr);
    for (const auto& [key, list] : mine) {
        std::vector<Figure> rest = reference[key];
        std::vector<Figure> unmatched;
        for (const Figure& f : list) {
            const auto equal = std::ranges::find_if(
                rest, [&](const Figure& r) { return std::abs(r.value - f.value) <= 1e-9 * std::abs(f.value); });
            if (equal == rest.end())
                unmatched.push_back(f);
            else
                rest.erase(equal);
        }
        if (unmatched.empty() || rest.empty()) continue;
        const Figure& f = unmatched.front();
        const auto distance = [&](const Figure& r) {
            if (r.value == 0.0 || f.value == 0.0) return std::numeric_limits<double>::max();
            return std::abs(std::log(std::abs(r.value / f.value)));
        };
        const Figure& nearest = *std::ranges::min_element(rest, {}, distance);
        const std::string word = number_word(*f.part, *f.number);
        const std::string many =
            list.size() == 1 ? fmt::format("that of the {} in the reference", noun(f.part->type, f.part->domain))
                             : fmt::format("that of every {} of the reference that could take its place",
                                           noun(f.part->type, f.part->domain));
        const std::string hint = rest.size() == 1 ? mistake(f.value, nearest.value) : "";
        return Difference{fmt::format("The {} of your {} differs from {}.{}", word, called(*f.part), many, hint),
                          fmt::format("'{}' has {:.10g} (SI), '{}' of the reference {:.10g}", f.part->name, f.value,
                                      nearest.part->name, nearest.value)};
    }
    return std::nullopt;
}

Found by_starts(const NormalForm& first, const NormalForm& second) {
    const auto started = [](const NormalForm& form) {
        Sorted result;
        for (const Part& p : form.parts) {
            if (std::ranges::any_of(p.numbers, [](const NamedNumber& n) { return n.what == "start"; }))
                result[sort_of(p)].push_back(&p);
        }
        return result;
    };
    const Sorted mine = started(first);
    const Sorted reference = started(second);
    for (const auto& [sort, parts] : mine) {
        if (parts.size() > count_in(reference, sort))
            return Difference{
                fmt::format("{} has a start value other than 0; in the reference it starts at 0.", one_of(parts)), {}};
    }
    for (const auto& [sort, parts] : reference) {
        if (parts.size() > count_in(mine, sort))
            return Difference{fmt::format("{} start{} at 0 in your graph; in the reference {} has another start value.",
                                          parts.size() == 1 ? fmt::format("Every {}", noun(sort.type, sort.domain))
                                                            : fmt::format("Some {}", noun(sort.type, sort.domain, 2)),
                                          "s", parts.size() == 1 ? "one" : "more of them"),
                              fmt::format("in the reference {}", names_of(parts))};
    }
    return std::nullopt;
}

// ---- signs ----------------------------------------------------------------------------------------------------------

const Part* part_at(const NormalForm& form, std::uint32_t item) {
    for (const Part& p : form.parts) {
        if (std::ranges::find(p.ports, item) != p.ports.end()) return &p;
    }
    return nullptr;
}

const JunctionNode* junction_at(const NormalForm& form, std::uint32_t item) {
    const auto found = std::ranges::find(form.junctions, item, &JunctionNode::item);
    return found == form.junctions.end() ? nullptr : &*found;
}

std::string sign_text(const NormalForm& form, const Edge& edge) {
    for (const std::uint32_t end : {edge.x, edge.y}) {
        const Part* part = part_at(form, end);
        if (part == nullptr) continue;
        if (part->type == "Se" || part->type == "Sf")
            return fmt::format(
                "The {} of your {} counts the other way round than in the reference: its value has the wrong sign, or "
                "an "
                "arrow between junctions on its way points the wrong way.",
                part->type == "Se" ? effort_word(part->domain) : flow_word(part->domain), called(*part));
        if (part->type == "TF" || part->type == "GY")
            return fmt::format(
                "Your {} turns the sign round where that of the reference does not, or the other way about: look at "
                "the sign "
                "of its {} and at the arrows of the bonds at it.",
                called(*part), part->type == "TF" ? "ratio" : "gyration");
    }
    for (const std::uint32_t end : {edge.x, edge.y}) {
        const Part* part = part_at(form, end);
        if (part != nullptr && std::ranges::find(part->numbers, "start", &NamedNumber::what) != part->numbers.end())
            return fmt::format("The start value of your {} has the other sign.", called(*part));
    }
    const JunctionNode* x = junction_at(form, edge.x);
    const JunctionNode* y = junction_at(form, edge.y);
    const JunctionNode* at = x != nullptr ? x : y;
    if (at == nullptr) return fmt::format("The power of bond {} counts the other way round.", edge.name);
    return fmt::format(
        "The power of bond {} counts the other way round in the sum of {} at the {}-junction '{}': its arrow "
        "points the wrong way.",
        edge.name, plural(at->zero ? flow_word(at->domain) : effort_word(at->domain)), at->zero ? 0 : 1, at->name);
}

}  // namespace

std::optional<Difference> sign_difference(const NormalForm& first, const NormalForm& second) {
    const auto alike = [&](const NormalForm& mine, bool signs) {
        const ColouredPair pair = coloured(mine, second, {.numbers = true, .signs = signs});
        return isomorphism(pair.first, pair.second, 50).map.has_value();
    };
    if (!alike(first, false) || alike(first, true)) return std::nullopt;
    std::vector<std::size_t> order(first.edges.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto rank = [&](std::size_t k) {
        const Part* const x = part_at(first, first.edges[k].x);
        const Part* const y = part_at(first, first.edges[k].y);
        const Part* const part = x != nullptr ? x : y;
        if (part == nullptr) return 1;
        return part->type == "Se" || part->type == "Sf" ? 0 : 2;
    };
    // Of sources, then between junctions, then elsewhere.
    std::ranges::stable_sort(order, {}, rank);
    constexpr std::size_t kMostTried = 2'000'000;
    const std::size_t tries = std::min(order.size(), kMostTried / (first.items.size() + 1));
    NormalForm turned = first;
    for (std::size_t k = 0; k < tries; ++k) {
        Edge& edge = turned.edges[order[k]];
        edge.sign = -edge.sign;
        if (alike(turned, true)) return Difference{sign_text(first, edge), {}};
        edge.sign = -edge.sign;
    }
    return Difference{
        "Elements, numbers and junctions are those of the reference, but more than one sign differs: go "
        "through the arrows of the bonds between junctions and the signs of sources and ratios.",
        {}};
}

Difference difference(const NormalForm& mine, const NormalForm& reference) {
    if (Found found = by_counts(mine, reference)) return *found;
    if (Found found = by_figures(mine, reference, nullptr)) return *found;
    if (Found found = by_starts(mine, reference)) return *found;
    if (Found found = by_attachment(mine, reference)) return *found;
    const ColouredPair plain = coloured(mine, reference, {.numbers = false, .signs = false});
    const StableColours classes = stable_colours(plain.first, plain.second);
    if (Found found = by_figures(mine, reference, &classes)) return *found;
    if (Found found = sign_difference(mine, reference)) return *found;
    return {
        "Kinds and parameters of all elements are those of the reference, and so is what each is joined to; what a law "
        "says is another thing, or as a whole they are joined in another way.",
        {}};
}

}  // namespace bondgraph::equivalence
