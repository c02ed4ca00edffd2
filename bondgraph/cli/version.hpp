#pragma once

namespace bondgraph::cli {

/// The program's version as the build states it, as in "1.2.3".
const char* version();

}  // namespace bondgraph::cli
