#include "engines/rocksdb/reclaim.h"

#include <rocksdb/convenience.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <utility>

namespace partita::rocks {

namespace {

// Merging costs a flush and reading what is beside the hole.
constexpr uint64_t kWorthBytes = uint64_t{4} << 20;
constexpr size_t kMaxHoles = 1'000;

}  // namespace

SpaceReclaimer::~SpaceReclaimer() {
  stopping_ = true;
  const MutexLock lock(mutex_);
  ended_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return !running_; });
}

void SpaceReclaimer::erased(rocksdb::ColumnFamilyHandle* family, std::string begin, std::string end, uint64_t bytes) {
  {
    const MutexLock lock(mutex_);
    // A topic is trimmed again and again from the same beginning.
    const auto same = std::ranges::find_if(
        holes_, [&](const FreedRange& hole) { return hole.family == family && hole.begin == begin; });
    if (same == holes_.end()) {
      holes_.push_back({family, std::move(begin), std::move(end)});
    } else {
      same->end = std::max(same->end, end);
    }
    bytes_ += bytes;
    if (running_ || stopping_ || (bytes_ < kWorthBytes && holes_.size() < kMaxHoles)) return;
    running_ = true;
  }
  start(run(), [] {});
}

Task<void> SpaceReclaimer::run() {
  co_await workers_.enter();
  for (;;) {
    std::vector<FreedRange> holes;
    {
      const MutexLock lock(mutex_);
      if (stopping_ || (bytes_ < kWorthBytes && holes_.size() < kMaxHoles)) {
        running_ = false;
        ended_.notify_all();
        co_return;
      }
      holes.swap(holes_);
      bytes_ = 0;
    }
    for (const FreedRange& hole : holes) close(hole);
  }
}

void SpaceReclaimer::close(const FreedRange& hole) {
  if (stopping_ || store_.write_errors.failed()) return;
  const rocksdb::Slice begin(hole.begin);
  const rocksdb::Slice end(hole.end);
  // Keys of records that were erased never come again; entries of a log do, when it is restored.
  if (hole.family == store_.records) {
    rocksdb::DeleteFilesInRange(store_.db.get(), hole.family, &begin, &end, false).PermitUncheckedError();
  }
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.canceled = &stopping_;
  store_.db->CompactRange(options, hole.family, &begin, &end).PermitUncheckedError();
}

rocksdb::Status approximate_size(const Store& store, rocksdb::ColumnFamilyHandle* family, const std::string& begin,
                                 const std::string& end, uint64_t& bytes) {
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  options.include_files = true;
  options.files_size_error_margin = 0.1;
  const rocksdb::Range bounds(begin, end);
  return store.db->GetApproximateSizes(options, family, &bounds, 1, &bytes);
}

}  // namespace partita::rocks
