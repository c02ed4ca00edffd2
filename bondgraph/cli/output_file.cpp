#include "bondgraph/cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bondgraph/cli/console.hpp"

namespace bondgraph::cli {
namespace {

[[noreturn]] void refuse(const std::string& name, int reason) {
    if (name == "-") throw UsageError(fmt::format("can't write to standard output: {}", std::strerror(reason)));
    throw UsageError(fmt::format("can't write '{}': {}", name, std::strerror(reason)));
}

/// Whether two options name one file. Devices such as /dev/null take what many write.
bool same_file(std::string_view one, std::string_view other) {
    namespace fs = std::filesystem;
    if (one == "-" || other == "-") return one == other;
    std::error_code error;
    if (fs::exists(one, error) && !fs::is_regular_file(one, error)) return false;
    return fs::weakly_canonical(fs::absolute(one, error), error) ==
           fs::weakly_canonical(fs::absolute(other, error), error);
}

}  // namespace

OutputFile::OutputFile(std::string name) : name_(std::move(name)) {
    if (is_standard_output()) {
        stream_ = stdout;
        return;
    }
    constexpr mode_t kReadableByAll = 0666;
    int descriptor = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadableByAll);
    created_ = descriptor >= 0;
    if (!created_ && errno == EEXIST) descriptor = open(name_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kReadableByAll);
    if (descriptor < 0) refuse(name_, errno);
    stream_ = fdopen(descriptor, "wb");
    if (stream_ == nullptr) {
        const int reason = errno;
        close(descriptor);
        refuse(name_, reason);
    }
}

OutputFile::~OutputFile() {
    if (is_standard_output()) return;
    std::fclose(stream_);
    if (created_ && !begun_) unlink(name_.c_str());
}

std::FILE* OutputFile::begin() {
    begun_ = true;
    if (is_standard_output()) return stream_;
    struct stat about {};
    const int descriptor = fileno(stream_);
    // Devices and pipes have no length to cut.
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && ftruncate(descriptor, 0) != 0) refuse(name_, errno);
    return stream_;
}

void OutputFile::finish(bool written) {
    if (!written || std::fflush(stream_) != 0) refuse(name_, errno);
}

void refuse_shared_output(std::initializer_list<std::pair<std::string_view, std::string_view>> files) {
    for (auto one = files.begin(); one != files.end(); ++one) {
        for (auto other = files.begin(); other != one; ++other) {
            if (one->second.empty() || !same_file(one->second, other->second)) continue;
            throw UsageError(one->second == "-"
                                 ? fmt::format("{} and {} can't both write to standard output: give one of them a file",
                                               other->first, one->first)
                                 : fmt::format("{} and {} can't both write to '{}': give one of them another file",
                                               other->first, one->first, one->second));
        }
    }
}

void OutputFile::write(std::string_view text) {
    std::FILE* stream = begin();
    finish(std::fwrite(text.data(), 1, text.size(), stream) == text.size());
}

}  // namespace bondgraph::cli
