#include "bondgraph/model/circuit.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <set>
#include <unordered_map>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/model/passes.hpp"

namespace bondgraph::model {
namespace {

using End = CircuitNet::End;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool goes_on(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

/// The end of a name in a text, with the numbers of parts of arrays: "cell[2].c.e".
std::size_t end_of_name(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (goes_on(text[at]) || (text[at] == '.' && at + 1 < text.size() && begins_name(text[at + 1]))) {
            ++at;
        } else if (text[at] == '[') {
            const std::size_t close = text.find(']', at);
            const bool number =
                close != std::string_view::npos &&
                text.substr(at + 1, close - at - 1).find_first_not_of("0123456789,") == std::string_view::npos;
            if (!number) return at;
            at = close + 1;
        } else {
            return at;
        }
    }
    return at;
}

/// "cell[2].c.e" → "cell[2]", "c.e".
std::pair<std::string, std::string> cut_at_dot(const std::string& name) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return {name, {}};
    return {name.substr(0, dot), name.substr(dot + 1)};
}

class CircuitMaker {
   public:
    CircuitMaker(const Flattening& work, const LayoutDeclaration& layout) : work_(work), layout_(layout) {}

    Circuit run() {
        circuit_.title = work_.model.name.text;
        const Body& body = *work_.scopes[0].body;
        for (const ComponentDeclaration& c : body.components) add_part(c);
        connections(body);
        for (const BondDeclaration& b : body.bonds) bond(b);
        for (const SignalDeclaration& s : body.signals) signal(s.from.text, s.to.text);
        for (const ComponentDeclaration& c : body.components) {
            for (const Setting& s : c.settings) modulation(c, s);
        }
        spread_domains();
        for (auto& [source, net] : signals_) circuit_.nets.push_back(std::move(net));
        return std::move(circuit_);
    }

   private:
    static const TypeDeclaration* own_type(const Flattening& work, const ComponentDeclaration& c) {
        return c.own_type ? &work.model.types[*c.own_type] : nullptr;
    }

    void add_part(const ComponentDeclaration& c) {
        CircuitPart part{.name = c.name.text, .type = c.type.text};
        const ComponentType* type = c.own_type ? nullptr : work_.catalogue.find(c.type.text);
        if (type != nullptr && type->is_junction()) part.kind = CircuitPart::Kind::junction;
        if (c.own_type) {
            const auto symbol = layout_.symbols.find(*c.own_type);
            if (symbol != layout_.symbols.end()) part.symbol = symbol->second;
        }
        for (const LayoutDeclaration::Place& p : layout_.places) {
            if (p.component.text == c.name.text) part.place = p;
        }
        part.value = value_of(c, type);
        numbers_.emplace(part.name, static_cast<std::uint32_t>(circuit_.parts.size()));
        declarations_.push_back(&c);
        circuit_.parts.push_back(std::move(part));
    }

    /// What a component is given first, in the order in which its type declares parameters.
    std::string value_of(const ComponentDeclaration& c, const ComponentType* type) const {
        constexpr std::size_t kLongest = 16;
        std::vector<std::string> names;
        if (const TypeDeclaration* own = own_type(work_, c)) {
            for (const ParameterDeclaration& p : own->body.parameters) {
                if (!p.record && p.choices.empty()) names.push_back(p.name.text);
            }
        } else if (type != nullptr) {
            for (const ParameterSpec& p : type->parameters) {
                if (p.kind == ParameterKind::number) names.emplace_back(p.name);
            }
        }
        for (const std::string& name : names) {
            const auto set = std::ranges::find_if(c.settings, [&](const Setting& s) { return s.key.text == name; });
            if (set == c.settings.end()) continue;
            const auto other = work_.overrides.find(c.name.text + "." + name);
            const Value& value = other == work_.overrides.end() ? set->value : *other->second;
            if (value.is_list) return {};
            const std::string& text = value.scalar.text;
            if (text == name) return text;
            const bool measured = !text.empty() && text.find(' ') != std::string::npos &&
                                  (std::string_view("+-.0123456789").find(text.front()) != std::string_view::npos);
            std::string said = measured ? text : name + " = " + text;
            return utf8_count(said) <= kLongest && said.find('\n') == std::string::npos ? said : std::string();
        }
        return {};
    }

    std::uint32_t pin(std::uint32_t part, const std::string& name, CircuitPin::Kind kind, bool arrow_in = true) {
        auto& pins = circuit_.parts[part].pins;
        // A junction takes any number of bonds.
        const bool one = circuit_.parts[part].kind != CircuitPart::Kind::junction || kind != CircuitPin::Kind::power;
        const auto known =
            std::ranges::find_if(pins, [&](const CircuitPin& p) { return one && p.name == name && p.kind == kind; });
        if (known != pins.end()) return static_cast<std::uint32_t>(known - pins.begin());
        pins.push_back({name, kind, order_of(part, name, kind), arrow_in});
        return static_cast<std::uint32_t>(pins.size() - 1);
    }

