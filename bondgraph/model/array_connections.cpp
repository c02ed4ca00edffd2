// Bonds, signals and connections of arrays: an entry with indices → one for each number.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "bondgraph/model/arrays.hpp"
#include "bondgraph/model/optional_connectors.hpp"

namespace bondgraph::model {
namespace {

class Connections {
   public:
    Connections(Flattening& work, std::uint32_t scope) : work_(work), scope_(scope) {}

    void run() {
        const auto details = work_.scopes[scope_].written_out;
        if (details == nullptr || !work_.connected_bodies.insert(details->body).second) return;
        bonds(*details->body);
        signals(*details->body);
        connects(*details->body);
    }

    /// What the entries join, before there are instances. Mistakes are left to be reported when these are there.
    std::unordered_set<std::string> joined() {
        const auto details = work_.scopes[scope_].written_out;
        const Body& body = *work_.scopes[scope_].body;
        for (const ComponentDeclaration& c : body.components) to_be_.insert(c.name.text);
        std::unordered_set<std::string> names;
        const auto add = [&](const std::vector<Text>& ends) {
            for (const Text& end : ends) {
                names.insert(end.text);
                for (auto dot = end.text.rfind('.'); dot != std::string::npos && dot > 0;
                     dot = end.text.rfind('.', dot - 1))
                    names.insert(end.text.substr(0, dot));
            }
        };
        const auto drive = [&](const Text& target) {
            names.insert(driven_name(target.text));
            if (target.text.ends_with(']')) names.insert(driven_name(target.text.substr(0, target.text.rfind('['))));
        };
        if (details == nullptr) {
            for (const BondDeclaration& bond : body.bonds) add({bond.from, bond.to});
            for (const ConnectDeclaration& connect : body.connects) add(connect.members);
            for (const SignalDeclaration& signal : body.signals) drive(signal.to);
            return names;
        }
        const Gaps gaps = details->body->gaps;
        Diagnostics before = std::exchange(work_.diagnostics, {});
        for (const BondDeclaration& bond : body.bonds) {
            each_index({bond.from, bond.to}, [&](const std::vector<Text>& ends, const Number&) {
                if (std::ranges::none_of(ends, [&](const Text& t) { return is_absent(t.text); })) add(ends);
            });
        }
        for (const ConnectDeclaration& connect : body.connects) {
            each_index(connect.members, [&](std::vector<Text> members, const Number&) {
                if (keep_what_is_there(members)) add(members);
            });
        }
        for (const SignalDeclaration& signal : body.signals) {
            each_index(
                {signal.to, signal.from},
                [&](const std::vector<Text>& ends, const Number&) {
                    if (!is_absent(ends[0].text)) drive(ends[0]);
                },
                1);
        }
        work_.diagnostics = std::move(before);
        details->body->gaps = gaps;
        return names;
    }

   private:
    /// Takes from an entry under `connect:` what is not there. False where nothing remains to be joined.
    bool keep_what_is_there(std::vector<Text>& members) const {
        const auto& unconnected = work_.scopes[scope_].unconnected;
        const auto hands_on = [&](const Text& t) { return unconnected.contains(t.text.substr(0, t.text.find('.'))); };
        if (std::ranges::any_of(members, hands_on)) return false;
        std::erase_if(members, [&](const Text& t) { return is_absent(t.text); });
        return members.size() > 1;
    }

    void bonds(Body& body) {
        std::vector<BondDeclaration> all;
        for (BondDeclaration& bond : std::exchange(body.bonds, {})) {
            each_index({bond.from, bond.to}, [&](std::vector<Text> ends, const Number& number) {
                if (std::ranges::any_of(ends, [&](const Text& t) { return is_absent(t.text); })) return;
                all.push_back({bond.name, std::move(ends[0]), std::move(ends[1])});
                if (bond.name && !number.empty()) label(*all.back().name, number);
            });
        }
        body.bonds = std::move(all);
    }

    /// What signals come from is an expression.
    void signals(Body& body) {
        std::vector<SignalDeclaration> all;
        for (SignalDeclaration& signal : std::exchange(body.signals, {})) {
            each_index(
                {signal.to, signal.from},
                [&](std::vector<Text> ends, const Number&) {
                    if (is_absent(ends[0].text) || is_silent(ends[1])) return;
                    all.push_back({std::move(ends[1]), std::move(ends[0])});
                },
                1);
        }
        body.signals = std::move(all);
    }

