#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "bondgraph/equivalence/attachment.hpp"
#include "bondgraph/equivalence/compare.hpp"
#include "bondgraph/equivalence/laws.hpp"
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

constexpr const char* kOpenDomain = "generic";

bool is_two_port(const Part& part) { return part.type == "TF" || part.type == "GY"; }

/// The types of which some element is of no known domain: these are counted in all domains together.
std::set<std::string> open_types(const NormalForm& first, const NormalForm& second) {
    std::set<std::string> result;
    for (const NormalForm* form : {&first, &second}) {
        for (const Part& p : form->parts) {
            if (p.domain == kOpenDomain) result.insert(p.type);
        }
    }
    return result;
}

Sort sort_of(const Part& part, const std::set<std::string>& open) {
    const bool any = is_two_port(part) || open.contains(part.type);
    return {rank_of(part.type), part.type, any ? "" : part.domain, part.modulated};
}

using Sorted = std::map<Sort, std::vector<const Part*>>;

Sorted sorted(const NormalForm& form, const std::set<std::string>& open) {
    Sorted result;
    for (const Part& p : form.parts) result[sort_of(p, open)].push_back(&p);
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
    const std::set<std::string> open = open_types(first, second);
    const Sorted mine = sorted(first, open);
    const Sorted reference = sorted(second, open);
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

// ---- domains --------------------------------------------------------------------------------------------------------

struct Sides {
    const Part* part = nullptr;
    std::string one;  ///< in order of the alphabet
    std::string other;
};

std::vector<Sides> sides(const NormalForm& form, const std::string& type) {
    std::vector<Sides> result;
    for (const Part& p : form.parts) {
        if (p.type != type || p.ports.size() != 2) continue;
        Sides s{&p, form.items[p.ports[0]].domain, form.items[p.ports[1]].domain};
        if (s.other < s.one) std::swap(s.one, s.other);
        result.push_back(std::move(s));
    }
    return result;
}

bool fits(const std::string& a, const std::string& b) { return a == b || a == kOpenDomain || b == kOpenDomain; }

bool fits(const Sides& a, const Sides& b) {
    return (fits(a.one, b.one) && fits(a.other, b.other)) || (fits(a.one, b.other) && fits(a.other, b.one));
}

std::string domain_text(const std::string& domain) {
    return domain == kOpenDomain ? "a domain that nothing tells" : in_domain(domain).substr(4);
}

/// Where a two-port has no counterpart between the same domains.
Found by_domains(const NormalForm& mine, const NormalForm& reference) {
    for (const char* type : {"TF", "GY"}) {
        std::vector<Sides> rest = sides(reference, type);
        const std::vector<Sides> all = rest;
        std::vector<Sides> left;
        const auto pair_off = [&](const Sides& s, auto&& like) {
            const auto found = std::ranges::find_if(rest, [&](const Sides& r) { return like(s, r); });
            if (found == rest.end()) return false;
            rest.erase(found);
            return true;
        };
        for (const Sides& s : sides(mine, type)) {
            if (!pair_off(s, [](const Sides& a, const Sides& b) { return a.one == b.one && a.other == b.other; }))
                left.push_back(s);
        }
        std::erase_if(left, [&](const Sides& s) {
            return pair_off(s, [](const Sides& a, const Sides& b) { return fits(a, b); });
        });
        if (left.empty() || rest.empty()) continue;
        const Sides& s = left.front();
        const bool none = std::ranges::none_of(all, [&](const Sides& r) { return fits(s, r); });
        const std::string joins = s.one == s.other
                                      ? fmt::format("has both sides in {}", domain_text(s.one))
                                      : fmt::format("joins {} and {}", domain_text(s.one), domain_text(s.other));
        return Difference{fmt::format("Your {} {}; in the reference {} {} does.", called(*s.part), joins,
                                      none ? "no" : "one less", noun(type, "")),
                          fmt::format("in the reference '{}' joins {} and {}", rest.front().part->name,
                                      domain_text(rest.front().one), domain_text(rest.front().other))};
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
using Figures = std::map<FigureKey, std::vector<Figure>>;

Figures figures(const NormalForm& form, const std::set<std::string>& open, const std::vector<std::uint32_t>* classes) {
    Figures result;
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
                result[{sort_of(p, open), n.what, classes ? (*classes)[n.item] : 0}].push_back({&p, &n, value});
            }
            // Both sides of a transformer where they are told apart.
            if (ratio && classes)
                result[{sort_of(p, open), n.what, (*classes)[p.ports[1]]}].push_back(
                    {&p, &n, form.items[p.ports[1]].values[0]});
        }
    }
    return result;
}

bool same_figure(const Figure& a, const Figure& b) { return std::abs(a.value - b.value) <= 1e-9 * std::abs(a.value); }

/// What is left of the figures of a key once equal ones are paired off.
struct Left {
    std::vector<Figure> mine;
    std::vector<Figure> reference;
    std::size_t of_mine = 0;  ///< how many there were
};

