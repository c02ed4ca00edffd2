#include "bondgraph/io/text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>

namespace bondgraph::io {

namespace {

constexpr std::uintmax_t kMegabyte = 1'000'000;
constexpr std::uintmax_t kLargest = 32 * kMegabyte;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string system_reason(int error) { return std::generic_category().message(error); }

}  // namespace

TextFile read_text_file(const std::filesystem::path& path) {
    const std::string too_large = fmt::format("it has more than {} MB", kLargest / kMegabyte);
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) return {{}, "it is a folder, not a file"};
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown && size > kLargest) return {{}, too_large};
    errno = 0;
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file) return {{}, system_reason(errno)};
    TextFile result;
    if (!unknown) result.text.reserve(size);
    std::array<char, 1U << 16U> block{};
    for (std::size_t count = block.size(); count == block.size();) {
        count = std::fread(block.data(), 1, block.size(), file.get());
        result.text.append(block.data(), count);
        if (result.text.size() > kLargest) return {{}, too_large};
    }
    if (std::ferror(file.get()) != 0) return {{}, system_reason(errno)};
    return result;
}

TextFile read_regular_file(const std::filesystem::path& path) {
    std::error_code unknown;
    const auto type = std::filesystem::status(path, unknown).type();
    // what doesn't exist or can't be looked at gets its reason when it is opened
    const bool answers_at_once = type == std::filesystem::file_type::regular ||
                                 type == std::filesystem::file_type::directory || unknown ||
                                 type == std::filesystem::file_type::not_found;
    if (!answers_at_once) return {{}, "it is a device or a pipe, not a file"};
    return read_text_file(path);
}

}  // namespace bondgraph::io
