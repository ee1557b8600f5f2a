// A directory of the server's machine, or one that is mounted there.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/random.h"
#include "base/sync_to_disk.h"
#include "base/whole_file.h"
#include "sinks/file_store.h"

namespace partita::sinks {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileScheme = "file://";
constexpr std::string_view kUnfinished = ".unfinished-";
constexpr std::chrono::minutes kAbandonedAfter(10);
constexpr mode_t kMode = 0640;
constexpr size_t kMostSmallFile = 65'536;
constexpr size_t kMostChangesFile = size_t{1} << 30;

Error file_trouble(std::string_view doing, const fs::path& file, int error) {
  return Error(ErrorKind::kUnavailable,
               std::string(doing) + " " + file.string() + ": " + std::system_category().message(error) + ".");
}

class Descriptor {
 public:
  Descriptor(const fs::path& file, int flags) : fd_(::open(file.c_str(), flags | O_CLOEXEC, kMode)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  bool is_open() const { return fd_ >= 0; }
  // Zero, or errno.
  int write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return 0;
  }
  int sync() const { return sync_to_disk(fd_) ? 0 : errno; }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

// Zero, or errno: what was linked there, or unlinked, is so after a crash.
int sync_directory(const fs::path& directory) {
  const Descriptor descriptor(directory, O_RDONLY | O_DIRECTORY);
  return descriptor.is_open() ? descriptor.sync() : errno;
}

class DirectoryStore final : public FileStore {
 public:
  explicit DirectoryStore(fs::path directory) : directory_(std::move(directory)) {}

  Result<void> prepare() override;
  Result<bool> create(std::string_view name, std::string_view bytes) override;
  Result<std::optional<std::string>> read(std::string_view name) override;
  std::string target() const override { return directory_.string(); }

 private:
  const fs::path directory_;
};

Result<void> DirectoryStore::prepare() {
  std::error_code error;
  if (!fs::is_directory(directory_, error)) {
    return file_trouble("Cannot use the directory", directory_, error ? error.value() : ENOTDIR);
  }
  // Those of a server that was killed. Another one may be about to finish one.
  const auto abandoned = fs::file_time_type::clock::now() - kAbandonedAfter;
  for (fs::directory_iterator each(directory_, error), end; !error && each != end; each.increment(error)) {
    const fs::path& file = each->path();
    if (!file.filename().string().starts_with(kUnfinished)) continue;
    std::error_code gone;
    if (each->last_write_time(gone) < abandoned && !gone) fs::remove(file, gone);
  }
  if (error) return file_trouble("Cannot read the directory", directory_, error.value());
  return {};
}

Result<bool> DirectoryStore::create(std::string_view name, std::string_view bytes) {
  const fs::path file = directory_ / name;
  const fs::path folder = file.parent_path();
  const fs::path unfinished = directory_ / (std::string(kUnfinished) + system_random().uuid());
  if (folder != directory_ && ::mkdir(folder.c_str(), 0750) != 0 && errno != EEXIST) {
    return file_trouble("Cannot make the directory", folder, errno);
  }
  Descriptor descriptor(unfinished, O_WRONLY | O_CREAT | O_EXCL);
  if (!descriptor.is_open()) return file_trouble("Cannot make a file in", directory_, errno);
  int error = descriptor.write(bytes);
  if (error == 0) error = descriptor.sync();
  if (const int closed = descriptor.close(); error == 0) error = closed;
  if (error == 0 && ::link(unfinished.c_str(), file.c_str()) != 0) error = errno;
  ::unlink(unfinished.c_str());
  // A file that was there already may be of a server that was killed before this.
  if (error == 0 || error == EEXIST) {
    for (const fs::path& each : {folder, directory_}) {
      if (const int unsynced = sync_directory(each); unsynced != 0) {
        return file_trouble("Cannot write", each, unsynced);
      }
    }
  }
  if (error == EEXIST) return false;
  if (error != 0) return file_trouble("Cannot write", file, error);
  return true;
}

Result<std::optional<std::string>> DirectoryStore::read(std::string_view name) {
  const fs::path file = directory_ / name;
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) {
    if (errno == ENOENT) return std::optional<std::string>();
    return file_trouble("Cannot read", file, errno);
  }
  const size_t most = name.starts_with("changes-") ? kMostChangesFile : kMostSmallFile;
  PARTITA_TRY(std::string bytes, read_regular_file(file, most));
  return std::optional(std::move(bytes));
}

}  // namespace

Result<std::unique_ptr<FileStore>> make_directory_store(std::string_view url) {
  if (url.starts_with(kFileScheme)) url.remove_prefix(kFileScheme.size());
  const bool is_text = std::ranges::none_of(url, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  const fs::path directory = fs::path(url).lexically_normal();
  if (!url.starts_with('/') || !is_text || directory == "/") {
    return Error(ErrorKind::kInvalid, "The URL of a directory is file:///DIRECTORY, with its whole path.");
  }
  return std::unique_ptr<FileStore>(std::make_unique<DirectoryStore>(directory));
}

}  // namespace partita::sinks