    void connects(Body& body) {
        std::vector<ConnectDeclaration> all;
        for (ConnectDeclaration& connect : std::exchange(body.connects, {})) {
            each_index(connect.members, [&](std::vector<Text> members, const Number&) {
                if (keep_what_is_there(members)) all.push_back({std::move(members)});
            });
        }
        body.connects = std::move(all);
    }

    /// Of the indices that an entry names; empty where it names none.
    using Number = std::vector<std::size_t>;
    using Use = std::function<void(std::vector<Text>, const Number&)>;
    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

    /// Calls `use` with the texts of an entry for each number it stands for: once where it names no index.
    /// Those behind the first `names_only` are expressions, in which i may stand for itself.
    void each_index(const std::vector<Text>& texts, const Use& use, std::size_t names_only = kAll) {
        const std::vector<IndexedText> names = names_of(texts);
        const auto any_names = [&](std::string_view index) {
            return std::ranges::any_of(names, [&](const IndexedText& name) { return name.names(index); });
        };
        const bool rows = any_names(kIndexNames[0]);
        const bool columns = any_names(kIndexNames[1]);
        if (!fits(names)) return leave_gap();
        // What is none of the components is reported like any other unknown name, and once.
        if ((!rows && !columns) || names_nothing(texts, names_only)) {
            auto named = at(texts, {}, names_only);
            if (named && !fits(names_of(*named)))
                leave_gap();
            else if (named)
                use(*std::move(named), {});
            return;
        }
        const std::size_t last_i = rows ? largest(names, kIndexNames[0]).value_or(1) : 1;
        const std::size_t last_j = columns ? largest(names, kIndexNames[1]).value_or(1) : 1;
        bool any = false;
        std::optional<std::string> missing;  ///< of an entry of which some parts are there
        for (std::size_t i = 1; i <= last_i; ++i) {
            for (std::size_t j = 1; j <= last_j; ++j) {
                auto named = at(texts, {i, j}, names_only);
                if (!named) return;
                const auto lacks = std::ranges::find_if(*named, [&](const Text& t) { return !exists(t.text); });
                if (lacks != named->end()) {
                    const auto there = std::ranges::count_if(*named, [&](const Text& t) { return exists(t.text); });
                    if (!missing && (there > 1 || (last_i * last_j > 1 && !any))) missing = lacks->text;
                    continue;
                }
                any = true;
                Number number;
                if (rows) number.push_back(i);
                if (columns) number.push_back(j);
                use(*std::move(named), number);
            }
        }
        if (any && texts.size() < 3) return;
        if (!missing || (!any && last_i * last_j < 2)) return;
        work_.diagnostics.warning(
            "BG-M075", texts.front().position,
            any ? fmt::format("where '{}' is not there the other parts of this entry aren't joined either", *missing)
                : fmt::format("this joins nothing: for no number are all of its parts there ('{}' is not)", *missing),
            {{"try", any ? "write one entry for each two of them" : "a number runs from 1 to the size of the array"}});
    }

    static std::vector<IndexedText> names_of(const std::vector<Text>& texts) {
        std::vector<IndexedText> names;
        for (const Text& text : texts) {
            for (std::string& name : names_in(text.text)) names.emplace_back(Text{std::move(name), text.position});
        }
        return names;
    }

    void leave_gap() {
        Gaps& gaps = work_.scopes[scope_].written_out->body->gaps;
        gaps.bonds = gaps.signals = true;
    }

    /// Whether names of arrays have as many indices as these, and numbers that are in them; reported otherwise.
    bool fits(const std::vector<IndexedText>& names) {
        const std::size_t errors = work_.diagnostics.error_count();
        for (const IndexedText& name : names) {
            for (const IndexedText::Index& index : name.indices) fits(index);
            const std::string head = name.after.substr(0, name.after.find('.'));
            const auto sizes = name.indices.empty() ? sizes_of(head) : std::nullopt;
            if (!sizes) continue;
            work_.diagnostics.error(
                "BG-M075", name.position,
                fmt::format("'{}' is an array of {}: say which part", head, fmt::join(*sizes, " x ")),
                {{"try",
                  fmt::format("'{0}[1]', or '{0}[{1}]' for all of them", head, sizes->size() == 1 ? "i" : "i,j")}});
        }
        return work_.diagnostics.error_count() == errors;
    }

