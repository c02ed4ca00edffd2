#include "bondgraph/io/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

namespace bondgraph::io {

namespace {

constexpr std::uintmax_t kMegabyte = 1'000'000;
constexpr std::uintmax_t kLargest = 32 * kMegabyte;
constexpr std::size_t kBlock = 1U << 16U;
constexpr const char* kFolder = "it is a folder, not a file";
constexpr const char* kDevice = "it is a device or a pipe, not a file";

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

const std::string& too_large() {
    static const std::string text = fmt::format("it has more than {} MB", kLargest / kMegabyte);
    return text;
}

TextFile read_all(std::FILE* file, std::size_t expected) {
    TextFile result;
    result.text.reserve(expected);
    std::vector<char> block(kBlock);  // not on the stack, which may be small
    for (std::size_t count = block.size(); count == block.size();) {
        count = std::fread(block.data(), 1, block.size(), file);
        result.text.append(block.data(), count);
        if (result.text.size() > kLargest) return {{}, too_large()};
    }
    if (std::ferror(file) != 0) return {{}, system_reason(errno)};
    return result;
}

}  // namespace

bool FileAccess::allows(const std::filesystem::path& file) const {
    if (!folders) return true;
    std::error_code failure;
    const std::filesystem::path target = std::filesystem::weakly_canonical(file, failure);
    if (failure) return false;
    return std::ranges::any_of(*folders, [&](const std::filesystem::path& folder) {
        const std::filesystem::path whole = std::filesystem::weakly_canonical(folder, failure);
        if (failure) return false;
        const auto [left, inside] = std::mismatch(whole.begin(), whole.end(), target.begin(), target.end());
        const auto hidden = [](const std::filesystem::path& name) { return name.string().starts_with('.'); };
        return left == whole.end() && std::none_of(inside, target.end(), hidden);
    });
}

std::string system_reason(int error) { return std::generic_category().message(error); }

TextFile read_text_file(const std::filesystem::path& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) return {{}, kFolder};
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown && size > kLargest) return {{}, too_large()};
    errno = 0;
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file) return {{}, system_reason(errno)};
    return read_all(file.get(), unknown ? 0 : size);
}

// A device is not even opened, which may do something. What has been opened is looked at again, since the name might
// stand for something else by then. Opened like this, a pipe doesn't wait for a writer, and those files of the kernel
// that wait for news (/proc/kmsg) answer that there are none.
TextFile read_regular_file(const std::filesystem::path& path) {
    struct stat found {};
    const auto is_device = [&] { return !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode); };
    if (::stat(path.c_str(), &found) != 0) return {{}, system_reason(errno)};
    if (is_device()) return {{}, kDevice};
    const int number = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (number < 0) return {{}, system_reason(errno)};
    const std::unique_ptr<std::FILE, CloseFile> file(::fdopen(number, "rb"));
    if (!file || ::fstat(number, &found) != 0) return {{}, system_reason(errno)};
    if (is_device()) return {{}, kDevice};
    if (S_ISDIR(found.st_mode)) return {{}, kFolder};
    const auto size = static_cast<std::uintmax_t>(found.st_size);
    if (size > kLargest) return {{}, too_large()};
    return read_all(file.get(), size);
}

}  // namespace bondgraph::io
