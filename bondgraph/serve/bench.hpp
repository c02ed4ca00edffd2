#pragma once

#include <string_view>

namespace bondgraph::serve {

/// The bench in the browser, as web/build.mjs has made it; empty where the build had no npm.
std::string_view bench_page();
std::string_view bench_script();
std::string_view bench_style();

}  // namespace bondgraph::serve
