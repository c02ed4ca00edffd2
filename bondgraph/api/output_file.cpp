#include "bondgraph/api/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bondgraph/api/session.hpp"

namespace bondgraph::api {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    if (name == "-") throw UsageError(fmt::format("can't write to standard output: {}", reason));
    throw UsageError(fmt::format("can't write '{}': {}", name, reason));
}

/// Links of either kind are seen through.
void refuse_input(const std::string& name, const std::vector<std::string>& inputs) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(name, unknown)) return;
    for (const std::string& input : inputs) {
        if (!std::filesystem::equivalent(name, input, unknown) || unknown) continue;
        refuse(name, input == name
                         ? "it is read here, and would be lost; give another file"
                         : fmt::format("it is '{}', which is read here, and would be lost; give another file", input));
    }
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

OutputFile::OutputFile(std::string name, const std::vector<std::string>& inputs) : name_(std::move(name)) {
    if (is_standard_output()) {
        stream_ = stdout;
        return;
    }
    try {
        refuse_input(name_, inputs);
        const std::filesystem::path target = io::resolved_target(name_);
        if (target.empty()) {
            open_in_place();
            return;
        }
        stream_ = staged_.emplace(target).stream();
    } catch (const io::UnwritableFile& e) {
        refuse(name_, e.what());
    }
}

OutputFile::~OutputFile() {
    if (!staged_ && stream_ != stdout && stream_ != nullptr) std::fclose(stream_);
}

// What others have opened already is continued: its earlier contents are theirs.
void OutputFile::open_in_place() {
    const int descriptor = open(name_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) refuse(name_, std::strerror(errno));
    stream_ = fdopen(descriptor, "wb");
    if (stream_ != nullptr) return;
    const int reason = errno;
    close(descriptor);
    refuse(name_, std::strerror(reason));
}

void OutputFile::finish(bool written) {
    if (!written || std::fflush(stream_) != 0) refuse(name_, std::strerror(errno));
    if (!staged_) return;
    try {
        staged_->commit();
    } catch (const io::UnwritableFile& e) {
        refuse(name_, e.what());
    }
}

void OutputFile::write(std::string_view text) {
    finish(std::fwrite(text.data(), 1, text.size(), stream_) == text.size());
}

void remove_unfinished_files() { io::remove_unfinished_files(); }

std::unique_ptr<OutputFile> output_file(const std::string& name, const std::vector<std::string>& inputs) {
    return name.empty() ? nullptr : std::make_unique<OutputFile>(name, inputs);
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

}  // namespace bondgraph::api