std::map<FigureKey, Left> left_over(const Figures& mine, const Figures& reference) {
    std::map<FigureKey, Left> result;
    for (const auto& [key, list] : mine) {
        Left left{.of_mine = list.size()};
        if (const auto found = reference.find(key); found != reference.end()) left.reference = found->second;
        for (const Figure& f : list) {
            const auto equal = std::ranges::find_if(left.reference, [&](const Figure& r) { return same_figure(f, r); });
            if (equal == left.reference.end())
                left.mine.push_back(f);
            else
                left.reference.erase(equal);
        }
        result.emplace(key, std::move(left));
    }
    return result;
}

/// Which of the other elements of the same kind has the number that this one should have, and should have that of this.
const Part* exchanged_with(const Figure& f, const Figure& wanted, const FigureKey& key,
                           const std::map<FigureKey, Left>& all) {
    for (const auto& [other, left] : all) {
        if (std::get<0>(other) != std::get<0>(key) || std::get<1>(other) != std::get<1>(key)) continue;
        for (const Figure& q : left.mine) {
            if (q.part == f.part || !same_figure(q, wanted)) continue;
            if (std::ranges::any_of(left.reference, [&](const Figure& r) { return same_figure(f, r); })) return q.part;
        }
    }
    return nullptr;
}

bool elsewhere(const Figure& f, const Figure& wanted, const FigureKey& key, const Figures& reference) {
    return std::ranges::any_of(reference, [&](const auto& entry) {
        return std::get<0>(entry.first) == std::get<0>(key) && std::get<1>(entry.first) == std::get<1>(key) &&
               std::ranges::any_of(entry.second,
                                   [&](const Figure& r) { return r.part != wanted.part && same_figure(f, r); });
    });
}

Found by_figures(const NormalForm& first, const NormalForm& second, const StableColours* classes) {
    const std::set<std::string> open = open_types(first, second);
    const Figures reference = figures(second, open, classes ? &classes->second : nullptr);
    const auto all = left_over(figures(first, open, classes ? &classes->first : nullptr), reference);
    for (const auto& [key, left] : all) {
        if (left.mine.empty() || left.reference.empty()) continue;
        const Figure& f = left.mine.front();
        const auto distance = [&](const Figure& r) {
            if (r.value == 0.0 || f.value == 0.0) return std::numeric_limits<double>::max();
            return std::abs(std::log(std::abs(r.value / f.value)));
        };
        const Figure& nearest = *std::ranges::min_element(left.reference, {}, distance);
        const std::string word = number_word(*f.part, *f.number);
        const std::string kind = noun(f.part->type, f.part->domain);
        const std::string revealed = fmt::format("'{}' has {:.10g} (SI), '{}' of the reference {:.10g}", f.part->name,
                                                 f.value, nearest.part->name, nearest.value);
        if (classes != nullptr) {
            if (const Part* other = exchanged_with(f, nearest, key, all))
                return Difference{fmt::format("Your {} has the {} that your {} should have, and that one has the {} of "
                                              "this: they are exchanged.",
                                              called(*f.part), word, called(*other), word),
                                  revealed};
            if (elsewhere(f, nearest, key, reference))
                return Difference{fmt::format("The {} of your {} is at the wrong place: in the reference another {} "
                                              "has it.",
                                              word, called(*f.part), kind),
                                  revealed};
        }
        const std::string many =
            left.of_mine == 1 ? fmt::format("that of the {} in {}the reference", kind, classes ? "its place in " : "")
                              : fmt::format("that of every {} of the reference that could take its place", kind);
        const std::string hint =
            left.reference.size() == 1 ? mistake(f.value, nearest.value, is_two_port(*f.part)) : "";
        return Difference{fmt::format("The {} of your {} differs from {}.{}", word, called(*f.part), many, hint),
                          revealed};
    }
    return std::nullopt;
}

Found by_starts(const NormalForm& first, const NormalForm& second) {
    const std::set<std::string> open = open_types(first, second);
    const auto started = [&](const NormalForm& form) {
        Sorted result;
        for (const Part& p : form.parts) {
            if (std::ranges::any_of(p.numbers, [](const NamedNumber& n) { return n.what == "start"; }))
                result[sort_of(p, open)].push_back(&p);
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

}  // namespace

Difference difference(const NormalForm& mine, const NormalForm& reference) {
    if (Found found = by_counts(mine, reference)) return *found;
    if (Found found = by_domains(mine, reference)) return *found;
    if (Found found = by_figures(mine, reference, nullptr)) return *found;
    if (Found found = by_starts(mine, reference)) return *found;
    // Laws reach far: how elements are joined is seen better without them.
    if (Found found = by_attachment(skeleton(mine), skeleton(reference))) return *found;
    if (Found found = by_laws(mine, reference)) return *found;
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
