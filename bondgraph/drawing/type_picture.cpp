#include "bondgraph/drawing/type_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;
using model::ComponentDeclaration;
using model::ConnectorType;
using model::Text;
using model::TypeDeclaration;

std::string_view first_part(std::string_view name) { return model::declared_name(name.substr(0, name.find('.'))); }
std::string_view second_part(std::string_view name) {
    const auto dot = name.find('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

std::string condition_of(const ComponentDeclaration& component) {
    if (!component.repetition || !component.repetition->condition) return {};
    const model::Value& condition = *component.repetition->condition;
    return condition.is_list ? std::string() : condition.scalar.text;
}

template <class Named>
const Named* find_named(const std::vector<Named>& all, std::string_view name) {
    const auto found = std::ranges::find_if(all, [&](const Named& n) { return n.name.text == name; });
    return found == all.end() ? nullptr : &*found;
}

// ---- picture --------------------------------------------------------------------------------------------------------

class TypePicture {
   public:
    TypePicture(const model::Model& model, const TypeDeclaration& type, const model::Catalogue& catalogue)
        : model_(model), type_(type), catalogue_(catalogue) {}

    Picture make() {
        picture_.title = type_.name.text.substr(type_.name.text.rfind('.') + 1);
        for (const model::ConnectorDeclaration& c : type_.connectors)
            add_terminal(c.name.text, c.type.text, c.optional);
        for (const model::PortDeclaration& p : type_.ports) add_terminal(p.name.text, "port", false);
        for (const ComponentDeclaration& c : type_.body.components) add_component(c);
        for (const model::BondDeclaration& b : type_.body.bonds) add_bond(b.from.text, b.to.text);
        for (const model::ConnectDeclaration& c : type_.body.connects) add_connection(c);
        take_domains();
        return std::move(picture_);
    }

   private:
    std::uint32_t add(Node node) {
        const auto index = static_cast<std::uint32_t>(picture_.nodes.size());
        node_by_name_.emplace(node.name, index);
        picture_.nodes.push_back(std::move(node));
        types_.push_back(nullptr);
        return index;
    }

    void add_terminal(const std::string& name, const std::string& type, bool optional) {
        add({.kind = NodeKind::composite,
             .name = name,
             .label = name,
             .type = type.substr(type.rfind('.') + 1),
             .value = optional ? "optional" : ""});
    }

    void add_component(const ComponentDeclaration& c) {
        Node node{.kind = NodeKind::composite, .name = c.name.text, .label = c.name.text, .type = c.type.text};
        if (const std::string condition = condition_of(c); !condition.empty()) node.value = "if " + condition;
        if (c.repetition && !c.repetition->sizes.empty()) node.label += "[]";
        const model::ComponentType* known = c.own_type ? nullptr : catalogue_.find(c.type.text);
        if (known != nullptr && known->build == nullptr) {
            node.kind = known->is_junction()                          ? NodeKind::junction
                        : known->structure == model::Structure::block ? NodeKind::block
                                                                      : NodeKind::element;
            node.gyrator = known->structure == model::Structure::gyrator;
            if (known->is_junction()) node.type = std::string(known->name);
        }
        types_[add(std::move(node))] = known;
    }

    std::uint32_t node_of(std::string_view end) const {
        const auto found = node_by_name_.find(first_part(end));
        return found == node_by_name_.end() ? kNone : found->second;
    }

    std::string port_of(std::uint32_t node, std::string_view end) const {
        const model::ComponentType* known = types_[node];
        const bool plain =
            known != nullptr && (known->is_junction() || known->is_two_port() || known->ports.size() < 2);
        return plain ? std::string() : std::string(second_part(end));
    }

    void add_bond(const std::string& from, const std::string& to, std::size_t size = 1) {
        const std::uint32_t tail = node_of(from);
        const std::uint32_t head = node_of(to);
        if (tail == kNone || head == kNone || tail == head) return;
        Edge edge{.from = tail, .to = head, .ports = {port_of(tail, from), port_of(head, to)}};
        edge.strokes.assign(size, Stroke::open);
        picture_.edges.push_back(std::move(edge));
    }

    /// What a connector is joined by; null where that is not to be seen here.
    const ConnectorType* connector_type(std::string_view member) const {
        const std::string_view part = first_part(member);
        const TypeDeclaration* of = &type_;
        std::string_view name = part;
        if (const ComponentDeclaration* c = find_named(type_.body.components, part)) {
            name = model::declared_name(second_part(member));
            if (!c->own_type) {
                const model::ComponentType* known = catalogue_.find(c->type.text);
                if (known == nullptr) return nullptr;
                const auto found =
                    std::ranges::find_if(known->connectors, [&](const auto& k) { return k.name == name; });
                return found == known->connectors.end() ? nullptr : found->type;
            }
            of = &model_.types[*c->own_type];
        }
        const auto* declared = find_named(of->connectors, name);
        if (declared == nullptr) return nullptr;
        if (declared->own_type) return &model_.connector_types[*declared->own_type].type;
        return catalogue_.find_connector(declared->type.text);
    }

    void add_connection(const model::ConnectDeclaration& connection) {
        const ConnectorType* type = nullptr;
        for (const Text& member : connection.members) type = type == nullptr ? connector_type(member.text) : type;
        if (connection.members.empty() || type == nullptr || type->bonds.empty()) return;
        const std::string name = connection.members.front().text + " --";
        add({.kind = NodeKind::junction, .name = name, .type = type->bonds[0].common_flow ? "1" : "0"});
        for (const Text& member : connection.members) {
            const std::uint32_t junction = node_by_name_.find(name)->second;
            const std::uint32_t end = node_of(member.text);
            if (end == kNone) continue;
            Edge edge{.from = junction, .to = end, .ports = {"", port_of(end, member.text)}};
            edge.strokes.assign(type->bonds[0].size, Stroke::open);
            picture_.edges.push_back(std::move(edge));
        }
    }

    /// Those of connectors, and what follows along bonds: all but what stands between two ports has one.
    void take_domains() {
        for (const auto* connectors = &type_.connectors; const auto& c : *connectors) {
            const ConnectorType* type = connector_type(c.name.text);
            if (type == nullptr || type->bonds.size() != 1) continue;
            if (const auto domain = model::find_domain(type->bonds[0].domain))
                picture_.nodes[node_of(c.name.text)].domain = *domain;
        }
        for (const model::PortDeclaration& p : type_.ports) {
            if (!p.domain) continue;
            if (const auto domain = model::find_domain(p.domain->text))
                picture_.nodes[node_of(p.name.text)].domain = *domain;
        }
        for (bool again = true; again;) {
            again = false;
            for (Edge& e : picture_.edges) {
                for (const std::uint32_t n : {e.from, e.to}) {
                    Node& node = picture_.nodes[n];
                    const bool one = types_[n] == nullptr ? node.kind == NodeKind::junction || is_terminal(n)
                                                          : types_[n]->is_junction() || types_[n]->ports.size() == 1;
                    if (!one || e.domain == node.domain) continue;
                    (e.domain == model::kGeneric ? e.domain : node.domain) =
                        e.domain == model::kGeneric ? node.domain : e.domain;
                    again = e.domain == node.domain || again;
                }
            }
        }
    }

    bool is_terminal(std::uint32_t node) const { return node < type_.connectors.size() + type_.ports.size(); }

    const model::Model& model_;
    const TypeDeclaration& type_;
    const model::Catalogue& catalogue_;
    Picture picture_;
    std::map<std::string, std::uint32_t, std::less<>> node_by_name_;
    std::vector<const model::ComponentType*> types_;  ///< of components of the catalogue
};

// ---- line -----------------------------------------------------------------------------------------------------------

class BondLine {
   public:
    explicit BondLine(const TypeDeclaration& type) : type_(type) {
        for (const model::BondDeclaration& b : type.body.bonds) {
            bonds_.push_back({std::string(first_part(b.from.text)), std::string(first_part(b.to.text))});
            for (const std::string& end : {bonds_.back().from, bonds_.back().to}) ++count_[end];
        }
        for (const ComponentDeclaration& c : type.body.components) {
            ++(is_junction(c.name.text) ? junctions_ : elements_);
        }
    }

    std::string text() {
        for (Bond& b : bonds_) b.used = hang(b.from, b.to, "") || hang(b.to, b.from, "→ ");
        std::vector<std::string> chains;
        while (const Bond* start = next_start()) chains.push_back(chain(start->from));
        // What hangs on a junction without any other bond.
        for (const auto& [junction, hanging] : hanging_) {
            if (!told_.contains(junction)) chains.push_back(token(junction));
        }
        return fmt::format("{}", fmt::join(chains, "; "));
    }

   private:
    struct Bond {
        std::string from;
        std::string to;
        bool used = false;
    };

    const ComponentDeclaration* component(const std::string& name) const {
        return find_named(type_.body.components, name);
    }
    bool is_junction(const std::string& name) const {
        const ComponentDeclaration* c = component(name);
        return c != nullptr && (c->type.text == "0" || c->type.text == "1");
    }

    /// Puts an element with one bond behind its junction.
    bool hang(const std::string& junction, const std::string& element, const char* arrow) {
        if (!is_junction(junction) || is_junction(element) || component(element) == nullptr) return false;
        if (count_[element] != 1) return false;
        hanging_[junction].push_back(element_name(element) + (*arrow != 0 ? " →" : ""));
        return true;
    }

    std::string element_name(const std::string& name) const {
        const ComponentDeclaration* c = component(name);
        if (c == nullptr) return name;
        const std::string type = c->type.text.substr(c->type.text.rfind('.') + 1);
        const bool array = c->repetition && !c->repetition->sizes.empty();
        return (elements_ > 1 ? type + " " + name : type) + (array ? "[]" : "") + (condition_of(*c).empty() ? "" : "?");
    }

    std::string token(const std::string& name) {
        if (!is_junction(name)) return element_name(name);
        std::string text = component(name)->type.text + (condition_of(*component(name)).empty() ? "" : "?");
        if (junctions_ > 1) text += " " + name;
        if (told_.insert(name).second && hanging_.contains(name))
            text += fmt::format("({})", fmt::join(hanging_[name], ", "));
        return text;
    }

    /// A bond from where nothing leads to, where there is one: connectors come first, as they do in the file.
    const Bond* next_start() const {
        const Bond* any = nullptr;
        for (const Bond& b : bonds_) {
            if (b.used) continue;
            if (any == nullptr) any = &b;
            const bool led_to = std::ranges::any_of(bonds_, [&](const Bond& o) { return !o.used && o.to == b.from; });
            if (!led_to) return &b;
        }
        return any;
    }

    std::string chain(const std::string& start) {
        std::string text = token(start);
        std::string at = start;
        for (;;) {
            const auto next = std::ranges::find_if(bonds_, [&](const Bond& b) { return !b.used && b.from == at; });
            if (next == bonds_.end()) return text;
            next->used = true;
            at = next->to;
            text += " → " + token(at);
        }
    }

    const TypeDeclaration& type_;
    std::vector<Bond> bonds_;
    std::map<std::string, int> count_;  ///< bonds at each end
    int junctions_ = 0;
    int elements_ = 0;
    std::map<std::string, std::vector<std::string>> hanging_;
    std::set<std::string> told_;
};

}  // namespace

Picture picture_of_type(const model::Model& model, const TypeDeclaration& type, const model::Catalogue& catalogue) {
    return TypePicture(model, type, catalogue).make();
}

std::string bond_line(const TypeDeclaration& type, std::size_t longest) {
    if (type.body.bonds.empty() || !type.body.connects.empty()) return {};
    std::string line = BondLine(type).text();
    return utf8_count(line) > longest ? std::string() : line;
}

}  // namespace bondgraph::drawing
