#include "bondgraph/model/library_positions.hpp"

namespace bondgraph::model {

SourcePosition position_for_user(const Flattening& work, std::uint32_t scope, SourcePosition position) {
    const auto& files = work.model.files;
    const auto of_library = [&](SourcePosition p) {
        return p.file < files.size() && files[p.file].starts_with(kLibraryFolder);
    };
    while (of_library(position) && scope != 0) {
        position = work.scopes[scope].position;
        scope = work.scopes[scope].outer;
    }
    return position;
}

}  // namespace bondgraph::model
