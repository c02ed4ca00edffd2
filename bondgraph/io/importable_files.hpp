#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// A file that models import by its name alone, from one of the folders where imports are looked for.
struct ImportableFile {
    std::string name;  ///< "motors", as `import:` takes it
    std::filesystem::path path;
};

/// Whether a file is there for models to import, and no model itself: lines of it begin with `types:`, `records:` or
/// `connector_types:`, and none with `components:`. False of one that can't be read.
bool is_importable(const std::filesystem::path& file);

/// The `.yaml` files of these folders that have types, records or connector types and no components, in the order of
/// the folders and in each by name. Of several with one name the first is what `import:` finds. Folders that can't be
/// read have none.
std::vector<ImportableFile> importable_files(const std::vector<std::filesystem::path>& folders);

/// What is declared in such a file, with what it imports; its types go by "file.NAME". Nothing where it has mistakes.
std::optional<model::Model> read_importable(const ImportableFile& file,
                                            const std::vector<std::filesystem::path>& folders);

/// Those of these files that declare a type of this name themselves.
std::vector<ImportableFile> importable_files_with(const std::string& type,
                                                  const std::vector<std::filesystem::path>& folders);

/// What could be imported by its name alone, for who imports what is not there.
std::string files_to_try(const std::string& import, const std::vector<std::filesystem::path>& folders);

/// Where an import of a file in `folder` may be, the likeliest first: beside it, in these folders, in the library of
/// parts.
std::vector<std::filesystem::path> places_of_import(const std::string& import, const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& folders);

/// The number of a file among those that a model was read from.
std::optional<std::uint32_t> number_of_file(const model::Model& model, const std::filesystem::path& path);

}  // namespace bondgraph::io