    void fits(const IndexedText::Index& index) {
        const auto sizes = sizes_of(index.array);
        if (!sizes) return;
        const auto wrong = [&](const Text& part, std::string message) {
            work_.diagnostics.error("BG-M075", part.position, std::move(message));
        };
        if (index.parts.size() != sizes->size()) {
            wrong(index.parts.front(),
                  fmt::format("'{}' is an array of {}: its parts have {}", index.array, fmt::join(*sizes, " x "),
                              sizes->size() == 1 ? "one number" : "two numbers, as in [i,j]"));
            return;
        }
        if (!index.exact) return;  // arrays of the same name in other instances may be longer
        for (std::size_t d = 0; d < sizes->size(); ++d) {
            const auto number = whole_number(index.parts[d].text);
            const std::size_t size = (*sizes)[d];
            if (!number || (*number > 0 && *number <= size)) continue;
            wrong(index.parts[d],
                  size == 0 ? fmt::format("'{}' has no parts", index.array)
                            : fmt::format("'{}' has the parts 1 to {}, and no {}", index.array, size, *number));
        }
    }

    /// Of the array that a name ends with, which is written with 1 for every index before; nothing where there is none.
    std::optional<std::vector<std::size_t>> sizes_of(const std::string& text) const {
        std::optional<std::vector<std::size_t>> result;
        walk(text, [&](const Scope& s, const std::string& part) {
            result.reset();
            if (s.written_out == nullptr) return;
            const auto array = s.written_out->arrays.find(part);
            if (array != s.written_out->arrays.end()) result = array->second;
        });
        return result;
    }

    /// Whether the component that a name begins with is none of the scope's.
    bool names_nothing(const std::vector<Text>& texts, std::size_t names_only) const {
        const std::span names(texts.data(), std::min(texts.size(), names_only));
        return std::ranges::any_of(names, [&](const Text& name) { return names_nothing(name); });
    }

    bool names_nothing(const Text& text) const {
        const Scope& s = work_.scopes[scope_];
        const std::string head = text.text.substr(0, text.text.find_first_of(".["));
        const bool own_end = s.boundary_ports.contains(head) || s.boundary_ports.contains(text.text);
        const bool component = s.members.contains(head) || to_be_.contains(head);
        const bool unconnected = s.unconnected.contains(head);
        return !component && !unconnected && !own_end && !work_.connector_by_name.contains(s.prefix + head) &&
               !s.written_out->arrays.contains(head) && !s.written_out->absent.contains(head);
    }

    /// The texts with their indices worked out; nothing, and a gap in the body, where one is no whole number.
    std::optional<std::vector<Text>> at(const std::vector<Text>& texts, const PartIndex& index,
                                        std::size_t names_only) {
        std::vector<Text> result;
        for (std::size_t t = 0; t < texts.size(); ++t) {
            Text text = texts[t];
            if (t >= names_only) text.text = with_index(text.text, index);
            auto named = IndexedText(text).with([&](const IndexedText::Index&, const Text& part) {
                const auto number = whole(part, index);
                return number ? std::optional(std::to_string(*number)) : std::nullopt;
            });
            if (!named) {
                leave_gap();
                return std::nullopt;
            }
            text.text = *std::move(named);
            result.push_back(std::move(text));
        }
        return result;
    }

    std::optional<long> whole(const Text& text, const PartIndex& index) {
        if (const auto n = whole_number(text.text)) return static_cast<long>(*n);
        if (text.text == kIndexNames[0]) return static_cast<long>(index.i);
        if (text.text == kIndexNames[1]) return static_cast<long>(index.j);
        if (text.text.starts_with("i+") || text.text.starts_with("i-")) {
            if (const auto n = whole_number(std::string_view(text.text).substr(2)))
                return static_cast<long>(index.i) + (text.text[1] == '+' ? 1 : -1) * static_cast<long>(*n);
        }
        const Text numbered{with_index(text.text, index), text.position};
        const auto n = known_number(work_, scope_, numbered, "which part is meant");
        if (n && std::abs(*n - std::round(*n)) < kRounded && std::abs(*n) <= kMostParts) return std::lround(*n);
        if (n) {
            work_.diagnostics.error("BG-M075", text.position,
                                    fmt::format("'{}' is {:.12g}: parts have whole numbers", text.text, *n));
        }
        return std::nullopt;
    }

