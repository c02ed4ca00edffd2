#include "bondgraph/io/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>

#include "bondgraph/io/text_file.hpp"

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // that a name may lead through, as for the system
constexpr std::size_t kMostOpen = 16;
constexpr mode_t kReadableByAll = 0666;
constexpr mode_t kPermissions = 07777;

// The names of unfinished parts. A signal handler can reach nothing but this.
std::array<std::atomic<const char*>, kMostOpen> unfinished{};

void remember(const char* name) {
    for (auto& place : unfinished) {
        const char* none = nullptr;
        if (place.compare_exchange_strong(none, name)) return;
    }
}

void forget(const char* name) {
    for (auto& place : unfinished) {
        const char* same = name;
        if (place.compare_exchange_strong(same, nullptr)) return;
    }
}

/// While it lives, signals wait that could end the program.
class SignalsWait {
   public:
    SignalsWait() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsWait() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

   private:
    sigset_t before_{};
};

[[noreturn]] void refuse(int error) { throw UnwritableFile(system_reason(error)); }

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

/// A name for the part that is no longer than the system allows, and another for every target.
std::string part_name(const std::string& target) {
    constexpr std::size_t kMostKept = 200;
    constexpr const char* kSuffix = ".bondgraph-part";
    if (target.size() <= kMostKept) return "." + target + kSuffix;
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : target) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format(".{}.{:016x}{}", target.substr(0, kMostKept), hash, kSuffix);
}

bool same_file(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

StagedFile::StagedFile(fs::path target)
    : target_(std::move(target)), part_((folder_of(target_) / part_name(target_.filename().string())).string()) {
    // Replacing a file takes no right to write it; someone who write-protects a result means it all the same.
    if (access(target_.c_str(), F_OK) == 0 && access(target_.c_str(), W_OK) != 0) refuse(errno);
    const SignalsWait until_it_is_known;
    claim();
    remember(part_.c_str());
}

void StagedFile::claim() {
    while (true) {
        const int descriptor = open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kReadableByAll);
        if (descriptor < 0) {
            const int reason = errno;
            std::error_code unknown;
            if (!fs::exists(fs::symlink_status(part_, unknown))) refuse(reason);
            throw UnwritableFile(fmt::format("{}: {}", part_, system_reason(reason)));
        }
        stream_ = fdopen(descriptor, "r+b");
        if (stream_ == nullptr) {
            const int reason = errno;
            close(descriptor);
            refuse(reason);
        }
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const int reason = errno;
            std::fclose(std::exchange(stream_, nullptr));
            if (reason == EWOULDBLOCK) throw UnwritableFile("it is being written by another run");
            throw UnwritableFile(fmt::format("its folder takes no locks: {}", system_reason(reason)));
        }
        // Between opening and locking, its owner may have finished with it: then the name is another file's, or free.
        struct stat ours {};
        struct stat named {};
        if (fstat(descriptor, &ours) == 0 && lstat(part_.c_str(), &named) == 0 && same_file(ours, named)) {
            if (ftruncate(descriptor, 0) == 0) return;
            const int reason = errno;
            release();
            refuse(reason);
        }
        std::fclose(std::exchange(stream_, nullptr));
    }
}

void StagedFile::release() {
    unlink(part_.c_str());  // while it is locked: the name is still ours
    std::fclose(std::exchange(stream_, nullptr));
}

StagedFile::~StagedFile() {
    if (stream_ == nullptr) return;
    forget(part_.c_str());
    release();
}

void StagedFile::commit() {
    const int descriptor = fileno(stream_);
    if (std::fflush(stream_) != 0) refuse(errno);
    struct stat earlier {};
    if (stat(target_.c_str(), &earlier) == 0) {
        // The owner can be kept by few only; the permissions of a file that is one's own always.
        if (fchown(descriptor, earlier.st_uid, earlier.st_gid) != 0) errno = 0;
        if (fchmod(descriptor, earlier.st_mode & kPermissions) != 0) errno = 0;
        // The new file has to be on the disk before the old one goes, also if the power fails in between.
        if (earlier.st_size > 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) refuse(errno);
    }
    forget(part_.c_str());  // from here on it is worth keeping
    if (std::rename(part_.c_str(), target_.c_str()) != 0) {
        const int reason = errno;
        std::fclose(std::exchange(stream_, nullptr));
        throw UnwritableFile(fmt::format("{}; the new one is in '{}'", system_reason(reason), part_));
    }
    if (std::fclose(std::exchange(stream_, nullptr)) != 0) refuse(errno);
}

fs::path resolved_target(const fs::path& name) {
    fs::path path = name;
    for (int links = 0; links <= kMostLinks; ++links) {
        if (path.filename().empty()) refuse(EISDIR);
        std::error_code error;
        const fs::path folder = fs::canonical(folder_of(path), error);
        if (error) refuse(error.value());
        // A name here stands for an open file, whatever its link seems to say.
        if (folder.native().starts_with("/proc/")) return {};
        const fs::file_status status = fs::symlink_status(path, error);
        if (fs::is_directory(status)) refuse(EISDIR);
        if (!fs::exists(status) || fs::is_regular_file(status)) return path;
        if (!fs::is_symlink(status)) return {};
        const fs::path next = fs::read_symlink(path, error);
        if (error) refuse(error.value());
        path = folder / next;
    }
    refuse(ELOOP);
}

void remove_unfinished_files() noexcept {
    for (const auto& place : unfinished) {
        if (const char* name = place.load()) unlink(name);
    }
}

}  // namespace bondgraph::io
