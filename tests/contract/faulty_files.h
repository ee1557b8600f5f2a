// The operating system's files, which count what a store does to them and fail when a test says so.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include "storage/engine.h"

namespace partita::contract {

enum class FileAct : uint8_t { kCreate, kOpen, kRead, kAppend, kSync, kTruncate, kSyncDirectory, kRename, kDelete };

// Callable from any thread. Names of files are without their directory, such as "000004.log"; a directory's is "".
class FaultyFiles final : public rocksdb::FileSystemWrapper {
 public:
  using IOStatus = rocksdb::IOStatus;
  // Asked before each act; what is not OK is its outcome, and the act does not happen.
  using Rule = std::function<IOStatus(FileAct act, std::string_view file)>;

  FaultyFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  void set_rule(Rule rule);
  void heal() { set_rule(nullptr); }
  // How often it was asked for on files whose name has this part, failed or not.
  uint64_t count(FileAct act, std::string_view part) const;

  // Rules: acts of this kind on files whose name has this part fail, all of them or the next one only.
  static Rule always(FileAct act, std::string part, IOStatus error);
  static Rule once(FileAct act, std::string part, IOStatus error);
  static IOStatus no_space();
  static IOStatus broken();

  // While it is held, nothing in the directory changes: acts that would change it wait.
  [[nodiscard]] std::unique_lock<std::shared_mutex> hold_still() { return std::unique_lock(changing_); }
  // Held by each of them.
  [[nodiscard]] std::shared_lock<std::shared_mutex> begin() { return std::shared_lock(changing_); }

  // Counts and asks.
  IOStatus admit(FileAct act, const std::string& path);

  const char* Name() const override { return "FaultyFiles"; }
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override;
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, rocksdb::IODebugContext* debug) override;
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               rocksdb::IODebugContext* debug) override;
  IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, rocksdb::IODebugContext* debug) override;
  IOStatus RenameFile(const std::string& from, const std::string& to, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* debug) override;
  IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                      rocksdb::IODebugContext* debug) override;

 private:
  std::shared_mutex changing_;
  mutable std::mutex mutex_;
  Rule rule_;
  std::map<std::pair<FileAct, std::string>, uint64_t> counts_;
};

// A store over these files. Null, and the test has failed, when it cannot be opened.
std::unique_ptr<storage::Engine> open_rocksdb(const std::filesystem::path& directory,
                                              const std::shared_ptr<FaultyFiles>& files);
// Waits for the store to take writes again; false: it did not within 20 s.
bool is_healthy_soon(storage::Engine& engine);

}  // namespace partita::contract
