// Builds a store in a subdirectory of its final directory. Until it is complete the directory has no store, and no
// server opens it; see check_directory().
#pragma once

#include <rocksdb/env.h>

#include <filesystem>
#include <memory>

#include "base/result.h"

namespace partita::rocks {

// The names of the subdirectory.
inline constexpr char kRestoringName[] = "restoring";
inline constexpr char kSalvagingName[] = "salvaging";

// The lock of a store: keeps servers and other commands out while the store is built. Error: kUnavailable.
class StoreLock {
 public:
  static Result<std::unique_ptr<StoreLock>> take(const std::filesystem::path& directory);
  explicit StoreLock(rocksdb::FileLock* lock) : lock_(lock) {}
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  rocksdb::FileLock* const lock_;
};

// Creates an empty subdirectory of that name in `to`, which may only contain what an interrupted run with the same name
// left. Errors: kInvalid if it contains more; kUnavailable.
Result<std::filesystem::path> prepare_staging(const std::filesystem::path& to, const char* name);
// Moves all files to `to` and makes them durable; CURRENT last, since without it there is no store. Error:
// kUnavailable.
Result<void> move_up(const std::filesystem::path& staging, const std::filesystem::path& to);
Result<void> sync_directory(const std::filesystem::path& directory);

}  // namespace partita::rocks
