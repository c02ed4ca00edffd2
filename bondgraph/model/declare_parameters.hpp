#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Gives a scope the values of its parameters, as texts: what the settings of `instance` say, which are written in
/// `outer`, or else the declarations. A parameter that is a record becomes a member of the scope, a scope of its own
/// with the record's parameters; where a setting names another record, each of them is that one's. Values of `--set`
/// come before all. Reports parameters without a value (BG-M003) and what is given for a record but none (BG-M081).
void declare_parameters(Flattening& work, std::uint32_t scope, const std::vector<ParameterDeclaration>& declarations,
                        const ComponentDeclaration* instance, std::uint32_t outer);

/// Whether a setting names a parameter of a type, or one of a record among these.
bool names_parameter(const Model& model, const Body& body, std::string_view key);

/// The component that a scope is of, or that has the record it is of; none: the model.
const ComponentDeclaration* instance_around(const Flattening& work, std::uint32_t scope);

/// The scope of the record that a path leads to, from another scope; nothing where it leads to none.
std::optional<std::uint32_t> find_record(const Flattening& work, std::uint32_t scope, std::string_view path);

}  // namespace bondgraph::model
