// Pass 4 of flattening: how many components every bond has. Sizes are given by `size:`, by ports of own types and by
// the shapes of parameters, and spread along bonds through everything that has one size; what nothing determines is 1.

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cmath>
#include <map>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

class SizeInference {
   public:
    explicit SizeInference(Flattening& work) : work_(work), classes_(work.graph.bonds.size()) {
        known_.resize(work.graph.bonds.size());
    }

    void run() {
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) element(i);
        for (const BoundaryPort& b : work_.boundary_ports) connector_bond(b);
        for (std::uint32_t b = 0; b < work_.graph.bonds.size(); ++b) {
            const Known& k = known_[find(b)];
            work_.graph.bonds[b].size = k.size == 0 ? 1 : k.size;
        }
        for (Element& e : work_.graph.elements) {
            for (Port& p : e.ports) p.size = work_.graph.bonds[p.bond.index()].size;
        }
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) wiring_sum(i);
        if (!work_.diagnostics.has_errors()) warn_of_lone_hints();
    }

   private:
    /// What says that the bonds of a class are vectors.
    struct Hint {
        std::uint32_t element = 0;
        std::uint32_t bond = 0;
        SourcePosition position;
        std::string what;  ///< "the list of its 'R'"
    };

    /// Where a single list or `size:` makes vectors of bonds between elements that are all given as scalars, it may be
    /// the mistake. Fields, matrices, own types and mechanics have vectors by their nature.
    void warn_of_lone_hints() {
        struct Class {
            std::vector<const Hint*> hints;
            std::size_t scalars = 0;  ///< elements that name a number and no vector
            bool vectors = false;     ///< something else in it knows of components
        };
        std::map<std::size_t, Class> classes;
        for (const Hint& h : hints_) classes[find(h.bond)].hints.push_back(&h);
        if (classes.empty()) return;
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.ports.empty() || e.is_junction()) continue;
            for (const Port& p : e.ports) {
                const auto c = classes.find(find(p.bond.value));
                if (c == classes.end()) continue;
                const bool own = std::any_of(c->second.hints.begin(), c->second.hints.end(),
                                             [&](const Hint* h) { return h->element == i; });
                if (own) continue;
                c->second.vectors = c->second.vectors || knows_of_components(i);
                c->second.scalars += 1;
            }
        }
        for (const auto& [root, c] : classes) {
            if (c.hints.size() == 1 && !c.vectors && c.scalars > 0) warn_of(*c.hints.front(), known_[root].size);
        }
    }

    bool knows_of_components(std::uint32_t i) const {
        const Element& e = work_.graph.elements[i];
        const bool one_port = (e.type->is_source() || e.type->is_resistor() || e.type->is_storage()) &&
                              e.ports.size() == 1 && e.type->pattern == PortPattern::fixed;
        if (!one_port || e.owner.valid() || e.type->build != nullptr || !work_.origins[i].driven.empty()) return true;
        const ComponentDeclaration& d = *work_.origins[i].declaration;
        for (const auto* list : {&d.settings, &d.initial, &d.guess, &d.nominal}) {
            for (const Setting& s : *list) {
                if (s.value.is_list || s.value.scalar.text.find('[') != std::string::npos ||
                    shape_of(work_, s.value, work_.origins[i].scope).first > 1)
                    return true;
            }
        }
        return d.size != nullptr || names_components(e.name);
    }

    /// Whether an output or plot names a component of a result of the element.
    bool names_components(const std::string& name) const {
        const auto names = [&](const Text& t) { return t.text.starts_with(name + ".") && t.text.ends_with(']'); };
        const auto any = [&](const std::vector<Text>& list) { return std::any_of(list.begin(), list.end(), names); };
        return any(work_.model.outputs) || std::any_of(work_.model.plots.begin(), work_.model.plots.end(),
                                                       [&](const Plot& plot) { return any(plot.y); });
    }

    void warn_of(const Hint& hint, std::uint32_t size) {
        const Element& e = work_.graph.elements[hint.element];
        if (names_components(e.name)) return;
        work_.diagnostics.warning(
            "BG-M069", hint.position,
            fmt::format("{} of '{}' makes vectors of {} components of all bonds around it", hint.what, e.name, size),
            {{"because", "everything else there is given by single numbers, which then hold for each component"},
             {"try", "a single number here; or 'size:' at another component as well, if vectors are meant"}});
    }

    struct Known {
        std::uint32_t size = 0;
        std::uint32_t element = 0;
        std::string why;
    };

    std::size_t find(std::uint32_t b) { return classes_.find_set(b); }

    void join(const Port& a, const Port& b) {
        const std::size_t ra = find(a.bond.value);
        const std::size_t rb = find(b.bond.value);
        if (ra == rb) return;
        classes_.link(ra, rb);
        const std::size_t keep = find(a.bond.value);
        const std::size_t gone = keep == ra ? rb : ra;
        if (known_[gone].size != 0) {
            const Known k = known_[gone];
            set_root(keep, k);
        }
    }

    void set(const Element& element, const Port& port, std::size_t size, std::string why) {
        const auto index = static_cast<std::uint32_t>(&element - work_.graph.elements.data());
        set_root(find(port.bond.value), {static_cast<std::uint32_t>(size), index, std::move(why)});
    }

    void set_root(std::size_t root, const Known& now) {
        Known& known = known_[root];
        if (known.size == 0) {
            known = now;
            return;
        }
        if (known.size == now.size) return;
        const Element& a = work_.graph.elements[known.element];
        const Element& b = work_.graph.elements[now.element];
        work_.diagnostics.error(
            "BG-M010", b.position,
            fmt::format("sizes don't fit: '{}' has size {} ({}), but it is bonded to '{}' of size {} ({})", b.name,
                        now.size, now.why, a.name, known.size, known.why),
            {{"where", fmt::format("'{}' stands in {}", a.name, work_.graph.line_text(a.position, b.position))}});
    }

    std::pair<std::size_t, std::size_t> parameter_shape(std::uint32_t index, std::string_view name) const {
        const auto& origin = work_.origins[index];
        for (const Setting& s : origin.declaration->settings) {
            if (s.key.text == name) return shape_of(work_, s.value, origin.scope);
        }
        const auto driven = origin.driven.find(name);
        return {driven == origin.driven.end() ? 1 : driven->second.size(), 1};
    }

    void element(std::uint32_t index) {
        Element& e = work_.graph.elements[index];
        const auto& origin = work_.origins[index];
        const ComponentDeclaration& declaration = *origin.declaration;
        if (e.type->pattern == PortPattern::junction) {
            for (std::size_t i = 1; i < e.ports.size(); ++i) join(e.ports[0], e.ports[i]);
        }
        if (declaration.size && e.declaration == nullptr) {
            if (const auto size = whole_number(*declaration.size, origin.scope)) {
                for (const Port& p : e.ports) set(e, p, *size, "its 'size:'");
                if (*size > 1 && !e.owner.valid() && e.type->build == nullptr && !e.ports.empty())
                    hints_.push_back({index, e.ports[0].bond.value, declaration.size->position(), "'size'"});
            } else {
                work_.joined = false;  // sizes that follow from another one would contradict it
            }
        }
        if (e.owner.valid() || e.type->build != nullptr) return;  // junctions of the component tell the sizes
        if (e.type->is_two_port()) return two_port(index, e);
        if (e.type->is_own_type()) return own_ports(index, e);
        if (e.type->structure == Structure::wiring) {
            if (e.type->pattern == PortPattern::fixed) join(e.ports[0], e.ports[1]);
            return;
        }
        // What switches has one state for all: its law is scalar.
        if (!e.type->discretes.empty() || e.type->relations) {
            for (const Port& p : e.ports) set(e, p, 1, "a component that switches is scalar");
        }
        if (e.type->pattern == PortPattern::fixed && !e.ports.empty()) one_port(index, e);
        if (e.type->pattern == PortPattern::field) field(index, e);
    }

    void one_port(std::uint32_t index, Element& e) {
        for (const ParameterSpec& spec : e.type->parameters) {
            if (spec.kind != ParameterKind::number || spec.shape == Shape::scalar || spec.shape == Shape::table)
                continue;
            const auto [rows, cols] = parameter_shape(index, spec.name);
            if (cols > 1 && rows != cols) {
                work_.diagnostics.error("BG-M020", e.position,
                                        fmt::format("'{}' of '{}' is {} x {}: a one-port needs a square matrix",
                                                    spec.name, e.name, rows, cols));
            } else if (rows > 1) {
                set(e, e.ports[0], rows, fmt::format("the length of its '{}'", spec.name));
                hints_.push_back(
                    {index, e.ports[0].bond.value, position_of(index, spec.name), fmt::format("'{}'", spec.name)});
                // Nobody writes a matrix by mistake, and a vector drives scalar parts as it should.
                if (cols > 1 || e.type->is_source()) hints_.push_back(hints_.back());
            }
        }
    }

    SourcePosition position_of(std::uint32_t index, std::string_view name) const {
        for (const Setting& s : work_.origins[index].declaration->settings) {
            if (s.key.text == name) return s.value.position();
        }
        return work_.graph.elements[index].position;
    }

    void field(std::uint32_t index, Element& e) {
        std::size_t size = 0;
        for (const ParameterSpec& spec : e.type->parameters) {
            if ((spec.shape == Shape::scalar || spec.shape == Shape::table) && spec.kind == ParameterKind::number)
                continue;
            for (const Setting& s : work_.origins[index].declaration->settings) {
                if (s.key.text != spec.name) continue;
                size = std::max(size, shape_of(work_, s.value, work_.origins[index].scope).first);
            }
        }
        const bool one = e.ports.size() == 1 && e.ports[0].name == "p";
        if (one) {
            if (size > 1) set(e, e.ports[0], size, "its parameters");
            return;
        }
        std::sort(e.ports.begin(), e.ports.end(), [](const Port& a, const Port& b) {
            return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
        });
        reindex(index, e);
        for (std::size_t i = 0; i < e.ports.size(); ++i) {
            set(e, e.ports[i], 1, "a single port of a field");
            if (e.ports[i].name != fmt::format("p{}", i + 1)) {
                work_.diagnostics.error(
                    "BG-M009", e.position, fmt::format("port '{}.p{}' is not connected", e.name, i + 1),
                    {{"try", "bond a field either by its multibond port p or by all of p1, p2, …"}});
                return;
            }
        }
    }

    void reindex(std::uint32_t index, const Element& e) {
        for (std::uint32_t i = 0; i < e.ports.size(); ++i) {
            Bond& b = work_.graph.bonds[e.ports[i].bond.index()];
            if (b.from.value == index && !e.ports[i].at_head) b.from_port = i;
            if (b.to.value == index && e.ports[i].at_head) b.to_port = i;
        }
    }

    // Modulus M: f2 = M f1 (TF), e2 = M f1 (GY): as many rows as port 2 has components, columns as port 1.
    void two_port(std::uint32_t index, Element& e) {
        const Value* modulus = nullptr;
        for (const Setting& s : work_.origins[index].declaration->settings) {
            for (const ParameterSpec& spec : e.type->parameters) {
                if (s.key.text == spec.name) modulus = &s.value;
            }
        }
        std::pair<std::size_t, std::size_t> shape =
            parameter_shape(index, e.type->parameters.empty() ? "" : e.type->parameters[0].name);
        if (modulus != nullptr) shape = shape_of(work_, *modulus, work_.origins[index].scope);
        const auto [rows, cols] = shape;
        const bool matrix = modulus != nullptr && is_matrix(work_, *modulus, work_.origins[index].scope);
        if (rows == 1 && cols == 1 && !matrix) {
            join(e.ports[0], e.ports[1]);
            return;
        }
        // A list is a diagonal, a list of lists a matrix, also when it has one column only.
        const std::string why =
            matrix ? fmt::format("its modulus is {} x {}", rows, cols) : "the length of its modulus";
        set(e, e.ports[0], matrix ? cols : rows, why);
        set(e, e.ports[1], rows, why);
    }

    void own_ports(std::uint32_t index, Element& e) {
        const auto& origin = work_.origins[index];
        for (Port& p : e.ports) {
            std::optional<std::size_t> size = 1;
            for (const auto* declared :
                 {&e.declaration->ports, &std::as_const(work_.connector_ports).at(e.declaration)}) {
                for (const PortDeclaration& d : *declared) {
                    if (d.name.text == p.name && d.size) size = whole_number(*d.size, origin.inner_scope);
                }
            }
            work_.joined = work_.joined && size;
            if (size) set(e, p, *size, "declared by its type");
        }
    }

    /// The bond behind a connector's port has the size that its type says, also where it is bonded and not connected.
    void connector_bond(const BoundaryPort& b) {
        const auto bond = work_.graph.bond_by_name.find(b.name);
        if (!b.of_connector || !b.declaration->size || bond == work_.graph.bond_by_name.end()) return;
        const auto size = whole_number(*b.declaration->size, b.scope);
        const Bond& at = work_.graph.bonds[bond->second.bond.index()];
        const Element& e = work_.graph.elements[at.to.index()];
        if (size) set(e, e.ports[at.to_port], *size, fmt::format("that of the connector's bond '{}'", b.name));
    }

    void wiring_sum(std::uint32_t index) {
        Element& e = work_.graph.elements[index];
        if (e.type->pattern != PortPattern::compose && e.type->pattern != PortPattern::decompose) return;
        std::sort(e.ports.begin(), e.ports.end(), [](const Port& a, const Port& b) {
            return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
        });
        reindex(index, e);
        if (e.ports.front().name != "p") {
            work_.diagnostics.error("BG-M009", e.position, fmt::format("port '{}.p' is not connected", e.name));
            return;
        }
        for (std::size_t i = 1; i < e.ports.size() && !e.owner.valid(); ++i) {
            if (e.ports[i].name == fmt::format("p{}", i)) continue;
            work_.diagnostics.error(
                "BG-M009", e.position, fmt::format("port '{}.p{}' is not connected", e.name, i),
                {{"because", fmt::format("'{}.{}' is: the numbers say which components of 'p' a port stands for",
                                         e.name, e.ports[i].name)},
                 {"try", "number the ports p1, p2, … without gaps, in the order of the components"}});
            return;
        }
        std::uint32_t sum = 0;
        for (std::size_t i = 1; i < e.ports.size(); ++i) sum += e.ports[i].size;
        Port& whole = e.ports.front();
        const std::size_t root = find(whole.bond.value);
        if (known_[root].size == 0) {
            known_[root] = {sum, index, "the sum of its parts"};
            for (std::uint32_t b = 0; b < work_.graph.bonds.size(); ++b) {
                if (find(b) == root) work_.graph.bonds[b].size = sum;
            }
            for (Element& other : work_.graph.elements) {
                for (Port& p : other.ports) p.size = work_.graph.bonds[p.bond.index()].size;
            }
        } else {
            set_root(root, {sum, index, "the sum of its parts"});
        }
    }

    std::optional<std::size_t> whole_number(const Value& value, std::uint32_t scope) {
        const auto q = evaluate_value(work_, value, scope);
        if (!q) return std::nullopt;
        const bool number = q->is_scalar() && q->value(0, 0).is_constant();
        const double v = number ? q->value(0, 0).constant() : 0.0;
        if (!number || !(v >= 1 && v <= 10000) || v != std::round(v)) {  // v may be NaN
            work_.diagnostics.error("BG-M010", value.position(), "a size is a whole number from 1 to 10000");
            return std::nullopt;
        }
        return static_cast<std::size_t>(v);
    }

    Flattening& work_;
    boost::disjoint_sets_with_storage<> classes_;
    std::vector<Known> known_;
    std::vector<Hint> hints_;
};

}  // namespace

void infer_sizes(Flattening& work) { SizeInference(work).run(); }

}  // namespace bondgraph::model
