#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/text_file.hpp"
#include "bondgraph/io/yaml_tree.hpp"

namespace bondgraph::io {

/// Puts lists in the place of `{from: drive.csv, columns: [time, speed]}` anywhere in a document: of several columns
/// the rows, of one column its values; without `columns:` all of the file. Files are CSV, MAT or HDF5, as results are;
/// names are those of files beside the document. What can't be read is reported (BG-M088) and stays as it is.
/// `read`: the files' names are added to it.
void fill_in_tables(YamlNode& root, const std::filesystem::path& folder, Diagnostics& diagnostics,
                    std::vector<std::string>& read, const FileAccess& access = {});

/// Whether a node names such a file: once tables are filled in, of one that could not be read. There is nothing more to
/// say of it.
bool names_table_file(const YamlNode& node);

}  // namespace bondgraph::io
