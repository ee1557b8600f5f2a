#include "engines/rocksdb/scrubber.h"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/priority.h"
#include "base/thread.h"

namespace partita::rocks {

namespace {

using rocksdb::IOStatus;

constexpr auto kAlways = std::chrono::milliseconds(0);

// Lets bytes pass at a rate, until it is told to stop.
class ReadThrottle {
 public:
  explicit ReadThrottle(uint64_t bytes_per_second) : bytes_per_second_(std::max<uint64_t>(1, bytes_per_second)) {}

  // Waits until so many bytes more may be read; false: stop.
  bool pass(uint64_t bytes) {
    const auto now = std::chrono::steady_clock::now();
    due_ = std::max(due_, now) + std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(bytes) * 1e9 /
                                                                               static_cast<double>(bytes_per_second_)));
    return rest(std::chrono::duration_cast<std::chrono::milliseconds>(due_ - now));
  }

  // False: stop.
  bool rest(std::chrono::milliseconds time) {
    const MutexLock lock(mutex_);
    return !stopped_.wait_for(mutex_, std::max(time, kAlways), [this]() PARTITA_REQUIRES(mutex_) { return stopping_; });
  }

  void stop() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    stopped_.notify_all();
  }

 private:
  const uint64_t bytes_per_second_;
  std::chrono::steady_clock::time_point due_;  // of the scrub's thread alone
  Mutex mutex_;
  CondVar stopped_;
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
};

class ThrottledFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  ThrottledFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, ReadThrottle& throttle)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), throttle_(throttle) {}
  IOStatus Read(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options, rocksdb::Slice* result, char* scratch,
                rocksdb::IODebugContext* debug) const override {
    if (!throttle_.pass(bytes)) return IOStatus::Aborted("the scrub was stopped");
    return FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch, debug);
  }

 private:
  ReadThrottle& throttle_;
};

// From the disk itself where that is possible: what is in the system's cache may be right while the disk is not, and is
// what those who serve want to find there.
class ThrottledFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit ThrottledFileSystem(ReadThrottle& throttle)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), throttle_(throttle) {}
  const char* Name() const override { return "SlowFiles"; }
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               rocksdb::IODebugContext* debug) override {
    rocksdb::FileOptions direct = options;
    direct.use_direct_reads = true;
    IOStatus status = target()->NewRandomAccessFile(path, direct, file, debug);
    if (!status.ok()) status = target()->NewRandomAccessFile(path, options, file, debug);
    opened_ = status.ok();
    if (status.ok()) *file = std::make_unique<ThrottledFile>(std::move(*file), throttle_);
    return status;
  }
  // Whether the last one could be.
  bool opened() const { return opened_; }

 private:
  ReadThrottle& throttle_;
  bool opened_ = true;  // of the scrub's thread alone
};

class Scrubber final : public storage::Scrub {
 public:
  Scrubber(Store& store, const storage::ScrubOptions& options)
      : store_(store),
        rest_(options.rest_ms),
        throttle_(options.bytes_per_second),
        files_(std::make_shared<ThrottledFileSystem>(throttle_)),
        env_(rocksdb::NewCompositeEnv(files_)) {}

