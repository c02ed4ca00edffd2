#include "tests/support/places.hpp"

namespace bondgraph::test {

const std::string& source_folder() {
    static const std::string place = BONDGRAPH_SOURCE_DIR;
    return place;
}

const std::string& program() {
    static const std::string place = BONDGRAPH_EXECUTABLE;
    return place;
}

const std::string& pages_folder() {
    static const std::string place = BONDGRAPH_PAGES;
    return place;
}

}  // namespace bondgraph::test
