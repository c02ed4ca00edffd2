#include "bondgraph/io/results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/io/hdf5.hpp"
#include "bondgraph/io/mat.hpp"

namespace bondgraph::io {

ResultFormat result_format(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (extension.empty() || extension == ".csv") return ResultFormat::csv;
    if (extension == ".mat") return ResultFormat::mat;
    if (extension == ".h5") return ResultFormat::hdf5;
    throw std::invalid_argument(fmt::format("results are .csv, .mat or .h5, not '{}'", file.extension().string()));
}

Results read_results(const std::filesystem::path& file, LastLine last) {
    const ResultFormat format = result_format(file);
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) throw UnreadableResults("No such file or directory");
    if (std::filesystem::is_directory(file, unknown)) throw UnreadableResults("it is a folder, not a file");
    switch (format) {
        case ResultFormat::mat:
            return read_mat(file);
        case ResultFormat::hdf5:
            return read_hdf5(file);
        case ResultFormat::csv:
            break;
    }
    return read_csv(file, last);
}

}  // namespace bondgraph::io
