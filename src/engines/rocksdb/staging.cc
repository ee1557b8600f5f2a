#include "engines/rocksdb/staging.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/sync_to_disk.h"
#include "engines/rocksdb/unavailable.h"

namespace partita::rocks {

namespace {

namespace fs = std::filesystem;

bool is_of_nobody(const fs::path& file) {
  const std::string name = file.filename();
  return name == "LOCK" || name == "lost+found" || name == "admin.sock";
}

// What move_up() has brought up when it did not end.
bool was_moved_up(const fs::path& file) {
  const std::string name = file.filename();
  return name == "WITNESS" || name == "IDENTITY" || name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-") ||
         name.ends_with(".sst") || name.ends_with(".log");
}

}  // namespace

Result<std::unique_ptr<StoreLock>> StoreLock::take(const fs::path& directory) {
  rocksdb::FileLock* lock = nullptr;
  const rocksdb::Status status = rocksdb::Env::Default()->LockFile((directory / "LOCK").string(), &lock);
  if (status.ok()) return std::make_unique<StoreLock>(lock);
  if (status.ToString().find("While lock file") != std::string::npos) {
    return unavailable("The directory " + directory.string() +
                       " is in use by a server or another command; stop that one, or name a new directory.");
  }
  return unavailable("A store cannot be made in the directory " + directory.string() + ": " + status.ToString() + ".");
}

StoreLock::~StoreLock() { rocksdb::Env::Default()->UnlockFile(lock_).PermitUncheckedError(); }

Result<fs::path> prepare_staging(const fs::path& to, const char* name) {
  fs::path staging = to / name;
  std::error_code failed;
  const bool goes_on = fs::exists(staging, failed) && !fs::exists(to / "CURRENT", failed);
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(to, failed)) {
    const fs::path& file = entry.path();
    if (is_of_nobody(file)) continue;
    if (!goes_on || (file != staging && !was_moved_up(file))) {
      return Error(ErrorKind::kInvalid, to.string() + " is not empty (there is '" + file.filename().string() +
                                            "', for example): name a new or an empty directory.");
    }
    if (file != staging) left.push_back(file);
  }
  for (const fs::path& file : left) fs::remove(file, failed);
  if (!failed) fs::remove_all(staging, failed);
  if (!failed) fs::create_directory(staging, failed);
  if (failed) return unavailable("The directory " + to.string() + " cannot be written: " + failed.message() + ".");
  return staging;
}

Result<void> move_up(const fs::path& staging, const fs::path& to) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(staging, failed)) files.push_back(entry.path());
  std::ranges::sort(files, {}, [](const fs::path& file) { return file.filename() == "CURRENT"; });
  for (const fs::path& file : files) {
    if (failed) break;
    if (file.filename() == "CURRENT") PARTITA_TRY_VOID(sync_directory(to));
    fs::rename(file, to / file.filename(), failed);
  }
  if (!failed) fs::remove(staging, failed);
  if (failed) return unavailable("The directory " + to.string() + " cannot be written: " + failed.message() + ".");
  return sync_directory(to);
}

Result<void> sync_directory(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && sync_to_disk(descriptor);
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  if (synced) return {};
  return unavailable("The directory " + directory.string() + " cannot be written: " + std::strerror(cause) + ".");
}

}  // namespace partita::rocks
