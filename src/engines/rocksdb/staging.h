// A store that is made out of sight, in a folder of the directory where it is to be. Until it is whole the directory
// holds no store, and no server opens it; see check_directory().
#pragma once

#include <rocksdb/env.h>

#include <filesystem>
#include <memory>

#include "base/result.h"

namespace partita::rocks {

// What the folder is called.
inline constexpr char kRestoringName[] = "restoring";
inline constexpr char kSalvagingName[] = "salvaging";

// The lock of a store: no server opens what is being made, and no two commands make one there. Error: kUnavailable.
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

// An empty folder of that name in `to`, which holds nothing else than what an earlier one of the same name left that
// did not end. Errors: kInvalid when there is more; kUnavailable.
Result<std::filesystem::path> prepare_staging(const std::filesystem::path& to, const char* name);
// All files go up, and become durable; CURRENT last, without which there is no store. Error: kUnavailable.
Result<void> move_up(const std::filesystem::path& staging, const std::filesystem::path& to);
Result<void> sync_directory(const std::filesystem::path& directory);

}  // namespace partita::rocks
