// A checker of XML, small but strict: for what the program writes, not for all of XML.
#pragma once

#include <string>

namespace bondgraph::drawing {

// What is wrong with the text as an XML document; empty when it is well formed.
std::string xml_mistake(const std::string& text);

// How many elements have this class.
std::size_t count_class(const std::string& svg, const std::string& name);

}  // namespace bondgraph::drawing
