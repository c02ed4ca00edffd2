#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// What a component type's `build` uses to add its parts: elements, junctions and bonds between them, and where the
/// connectors' bonds end. Parts are named "component.part" and belong to the component.
class PartsBuilder {
   public:
    PartsBuilder(Flattening& work, ElementId component) : work_(work), id_(component) {}

    [[nodiscard]] const Element& component() const { return work_.graph.elements[id_.index()]; }
    [[nodiscard]] ElementId id() const { return id_; }
    /// Whether the component's signals are computed from its second connector to its first.
    [[nodiscard]] bool reversed() const;
    /// What the file declares of a joint of its own.
    [[nodiscard]] const JointDeclaration* joint() const { return work_.origins[id_.index()].joint; }
    [[nodiscard]] bool root() const { return component().root; }
    /// Whether the user gave this parameter, and its text as written (a word such as `frame_a`).
    [[nodiscard]] bool has(std::string_view parameter) const;
    [[nodiscard]] std::string word(std::string_view parameter, std::string_view otherwise) const;
    /// A list of words as written; a single one is a list, too.
    [[nodiscard]] std::vector<std::string> words(std::string_view parameter) const;
    [[nodiscard]] bool connected(std::string_view connector) const;
    /// Whether anything else exchanges power by this bond of a connector whose signals the component computes. To be
    /// asked by point masses that are roots, whose parts are added last.
    [[nodiscard]] bool exchanges_power(std::string_view connector, std::string_view bond) const;

    /// A primitive type of the catalogue, the type of a part, its name behind the component's.
    [[nodiscard]] const ComponentType& type(std::string_view name) const { return *work_.catalogue.find(name); }
    [[nodiscard]] const ComponentType& type_of(const PartEnd& part) const;
    [[nodiscard]] std::string local_name(const PartEnd& part) const;
    /// The name, or the name with a number behind it where it is taken.
    [[nodiscard]] std::string unique(const std::string& name) const;

    /// A junction for bonds of a size in a domain.
    PartEnd junction0(std::string_view name, std::uint32_t size, std::string_view domain);
    PartEnd junction1(std::string_view name, std::uint32_t size, std::string_view domain);
    /// An element; its parameters are computed from the component's.
    PartEnd add(std::string_view name, const ComponentType& type, std::vector<PartParameter> parameters = {});
    /// How many components a part's ports have, where no junction tells it.
    void set_size(const PartEnd& part, std::uint32_t size);
    /// Lets a storage among the parts have a state of its own (a body's inertia has none: it follows the joints).
    void keep_state(const PartEnd& part);
    /// Which way a two-port's flow is computed: p1 to p2, or back.
    void direct(const PartEnd& part, bool forward);
    /// Hands a parameter of the component on to a part, as the user wrote it.
    void hand_on(const PartEnd& part, std::string_view parameter);
    [[nodiscard]] static PartEnd port(const PartEnd& part, std::string_view name) { return {part.element, name}; }
    /// The component's own port.
    [[nodiscard]] PartEnd own(std::string_view port_name) const { return {id_, port_name}; }
    /// Adds a port to the component itself, for states whose flow it gives.
    PartEnd own_port(std::string_view name, PortDirection direction);

    /// A bond with its half arrow.
    void bond(const PartEnd& from, const PartEnd& to);
    /// Puts a 0-junction on the bond that leads out of a port of a part already bonded.
    PartEnd split(const PartEnd& port, std::string_view name, std::uint32_t size, std::string_view domain);
    /// A part added before, by its name.
    [[nodiscard]] PartEnd part(std::string_view name) const;
    /// Where the bond of a connector ends inside.
    void attach(std::string_view connector, std::string_view bond, const PartEnd& end);

    /// A state or variable of the component, sizes and dimension in SI units of `unit` (empty: a pure number).
    void state(std::string_view name, std::uint32_t size, std::string_view unit);
    void variable(std::string_view name, std::uint32_t size, std::string_view unit);
    /// Takes back the states and variables declared so far.
    void forget_slots() { work_.origins[id_.index()].slots.clear(); }
    /// A state of four components that starts at [0, 0, 0, 1] where the user gives nothing. Its law is
    /// 1/2 Xi(q) w + what changes |q| only, with the component's slot `w`, its angular velocity in the turned frame,
    /// and nothing depends on |q|: linear models rely on that (analysis/small_turns.hpp).
    void quaternion(std::string_view name);

   private:
    ElementId junction(std::string_view name, const char* type, std::uint32_t size, std::string_view domain);
    ElementId element(std::string name, const ComponentType& type);
    [[nodiscard]] std::size_t part_of(ElementId element) const;
    void slot(std::string_view name, std::uint32_t size, std::string_view unit, Element::Slot::Kind kind);

    Flattening& work_;
    ElementId id_;
};

/// The port p, p1, p2 … of a field, a Compose or a Decompose, made where it is missing.
std::uint32_t numbered_port(Element& element, std::string_view name);
/// The raw end of a bond at a place, with a port made for it where it is a junction.
RawEnd raw_end(Flattening& work, const PartEnd& end);
/// A raw bond between two ends whose ports are free.
void add_raw_bond(Flattening& work, const RawEnd& from, const RawEnd& to, SourcePosition position, std::uint32_t scope);

}  // namespace bondgraph::model