    /// Where a connector or port, an input or an output stands among those that the type declares; what it doesn't
    /// declare (any result may be read, any parameter driven) after these.
    std::uint32_t order_of(std::uint32_t part, const std::string& name, CircuitPin::Kind kind) const {
        if (part >= declarations_.size()) return static_cast<std::uint32_t>(circuit_.parts[part].pins.size());
        std::vector<std::string_view> names;
        const auto add = [&](const auto& all) {
            for (const auto& one : all) names.push_back(one.name.text);
        };
        const auto add_specs = [&](const auto& all) {
            for (const auto& one : all) names.push_back(one.name);
        };
        const TypeDeclaration* own = own_type(work_, *declarations_[part]);
        const ComponentType* type = own == nullptr ? work_.catalogue.find(declarations_[part]->type.text) : nullptr;
        if (kind == CircuitPin::Kind::power) {
            if (own != nullptr) add(own->connectors), add(own->ports);
            if (type != nullptr) add_specs(type->connectors), add_specs(type->ports);
        } else if (kind == CircuitPin::Kind::input) {
            if (own != nullptr) add(own->inputs);
            if (type != nullptr) add_specs(type->inputs);
        } else {
            if (own != nullptr) add(own->outputs);
            if (type != nullptr) add_specs(type->outputs);
        }
        return static_cast<std::uint32_t>(std::ranges::find(names, name) - names.begin());
    }

    std::optional<std::uint32_t> part_of(const std::string& name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }

    /// The connector meant by a component's name alone.
    std::string only_connector(std::uint32_t part) const {
        const ComponentDeclaration& c = *declarations_[part];
        if (const TypeDeclaration* own = own_type(work_, c)) {
            const auto member = work_.scopes[0].members.find(c.name.text);
            for (const ConnectorDeclaration& one : own->connectors) {
                const bool there = member == work_.scopes[0].members.end() || member->second.scope == Id<void>::kNone ||
                                   !work_.scopes[member->second.scope].unconnected.contains(one.name.text);
                if (there) return one.name.text;
            }
            return own->ports.empty() ? std::string() : own->ports.front().name.text;
        }
        const ComponentType* type = work_.catalogue.find(c.type.text);
        if (type == nullptr) return {};
        for (const ConnectorSpec& one : type->connectors) {
            if (!one.optional) return std::string(one.name);
        }
        return {};
    }

    /// "motor.shaft.turn" → motor, its connector shaft.
    std::string power_name(std::uint32_t part, const std::string& rest) const {
        if (rest.empty()) return only_connector(part);
        const TypeDeclaration* own = own_type(work_, *declarations_[part]);
        const auto [head, tail] = cut_at_dot(rest);
        if (own == nullptr || tail.empty()) return rest;
        const bool connector =
            std::ranges::any_of(own->connectors, [&, h = head](const auto& c) { return c.name.text == h; });
        return connector ? head : rest;
    }

    std::optional<End> power_end(const std::string& text, bool arrow_in = true) {
        const auto [head, rest] = cut_at_dot(text);
        const auto part = part_of(head);
        if (!part) return std::nullopt;
        return End{*part, pin(*part, power_name(*part, rest), CircuitPin::Kind::power, arrow_in)};
    }

    DomainIndex domain_at(const End& end) const {
        const CircuitPart& part = circuit_.parts[end.part];
        const ComponentDeclaration& c = *declarations_[end.part];
        const std::string& name = part.pins[end.pin].name;
        const auto place = work_.connector_by_name.find(part.name + "." + name);
        if (place != work_.connector_by_name.end()) {
            const ConnectorType* type = work_.connectors[place->second].type;
            return type->bonds.empty() ? kGeneric : find_domain(type->bonds.front().domain).value_or(kGeneric);
        }
        if (c.domain != nullptr) return find_domain(c.domain->text).value_or(kGeneric);
        const TypeDeclaration* own = own_type(work_, c);
        if (own == nullptr) return kGeneric;
        for (const ConnectorDeclaration& one : own->connectors) {
            const auto known =
                one.name.text == name && !one.own_type ? work_.catalogue.find_connector(one.type.text) : nullptr;
            if (known != nullptr && !known->bonds.empty())
                return find_domain(known->bonds.front().domain).value_or(kGeneric);
        }
        for (const PortDeclaration& p : own->ports) {
            if (p.name.text == name && p.domain) return find_domain(p.domain->text).value_or(kGeneric);
        }
        return kGeneric;
    }

    void give_domain(CircuitNet& net) const {
        for (const End& end : net.ends) {
            if (net.domain == kGeneric) net.domain = domain_at(end);
        }
    }