  ~Scrubber() override {
    throttle_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> begin() {
    PARTITA_TRY(thread_, Thread::start("scrub", [this](const std::stop_token&) { run(); }));
    return {};
  }

  storage::ScrubState state() const override {
    const MutexLock lock(mutex_);
    return state_;
  }

 private:
  void run() {
    lower_thread_priority(kBackgroundNiceness);
    while (try_round() && throttle_.rest(rest_)) {
    }
  }

  // Without memory the round is given up, and those who serve go on.
  bool try_round() {
    try {
      return round();
    } catch (const std::bad_alloc&) {
      log(LogLevel::kWarn, "Scrub: there was not enough memory to read on, so this round has no end.");
      const MutexLock lock(mutex_);
      state_.reads = false;
      return true;
    }
  }

  // False: stop.
  bool round() {
    const uint64_t reads_before = store_.damage.reads();
    std::vector<rocksdb::LiveFileMetaData> files;
    store_.db->GetLiveFilesMetaData(&files);
    begin_round(files);
    uint64_t unread = 0;
    for (const auto& file : files) {
      const std::string path = store_.db->GetName() + file.name;
      const rocksdb::Status status = check(path);
      if (status.IsAborted()) return false;
      // One that a compaction has replaced is gone.
      std::error_code unknown;
      const bool failed = !status.ok() && (std::filesystem::exists(path, unknown) || unknown);
      if (failed && !files_->opened() && unread++ == 0) {
        log(LogLevel::kWarn,
            {"Scrub: the file ", path, " cannot be opened, and was not read: ", status.ToString(), "."});
      }
      if (failed && files_->opened()) note_damage("the file " + path + " is damaged (" + status.ToString() + ")");
      store_.meters.scrubbed_bytes.add(file.size);
      const MutexLock lock(mutex_);
      state_.done_bytes += file.size;
    }
    end_round(reads_before, unread);
    return true;
  }

  rocksdb::Status check(const std::string& path) {
    rocksdb::Options options = store_.db->GetOptions(store_.records);
    options.env = env_.get();
    rocksdb::ReadOptions reading;
    reading.readahead_size = kReadBytes;
    reading.fill_cache = false;
    return rocksdb::VerifySstFileChecksum(options, rocksdb::EnvOptions(), reading, path);
  }

  void begin_round(const std::vector<rocksdb::LiveFileMetaData>& files) {
    const MutexLock lock(mutex_);
    state_.reads = true;
    state_.done_bytes = 0;
    state_.all_bytes = 0;
    for (const auto& file : files) state_.all_bytes += file.size;
    state_.damaged.clear();
    store_.meters.scrub_damaged.store(0, std::memory_order_relaxed);
  }

  void note_damage(const std::string& what) {
    log(LogLevel::kError, {"Scrub: ", what, "."});
    store_.damage.found(what);
    store_.meters.scrub_damaged.fetch_add(1, std::memory_order_relaxed);
    const MutexLock lock(mutex_);
    state_.damaged.push_back(what);
  }

  void end_round(uint64_t reads_before, uint64_t unread) {
    const int64_t now_ms = system_clock().now_ms();
    const MutexLock lock(mutex_);
    state_.reads = false;
    state_.ended_ms = now_ms;
    ++state_.rounds;
    store_.meters.scrub_rounds.add();
    store_.meters.scrub_ended_ms.store(now_ms, std::memory_order_relaxed);
    const size_t damaged = state_.damaged.size();
    log(damaged == 0 ? LogLevel::kInfo : LogLevel::kError,
        {"Scrub: all table files were read", unread == 0 ? "" : " that can be opened", "; damaged: ",
         std::to_string(damaged), unread == 0 ? "" : ", not opened: ", unread == 0 ? "" : std::to_string(unread), "."});
    if (damaged == 0 && unread == 0) store_.damage.found_nothing(reads_before);
  }

  static constexpr size_t kReadBytes = size_t{256} << 10;

  Store& store_;
  const std::chrono::milliseconds rest_;
  ReadThrottle throttle_;
  const std::shared_ptr<ThrottledFileSystem> files_;
  const std::unique_ptr<rocksdb::Env> env_;
  mutable Mutex mutex_;
  storage::ScrubState state_ PARTITA_GUARDED_BY(mutex_);
  Thread thread_;
};

}  // namespace

Result<std::unique_ptr<storage::Scrub>> begin_scrub(Store& store, const storage::ScrubOptions& options) {
  auto scrubber = std::make_unique<Scrubber>(store, options);
  PARTITA_TRY_VOID(scrubber->begin());
  return std::unique_ptr<storage::Scrub>(std::move(scrubber));
}

}  // namespace partita::rocks
