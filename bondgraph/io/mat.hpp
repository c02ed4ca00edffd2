#pragma once

#include <filesystem>
#include <string>

#include "bondgraph/io/results.hpp"

namespace bondgraph::io {

/// The bytes of a MAT file of version 4 in the trajectory layout of Dymola and OpenModelica ("Atrajectory" 1.1,
/// binTrans): Aclass, name, description ("text [unit]"), dataInfo, data_1 (the time's first and last value), data_2
/// (one column per row of the series, the time first). Texts are Latin-1 as that version has it; other characters
/// become '?'. The same series gives the same bytes. Throws std::runtime_error where the format can't count that many.
std::string mat_file(const ResultTable& table);

/// Reads that layout, also as the two programs write it: binNormal, aliases with a sign, single precision, constants in
/// data_1, units with a display unit. Throws UnreadableResults.
Results read_mat(const std::filesystem::path& file);

}  // namespace bondgraph::io