    /// The scope that a text's head names, one level down; the names along the way have their indices.
    const Scope* inner(const Scope& s, const std::string& member) const {
        const auto found = s.members.find(member);
        if (found == s.members.end() || found->second.scope == Id<void>::kNone) return nullptr;
        return &work_.scopes[found->second.scope];
    }

    using Look = std::function<void(const Scope&, const std::string&)>;

    /// Calls `look` with each part of the names in a text and the scope it is in, as far as there are such scopes.
    void walk(const std::string& text, const Look& look) const {
        for (const std::string& name : names_in(text)) {
            const Scope* s = &work_.scopes[scope_];
            for (std::size_t begin = 0; s != nullptr && begin <= name.size();) {
                const std::size_t dot = std::min(name.find('.', begin), name.size());
                const std::string part = name.substr(begin, dot - begin);
                look(*s, part);
                s = inner(*s, part);
                begin = dot + 1;
            }
        }
    }

    /// The largest number that an index may mean, over all arrays it stands in; nothing where there is none.
    std::optional<std::size_t> largest(const std::vector<IndexedText>& names, std::string_view index) const {
        std::optional<std::size_t> result;
        for (const IndexedText& name : names) {
            for (const IndexedText::Index& one : name.indices) {
                for (std::size_t d = 0; d < one.parts.size(); ++d) {
                    if (!names_index(one.parts[d].text, index)) continue;
                    const std::string array = work_.scopes[scope_].prefix + one.array;
                    if (const auto size = largest_of(work_.graph.arrays, array, one.parts.size(), d))
                        result = std::max(result.value_or(0), *size);
                }
            }
        }
        return result;
    }

    /// Whether all parts of arrays that a text names are there, or left out by an `if:`.
    bool exists(const std::string& text) const {
        bool all = true;
        walk(text, [&](const Scope& s, const std::string& name) {
            if (s.written_out == nullptr || !name.ends_with(']')) return;
            const bool there = s.members.contains(name) || (&s == &work_.scopes[scope_] && to_be_.contains(name));
            if (s.written_out->arrays.contains(std::string(declared_name(name))) && !there &&
                !s.written_out->absent.contains(name))
                all = false;
        });
        return all;
    }

    /// Whether a text names something that an `if:` has left out.
    bool is_absent(const std::string& text) const {
        bool absent = false;
        walk(text, [&](const Scope& s, const std::string& name) {
            absent = absent || (s.written_out != nullptr && s.written_out->absent.contains(name));
        });
        return absent;
    }

    /// Whether all components that the source of a signal names have been left out. One that names others, too, would
    /// be another signal without them: that is reported.
    bool is_silent(const Text& source) {
        bool absent = false;
        const std::string* there = nullptr;
        const std::vector<std::string> names = names_in(source.text);
        for (const std::string& name : names) {
            if (is_connected(work_, scope_, name)) continue;  // true or false, like a parameter
            if (is_absent(name))
                absent = true;
            else if (name.find('.') != std::string::npos)
                there = &name;
        }
        if (!absent || there == nullptr) return absent;
        leave_gap();
        work_.diagnostics.error("BG-M074", source.position,
                                fmt::format("'{}' names components of which an 'if:' has left out some, but not '{}'",
                                            source.text, there->substr(0, there->find('.'))),
                                {{"try", "write a signal for each case, from components that have the same 'if:'"}});
        return true;
    }

    /// The name of a bond that stands for many: "wire[3]", "wire[2,3]".
    void label(Text& name, const Number& number) {
        auto& sizes = work_.graph.arrays[work_.scopes[scope_].prefix + name.text];
        sizes.resize(number.size());
        for (std::size_t d = 0; d < number.size(); ++d) sizes[d] = std::max(sizes[d], number[d]);
        name.text += fmt::format("[{}]", fmt::join(number, ","));
    }

    Flattening& work_;
    std::uint32_t scope_;
    std::unordered_set<std::string> to_be_;  ///< components of the scope that are not yet instances
};

}  // namespace

std::string driven_name(const std::string& target) { return "-> " + target; }

const std::unordered_set<std::string>& connected_names(Flattening& work, std::uint32_t scope) {
    if (work.scopes[scope].connected_names == nullptr) {
        auto names = std::make_shared<const std::unordered_set<std::string>>(Connections(work, scope).joined());
        work.scopes[scope].connected_names = std::move(names);
    }
    return *work.scopes[scope].connected_names;
}

void write_out_connections(Flattening& work, std::uint32_t scope) { Connections(work, scope).run(); }

}  // namespace bondgraph::model
