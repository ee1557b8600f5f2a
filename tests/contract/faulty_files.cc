#include "faulty_files.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "engines/rocksdb/rocksdb_engine.h"

namespace partita::contract {

using namespace rocksdb;

namespace {

class FaultyFile final : public FSWritableFileOwnerWrapper {
 public:
  FaultyFile(FaultyFiles& files, std::string path, std::unique_ptr<FSWritableFile>&& file)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files), path_(std::move(path)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const auto going_on = files_.begin();
    IOStatus status = files_.admit(FileAct::kAppend, path_);
    // A disk that fills up takes a part of what it is given.
    if (!status.ok()) return target()->Append({data.data(), data.size() / 2}, options, debug), status;
    return target()->Append(data, options, debug);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.admit(FileAct::kSync, path_);
    return status.ok() ? target()->Sync(options, debug) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.admit(FileAct::kSync, path_);
    return status.ok() ? target()->Fsync(options, debug) : status;
  }
  IOStatus Truncate(uint64_t bytes, const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.admit(FileAct::kTruncate, path_);
    return status.ok() ? target()->Truncate(bytes, options, debug) : status;
  }

 private:
  FaultyFiles& files_;
  const std::string path_;
};

class FaultyReads final : public FSRandomAccessFileOwnerWrapper {
 public:
  FaultyReads(FaultyFiles& files, std::string path, std::unique_ptr<FSRandomAccessFile>&& file)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), files_(files), path_(std::move(path)) {}

  IOStatus Read(uint64_t offset, size_t bytes, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    IOStatus status = files_.admit(FileAct::kRead, path_);
    return status.ok() ? target()->Read(offset, bytes, options, result, scratch, debug) : status;
  }
  IOStatus MultiRead(FSReadRequest* requests, size_t count, const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.admit(FileAct::kRead, path_);
    return status.ok() ? target()->MultiRead(requests, count, options, debug) : status;
  }

 private:
  FaultyFiles& files_;
  const std::string path_;
};

class FaultyDirectory final : public FSDirectoryWrapper {
 public:
  FaultyDirectory(FaultyFiles& files, std::unique_ptr<FSDirectory>&& directory)
      : FSDirectoryWrapper(std::move(directory)), files_(files) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = files_.admit(FileAct::kSyncDirectory, "");
    return status.ok() ? FSDirectoryWrapper::Fsync(options, debug) : status;
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const DirFsyncOptions& reason) override {
    IOStatus status = files_.admit(FileAct::kSyncDirectory, "");
    return status.ok() ? FSDirectoryWrapper::FsyncWithDirOptions(options, debug, reason) : status;
  }

 private:
  FaultyFiles& files_;
};

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void FaultyFiles::set_rule(Rule rule) {
  std::lock_guard lock(mutex_);
  rule_ = std::move(rule);
}

uint64_t FaultyFiles::count(FileAct act, std::string_view part) const {
  std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const auto& [what, times] : counts_) {
    if (what.first == act && what.second.find(part) != std::string::npos) sum += times;
  }
  return sum;
}

FaultyFiles::Rule FaultyFiles::always(FileAct act, std::string part, IOStatus error) {
  error.PermitUncheckedError();
  return [act, part = std::move(part), error](FileAct asked, std::string_view file) {
    return asked == act && file.find(part) != std::string_view::npos ? error : IOStatus::OK();
  };
}

FaultyFiles::Rule FaultyFiles::once(FileAct act, std::string part, IOStatus error) {
  return [rule = always(act, std::move(part), std::move(error)), left = std::make_shared<std::atomic<int>>(1)](
             FileAct asked, std::string_view file) {
    IOStatus status = rule(asked, file);
    return !status.ok() && left->fetch_sub(1) > 0 ? status : IOStatus::OK();
  };
}

IOStatus FaultyFiles::no_space() { return IOStatus::NoSpace("No space left on device (by the test)"); }
IOStatus FaultyFiles::broken() { return IOStatus::IOError("Input/output error (by the test)"); }

IOStatus FaultyFiles::admit(FileAct act, const std::string& path) {
  const std::string name = name_of(path);
  Rule rule;
  {
    std::lock_guard lock(mutex_);
    ++counts_[{act, name}];
    rule = rule_;
  }
  return rule ? rule(act, name) : IOStatus::OK();
}

IOStatus FaultyFiles::NewWritableFile(const std::string& path, const FileOptions& options,
                                      std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) {
  const auto going_on = begin();
  IOStatus status = admit(FileAct::kCreate, path);
  if (status.ok()) status = target()->NewWritableFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultyFile>(*this, path, std::move(*file));
  return status;
}

IOStatus FaultyFiles::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                         std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) {
  IOStatus status = target()->ReopenWritableFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultyFile>(*this, name_of(path), std::move(*file));
  return status;
}

IOStatus FaultyFiles::NewRandomAccessFile(const std::string& path, const FileOptions& options,
                                          std::unique_ptr<FSRandomAccessFile>* file, IODebugContext* debug) {
  IOStatus status = admit(FileAct::kOpen, path);
  if (status.ok()) status = target()->NewRandomAccessFile(path, options, file, debug);
  if (status.ok()) *file = std::make_unique<FaultyReads>(*this, path, std::move(*file));
  return status;
}

IOStatus FaultyFiles::NewDirectory(const std::string& path, const IOOptions& options,
                                   std::unique_ptr<FSDirectory>* directory, IODebugContext* debug) {
  IOStatus status = target()->NewDirectory(path, options, directory, debug);
  if (status.ok()) *directory = std::make_unique<FaultyDirectory>(*this, std::move(*directory));
  return status;
}

IOStatus FaultyFiles::RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                                 IODebugContext* debug) {
  const auto going_on = begin();
  IOStatus status = admit(FileAct::kRename, to);
  return status.ok() ? target()->RenameFile(from, to, options, debug) : status;
}

IOStatus FaultyFiles::DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) {
  const auto going_on = begin();
  IOStatus status = admit(FileAct::kDelete, path);
  return status.ok() ? target()->DeleteFile(path, options, debug) : status;
}

std::unique_ptr<storage::Engine> open_rocksdb(const std::filesystem::path& directory,
                                              const std::shared_ptr<FaultyFiles>& files) {
  RocksdbOptions options;
  options.directory = directory.string();
  options.files = files;
  auto engine = open_rocksdb_engine(options);
  if (engine.ok()) return std::move(engine).value();
  ADD_FAILURE() << engine.error().sentence();
  return nullptr;
}

bool is_healthy_soon(storage::Engine& engine) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!engine.health().ok()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace partita::contract
