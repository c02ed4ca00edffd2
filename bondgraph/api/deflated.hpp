#pragma once

// What makes the file of a page small.

#include <string>
#include <string_view>

namespace bondgraph::api {

/// The same in less room, in zlib's format (RFC 1950): its check sum tells what is damaged, and browsers read it as
/// "deflate".
std::string deflated(std::string_view bytes);

/// Numbers in the order in which they deflate best. Their bytes are taken as words of 32 bits, filled up with zeros;
/// each becomes its difference from the last but one (of 64-bit numbers that is the same half of the one before), and
/// of all words the lowest bytes come first, then the second ones, and so on. What changes smoothly has high bytes of
/// nearly all zeros: of a robot's run of a minute less than a third is left of what deflating alone leaves, of a sine
/// at a million instants a tenth, of a long ladder's voltages nine tenths.
std::string in_planes(std::string_view numbers);

}  // namespace bondgraph::api
