#include "engines/rocksdb/backup_directory.h"

#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "base/sync_to_disk.h"
#include "base/whole_file.h"
#include "engines/rocksdb/file_names.h"
#include "engines/rocksdb/private_directory.h"
#include "engines/rocksdb/static_init.h"
#include "engines/rocksdb/unavailable.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

constexpr char kMarkName[] = "PARTITA-BACKUPS";
constexpr std::string_view kMark = "partita backups 1\n";
// What file systems put into an empty one.
constexpr char kLostAndFound[] = "lost+found";

Error misuse(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

// Makes the directory and its mark.
Result<void> prepare(const fs::path& directory) {
  std::error_code failed = make_private_directory(directory);
  if (failed) return unavailable("The directory " + directory.string() + " cannot be made: " + failed.message() + ".");
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    if (entry.path().filename() == kLostAndFound) continue;
    return misuse(directory.string() + " is not empty and holds no backups (there is '" +
                  entry.path().filename().string() + "', for example): name a new or an empty directory.");
  }
  if (failed) return unavailable("The directory " + directory.string() + " cannot be read: " + failed.message() + ".");
  const fs::path mark = directory / kMarkName;
  const fs::path fresh = mark.string() + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, kMark.data(), kMark.size()) == static_cast<ssize_t>(kMark.size()) &&
                       sync_to_disk(file) && rename(fresh.c_str(), mark.c_str()) == 0;
  const int cause = errno;
  if (file >= 0) close(file);
  if (written) return {};
  return unavailable("The directory " + directory.string() + " cannot be written: " + std::strerror(cause) + ".");
}

Result<void> check_mark(const fs::path& directory) {
  PARTITA_TRY(const std::string mark, read_whole_file(directory / kMarkName));
  if (mark == kMark) return {};
  return misuse("The backups in " + directory.string() + " are of a newer version of Partita, or of another program.");
}

// Earlier versions made copies readable for others. The log names those that cannot be restricted.
void keep_from_others(const fs::path& directory) {
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    const fs::file_status status = at->symlink_status(unknown);
    if (unknown || fs::is_symlink(status) || (status.permissions() & kOthers) == fs::perms::none) continue;
    std::error_code kept;
    fs::permissions(at->path(), kOthers, fs::perm_options::remove, kept);
    if (kept) log(LogLevel::kWarn, {"Others may read ", at->path().string(), ": ", kept.message(), "."});
  }
  if (failed) {
    log(LogLevel::kWarn,
        {"Others may read some of ", directory.string(), ": it cannot be looked through: ", failed.message(), "."});
  }
}

// What is copied reaches the disk as it is written: to sync much of it at once would hold up every commit meanwhile.
class SyncedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using rocksdb::FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    return wrote(target()->Append(data, options, debug), data.size(), options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification, rocksdb::IODebugContext* debug) override {
    return wrote(target()->Append(data, options, verification, debug), data.size(), options, debug);
  }

 private:
  static constexpr uint64_t kStepBytes = 1 << 20;

  rocksdb::IOStatus wrote(rocksdb::IOStatus status, size_t bytes, const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) {
    bytes_ += bytes;
    if (!status.ok() || bytes_ - begun_ < kStepBytes) return status;
    const uint64_t from = std::exchange(begun_, bytes_);
    return target()->RangeSync(from, bytes_ - from, options, debug);
  }

  uint64_t bytes_ = 0;
  uint64_t begun_ = 0;  // so much of it is on its way to the disk
};

class SyncedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  SyncedFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SteadyFiles"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    // Before there is anything in it: for this user alone, as what is in the store.
    if (const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); made >= 0) {
      fchmod(made, 0600);
      close(made);
    }
    rocksdb::FileOptions waiting = options;
    waiting.strict_bytes_per_sync = true;  // for the step before
    rocksdb::IOStatus status = target()->NewWritableFile(path, waiting, file, debug);
    if (status.ok()) *file = std::make_unique<SyncedFile>(std::move(*file));
    return status;
  }
  rocksdb::IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override {
    return mkdir(path.c_str(), 0700) == 0 ? rocksdb::IOStatus::OK() : target()->CreateDir(path, options, debug);
  }
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override {
    return mkdir(path.c_str(), 0700) == 0 ? rocksdb::IOStatus::OK()
                                          : target()->CreateDirIfMissing(path, options, debug);
  }
};

}  // namespace

rocksdb::Env& BackupDirectory::files() {
  static const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(std::make_shared<SyncedFileSystem>());
  return *env;
}

