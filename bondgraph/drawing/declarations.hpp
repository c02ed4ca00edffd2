#pragma once

#include <string>

#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// The type of a component as written in the file, by the component's full name; empty where no file declares it (the
/// parts of joints and bodies).
std::string written_type(const model::Model& model, const std::string& name);

/// The own type of a component; null where it has none, or no file declares it.
const model::TypeDeclaration* declared_type(const model::Model& model, const std::string& name);

/// The parameter of an element that says most about it, as written and short enough for a drawing: "2 mH" for one-port
/// elements, "m = 1/ratio" for others; empty where there is none.
std::string written_value(const model::Model& model, const model::Element& element, const PictureOptions& options);

/// Likewise of a component of an own type, of which it is the first parameter given: "2 mH", "ratio = 3" where its name
/// says more than a letter.
std::string written_part_value(const model::Model& model, const std::string& name, const PictureOptions& options);

/// The port of a composite that a bond or connection of the model leads to ("axis" of `j -> arm.axis`); empty where it
/// doesn't say.
std::string written_port(const model::Model& model, const model::Bond& bond, const std::string& composite);

}  // namespace bondgraph::drawing
