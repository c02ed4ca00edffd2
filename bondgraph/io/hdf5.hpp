#pragma once

#include <filesystem>
#include <string>

#include "bondgraph/io/results.hpp"

namespace bondgraph::io {

/// The bytes of an HDF5 file with one dataset of doubles per column at its root, named as the column and in that order,
/// `time` first. Each has the attributes `unit` and `description`; `time` is a dimension scale attached to the others,
/// so that programs which look for coordinates find it. The root has the attribute `model`. The same series gives the
/// same bytes. Throws std::runtime_error when the library fails.
std::string hdf5_file(const ResultTable& table);

/// Reads the one-dimensional datasets of numbers at the root that are as long as the first, `time` first where there
/// is one. Throws UnreadableResults.
Results read_hdf5(const std::filesystem::path& file);

}  // namespace bondgraph::io