BackupDirectory::BackupDirectory(BackupDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

BackupDirectory::~BackupDirectory() {
  if (lock_ >= 0) close(lock_);
}

bool BackupDirectory::exists(const std::string& directory) {
  std::error_code failed;
  return fs::exists(fs::path(directory) / kMarkName, failed);
}

Result<BackupDirectory> BackupDirectory::open(const std::string& directory, OpenMode use) {
  initialise_rocksdb();
  if (!exists(directory)) {
    if (use != OpenMode::kWrite) return misuse("There are no backups in " + directory + ".");
    PARTITA_TRY_VOID(prepare(directory));
  }
  PARTITA_TRY_VOID(check_mark(directory));
  if (use == OpenMode::kList) return BackupDirectory(directory, -1);
  const int lock = ::open((fs::path(directory) / kMarkName).c_str(), O_RDONLY | O_CLOEXEC);
  BackupDirectory opened(directory, lock);
  if (lock < 0) return unavailable("The directory " + directory + " cannot be read: " + std::strerror(errno) + ".");
  if (flock(lock, (use == OpenMode::kWrite ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    return unavailable("The backups in " + directory + " are in use by another command; wait until it has ended.");
  }
  if (use == OpenMode::kWrite) keep_from_others(directory);
  return opened;
}

rocksdb::BackupEngineOptions BackupDirectory::options() const {
  rocksdb::BackupEngineOptions options(path_, &files());
  options.callback_trigger_interval_size = 1 << 20;
  return options;
}

// Opening one starts a thread of RocksDB's.
template <class Open>
static rocksdb::IOStatus open_guarded(Open open) {
  try {
    return open();
  } catch (const std::system_error& error) {
    return rocksdb::IOStatus::Aborted("no thread can be started", error.code().message());
  }
}

Result<std::unique_ptr<rocksdb::BackupEngine>> BackupDirectory::engine(rocksdb::Env* store) const {
  rocksdb::BackupEngine* engine = nullptr;
  const auto status = open_guarded([&] { return rocksdb::BackupEngine::Open(options(), store, &engine); });
  if (!status.ok()) return backup_error(status, "The backups in " + path_ + " cannot be read");
  return std::unique_ptr<rocksdb::BackupEngine>(engine);
}

Result<std::unique_ptr<rocksdb::BackupEngineReadOnly>> BackupDirectory::reader() const {
  rocksdb::BackupEngineReadOnly* engine = nullptr;
  const auto status =
      open_guarded([&] { return rocksdb::BackupEngineReadOnly::Open(options(), rocksdb::Env::Default(), &engine); });
  // A first backup that did not end.
  if (status.IsNotFound()) return misuse("There are no backups in " + path_ + ".");
  if (!status.ok()) return backup_error(status, "The backups in " + path_ + " cannot be read");
  return std::unique_ptr<rocksdb::BackupEngineReadOnly>(engine);
}

std::string encode(const BackedUpStore& store) {
  return "partita 2\nepoch " + std::to_string(store.epoch) + "\nsequence " + std::to_string(store.sequence) +
         "\noldest-log " + std::to_string(store.oldest_log) + "\nid " + store.id + "\nstore " + store.directory + "\n";
}

std::optional<BackedUpStore> decode_backed_up(const std::string& metadata) {
  std::string_view rest = metadata;
  const auto line = [&rest](std::string_view name) -> std::optional<std::string_view> {
    const size_t end = name == "store " ? rest.size() - (rest.ends_with('\n') ? 1 : 0) : rest.find('\n');
    if (!rest.starts_with(name) || end == std::string_view::npos) return std::nullopt;
    const std::string_view value = rest.substr(name.size(), end - name.size());
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return value;
  };
  BackedUpStore store;
  const auto number = [&](std::string_view name, uint64_t& to) {
    const auto text = line(name);
    const auto read = text ? number_of(*text) : std::nullopt;
    to = read.value_or(0);
    return read.has_value();
  };
  uint64_t form = 0;
  if (!number("partita ", form) || form < 1 || form > 2 || !number("epoch ", store.epoch) ||
      !number("sequence ", store.sequence) || !number("oldest-log ", store.oldest_log)) {
    return std::nullopt;
  }
  if (form == 2) {
    const auto id = line("id ");
    if (!id) return std::nullopt;
    store.id = *id;
  }
  const auto directory = line("store ");
  if (!directory) return std::nullopt;
  store.directory = *directory;
  return store;
}

Result<rocksdb::BackupInfo> find_backup(const rocksdb::BackupEngineReadOnlyBase& engine, const std::string& directory,
                                        uint32_t id) {
  rocksdb::BackupInfo info;
  const rocksdb::Status status =
      id == 0 ? engine.GetLatestBackupInfo(&info, true) : engine.GetBackupInfo(id, &info, true);
  if (status.ok()) return info;
  if (status.IsNotFound()) {
    return misuse(id == 0 ? "There is no backup in " + directory + " that is whole."
                          : "There is no backup " + std::to_string(id) + " in " + directory +
                                "; `partita backup list " + directory + "` says which there are.");
  }
  return Error(ErrorKind::kCorrupt,
               "The backup " + std::to_string(id) + " in " + directory + " is damaged: " + status.ToString() + ".");
}

storage::Backup described(const rocksdb::BackupInfo& info) {
  storage::Backup backup;
  backup.id = info.backup_id;
  backup.made_s = info.timestamp;
  backup.bytes = info.size;
  if (const auto store = decode_backed_up(info.app_metadata)) {
    backup.store = store->directory;
    backup.store_id = store->id;
  }
  return backup;
}

Error backup_error(const rocksdb::Status& status, const std::string& what) {
  const ErrorKind kind = status.IsCorruption() ? ErrorKind::kCorrupt : ErrorKind::kUnavailable;
  if (status.IsIncomplete()) return unavailable(what + ": it was stopped.");
  return Error(kind, what + ": " + status.ToString() + ".");
}

}  // namespace partita::rocks
