// Frees the disk space of erased ranges.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/task.h"
#include "base/workers.h"
#include "engines/rocksdb/store.h"

namespace partita::rocks {

// RocksDB keeps erased data until it happens to compact the files that hold it. This compacts them on one worker at a
// time, as soon as enough was erased. Callable from any thread. The destructor waits until the compaction has stopped.
class SpaceReclaimer {
 public:
  SpaceReclaimer(const Store& store, Workers& workers) : store_(store), workers_(workers) {}
  SpaceReclaimer(const SpaceReclaimer&) = delete;
  SpaceReclaimer& operator=(const SpaceReclaimer&) = delete;
  ~SpaceReclaimer();

  // [begin, end) of the family was erased and occupied about `bytes`.
  void erased(rocksdb::ColumnFamilyHandle* family, std::string begin, std::string end, uint64_t bytes);

 private:
  struct FreedRange {
    rocksdb::ColumnFamilyHandle* family;
    std::string begin;
    std::string end;
  };

  Task<void> run();
  void close(const FreedRange& hole);

  const Store& store_;
  Workers& workers_;
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  CondVar ended_;
  std::vector<FreedRange> holes_ PARTITA_GUARDED_BY(mutex_);
  uint64_t bytes_ PARTITA_GUARDED_BY(mutex_) = 0;  // of the holes
  bool running_ PARTITA_GUARDED_BY(mutex_) = false;
};

// The bytes that the range occupies in files and in memory, roughly.
rocksdb::Status approximate_size(const Store& store, rocksdb::ColumnFamilyHandle* family, const std::string& begin,
                                 const std::string& end, uint64_t& bytes);

}  // namespace partita::rocks