    void connections(const Body& body) {
        std::vector<End> ends;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known;
        std::vector<std::vector<std::size_t>> entries;
        for (const ConnectDeclaration& c : body.connects) {
            entries.emplace_back();
            for (const Text& member : c.members) {
                const auto end = power_end(member.text);
                if (!end) continue;
                const auto [at, fresh] = known.emplace(std::pair(end->part, end->pin), ends.size());
                if (fresh) ends.push_back(*end);
                entries.back().push_back(at->second);
            }
        }
        boost::disjoint_sets_with_storage<> joined(ends.size());
        for (const auto& entry : entries) {
            for (const std::size_t e : entry) joined.union_set(entry.front(), e);
        }
        std::map<std::size_t, CircuitNet> nets;
        std::vector<std::size_t> order;
        for (std::size_t e = 0; e < ends.size(); ++e) {
            const std::size_t root = joined.find_set(e);
            if (!nets.contains(root)) order.push_back(root);
            nets[root].ends.push_back(ends[e]);
        }
        for (const std::size_t root : order) {
            CircuitNet& net = nets[root];
            give_domain(net);
            if (net.ends.size() > 1) circuit_.nets.push_back(std::move(net));
        }
    }

    void bond(const BondDeclaration& b) {
        const auto from = power_end(b.from.text, false);
        const auto to = power_end(b.to.text);
        if (!from || !to || *from == *to) return;
        CircuitNet net{.kind = CircuitNet::Kind::bond, .ends = {*from, *to}};
        give_domain(net);
        circuit_.nets.push_back(std::move(net));
    }

    /// All bonds of a junction are of one domain.
    void spread_domains() {
        for (bool more = true; more;) {
            more = false;
            std::vector<DomainIndex> of(circuit_.parts.size(), kGeneric);
            const auto is_junction = [&](const End& end) {
                return circuit_.parts[end.part].kind == CircuitPart::Kind::junction;
            };
            for (const CircuitNet& net : circuit_.nets) {
                for (const End& end : net.ends) {
                    if (is_junction(end) && net.domain != kGeneric) of[end.part] = net.domain;
                }
            }
            for (CircuitNet& net : circuit_.nets) {
                for (const End& end : net.ends) {
                    if (net.domain != kGeneric || !is_junction(end) || of[end.part] == kGeneric) continue;
                    net.domain = of[end.part];
                    more = true;
                }
            }
        }
    }

    /// The results of components that an expression names, each once.
    std::vector<std::string> results_in(std::string_view text) const {
        std::vector<std::string> found;
        for (std::size_t at = 0; at < text.size();) {
            if (!begins_name(text[at])) {
                const bool number = goes_on(text[at]);  // the e of 1e-3 is no name
                ++at;
                while (number && at < text.size() && goes_on(text[at])) ++at;
                continue;
            }
            const std::size_t end = end_of_name(text, at);
            std::string name(text.substr(at, end - at));
            at = end;
            const auto [head, rest] = cut_at_dot(name);
            if (rest.empty() || !numbers_.contains(head)) continue;
            if (std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
        }
        return found;
    }

    void join(const End& from, const End& to) {
        CircuitNet& net = signals_[{from.part, from.pin}];
        if (net.ends.empty()) net = {.kind = CircuitNet::Kind::signal, .ends = {from}};
        net.ends.push_back(to);
    }

    End output(const std::string& result) {
        const auto [head, rest] = cut_at_dot(result);
        const std::uint32_t part = *part_of(head);
        return {part, pin(part, rest, CircuitPin::Kind::output)};
    }

    /// What a text computes, as something that wires begin at.
    End source_of(const std::string& text) {
        const std::vector<std::string> results = results_in(text);
        if (results.size() == 1 && results.front() == text) return output(text);
        const auto number = static_cast<std::uint32_t>(circuit_.parts.size());
        circuit_.parts.push_back({.type = text, .kind = CircuitPart::Kind::expression});
        for (const std::string& r : results) {
            const End from = output(r);
            join(from, {number, pin(number, r, CircuitPin::Kind::input)});
        }
        return {number, pin(number, "y", CircuitPin::Kind::output)};
    }

    void signal(const std::string& from, const std::string& to) {
        const auto [head, rest] = cut_at_dot(to);
        const auto part = part_of(head);
        if (!part || rest.empty()) return;
        const End source = source_of(from);
        join(source, {*part, pin(*part, rest, CircuitPin::Kind::input)});
    }

    /// A setting that names results of components: a signal as well.
    void modulation(const ComponentDeclaration& c, const Setting& s) {
        if (s.value.is_list || s.value.scalar.quoted || results_in(s.value.scalar.text).empty()) return;
        signal(s.value.scalar.text, c.name.text + "." + s.key.text);
    }

    const Flattening& work_;
    const LayoutDeclaration& layout_;
    Circuit circuit_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<const ComponentDeclaration*> declarations_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, CircuitNet> signals_;
};

}  // namespace

Circuit circuit_of(const Model& model, const LayoutDeclaration& layout, const Catalogue& catalogue,
                   const UnitSystem& units, std::span<const ParsedOverride> overrides) {
    Flattening work{.model = model, .catalogue = catalogue, .units = units};
    run_passes(work, overrides, true, Stage::connected);
    work.diagnostics.throw_if_errors();
    return CircuitMaker(work, layout).run();
}

}  // namespace bondgraph::model
